//! `${VARIABLE}` and `${VARIABLE:-default}` in the texts of a file; `$${` is written for `${` itself.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::OsString;

use super::problem::Fault;

/// What is shorter tells nothing, and stands in other words by chance.
const LEAST_HIDDEN: usize = 3;

pub(super) struct References<'v> {
    pub(super) variables: &'v BTreeMap<String, OsString>,
    /// What variables hold, with how that was written.
    pub(super) results: RefCell<BTreeMap<String, String>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ReferenceError {
    Missing(String),
    NotUtf8(String),
    Malformed,
}

impl References<'_> {
    /// And whether the text is composed of several parts.
    pub(super) fn replaced(&self, written: &str) -> (Result<String, ReferenceError>, bool) {
        let (mut text, mut rest, mut references) = (String::new(), written, 0);
        let mut has_text = false;
        while let Some((before, after)) = rest.split_once("${") {
            if let Some(before) = before.strip_suffix('$') {
                text.extend([before, "${"]);
                (rest, has_text) = (after, true);
                continue;
            }
            text.push_str(before);
            has_text |= !before.is_empty();
            let Some((reference, after)) = after.split_once('}') else {
                return (Err(ReferenceError::Malformed), true);
            };
            match self.value(reference) {
                Ok(value) => text.push_str(&value),
                Err(error) => return (Err(error), false),
            }
            (rest, references) = (after, references + 1);
        }
        text.push_str(rest);
        has_text |= !rest.is_empty();
        let is_composed = references > 1 || references == 1 && has_text;
        (Ok(text), is_composed)
    }

    /// As in a shell, an empty variable gets its default too.
    fn value(&self, reference: &str) -> Result<String, ReferenceError> {
        let (name, default) = match reference.split_once(":-") {
            Some((name, default)) => (name, Some(default)),
            None => (reference, None),
        };
        let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if name.is_empty() || !name.chars().all(is_letter) {
            return Err(ReferenceError::Malformed);
        }
        match (self.variables.get(name), default) {
            (Some(value), Some(default)) if value.is_empty() => Ok(default.to_owned()),
            (Some(value), _) => {
                let not_utf8 = || ReferenceError::NotUtf8(name.to_owned());
                let value = value.to_str().ok_or_else(not_utf8)?;
                let mut results = self.results.borrow_mut();
                results.insert(value.to_owned(), format!("${{{name}}}"));
                Ok(value.to_owned())
            }
            (None, Some(default)) => Ok(default.to_owned()),
            (None, None) => Err(ReferenceError::Missing(name.to_owned())),
        }
    }
}

impl ReferenceError {
    pub(super) fn fault(&self) -> Fault {
        match self {
            Self::Missing(name) => Fault::new(
                format!("the variable {name} is not set"),
                format!("set it, or write a default: ${{{name}:-…}}"),
            ),
            Self::NotUtf8(name) => Fault::new(
                format!("the variable {name} is not UTF-8"),
                "give it text, or keep the value in the file",
            ),
            Self::Malformed => Fault::new(
                "holds `${` without the name of a variable and `}`",
                "write ${NAME} or ${NAME:-default}, or $${ for the two characters themselves",
            ),
        }
    }
}

/// Without what variables hold: a constant text cannot hold that.
pub(super) fn as_written(text: Cow<'static, str>, results: &BTreeMap<String, String>) -> String {
    let Cow::Owned(mut text) = text else {
        return text.into_owned();
    };
    let hidden = results.iter();
    let mut hidden: Vec<_> = hidden
        .filter(|(result, _)| result.len() >= LEAST_HIDDEN)
        .collect();
    hidden.sort_by_key(|(result, _)| std::cmp::Reverse(result.len()));
    for (result, written) in hidden {
        text = text.replace(result, written);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_stands_for_what_its_variable_holds() {
        let variables = [("HOST", "kafka"), ("EMPTY", ""), ("ODD", "${HOST}")];
        let variables = variables.map(|(name, value)| (name.to_owned(), value.into()));
        let references = References {
            variables: &BTreeMap::from(variables),
            results: RefCell::default(),
        };
        let missing = || Err(ReferenceError::Missing("NO".to_owned()));
        for (written, meant, is_composed) in [
            ("plain $5 $", Ok("plain $5 $"), false),
            ("${HOST}", Ok("kafka"), false),
            ("${HOST}:9092", Ok("kafka:9092"), true),
            ("a${HOST}${HOST}}", Ok("akafkakafka}"), true),
            ("${NO:-a:-b}", Ok("a:-b"), false),
            ("${NO:-}", Ok(""), false),
            ("${EMPTY}", Ok(""), false),
            ("${EMPTY:-d}", Ok("d"), false),
            ("${ODD}", Ok("${HOST}"), false),
            ("$${HOST}", Ok("${HOST}"), false),
            ("$${${HOST}", Ok("${kafka"), true),
            ("${NO}", missing(), false),
            ("${HOST", Err(ReferenceError::Malformed), true),
            ("${}", Err(ReferenceError::Malformed), false),
            ("${a b}", Err(ReferenceError::Malformed), false),
        ] {
            let meant = meant.map(str::to_owned);
            assert_eq!(
                references.replaced(written),
                (meant, is_composed),
                "{written}"
            );
        }
    }
}
