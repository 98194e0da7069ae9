//! What trying out showed of a rule: a line beside the captures of what was exchanged.
//!
//! `cenl-conformance-live` writes both, and a check reads them again, so that one report tells of rules
//! that messages show and of those that only behaviour shows.

use serde::{Deserialize, Serialize};

use crate::capture::{CaptureError, not_read};
use crate::language::Language;
use crate::rule::Rule;
use crate::rules;

/// What trying out showed of one rule.
///
/// ```
/// use cloudevents_nl_conformance::{Live, Shown};
///
/// let live = Live::read(br#"{"live":"HOOK-RESP-11","shown":"met"}"#)?;
/// assert!(matches!(live.shown, Shown::Met));
/// # Ok::<(), cloudevents_nl_conformance::CaptureError>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Live {
    /// The rule.
    pub rule: &'static Rule,
    /// What was shown.
    pub shown: Shown,
}

/// Whether a rule is met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shown {
    /// It is.
    Met,
    /// It is not: where that was seen.
    Broken(Vec<Evidence>),
    /// It was not tried, or trying showed neither.
    Nothing(Why),
}

/// An exchange or a message that shows a rule broken.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Evidence {
    /// The line of the file that it stands on, from 1.
    pub line: u64,
    /// Whether it is about the response of an exchange.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_response: bool,
    /// What was seen, in a few words that need no translation: `text/plain → 204`.
    pub seen: String,
}

/// Why nothing was shown, in the languages of reports.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Why {
    /// English.
    pub en: String,
    /// Dutch.
    pub nl: String,
}

impl Why {
    /// The text in a language.
    #[must_use]
    pub fn told(&self, language: Language) -> &str {
        match language {
            Language::Dutch => &self.nl,
            Language::English => &self.en,
        }
    }
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Line<'l> {
    live: &'l str,
    shown: Word,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    evidence: Vec<Evidence>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<Why>,
}

#[derive(Clone, Copy, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
enum Word {
    Met,
    Broken,
    Nothing,
}

impl Live {
    /// What was shown of the rule of a name, `None` where the catalogue has no such rule, or none that
    /// can be tried out.
    #[must_use]
    pub fn new(rule: &str, shown: Shown) -> Option<Self> {
        let rule = rules::live(rule)?;
        Some(Self { rule, shown })
    }

    /// Reads `{"live","shown", …}`: `live` names a rule; `shown` is `met`, `broken` with `evidence`, or
    /// `nothing` with `why`.
    ///
    /// # Errors
    /// When the text is not JSON or not of that shape, or names no rule that can be tried out.
    pub fn read(text: &[u8]) -> Result<Self, CaptureError> {
        let line: Line<'_> = serde_json::from_slice(text).map_err(not_read(text))?;
        let shown = match (line.shown, line.why) {
            (Word::Met, _) => Shown::Met,
            (Word::Broken, _) => Shown::Broken(line.evidence),
            (Word::Nothing, Some(why)) => Shown::Nothing(why),
            (Word::Nothing, None) => return Err(CaptureError::WrongShape { line: 1, column: 1 }),
        };
        Self::new(line.live, shown).ok_or(CaptureError::NoLiveRule)
    }

    /// Writes what [`Self::read`] reads, in one line.
    #[must_use]
    pub fn to_line(&self) -> String {
        let (shown, evidence, why) = match &self.shown {
            Shown::Met => (Word::Met, Vec::new(), None),
            Shown::Broken(evidence) => (Word::Broken, evidence.clone(), None),
            Shown::Nothing(why) => (Word::Nothing, Vec::new(), Some(why.clone())),
        };
        let line = Line {
            live: self.rule.id,
            shown,
            evidence,
            why,
        };
        serde_json::to_string(&line).expect("texts and numbers only")
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        for text in [
            r#"{"live":"HOOK-RESP-11","shown":"met"}"#,
            r#"{"live":"HOOK-RESP-11","shown":"broken","evidence":[{"line":3,"in_response":true,"seen":"text/plain → 204"}]}"#,
            r#"{"live":"CE-INT-1","shown":"nothing","why":{"en":"no event","nl":"geen gebeurtenis"}}"#,
        ] {
            assert_eq!(Live::read(text.as_bytes()).unwrap().to_line(), text);
        }
    }

    #[test]
    fn says_what_is_wrong() {
        for (text, expected) in [
            (
                r#"{"live":"HOOK-RESP-11"}"#,
                "not in the shape of a capture",
            ),
            (
                r#"{"live":"HOOK-RESP-11","shown":"nothing"}"#,
                "not in the shape",
            ),
            (
                r#"{"live":"NL-DATA-1","shown":"met"}"#,
                "no rule that can be tried out",
            ),
        ] {
            let error = Live::read(text.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
