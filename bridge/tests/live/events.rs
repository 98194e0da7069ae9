//! The events that tests send: numbered without a gap per key, so that loss and order show in the id.

use std::fmt::Write as _;

use base64_simd::STANDARD;

use super::kafka::Record;

/// One numbered event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Numbered {
    pub(crate) key: String,
    pub(crate) number: usize,
}

impl Numbered {
    /// Event number `index` of events over `keys` keys, in turn.
    pub(crate) fn nth(index: usize, keys: usize) -> Self {
        Self {
            key: format!("k{}", index % keys),
            number: index / keys,
        }
    }

    /// `KEY/NUMBER`.
    pub(crate) fn id(&self) -> String {
        format!("{}/{}", self.key, self.number)
    }

    /// Reads an id back.
    pub(crate) fn of_id(id: &str) -> Option<Self> {
        let (key, number) = id.rsplit_once('/')?;
        let number = number.parse().ok()?;
        Some(Self {
            key: key.to_owned(),
            number,
        })
    }

    /// As a Kafka record in structured mode, with its key as the record key.
    pub(crate) fn record(&self, padding: usize) -> Record {
        Record::new(Some(&self.key), Some(self.json(padding).as_bytes())).header(
            "content-type",
            "application/cloudevents+json; charset=UTF-8",
        )
    }

    /// As a Kafka record in binary mode.
    pub(crate) fn binary_record(&self, padding: usize) -> Record {
        Record::new(Some(&self.key), Some(self.data(padding).as_bytes()))
            .header("ce_specversion", "1.0")
            .header("ce_id", &self.id())
            .header("ce_source", SOURCE)
            .header("ce_type", TYPE)
            .header("content-type", "application/json")
    }

    /// As a JSON event.
    pub(crate) fn json(&self, padding: usize) -> String {
        let mut text = String::new();
        let (id, data) = (self.id(), self.data(padding));
        write!(
            text,
            r#"{{"specversion":"1.0","id":"{id}","source":"{SOURCE}","type":"{TYPE}","#
        )
        .unwrap();
        write!(text, r#""partitionkey":"{}","#, self.key).unwrap();
        write!(
            text,
            r#""datacontenttype":"application/json","data":{data}}}"#
        )
        .unwrap();
        text
    }

    /// A JSON text of about `padding` bytes that differs from event to event.
    fn data(&self, padding: usize) -> String {
        let seed = self.id();
        let padding = STANDARD.encode_to_string(seed.repeat(padding * 3 / 4 / seed.len() + 1));
        format!(r#"{{"number":{},"padding":"{padding}"}}"#, self.number)
    }
}

pub(crate) const SOURCE: &str = "urn:nld:oin:00000001823288444000:systeem:live-test";
pub(crate) const TYPE: &str = "nl.live-test.zaak-gewijzigd";

/// `count` events over `keys` keys, in turn.
pub(crate) fn numbered(count: usize, keys: usize) -> Vec<Numbered> {
    (0..count).map(|index| Numbered::nth(index, keys)).collect()
}
