//! Rules of the webhook specification.

mod empty_answer;
mod origin_not_a_dns_name;
mod redirected;

use crate::rule::Rule;

pub(super) const RULES: &[Rule] = &[
    empty_answer::RULE,
    origin_not_a_dns_name::RULE,
    redirected::RULE,
];
