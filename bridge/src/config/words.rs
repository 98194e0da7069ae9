//! Settings that are one of a few words.

use serde_json::{Value as Json, json};

use super::problem::{Fault, Reported};
use super::setting::{REFERENCE, Setting, SettingValue};

pub(crate) trait Words: Clone + 'static {
    const WORDS: &'static [(&'static str, Self)];

    fn word(&self) -> &'static str
    where
        Self: PartialEq,
    {
        let known = Self::WORDS.iter().find(|(_, value)| value == self);
        known.map_or("", |(word, _)| word)
    }
}

impl<T: Words> Setting for T {
    fn read(found: &SettingValue<'_>) -> Result<Self, Reported> {
        let words = || T::WORDS.iter().map(|(word, _)| *word);
        let expected = format!("expected one of {}", list(words()));
        let text = found.text(&expected)?;
        let known = T::WORDS.iter().find(|(word, _)| **word == text);
        known.map(|(_, value)| value.clone()).ok_or_else(|| {
            let remedy = did_you_mean(&text, words(), || "correct the value".to_owned());
            found.report(Fault::new(expected, remedy))
        })
    }

    fn schema() -> Json {
        let words: Vec<_> = T::WORDS.iter().map(|(word, _)| *word).collect();
        json!({ "anyOf": [{ "enum": words }, { "type": "string", "pattern": REFERENCE }] })
    }
}

/// The candidate that `word` was probably meant to be.
pub(crate) fn nearest<'c>(
    word: &str,
    candidates: impl IntoIterator<Item = &'c str>,
) -> Option<&'c str> {
    candidates
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(word, candidate), candidate))
        .filter(|(distance, candidate)| *distance <= 1 + candidate.len() / 4)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// What to do about a word that is none of them.
pub(crate) fn did_you_mean<'c>(
    word: &str,
    candidates: impl IntoIterator<Item = &'c str>,
    otherwise: impl FnOnce() -> String,
) -> String {
    match nearest(word, candidates) {
        Some(other) => format!("did you mean {other:?}?"),
        None => otherwise(),
    }
}

pub(crate) fn list<'w>(words: impl IntoIterator<Item = &'w str>) -> String {
    let quoted: Vec<_> = words.into_iter().map(|word| format!("{word:?}")).collect();
    quoted.join(", ")
}
