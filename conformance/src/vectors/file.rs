//! The shape of vector files.

use std::borrow::Cow;
use std::collections::BTreeMap;

use base64_simd::STANDARD;
use serde::Deserialize;
use serde::de::{Deserializer, Error};
use serde_json::value::RawValue;

use super::compare;
use crate::codec::Described;

#[derive(Deserialize)]
pub(crate) struct File {
    pub(crate) format: String,
    pub(crate) kind: String,
    pub(crate) count: usize,
    pub(crate) vectors: Vec<Box<RawValue>>,
}

/// Every case has a name; where a case is one value, that is its name.
#[derive(Deserialize)]
pub(crate) struct Named {
    #[serde(alias = "value")]
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) rules: Rules,
}

/// Rules by profile, or the same for all.
#[derive(Deserialize)]
#[serde(untagged)]
pub(crate) enum Rules {
    Same(Vec<String>),
    PerProfile(BTreeMap<String, Vec<String>>),
}

impl Default for Rules {
    fn default() -> Self {
        Self::Same(Vec::new())
    }
}

impl Rules {
    /// Those under a profile, `None` where nothing is said of it.
    pub(crate) fn of(&self, profile: &str) -> Option<&[String]> {
        match self {
            Self::Same(rules) => Some(rules),
            Self::PerProfile(rules) => rules.get(profile).map(Vec::as_slice),
        }
    }
}

/// Bytes that a file spells in Base64.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Base64(pub(crate) Vec<u8>);

impl<'de> Deserialize<'de> for Base64 {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<'de, str>::deserialize(deserializer)?;
        let bytes = STANDARD.decode_to_vec(text.as_bytes());
        bytes.map(Self).map_err(|_| D::Error::custom("not Base64"))
    }
}

/// An event as attributes and data, the way a case spells what it expects.
#[derive(Deserialize)]
pub(crate) struct Expected {
    pub(crate) attributes: BTreeMap<String, ExpectedAttribute>,
    pub(crate) data: ExpectedData,
}

impl Expected {
    /// What is expected where an event is.
    pub(crate) fn of(described: &Described, comparison: Option<String>) -> Self {
        let attributes = described.attributes.iter();
        let data = described.data.as_ref();
        let kind = data.and_then(|data| data.kind);
        Self {
            attributes: attributes
                .filter_map(|(name, attribute)| {
                    let ty = attribute.ty?.to_string();
                    let value = attribute.text.clone();
                    Some((name.clone(), ExpectedAttribute { ty, value }))
                })
                .collect(),
            data: ExpectedData {
                kind: kind.map_or("none", compare::kind_name).to_owned(),
                comparison,
                body_base64: data.map(|data| Base64(data.bytes.clone())),
                allowed_kinds: Vec::new(),
                tolerated: Vec::new(),
                body_alternatives: Vec::new(),
            },
        }
    }
}

#[derive(Deserialize)]
pub(crate) struct ExpectedAttribute {
    #[serde(rename = "type")]
    pub(crate) ty: String,
    pub(crate) value: String,
}

#[derive(Deserialize)]
pub(crate) struct ExpectedData {
    pub(crate) kind: String,
    pub(crate) body_base64: Option<Base64>,
    #[serde(rename = "match")]
    pub(crate) comparison: Option<String>,
    #[serde(default)]
    pub(crate) allowed_kinds: Vec<String>,
    /// Other readings, told in words; the first word is a kind.
    #[serde(default)]
    pub(crate) tolerated: Vec<String>,
    #[serde(default)]
    pub(crate) body_alternatives: Vec<Base64>,
}

#[derive(Deserialize)]
pub(crate) struct ValidEvent {
    pub(crate) event: String,
    pub(crate) allowed: Vec<String>,
    #[serde(flatten)]
    pub(crate) expected: Expected,
    pub(crate) effective_datacontenttype: Option<String>,
    pub(crate) kafka: Option<BinaryMessage>,
    pub(crate) nats: Option<BinaryMessage>,
    pub(crate) http: Option<BinaryMessage>,
    #[serde(default)]
    pub(crate) refuse_binary: Vec<String>,
    pub(crate) binary_mode: Option<String>,
    pub(crate) after_kafka_binary_hop: Option<String>,
}

/// The message that an event becomes in binary mode.
#[derive(Deserialize)]
pub(crate) struct BinaryMessage {
    pub(crate) headers: Vec<(String, String)>,
    #[serde(default)]
    pub(crate) optional_headers: Vec<(String, String)>,
    #[serde(
        alias = "value_base64",
        alias = "payload_base64",
        alias = "body_base64"
    )]
    pub(crate) body: Option<Base64>,
}

/// What reading a message should give; the message itself is [`super::rules::message`]'s.
#[derive(Deserialize)]
pub(crate) struct ReceivedMessage {
    pub(crate) mode: Option<String>,
    pub(crate) outcome: Option<String>,
    pub(crate) allowed: Vec<String>,
    pub(crate) expect: Option<Expected>,
    pub(crate) expect_events: Option<Vec<Expected>>,
}

#[derive(Deserialize)]
#[serde(untagged)]
pub(crate) enum HeaderValue {
    Text(String),
    Bytes { base64: Base64 },
}

impl HeaderValue {
    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            Self::Text(text) => text.as_bytes(),
            Self::Bytes { base64 } => &base64.0,
        }
    }
}
