use std::borrow::Cow;

use bytes::Bytes;
use cloudevents_nl_codec::{
    Binding, ContentMode, Data, EncodeError, Event, HTTP, HeaderList, STRUCTURED_JSON, encode,
    encode_structured,
};

use crate::delivery::{Received, allocated};
use crate::transport::{MessageId, Outgoing};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteMode {
    Structured,
    Binary,
    /// Several events in one request (webhooks only).
    Batched,
    AsReceived,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordKey {
    /// The source's record key, else `partitionkey`, else none.
    Source,
    /// The value of an attribute, else none.
    Attribute(&'static str),
    None,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// By record key, else `partitionkey`, else `subject`.
    Key,
    Partition,
    None,
}

#[derive(Clone, Debug)]
pub struct Target {
    pub binding: &'static Binding,
    pub mode: WriteMode,
    pub record_key: RecordKey,
    /// Foreign headers that go along, in lower case.
    pub forward_headers: Vec<Box<str>>,
    pub message_id_scope: Option<Box<str>>,
}

impl Target {
    /// Fails when the mode cannot carry the event.
    pub fn write(
        &self,
        event: &Event<'_>,
        received: &Received,
        received_mode: ContentMode,
    ) -> Result<Outgoing, EncodeError> {
        let mut headers = HeaderList::default();
        let body = if self.writes_binary(event, received_mode) {
            // Headers of binary mode are about as large again; a structured event has them in its body.
            let came = &received.headers;
            let (count, bytes) = (came.len().max(16), came.byte_len().max(512));
            headers = HeaderList::with_capacity(count, bytes);
            let body = encode(event, self.binding, ContentMode::Binary, headers.sink())?;
            body.map(|body| shared(body, received))
        } else {
            headers.sink()(self.binding.content_type, STRUCTURED_JSON);
            Some(self.structured(event, received, received_mode))
        };
        for header in received.headers.iter() {
            let mut names = self.forward_headers.iter();
            if names.any(|name| name.eq_ignore_ascii_case(header.name)) {
                headers.push(header.name, header.value);
            }
        }
        let scope = self.message_id_scope.as_deref();
        Ok(Outgoing {
            headers,
            body,
            key: match &self.record_key {
                RecordKey::Source => source_key(event, received),
                RecordKey::Attribute(name) => attribute(event, name),
                RecordKey::None => None,
            },
            timestamp_ms: received.timestamp_ms,
            message_id: scope.map(|scope| MessageId::of(scope, event.source(), event.id())),
            received_as: None,
        })
    }

    pub(super) fn writes_binary(&self, event: &Event<'_>, received_mode: ContentMode) -> bool {
        let wanted = match self.mode {
            WriteMode::Binary => true,
            WriteMode::AsReceived => received_mode == ContentMode::Binary,
            WriteMode::Structured | WriteMode::Batched => false,
        };
        let is_http = *self.binding == HTTP;
        // A webhook delivery must have a body, and its type (webhook specification, section 2.1);
        // JSON needs no type to have one. Only Kafka tells empty data from none.
        let fits = |is_empty: bool| {
            (!is_http || event.datacontenttype().is_some())
                && (self.binding.has_null_body || !is_empty)
        };
        let carries_data = match event.data() {
            Data::None => !is_http,
            Data::Json(_) => true,
            Data::Text(text) => fits(text.is_empty()),
            Data::Binary(bytes) => fits(bytes.is_empty()),
        };
        wanted && carries_data && event.is_exact_in(self.binding)
    }

    fn structured(
        &self,
        event: &Event<'_>,
        received: &Received,
        received_mode: ContentMode,
    ) -> Bytes {
        if received_mode == ContentMode::Structured
            && let Some(text) = &received.body
        {
            return text.clone();
        }
        // JSON has quotes and commas where binary mode has none; escapes are few.
        let expected = received.byte_len() + 8 * received.headers.len() + 64;
        let mut text = Vec::with_capacity(expected);
        encode_structured(event, &mut text);
        if text.len() + text.len() / 8 < text.capacity() {
            text.shrink_to_fit();
        }
        text.into()
    }
}

pub fn order_key(event: &Event<'_>, received: &Received) -> Option<Bytes> {
    source_key(event, received).or_else(|| attribute(event, "subject"))
}

fn source_key(event: &Event<'_>, received: &Received) -> Option<Bytes> {
    let key = received.key.clone();
    key.or_else(|| attribute(event, "partitionkey"))
}

fn attribute(event: &Event<'_>, name: &str) -> Option<Bytes> {
    let value = event.attribute(name)?;
    Some(Bytes::copy_from_slice(value.text().as_bytes()))
}

/// Without a copy where `data` is untouched.
fn shared(body: Cow<'_, [u8]>, received: &Received) -> Bytes {
    match (body, &received.body) {
        (Cow::Owned(bytes), _) => Bytes::from(bytes),
        (Cow::Borrowed(part), Some(whole)) if is_within(part, whole) => whole.slice_ref(part),
        (Cow::Borrowed(part), _) => Bytes::copy_from_slice(part),
    }
}

/// Beside the message it was written from.
pub fn new_bytes(outgoing: &Outgoing, received: &Received) -> usize {
    let shares_body = match (&outgoing.body, &received.body) {
        (Some(part), Some(whole)) => is_within(part, whole),
        _ => false,
    };
    let body = outgoing.body.as_ref().map_or(0, Bytes::len);
    let new = if shares_body { 0 } else { allocated(body) };
    outgoing.byte_len() - body + new
}

fn is_within(part: &[u8], whole: &[u8]) -> bool {
    let (part, whole) = (part.as_ptr_range(), whole.as_ptr_range());
    whole.start <= part.start && part.end <= whole.end
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use cloudevents_nl_codec::{Decoder, HTTP, NATS};

    use super::*;
    use crate::delivery::Position;

    const EVENT: &str = r#"{"specversion":"1.0","id":"1","source":"/s","type":"t","data":{}}"#;

    fn received() -> Received {
        Received {
            binding: &HTTP,
            headers: HeaderList::default(),
            key: None,
            body: Some(Bytes::from_static(EVENT.as_bytes())),
            timestamp_ms: None,
            position: Position::numbered("http:", 0),
            defect: None,
        }
    }

    fn written(mode: WriteMode, scope: Option<&str>, received: &Received) -> Outgoing {
        let target = Target {
            binding: &NATS,
            mode,
            record_key: RecordKey::Source,
            forward_headers: Vec::new(),
            message_id_scope: scope.map(Into::into),
        };
        let decoder = Decoder::default();
        let event = decoder.decode_structured(EVENT.as_bytes()).unwrap();
        target
            .write(&event, received, ContentMode::Structured)
            .unwrap()
    }

    #[test]
    fn a_message_id_follows_from_the_event_and_the_destination_alone() {
        let id = |mode, scope| written(mode, scope, &received()).message_id;
        let expected = Some(MessageId::of("zaken", "/s", "1"));
        for mode in [WriteMode::Structured, WriteMode::Binary] {
            assert_eq!(id(mode, Some("zaken")), expected);
            assert_ne!(id(mode, Some("zaken.b")), expected);
            assert_eq!(id(mode, None), None);
        }
    }

    #[test]
    fn a_delivery_in_binary_mode_has_a_body_and_its_type() {
        let target = Target {
            binding: &HTTP,
            mode: WriteMode::Binary,
            record_key: RecordKey::None,
            forward_headers: Vec::new(),
            message_id_scope: None,
        };
        let decoder = Decoder::default();
        for (data, is_binary) in [
            (r#""data_base64":"AAE=""#, false),
            (
                r#""data_base64":"AAE=","datacontenttype":"image/png""#,
                true,
            ),
            (r#""data":{}"#, true),
            (r#""subject":"none""#, false),
        ] {
            let text =
                format!(r#"{{"specversion":"1.0","id":"1","source":"/s","type":"t",{data}}}"#);
            let event = decoder.decode_structured(text.as_bytes()).unwrap();
            let written = target
                .write(&event, &received(), ContentMode::Binary)
                .unwrap();
            let mut headers = written.headers.iter();
            let ty = headers.find(|header| header.name.eq_ignore_ascii_case("content-type"));
            let ty = ty.and_then(|header| header.value).unwrap();
            assert_eq!(ty != b"application/cloudevents+json", is_binary, "{data}");
            assert!(written.body.is_some_and(|body| !body.is_empty()), "{data}");
        }
    }

    #[test]
    fn a_body_that_is_passed_on_takes_no_new_memory() {
        let received = received();
        let bytes = |mode| {
            let outgoing = written(mode, None, &received);
            let new = new_bytes(&outgoing, &received);
            (new, outgoing.byte_len(), outgoing.headers.byte_len())
        };
        let (new, all, headers) = bytes(WriteMode::Structured);
        assert_eq!((new, all), (headers, headers + EVENT.len()));
        // The event of another buffer is a copy.
        let elsewhere = Received {
            body: Some(Bytes::copy_from_slice(EVENT.as_bytes())),
            ..received.clone()
        };
        let outgoing = written(WriteMode::Structured, None, &received);
        assert_eq!(
            new_bytes(&outgoing, &elsewhere),
            headers + allocated(EVENT.len())
        );
    }
}
