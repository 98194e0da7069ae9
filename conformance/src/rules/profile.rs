//! Rules of the NL GOV profile.

mod data_changed_under_type;
mod data_not_json;
mod dataref_refused;
mod http_binary_mode;
mod http_not_single_json;
mod kvk_number_malformed;
mod old_type_dropped;
mod organisation_without_oin;
mod source_is_dataref;
mod source_not_nld;
mod specific_type_refused;
mod specversion_not_1_0;
mod system_missing;
mod token_in_query;
mod type_changed_needlessly;
mod type_not_one_version;
mod type_not_reverse_domain_name;
mod type_version_without_v;
mod type_without_semantic_version;

use super::Definition;

/// Versions of one name that a rule remembers; with more of them, the number is no version.
const MOST_VERSIONS: usize = 100;

pub(super) const RULES: &[Definition] = &[
    data_changed_under_type::RULE,
    data_not_json::RULE,
    dataref_refused::RULE,
    http_binary_mode::RULE,
    http_not_single_json::RULE,
    kvk_number_malformed::RULE,
    old_type_dropped::RULE,
    organisation_without_oin::RULE,
    source_is_dataref::RULE,
    source_not_nld::RULE,
    specific_type_refused::RULE,
    specversion_not_1_0::RULE,
    system_missing::RULE,
    token_in_query::RULE,
    type_changed_needlessly::RULE,
    type_not_one_version::RULE,
    type_not_reverse_domain_name::RULE,
    type_version_without_v::RULE,
    type_without_semantic_version::RULE,
];
