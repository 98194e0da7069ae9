//! Rules of the NATS binding.

mod attribute_left_out;
mod content_type_header;
mod decoded_not_utf_8;
mod decoded_twice;
mod encoded_surrogates;
mod extension_in_native_header;
mod left_unencoded;
mod lower_case_code;
mod lower_case_refused;
mod mode_misjudged;
mod needless_code_refused;
mod not_ascii;
mod payload_not_an_event;
mod payload_read_otherwise;
mod payload_wrapped;
mod quoted_value;
mod quotes_kept;
mod repeated_header;
mod stray_percent;

use super::Definition;

pub(super) const RULES: &[Definition] = &[
    attribute_left_out::RULE,
    content_type_header::RULE,
    decoded_not_utf_8::RULE,
    decoded_twice::RULE,
    encoded_surrogates::RULE,
    extension_in_native_header::RULE,
    left_unencoded::RULE,
    lower_case_code::RULE,
    lower_case_refused::RULE,
    mode_misjudged::RULE,
    needless_code_refused::RULE,
    not_ascii::RULE,
    payload_not_an_event::RULE,
    payload_read_otherwise::RULE,
    payload_wrapped::RULE,
    quoted_value::RULE,
    quotes_kept::RULE,
    repeated_header::RULE,
    stray_percent::RULE,
];
