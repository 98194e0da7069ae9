//! Rules of sizes.

mod larger_elsewhere;

use super::Definition;

pub(super) const RULES: &[Definition] = &[larger_elsewhere::RULE];
