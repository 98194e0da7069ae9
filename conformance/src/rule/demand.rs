//! What a rule demands that somebody wrote down as data: in an overlay, and not in this crate.

use regex::Regex;

use super::Found;
use crate::reading::Event;

/// What is demanded of each event.
#[derive(Debug, Default)]
pub struct Demand {
    /// The attribute it is about.
    pub(crate) attribute: String,
    /// Whether it has to be there.
    pub(crate) is_required: bool,
    /// What its whole text has to be of.
    pub(crate) pattern: Option<Regex>,
    /// The texts it may be; any where there are none.
    pub(crate) one_of: Vec<String>,
    /// The largest event, in bytes.
    pub(crate) most_bytes: Option<usize>,
}

impl Demand {
    pub(crate) fn check(&self, event: &Event<'_>, found: &mut Found<'_>) {
        let name = &*self.attribute;
        if self.is_required {
            found.missing(event, name);
        }
        let is_met = |text: &str| {
            let is_one = self.one_of.is_empty() || self.one_of.iter().any(|one| one == text);
            let pattern = self.pattern.as_ref();
            is_one && pattern.is_none_or(|pattern| pattern.is_match(text))
        };
        found.all(event.failing(name, is_met));
        if self.most_bytes.is_some_and(|most| event.bytes > most) {
            found.message(&format!("{} bytes", event.bytes));
        }
    }
}
