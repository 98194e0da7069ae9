//! Which rules are asked, and how much a breach of each counts, where somebody says otherwise than the
//! profile.

use crate::report::Severity;
use crate::written::matches;

/// Rules that are asked, left out, or counted otherwise. Names may have `*` for any text: `NL-*`.
///
/// ```
/// use cloudevents_nl_conformance::{Selection, Severity};
///
/// let mut selection = Selection::default();
/// selection.ignore.push("NL-*".to_owned());
/// selection.severity.push(("CE-ID-2".to_owned(), Severity::Warning));
/// assert!(!selection.has("NL-TYPE-1") && selection.has("CE-TYPE-2"));
/// assert_eq!(selection.severity("CE-ID-2", Severity::Error), Severity::Warning);
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Selection {
    /// The only ones that are asked; all where there are none.
    pub select: Vec<String>,
    /// Those that are not asked.
    pub ignore: Vec<String>,
    /// How much a breach counts, by rule; the last that is about it holds.
    pub severity: Vec<(String, Severity)>,
}

impl Selection {
    /// Whether a rule is asked.
    #[must_use]
    pub fn has(&self, rule: &str) -> bool {
        let among = |patterns: &[String]| patterns.iter().any(|pattern| matches(pattern, rule));
        (self.select.is_empty() || among(&self.select)) && !among(&self.ignore)
    }

    /// How much a breach of a rule counts that counts so much by the profile.
    #[must_use]
    pub fn severity(&self, rule: &str, usual: Severity) -> Severity {
        let mut ours = self.severity.iter().rev();
        let ours = ours.find(|(pattern, _)| matches(pattern, rule));
        ours.map_or(usual, |(_, severity)| *severity)
    }
}
