//! Writes a report: for people in a terminal and in a browser, and for machines.
//!
//! Each form is one module with one function from a [`Report`] to text. The same report gives the
//! same bytes: nothing here looks at a clock, a terminal or a file. Everything that came from a
//! message is escaped for the form it is put in.

mod explain;
mod faults;
mod github;
mod gitlab;
mod html;
mod json;
mod junit;
mod sarif;
mod table;
mod words;

use crate::input::InputError;
use crate::report::{Problem, Report};

pub use crate::language::Language;
pub use explain::{explain, rules, rules_json};
pub use table::table;

/// The version of the checker.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The JSON Schema of what [`json`] writes.
pub const JSON_SCHEMA: &str = include_str!("../schemas/cenl-report-1.json");

/// JSON in the format `cenl-report/1`, which the README describes.
#[must_use]
pub fn json(report: &Report, language: Language) -> String {
    json::render(report, language)
}

/// JUnit XML: a test case per rule.
#[must_use]
pub fn junit(report: &Report, language: Language) -> String {
    junit::render(report, language)
}

/// SARIF 2.1.0.
#[must_use]
pub fn sarif(report: &Report, language: Language) -> String {
    sarif::render(report, language)
}

/// One HTML file that needs no other, and no scripts.
#[must_use]
pub fn html(report: &Report, language: Language) -> String {
    html::render(report, language)
}

/// Annotations of GitHub's workflows.
#[must_use]
pub fn github(report: &Report, language: Language) -> String {
    github::render(report, language)
}

/// GitLab's report of code quality.
#[must_use]
pub fn gitlab(report: &Report, language: Language) -> String {
    gitlab::render(report, language)
}

/// An input that could not be read, with its place: `file:line:column: why`.
#[must_use]
pub fn problem(problem: &Problem, language: Language) -> String {
    words::problem(problem, language)
}

/// Why a file could not be read.
#[must_use]
pub fn fault(error: &InputError, language: Language) -> String {
    faults::fault(error, language)
}

/// Text for XML and HTML. Characters that XML 1.0 does not have are shown by their number.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\t' | '\n' => escaped.push(character),
            control if control.is_control() || matches!(control, '\u{fffe}' | '\u{ffff}') => {
                escaped.extend(control.escape_unicode());
            }
            character => escaped.push(character),
        }
    }
    escaped
}
