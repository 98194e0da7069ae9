//! Baselines: findings that are known, so that only new ones count.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Fault, wrong};

/// Known findings, by fingerprint.
///
/// ```
/// use cloudevents_nl_conformance::Baseline;
///
/// let text = r#"{"format":"cenl-baseline/1","findings":[{"fingerprint":"1f","rule":"CE-ID-2","input":"a.json"}]}"#;
/// assert_eq!(Baseline::read(text)?.known.len(), 1);
/// # Ok::<(), Vec<cloudevents_nl_conformance::Fault>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Baseline {
    /// What each is a finding of.
    pub known: BTreeMap<String, Known>,
}

/// What a known finding is of.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Known {
    /// The rule.
    pub rule: String,
    /// The input.
    pub input: String,
}

const FORMAT: &str = "cenl-baseline/1";

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct File {
    format: String,
    findings: Vec<Line>,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Line {
    fingerprint: String,
    rule: String,
    input: String,
}

impl Baseline {
    /// Reads what [`Self::text`] writes.
    ///
    /// # Errors
    /// When it is no such text.
    pub fn read(text: &str) -> Result<Self, Vec<Fault>> {
        let fault = |line, en: String, nl: String| vec![Fault::new(line, "", wrong(en, nl))];
        let file: File = serde_json::from_str(text).map_err(|error| {
            let en = format!("no baseline: {error}");
            fault(error.line(), en, format!("geen nulmeting: {error}"))
        })?;
        if file.format != FORMAT {
            let en = format!("format is not {FORMAT}");
            return Err(fault(1, en, format!("format is niet {FORMAT}")));
        }
        let known = file.findings.into_iter().map(|line| {
            let (rule, input) = (line.rule, line.input);
            (line.fingerprint, Known { rule, input })
        });
        let known = known.collect();
        Ok(Self { known })
    }

    /// Writes it, in the order of inputs and rules, so that a change shows what it is about.
    #[must_use]
    pub fn text(&self) -> String {
        let lines = self.known.iter().map(|(fingerprint, known)| Line {
            fingerprint: fingerprint.clone(),
            rule: known.rule.clone(),
            input: known.input.clone(),
        });
        let mut findings: Vec<_> = lines.collect();
        findings.sort_by(|one, other| (&one.input, &one.rule).cmp(&(&other.input, &other.rule)));
        let format = FORMAT.to_owned();
        let mut text =
            serde_json::to_string_pretty(&File { format, findings }).expect("texts only");
        text.push('\n');
        text
    }
}
