//! Lines of `kcat -J`: a record of Kafka each.

use serde::Deserialize;

use crate::capture::{Capture, Header, Protocol};
use crate::input::{Content, Item, Lines};

#[derive(Deserialize)]
struct Record {
    topic: String,
    partition: i32,
    offset: i64,
    /// Names and values in turn.
    #[serde(default)]
    headers: Vec<Option<String>>,
    key: Option<String>,
    payload: Option<String>,
}

pub(super) fn read(text: &[u8], line: u64) -> Option<Item> {
    let record: Record = serde_json::from_slice(text).ok()?;
    let bytes = |text: Option<String>| text.map(String::into_bytes);
    let headers = record.headers.chunks(2).map(|pair| Header {
        name: pair.first().cloned().flatten().unwrap_or_default(),
        value: bytes(pair.get(1).cloned().flatten()),
    });
    let mut capture = Capture::new(Protocol::Kafka);
    capture.headers = headers.collect();
    capture.key = bytes(record.key);
    capture.body = bytes(record.payload);
    let (topic, partition, offset) = (record.topic, record.partition, record.offset);
    capture.position = Some(format!("kafka:{topic}/{partition}/{offset}"));
    let lines = Lines::new(line, None);
    Some(Item::new(Content::Message(capture), lines))
}
