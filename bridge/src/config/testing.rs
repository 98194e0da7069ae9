//! Settings at hand, for tests.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;

use figment::Figment;
use figment::providers::Serialized;

use super::document::Document;
use super::problem::{Problem, Reported};
use super::setting::Setting;
use super::table::Table;

fn document(json: &str) -> Document {
    let json: serde_json::Value = serde_json::from_str(json).unwrap();
    let layers = Figment::from(Serialized::defaults(json));
    Document::new(layers, Path::new("test"), Default::default(), Vec::new())
}

/// Reads a table that is written in JSON, or says all that is wrong with it.
pub(crate) fn read<T>(
    json: &str,
    read: impl FnOnce(&Table<'_>) -> Result<T, Reported>,
) -> Result<T, Vec<Problem>> {
    read_from(&document(json), read)
}

/// As [`read`], of TOML.
pub(crate) fn toml<T>(
    text: &str,
    read: impl FnOnce(&Table<'_>) -> Result<T, Reported>,
) -> Result<T, Vec<Problem>> {
    read_from(
        &Document::parse(Path::new("test"), text, [], &[]).unwrap(),
        read,
    )
}

fn read_from<T>(
    document: &Document,
    read: impl FnOnce(&Table<'_>) -> Result<T, Reported>,
) -> Result<T, Vec<Problem>> {
    let findings = document.findings();
    let table = document.table(&findings);
    let value = read(&table);
    table.finish();
    drop(table);
    match findings.into_problems() {
        None => Ok(value.unwrap()),
        Some(problems) => Err(problems.iter().cloned().collect()),
    }
}

/// The keys of all that is wrong with a table.
pub(crate) fn faults<T>(
    json: &str,
    reader: impl FnOnce(&Table<'_>) -> Result<T, Reported>,
) -> Vec<String> {
    let problems = read(json, reader).err().unwrap_or_default();
    problems.into_iter().map(|problem| problem.key).collect()
}

/// Reads one value.
pub(crate) fn value<T: Setting>(text: &str) -> Option<T> {
    let json = serde_json::json!({ "key": text }).to_string();
    read(&json, |table| table.key("key", "").required()).ok()
}
