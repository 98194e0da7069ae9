//! Messages that go in: events, written for a protocol in a mode.

use cloudevents_nl_codec::{Event, encode_structured, join_batch};
use cloudevents_nl_conformance::codec::{Codec, Ours};
use cloudevents_nl_conformance::{Capture, Mode, Protocol};

/// The key of records whose event has no `partitionkey`: one from outside the event.
pub(crate) const OUTSIDE: &str = "sleutel-van-buiten";
/// A header that is no attribute.
pub(crate) const FOREIGN: (&str, &str) = ("x-cenl-proef", "geen attribuut");
/// Events in a batch.
const BATCH: usize = 5;

/// A message, and what its events are called.
#[derive(Clone, Debug)]
pub(crate) struct Message {
    pub(crate) names: Vec<&'static str>,
    pub(crate) capture: Capture,
    /// Whether an intermediary may refuse it.
    pub(crate) is_odd: bool,
}

/// Writes messages for an end.
#[derive(Clone, Debug)]
pub(crate) struct Writer {
    pub(crate) protocol: Protocol,
    pub(crate) mode: Mode,
    /// What an end sends beside headers and body.
    pub(crate) framing: usize,
}

impl Writer {
    /// The word for the mode.
    pub(crate) fn mode_word(&self) -> &'static str {
        match self.mode {
            Mode::Structured => "structured",
            Mode::Batched => "batch",
            _ => "binary",
        }
    }

    /// One message for each event, or for as many as a batch takes.
    pub(crate) fn write(&self, events: Vec<(&'static str, Event<'static>)>) -> Vec<Message> {
        if self.mode == Mode::Batched {
            return events
                .chunks(BATCH)
                .map(|events| self.batch(events))
                .collect();
        }
        let messages = events.into_iter().map(|(name, event)| {
            let capture = Ours.encode(&event, self.protocol, self.mode);
            let mut message = Message {
                names: vec![name],
                capture: capture.expect("ends have their own modes alone"),
                is_odd: false,
            };
            self.finish(&event, &mut message.capture);
            message
        });
        messages.collect()
    }

    fn batch(&self, events: &[(&'static str, Event<'static>)]) -> Message {
        let texts = events.iter().map(|(_, event)| {
            let mut text = Vec::new();
            encode_structured(event, &mut text);
            text
        });
        let texts: Vec<_> = texts.collect();
        let mut body = Vec::new();
        join_batch(texts.iter().map(Vec::as_slice), &mut body);
        let batch = cloudevents_nl_codec::BATCHED_JSON;
        let mut capture = Capture::new(self.protocol).with_header("content-type", batch);
        capture.body = Some(body);
        let names = events.iter().map(|(name, _)| *name).collect();
        Message {
            names,
            capture,
            is_odd: false,
        }
    }

    /// A key, and a header that is no attribute.
    fn finish(&self, event: &Event<'_>, capture: &mut Capture) {
        if self.protocol == Protocol::Kafka {
            let key = event
                .extension("partitionkey")
                .map(|value| value.to_string());
            // Not the key that it names: a mapper shows itself.
            let key = key.map(|key| format!("{OUTSIDE}/{key}"));
            capture.key = Some(key.unwrap_or_else(|| OUTSIDE.to_owned()).into_bytes());
        }
        let (name, value) = FOREIGN;
        *capture = std::mem::replace(capture, Capture::new(self.protocol)).with_header(name, value);
    }

    /// What a message takes on the wire.
    pub(crate) fn size(&self, message: &Message) -> usize {
        let capture = &message.capture;
        // Two bytes between name and value, and two behind it, or less.
        let headers = capture
            .headers
            .iter()
            .map(|header| header.name.len() + header.value.as_ref().map_or(0, Vec::len) + 4);
        let key = capture.key.as_ref().map_or(0, Vec::len);
        self.framing + headers.sum::<usize>() + key + capture.body().len()
    }
}
