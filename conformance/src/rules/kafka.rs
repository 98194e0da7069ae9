//! Rules of the Kafka binding.

mod foreign_prefix;
pub(super) mod repeated_header;

use crate::rule::Rule;

pub(super) const RULES: &[Rule] = &[foreign_prefix::RULE, repeated_header::RULE];
