//! Rules of the HTTP binding.

pub(super) mod decoded_not_utf_8;
pub(super) mod stray_percent;

use crate::rule::Rule;

pub(super) const RULES: &[Rule] = &[decoded_not_utf_8::RULE, stray_percent::RULE];
