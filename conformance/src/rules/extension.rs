//! Rules of documented extensions.

mod sequence_gap;
mod sequence_not_text;

use crate::rule::Rule;

pub(super) const RULES: &[Rule] = &[sequence_gap::RULE, sequence_not_text::RULE];
