//! Rules of the HTTP binding.

mod attribute_not_in_body;
pub(super) mod batch_as_one_event;
mod body_changed;
mod body_not_read;
pub(super) mod capitals_overlooked;
mod content_type_kept_apart;
mod copies_believed;
pub(super) mod datacontenttype_header;
pub(super) mod decoded_not_utf_8;
pub(super) mod decoded_twice;
mod empty_batch_refused;
pub(super) mod encoded_surrogates;
mod event_overlooked;
pub(super) mod event_under_other_type;
mod extension_overlooked;
mod foreign_prefix;
pub(super) mod left_unencoded;
pub(super) mod lower_case_code;
pub(super) mod lower_case_refused;
pub(super) mod mixed_specversions;
mod mode_misjudged;
mod name_case_counted;
mod native_header_alone;
pub(super) mod needless_code_refused;
pub(super) mod not_ascii;
pub(super) mod quoted_value;
pub(super) mod quotes_kept;
pub(super) mod repeated_header;
pub(super) mod stray_percent;

use super::Definition;

pub(super) const RULES: &[Definition] = &[
    attribute_not_in_body::RULE,
    batch_as_one_event::RULE,
    body_changed::RULE,
    body_not_read::RULE,
    capitals_overlooked::RULE,
    content_type_kept_apart::RULE,
    copies_believed::RULE,
    datacontenttype_header::RULE,
    decoded_not_utf_8::RULE,
    decoded_twice::RULE,
    empty_batch_refused::RULE,
    encoded_surrogates::RULE,
    event_overlooked::RULE,
    event_under_other_type::RULE,
    extension_overlooked::RULE,
    foreign_prefix::RULE,
    left_unencoded::RULE,
    lower_case_code::RULE,
    lower_case_refused::RULE,
    mixed_specversions::RULE,
    mode_misjudged::RULE,
    name_case_counted::RULE,
    native_header_alone::RULE,
    needless_code_refused::RULE,
    not_ascii::RULE,
    quoted_value::RULE,
    quotes_kept::RULE,
    repeated_header::RULE,
    stray_percent::RULE,
];
