//! Rules of documented extensions.

mod authtype_unknown;
mod bam_incomplete;
mod classification_incomplete;
mod correlation_empty;
mod dataref_not_a_reference;
mod deprecated_not_true;
mod dsse_malformed;
mod expired_before_it_happened;
mod extension_written_differently;
mod partitionkey_empty;
mod recordedtime_not_rfc_3339;
mod sampledrate_not_positive;
mod sequence_gap;
mod sequence_not_an_integer;
mod sequence_not_counted;
mod sequence_not_in_order;
mod sequence_not_text;
mod sequencetype_empty;
mod severity_negative;
mod sunset_before_deprecation;
mod traceparent_malformed;

use super::Definition;

pub(super) const RULES: &[Definition] = &[
    authtype_unknown::RULE,
    bam_incomplete::RULE,
    classification_incomplete::RULE,
    correlation_empty::RULE,
    dataref_not_a_reference::RULE,
    deprecated_not_true::RULE,
    dsse_malformed::RULE,
    expired_before_it_happened::RULE,
    extension_written_differently::RULE,
    partitionkey_empty::RULE,
    recordedtime_not_rfc_3339::RULE,
    sampledrate_not_positive::RULE,
    sequence_gap::RULE,
    sequence_not_an_integer::RULE,
    sequence_not_counted::RULE,
    sequence_not_in_order::RULE,
    sequence_not_text::RULE,
    sequencetype_empty::RULE,
    severity_negative::RULE,
    sunset_before_deprecation::RULE,
    traceparent_malformed::RULE,
];
