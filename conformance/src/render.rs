//! Writes a report: for people in a terminal and in a browser, and for machines.
//!
//! Each form is one module with one function from a [`Report`](crate::report::Report) to text. The same report gives the
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

use serde::Serialize;

pub use crate::language::Language;
pub use explain::{explain, rules, rules_json};
pub use faults::fault;
pub use github::github;
pub use gitlab::gitlab;
pub use html::html;
pub use json::json;
pub use junit::junit;
pub use sarif::sarif;
pub use table::table;
pub use words::{kept, problem};

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The JSON Schema of what [`json()`] writes.
pub const JSON_SCHEMA: &str = include_str!("../schemas/cenl-report-1.json");

/// JSON as people read it, with a line break at its end.
fn pretty(value: &impl Serialize) -> String {
    serde_json::to_string_pretty(value).expect("texts and numbers only") + "\n"
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
