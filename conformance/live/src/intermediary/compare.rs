//! What became another on the way: an event that went in, held against the one that came out.

use clap::ValueEnum;
use cloudevents_nl_conformance::Mode;

use super::plain::Plain;
use super::spelling::{is_plain_json, is_same_json, is_same_moment};

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

#[derive(Clone, Debug)]
pub(crate) struct Difference {
    pub(crate) kind: Kind,
    /// The attribute, or `data`.
    pub(crate) name: String,
    /// With what it was and is, for people.
    pub(crate) told: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An attribute is not there any more.
    Dropped,
    /// An attribute has another value.
    Changed,
    /// The data is another, and not only written otherwise.
    Data,
    /// What has to be declared for it not to count.
    Tolerable(Tolerance),
}

impl Difference {
    fn new(kind: Kind, name: &str, was: Option<&str>, is: Option<&str>) -> Self {
        let told = match (was, is) {
            (Some(_), None) => format!("{name} → ∅"),
            _ => format!("{name}: {} → {}", was.unwrap_or("∅"), is.unwrap_or("∅")),
        };
        Self {
            kind,
            name: name.to_owned(),
            told,
        }
    }
}

/// What differs, but for what the specifications allow.
pub(crate) fn differences(sent: &Plain, came: &Plain) -> Vec<Difference> {
    let mut all = Vec::new();
    for (name, was) in &sent.attributes {
        let is = came.attribute(name);
        let kind = match is {
            Some(is) if is == was => {
                all.extend(other_type(sent, came, name, was));
                continue;
            }
            // It may be changed (EXT-EXPIRY-2).
            Some(_) if name == "expirytime" => continue,
            Some(is) if is_same_moment(was, is) => Kind::Tolerable(Tolerance::TimeSpelling),
            Some(_) => Kind::Changed,
            None => Kind::Dropped,
        };
        all.push(Difference::new(kind, name, Some(was), is));
    }
    for (name, is) in &came.attributes {
        if sent.attribute(name).is_none() && !is_implied(name, is, sent) {
            let kind = Kind::Tolerable(Tolerance::AddedAttributes);
            all.push(Difference::new(kind, name, None, Some(is)));
        }
    }
    all.extend(data(sent, came));
    all
}

/// The type of an attribute shows in the JSON format alone.
fn other_type(sent: &Plain, came: &Plain, name: &str, text: &str) -> Option<Difference> {
    let is_told = sent.is_in_json() && came.is_in_json();
    let [was, is] = [sent, came].map(|event| match event.is_native(name) {
        true => text.to_owned(),
        false => format!("\"{text}\""),
    });
    let kind = Kind::Tolerable(Tolerance::AttributeTypes);
    (is_told && was != is).then(|| Difference::new(kind, name, Some(&was), Some(&is)))
}

/// The content type that JSON data without one has (JSON-DATA-12), and a reference to data (EXT-DATAREF-4).
fn is_implied(name: &str, is: &str, sent: &Plain) -> bool {
    let is_type = name == "datacontenttype" && is_plain_json(is);
    is_type && sent.is_in_json() && sent.holds_json() || name == "dataref"
}

fn data(sent: &Plain, came: &Plain) -> Option<Difference> {
    let emptied = Kind::Tolerable(Tolerance::EmptyData);
    let (kind, was, is) = match (&sent.data, &came.data) {
        (Some(was), Some(is)) => return changed(sent, &was.bytes, came, &is.bytes),
        (None, None) => return None,
        (Some(was), None) if was.bytes.is_empty() => {
            came.tells_none().then_some((emptied, Some(""), None))?
        }
        // A reference may take its place, and be resolved (EXT-DATAREF-4).
        (Some(_), None) if came.attribute("dataref").is_some() => return None,
        (None, Some(_)) if sent.attribute("dataref").is_some() => return None,
        (Some(_), None) => (Kind::Data, Some(""), None),
        (None, Some(is)) if is.bytes.is_empty() => {
            sent.tells_none().then_some((emptied, None, Some("\"\"")))?
        }
        (None, Some(_)) => (Kind::Data, None, Some("…")),
    };
    Some(Difference::new(kind, "data", was, is))
}

fn changed(sent: &Plain, was: &[u8], came: &Plain, is: &[u8]) -> Option<Difference> {
    let is_json = sent.holds_json();
    let are_bodies = [sent.mode, came.mode] == [Mode::Binary; 2];
    // White space around a JSON value is none of it, but a part of a body.
    let (was, is) = match is_json && !are_bodies {
        true => (was.trim_ascii(), is.trim_ascii()),
        false => (was, is),
    };
    if was == is {
        return None;
    }
    let kind = match is_json && is_same_json(was, is) {
        true => Kind::Tolerable(Tolerance::DataSpelling),
        false => Kind::Data,
    };
    let (was, is) = (shown(was), shown(is));
    Some(Difference::new(kind, "data", Some(&was), Some(&is)))
}

/// The beginning of data, for people, and how long it is.
pub(crate) fn shown(bytes: &[u8]) -> String {
    const MOST: usize = 40;
    let text = String::from_utf8_lossy(bytes);
    let beginning = text.chars().take(MOST).flat_map(char::escape_debug);
    let mut shown: String = beginning.collect();
    if text.chars().nth(MOST).is_some() {
        shown += &format!("… ({} bytes)", bytes.len());
    }
    shown
}
