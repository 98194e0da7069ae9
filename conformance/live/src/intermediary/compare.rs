//! What became another on the way: an event that went in, held against the one that came out.

use std::fmt;

use clap::ValueEnum;
use cloudevents_nl_conformance::Mode;

use super::plain::Plain;
use super::spelling::{is_same_json, is_same_moment};

/// A difference that an operator has declared not to mind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Tolerance {
    /// JSON that means the same: white space, the order of members, 1.50 and 1.5
    DataSpelling,
    /// A moment in another time zone, or with other digits
    TimeSpelling,
    /// Attributes that the intermediary adds
    AddedAttributes,
    /// Empty data that became none, and none that became empty
    EmptyData,
    /// A number or a boolean that became text, or the other way round, from JSON to JSON
    AttributeTypes,
}

/// What became another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Difference {
    /// An attribute is not there any more.
    Dropped(String),
    /// An attribute has another value.
    Changed {
        name: String,
        was: String,
        is: String,
    },
    /// A number or a boolean became text of the same spelling, or the other way round.
    Type {
        name: String,
        was: String,
        is: String,
    },
    /// The same moment is written otherwise.
    TimeSpelling {
        name: String,
        was: String,
        is: String,
    },
    /// An attribute is there that was not.
    Added { name: String, is: String },
    /// There is no data any more.
    DataDropped,
    /// Empty data became none.
    EmptyData,
    /// No data became empty data.
    EmptyDataAdded,
    /// There is data that was not.
    DataAdded,
    /// The data is another.
    DataChanged { was: String, is: String },
    /// The same JSON value is written otherwise.
    DataSpelling { was: String, is: String },
}

/// What differs, but for what the specifications allow.
pub(crate) fn differences(sent: &Plain, came: &Plain) -> Vec<Difference> {
    let mut all = Vec::new();
    for (name, was) in &sent.attributes {
        let (name, was) = (name.clone(), was.clone());
        match came.attribute(&name) {
            Some(is) if is == was => all.extend(other_type(sent, came, name, &was)),
            // It may be changed (EXT-EXPIRY-2).
            Some(_) if name == "expirytime" => {}
            Some(is) if is_same_moment(&was, is) => {
                all.push(Difference::TimeSpelling {
                    name,
                    was,
                    is: is.to_owned(),
                });
            }
            Some(is) => all.push(Difference::Changed {
                name,
                was,
                is: is.to_owned(),
            }),
            None => all.push(Difference::Dropped(name)),
        }
    }
    for (name, is) in &came.attributes {
        if sent.attribute(name).is_none() && !is_implied(name, is, sent) {
            all.push(Difference::Added {
                name: name.clone(),
                is: is.clone(),
            });
        }
    }
    all.extend(data(sent, came));
    all
}

/// The type of an attribute shows in the JSON format alone.
fn other_type(sent: &Plain, came: &Plain, name: String, text: &str) -> Option<Difference> {
    let is_told = sent.is_in_json() && came.is_in_json();
    let spelled = |event: &Plain| match event.is_native(&name) {
        true => text.to_owned(),
        false => format!("\"{text}\""),
    };
    let (was, is) = (spelled(sent), spelled(came));
    (is_told && was != is).then_some(Difference::Type { name, was, is })
}

/// The content type that JSON data without one has (JSON-DATA-12), and a reference to data (EXT-DATAREF-4).
fn is_implied(name: &str, is: &str, sent: &Plain) -> bool {
    let is_type = name == "datacontenttype" && is == "application/json";
    is_type && sent.is_in_json() && sent.holds_json() || name == "dataref"
}

fn data(sent: &Plain, came: &Plain) -> Option<Difference> {
    match (&sent.data, &came.data) {
        (None, None) => None,
        (Some(was), None) if was.bytes.is_empty() => {
            came.tells_none().then_some(Difference::EmptyData)
        }
        // A reference may take its place, and be resolved (EXT-DATAREF-4).
        (Some(_), None) if came.attribute("dataref").is_some() => None,
        (None, Some(_)) if sent.attribute("dataref").is_some() => None,
        (Some(_), None) => Some(Difference::DataDropped),
        (None, Some(is)) if is.bytes.is_empty() => {
            sent.tells_none().then_some(Difference::EmptyDataAdded)
        }
        (None, Some(_)) => Some(Difference::DataAdded),
        (Some(was), Some(is)) => {
            let are_bodies = [sent.mode, came.mode] == [Mode::Binary; 2];
            // White space around a JSON value is none of it, but a part of a body.
            match sent.holds_json() && !are_bodies {
                true => changed(was.bytes.trim_ascii(), is.bytes.trim_ascii(), true),
                false => changed(&was.bytes, &is.bytes, sent.holds_json()),
            }
        }
    }
}

fn changed(one: &[u8], other: &[u8], is_json: bool) -> Option<Difference> {
    if one == other {
        return None;
    }
    let (was, is) = (shown(one), shown(other));
    Some(match is_json && is_same_json(one, other) {
        true => Difference::DataSpelling { was, is },
        false => Difference::DataChanged { was, is },
    })
}

/// The beginning of data, for people, and how long it is.
fn shown(bytes: &[u8]) -> String {
    const MOST: usize = 40;
    let text = String::from_utf8_lossy(bytes);
    let mut shown: String = text
        .chars()
        .take(MOST)
        .flat_map(char::escape_debug)
        .collect();
    if text.chars().nth(MOST).is_some() {
        shown += &format!("… ({} bytes)", bytes.len());
    }
    shown
}

impl Difference {
    /// Whether the data is another, and not only written otherwise.
    pub(crate) fn is_other_data(&self) -> bool {
        matches!(
            self,
            Self::DataDropped | Self::DataAdded | Self::DataChanged { .. }
        )
    }

    /// What has to be declared for it not to count; `None` where nothing helps.
    pub(crate) fn tolerance(&self) -> Option<Tolerance> {
        match self {
            Self::TimeSpelling { .. } => Some(Tolerance::TimeSpelling),
            Self::DataSpelling { .. } => Some(Tolerance::DataSpelling),
            Self::Added { .. } => Some(Tolerance::AddedAttributes),
            Self::EmptyData | Self::EmptyDataAdded => Some(Tolerance::EmptyData),
            Self::Type { .. } => Some(Tolerance::AttributeTypes),
            _ => None,
        }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dropped(name) => write!(f, "{name} → ∅"),
            Self::Changed { name, was, is }
            | Self::Type { name, was, is }
            | Self::TimeSpelling { name, was, is } => write!(f, "{name}: {was} → {is}"),
            Self::Added { name, is } => write!(f, "{name}: ∅ → {is}"),
            Self::DataDropped | Self::EmptyData => f.write_str("data → ∅"),
            Self::DataAdded => f.write_str("data: ∅ → …"),
            Self::EmptyDataAdded => f.write_str("data: ∅ → \"\""),
            Self::DataChanged { was, is } | Self::DataSpelling { was, is } => {
                write!(f, "data: {was} → {is}")
            }
        }
    }
}
