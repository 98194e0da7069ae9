//! Messages that go in: events, written for a protocol in a mode.

use cloudevents_nl_codec::{BATCHED_JSON, Event, encode_batch};
use cloudevents_nl_conformance::codec::{Codec, Ours};
use cloudevents_nl_conformance::{Capture, Mode, Protocol};

/// The key of records whose event has no `partitionkey`: one from outside the event.
pub(crate) const OUTSIDE: &str = "sleutel-van-buiten";
/// A header that is no attribute.
pub(crate) const FOREIGN: (&str, &str) = ("x-cenl-proef", "geen attribuut");
const BATCH: usize = 5;

#[derive(Clone, Debug)]
pub(crate) struct Message {
    pub(crate) names: Vec<&'static str>,
    pub(crate) capture: Capture,
}

#[derive(Clone, Debug)]
pub(crate) struct Writer {
    pub(crate) protocol: Protocol,
    pub(crate) mode: Mode,
}

impl Writer {
    /// One message for each event, or for as many as a batch takes.
    pub(crate) fn write(&self, events: &[(&'static str, Event<'static>)]) -> Vec<Message> {
        let most = if self.mode == Mode::Batched { BATCH } else { 1 };
        let messages = events.chunks(most).map(|events| Message {
            names: events.iter().map(|(name, _)| *name).collect(),
            capture: match events {
                [(_, event)] if most == 1 => self.single(event),
                _ => self.batch(events),
            },
        });
        messages.collect()
    }

    fn batch(&self, events: &[(&'static str, Event<'static>)]) -> Capture {
        let mut capture = Capture::new(self.protocol).with_header("content-type", BATCHED_JSON);
        let events = events.iter().map(|(_, event)| event);
        capture.body = Some(encode_batch(events, |_, _| {}));
        capture
    }

    /// With a header that is no attribute, and a key.
    fn single(&self, event: &Event<'static>) -> Capture {
        let capture = Ours.encode(event, self.protocol, self.mode);
        let (name, value) = FOREIGN;
        let capture = capture.expect("ends have their own modes alone");
        let mut capture = capture.with_header(name, value);
        if self.protocol == Protocol::Kafka {
            // Not the key that it names: a mapper shows itself.
            let named = event.extension("partitionkey");
            let key = named.map(|key| format!("{OUTSIDE}/{key}"));
            capture.key = Some(key.unwrap_or_else(|| OUTSIDE.to_owned()).into_bytes());
        }
        capture
    }
}

impl Message {
    /// What it takes on the wire, beside what an end frames it with.
    pub(crate) fn size(&self) -> usize {
        let capture = &self.capture;
        // Two bytes between name and value, and two behind it, or less.
        let headers = capture.headers.iter();
        let headers = headers.map(|it| it.name.len() + it.value.as_ref().map_or(0, Vec::len) + 4);
        let key = capture.key.as_ref().map_or(0, Vec::len);
        headers.sum::<usize>() + key + capture.body().len()
    }
}
