//! Rules of the NL GOV profile.

mod source_is_dataref;
mod source_not_nld;
mod type_not_one_version;
mod type_not_reverse_domain_name;

use crate::rule::Rule;

pub(super) const RULES: &[Rule] = &[
    source_is_dataref::RULE,
    source_not_nld::RULE,
    type_not_one_version::RULE,
    type_not_reverse_domain_name::RULE,
];
