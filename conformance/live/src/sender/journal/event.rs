//! What is kept of an event: fingerprints, so that it stays small.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use cloudevents_nl_conformance::{Mode, Reading};
use serde_json::Value;

/// What a sender that makes an event anew may change.
const OF_ITS_MAKING: [&str; 5] = ["id", "source", "time", "traceparent", "tracestate"];
/// Of the id, in evidence.
const MOST_ID: usize = 80;

#[derive(Clone, Debug)]
pub(in super::super) struct Event {
    /// Its `source` and `id`.
    pub(in super::super) name: u64,
    /// Its `source` alone.
    pub(in super::super) source: u64,
    /// The `id`, shortened, for people.
    pub(in super::super) id: String,
    /// Everything but what belongs to its making.
    pub(in super::super) rest: u64,
    /// Its `source`, and its `partitionkey` or else its `subject`.
    pub(in super::super) lane: Option<u64>,
}

impl Event {
    pub(super) fn all(reading: &Reading<'_>) -> Vec<Self> {
        let body = match reading.mode {
            Mode::Structured | Mode::Batched => serde_json::from_slice(reading.capture.body()).ok(),
            _ => None,
        };
        let events = reading.events.iter().map(|event| {
            let (source, id) = (event.text("source"), event.text("id"));
            let key = event.text("partitionkey").or_else(|| event.text("subject"));
            let rest = match (&body, event.element) {
                (Some(Value::Array(events)), Some(element)) => {
                    events.get(element).map(rest_of_json)
                }
                (Some(body), _) => Some(rest_of_json(body)),
                (None, _) => None,
            };
            let of_headers = || {
                let named = event
                    .set()
                    .map(|attribute| (&*attribute.name, attribute.text()));
                let mut named: Vec<_> = named
                    .filter(|(name, _)| !OF_ITS_MAKING.contains(name))
                    .collect();
                named.sort_unstable();
                fingerprint(&(named, reading.capture.body()))
            };
            Self {
                name: fingerprint(&(source, id)),
                source: fingerprint(&source),
                id: id.unwrap_or_default().chars().take(MOST_ID).collect(),
                rest: rest.unwrap_or_else(of_headers),
                lane: key.map(|key| fingerprint(&(source, key))),
            }
        });
        events.collect()
    }
}

fn rest_of_json(event: &Value) -> u64 {
    let mut event = event.clone();
    if let Value::Object(members) = &mut event {
        members.retain(|name, _| !OF_ITS_MAKING.contains(&&**name));
    }
    fingerprint(&event.to_string())
}

fn fingerprint(of: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use cloudevents_nl_conformance::{Capture, Protocol};

    use super::*;

    fn event(source: &str, id: &str, body: &str) -> Event {
        let mut capture = Capture::new(Protocol::Http)
            .with_header("ce-specversion", "1.0")
            .with_header("ce-id", id)
            .with_header("ce-source", source)
            .with_header("ce-type", "b")
            .with_header("ce-subject", "c")
            .with_header("content-type", "text/plain");
        capture.body = Some(body.into());
        Event::all(&Reading::of(&capture)).remove(0)
    }

    #[test]
    fn tells_a_new_id_from_a_new_event() {
        let (one, again) = (event("urn:a", "1", "x"), event("urn:a", "2", "x"));
        let (moved, other) = (event("urn:b", "1", "x"), event("urn:a", "1", "y"));
        assert_eq!((one.rest, one.lane), (again.rest, again.lane));
        assert_eq!(one.source, again.source);
        assert_eq!((one.rest, &one.id), (moved.rest, &moved.id));
        assert_ne!(one.source, moved.source);
        assert_ne!(one.name, moved.name);
        assert_ne!(one.name, again.name);
        assert_eq!(one.name, other.name);
        assert_ne!(one.rest, other.rest);
    }
}
