//! Section 10 of the bindings digest as code: what a hop has to change.
//!
//! The type of an extension that the register does not know, a content type that was implied, data of no
//! bytes, the kind of data, the space around JSON; and what binary mode cannot hold at all.

use std::collections::BTreeSet;

use cloudevents_nl_codec::{AttributeType, ContentMode, Data, Event, Value};
use mime::Mime;

use super::decode_binary::is_data;
use super::grammar;
use super::input::Hop;
use super::loss::Loss;

/// What a hop does to an event.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Change {
    /// Binary mode cannot hold it, so that it is not written.
    Unwritable,
    /// Data under a JSON type is no JSON, so that readers refuse it.
    Unreadable,
    /// An extension that was no String is one.
    Untyped(String),
    /// What `data` without a content type is, is said aloud.
    ImpliedContentType,
    /// Data of no bytes is no data.
    EmptyData,
    /// JSON, text or bytes are another one of these.
    DataKind,
    /// JSON has lost the space around it.
    OuterSpace,
}

impl Change {
    pub(crate) fn of(loss: &Loss<'_>) -> Self {
        match loss {
            Loss::Unwritable(_) => Unwritable,
            Loss::Unreadable => Unreadable,
            Loss::ExtensionType {
                name, arrives_as, ..
            } => {
                assert_eq!(*arrives_as, AttributeType::String, "{name}");
                Untyped((*name).to_owned())
            }
            Loss::ImpliedContentType => ImpliedContentType,
            Loss::EmptyData => EmptyData,
            Loss::DataKind => DataKind,
            Loss::OuterSpace => OuterSpace,
            Loss::ImpossibleOrigin => panic!("an event on its way came from somewhere"),
        }
    }
}

use Change::{
    DataKind, EmptyData, ImpliedContentType, OuterSpace, Unreadable, Untyped, Unwritable,
};

/// What a hop has to change; `None` where the content type is not for another crate to read.
pub(crate) fn predicted(event: &Event<'_>, (binding, mode): Hop) -> Option<BTreeSet<Change>> {
    let mut changes = BTreeSet::new();
    if mode != ContentMode::Binary {
        if let Data::Json(json) = event.data()
            && json.as_str().trim_ascii() != json.as_str()
        {
            changes.insert(OuterSpace);
        }
        return Some(changes);
    }
    let media_type = match (event.datacontenttype(), event.data()) {
        (None, Data::Json(_)) => {
            changes.insert(ImpliedContentType);
            Some(mime::APPLICATION_JSON)
        }
        (None, _) => None,
        (Some(text), _) => Some(grammar::media_type(text)?.expect("the codec has accepted it")),
    };
    let decides_mode = binding.data_content_type == binding.content_type;
    let announces = |media_type: &Mime| media_type.as_ref().starts_with("application/cloudevents");
    if decides_mode && media_type.as_ref().is_some_and(announces) {
        return Some(BTreeSet::from([Unwritable]));
    }
    for extension in event.extensions() {
        let name = extension.name();
        let is_kept = match extension.value() {
            Value::Boolean(_) => false,
            Value::Integer(_) => name == "sampledrate",
            _ => true,
        };
        if !is_kept {
            changes.insert(Untyped(name.to_owned()));
        }
    }
    match predicted_of_data(event.data(), media_type.as_ref(), binding.has_null_body) {
        Some(change @ (Unwritable | Unreadable)) => Some(BTreeSet::from([change])),
        change => {
            changes.extend(change);
            Some(changes)
        }
    }
}

fn predicted_of_data(
    data: &Data<'_>,
    media_type: Option<&Mime>,
    has_null_body: bool,
) -> Option<Change> {
    let charset = media_type.and_then(|media_type| media_type.get_param("charset"));
    let charset = charset.map_or(Charset::Utf8, |name| Charset::of(name.as_str()));
    let is_json = media_type.is_some_and(grammar::is_json);
    let is_text = media_type.is_some_and(grammar::is_text);
    match data {
        Data::None | Data::Json(_) => None,
        Data::Text(text) if !charset.has(text) => Some(Unwritable),
        Data::Text(text) if text.is_empty() && !has_null_body => Some(EmptyData),
        Data::Text(_) if is_text => None,
        Data::Text(_) => Some(DataKind),
        Data::Binary(bytes) if bytes.is_empty() && !has_null_body => Some(EmptyData),
        Data::Binary(bytes) if is_json && is_data(bytes) => Some(DataKind),
        Data::Binary(_) if is_json => Some(Unreadable),
        Data::Binary(bytes) if is_text && charset.reads(bytes) => Some(DataKind),
        Data::Binary(_) => None,
    }
}

/// The charsets that the codec has.
#[derive(Clone, Copy)]
enum Charset {
    Utf8,
    Ascii,
    Latin1,
    Other,
}

impl Charset {
    fn of(name: &str) -> Self {
        match &*name.to_ascii_lowercase() {
            "utf-8" | "utf8" => Self::Utf8,
            "us-ascii" | "ascii" => Self::Ascii,
            "iso-8859-1" | "latin1" => Self::Latin1,
            _ => Self::Other,
        }
    }

    fn has(self, text: &str) -> bool {
        match self {
            Self::Utf8 => true,
            Self::Ascii => text.is_ascii(),
            Self::Latin1 => text.chars().all(|c| c <= '\u{ff}'),
            Self::Other => false,
        }
    }

    fn reads(self, bytes: &[u8]) -> bool {
        match self {
            Self::Utf8 => str::from_utf8(bytes).is_ok(),
            Self::Ascii => bytes.is_ascii(),
            Self::Latin1 => true,
            Self::Other => false,
        }
    }
}
