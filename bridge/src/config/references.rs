//! `${VARIABLE}` and `${VARIABLE:-default}` in the texts of a file; `$${` is written for `${` itself.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::sync::Mutex;

use figment::value::Value;

use super::problem::Fault;
use crate::shared::lock;

/// What is shorter tells nothing, and stands in other words by chance.
const LEAST_HIDDEN: usize = 3;

pub(super) struct References {
    variables: BTreeMap<String, OsString>,
    /// What variables hold that were referred to, with how that was written.
    results: Mutex<BTreeMap<String, String>>,
}

impl References {
    pub(super) fn new(variables: BTreeMap<String, OsString>) -> Self {
        Self {
            variables,
            results: Mutex::default(),
        }
    }

    pub(super) fn replaced(&self, written: &str) -> Result<String, Fault> {
        let (mut text, mut rest) = (String::new(), written);
        while let Some((before, after)) = rest.split_once("${") {
            if let Some(before) = before.strip_suffix('$') {
                text.extend([before, "${"]);
                rest = after;
                continue;
            }
            let (reference, after) = after.split_once('}').ok_or_else(malformed)?;
            text.push_str(before);
            text.push_str(&self.value(reference)?);
            rest = after;
        }
        Ok(text + rest)
    }

    /// As in a shell, an empty variable gets its default too.
    fn value(&self, reference: &str) -> Result<String, Fault> {
        let (name, default) = match reference.split_once(":-") {
            Some((name, default)) => (name, Some(default)),
            None => (reference, None),
        };
        let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if name.is_empty() || !name.chars().all(is_letter) {
            return Err(malformed());
        }
        let held = self.variables.get(name);
        if let Some(default) = default
            && held.is_none_or(|held| held.is_empty())
        {
            return Ok(default.to_owned());
        }
        let Some(held) = held else {
            let what = format!("the variable {name} is not set");
            let remedy = format!("set it, or write a default: ${{{name}:-…}}");
            return Err(Fault::new(what, remedy));
        };
        let Some(held) = held.to_str() else {
            let what = format!("the variable {name} is not UTF-8");
            let remedy = "give it text, or keep the value in the file";
            return Err(Fault::new(what, remedy));
        };
        lock(&self.results).insert(held.to_owned(), format!("${{{name}}}"));
        Ok(held.to_owned())
    }

    /// Without what variables hold: a constant text cannot hold that.
    pub(super) fn as_written(&self, text: Cow<'static, str>) -> String {
        let Cow::Owned(mut text) = text else {
            return text.into_owned();
        };
        let results = lock(&self.results);
        let hidden = results.iter();
        let mut hidden: Vec<_> = hidden
            .filter(|(result, _)| result.len() >= LEAST_HIDDEN)
            .collect();
        hidden.sort_by_key(|(result, _)| Reverse(result.len()));
        for (result, written) in hidden {
            text = text.replace(result, written);
        }
        text
    }
}

fn malformed() -> Fault {
    let what = "holds `${` without the name of a variable and `}`";
    let remedy = "write ${NAME} or ${NAME:-default}, or $${ for the two characters themselves";
    Fault::new(what, remedy)
}

/// Of a text and references, or of several of them.
pub(super) fn is_composed(written: &str) -> bool {
    let written = written.replace("$${", "");
    let end = written.find('}').map(|end| end + 1);
    written.contains("${") && !(written.starts_with("${") && end == Some(written.len()))
}

/// A single value as text; the type that it is read as says what it means.
pub(super) fn written(value: &Value) -> Option<Cow<'_, str>> {
    match value {
        Value::String(_, text) => Some(text.into()),
        // JSON has none for it.
        Value::Num(_, number) if number.to_f64().is_some_and(|it| !it.is_finite()) => {
            number.to_f64().map(|it| it.to_string().into())
        }
        Value::Bool(..) | Value::Num(..) => serde_json::to_string(value).ok().map(Cow::Owned),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_stands_for_what_its_variable_holds() {
        let variables = [("HOST", "kafka"), ("EMPTY", ""), ("ODD", "${HOST}")];
        let variables = variables.map(|(name, value)| (name.to_owned(), value.into()));
        let references = References::new(BTreeMap::from(variables));
        let (missing, malformed) = ("is not set", "holds `${` without");
        for (written, meant) in [
            ("plain $5 $", Ok("plain $5 $")),
            ("${HOST}", Ok("kafka")),
            ("${HOST}:9092", Ok("kafka:9092")),
            ("a${HOST}${HOST}}", Ok("akafkakafka}")),
            ("${NO:-a:-b}", Ok("a:-b")),
            ("${NO:-}", Ok("")),
            ("${EMPTY}", Ok("")),
            ("${EMPTY:-d}", Ok("d")),
            ("${ODD}", Ok("${HOST}")),
            ("$${HOST}", Ok("${HOST}")),
            ("$${${HOST}", Ok("${kafka")),
            ("${NO}", Err(missing)),
            ("${HOST", Err(malformed)),
            ("${}", Err(malformed)),
            ("${a b}", Err(malformed)),
        ] {
            match (references.replaced(written), meant) {
                (Ok(found), Ok(meant)) => assert_eq!(found, meant, "{written}"),
                (Err(fault), Err(words)) => assert!(fault.what.contains(words), "{written}"),
                (found, _) => panic!("{written}: {found:?}"),
            }
        }
        for (written, expected) in [
            ("plain", false),
            ("$${HOST}", false),
            ("${HOST}", false),
            ("${NO:-a:-b}", false),
            ("${HOST}:9092", true),
            ("${HOST}${HOST}", true),
            ("1${HOST}", true),
        ] {
            assert_eq!(is_composed(written), expected, "{written}");
        }
    }
}
