//! Rules of sizes.

mod larger_elsewhere;

use crate::rule::Rule;

pub(super) const RULES: &[Rule] = &[larger_elsewhere::RULE];
