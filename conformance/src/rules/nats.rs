//! Rules of the NATS binding.

mod content_type_header;
mod stray_percent;

use crate::rule::Rule;

pub(super) const RULES: &[Rule] = &[content_type_header::RULE, stray_percent::RULE];
