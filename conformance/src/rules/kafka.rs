//! Rules of the Kafka binding.

mod attributes_in_one_header;
mod capitals_overlooked;
mod copies_believed;
mod datacontenttype_header;
mod empty_value;
mod event_as_data;
mod event_overlooked;
mod event_under_other_type;
mod foreign_prefix;
mod mode_misjudged;
mod not_utf_8;
mod null_value;
pub(super) mod repeated_header;
mod value_not_read;

use super::Definition;

pub(super) const RULES: &[Definition] = &[
    attributes_in_one_header::RULE,
    capitals_overlooked::RULE,
    copies_believed::RULE,
    datacontenttype_header::RULE,
    empty_value::RULE,
    event_as_data::RULE,
    event_overlooked::RULE,
    event_under_other_type::RULE,
    foreign_prefix::RULE,
    mode_misjudged::RULE,
    not_utf_8::RULE,
    null_value::RULE,
    repeated_header::RULE,
    value_not_read::RULE,
];
