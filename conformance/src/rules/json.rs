//! Rules of the JSON event format.

mod attributes_in_a_container;
mod batch_as_one_event;
mod batch_not_events;
mod core_attribute_not_text;
mod core_name_misspelt;
mod data_not_text;
mod data_twice;
mod integer_misspelt;
mod media_type_not_announced;
pub(super) mod nested_attribute;
mod not_an_object;
mod not_base64;
mod not_json;
mod null_data_dropped;
mod null_is_unset;
mod null_refused;
mod repeated_member;
mod taken_for_json;
mod type_guessed_from_text;
mod untyped_data_not_json;

use super::Definition;

pub(super) const RULES: &[Definition] = &[
    attributes_in_a_container::RULE,
    batch_as_one_event::RULE,
    batch_not_events::RULE,
    core_attribute_not_text::RULE,
    core_name_misspelt::RULE,
    data_not_text::RULE,
    data_twice::RULE,
    integer_misspelt::RULE,
    media_type_not_announced::RULE,
    nested_attribute::RULE,
    not_an_object::RULE,
    not_base64::RULE,
    not_json::RULE,
    null_data_dropped::RULE,
    null_is_unset::RULE,
    null_refused::RULE,
    repeated_member::RULE,
    taken_for_json::RULE,
    type_guessed_from_text::RULE,
    untyped_data_not_json::RULE,
];
