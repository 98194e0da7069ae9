//! The list of cases that the codec does not meet, each with a reason.

use std::path::Path;

use serde::Deserialize;

use super::{FileReport, VectorsError, unreadable};

const FORMAT: &str = "cenl-vectors-not-met/1";

/// Cases that are known not to be met. A listed case that is met is a failure: the list shrinks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NotMet {
    cases: Vec<Case>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    file: String,
    case: String,
    reason: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    format: String,
    cases: Vec<Case>,
}

impl NotMet {
    /// Reads the list from a file.
    ///
    /// # Errors
    /// When it cannot be read or is not of its format.
    pub fn read(path: &Path) -> Result<Self, VectorsError> {
        let text = std::fs::read(path).map_err(|source| unreadable(path, source))?;
        let path = path.to_owned();
        match serde_json::from_slice::<List>(&text) {
            Ok(List { format, cases }) if format == FORMAT => Ok(Self { cases }),
            Ok(List { format, .. }) => Err(VectorsError::UnknownFormat { path, format }),
            Err(source) => Err(VectorsError::Malformed { path, source }),
        }
    }

    pub(crate) fn reason(&self, file: &str, case: &str) -> Option<&str> {
        let listed = |entry: &&Case| entry.file == file && entry.case == case;
        self.cases.iter().find(listed).map(|entry| &*entry.reason)
    }

    /// Entries that name no case.
    pub(crate) fn unknown_to(&self, files: &[FileReport]) -> Vec<String> {
        let unknown = self.cases.iter().filter(|Case { file, case, .. }| {
            let mut of_file = files.iter().filter(|known| known.file == *file);
            !of_file.any(|known| known.cases.contains(case))
        });
        let named = unknown.map(|Case { file, case, .. }| format!("{file}, {case}"));
        named.collect()
    }
}
