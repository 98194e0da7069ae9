//! Rules of the core specification.

mod attributes_missing;
mod control_character;
mod data_not_its_type;
mod id_empty;
mod id_missing;
mod id_reused;
mod name_outside_alphabet;
mod source_not_a_reference;
mod time_not_rfc_3339;

use crate::rule::Rule;

pub(super) const RULES: &[Rule] = &[
    attributes_missing::RULE,
    control_character::RULE,
    data_not_its_type::RULE,
    id_empty::RULE,
    id_missing::RULE,
    id_reused::RULE,
    name_outside_alphabet::RULE,
    source_not_a_reference::RULE,
    time_not_rfc_3339::RULE,
];
