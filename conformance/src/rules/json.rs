//! Rules of the JSON event format.

mod integer_misspelt;
mod not_an_object;
mod not_json;
mod null_is_unset;
mod repeated_member;

use crate::rule::Rule;

pub(super) const RULES: &[Rule] = &[
    integer_misspelt::RULE,
    not_an_object::RULE,
    not_json::RULE,
    null_is_unset::RULE,
    repeated_member::RULE,
];
