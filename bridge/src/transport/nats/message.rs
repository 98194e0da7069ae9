//! NATS messages to received messages, and what a JetStream delivery says of itself.

use std::sync::Arc;

use async_nats::{HeaderMap, Message};
use cloudevents_nl_codec::{HeaderList, NATS};

use crate::delivery::{Position, Received};

/// Names the process that holds the pin; the server adds it.
pub(super) const PIN_ID: &str = "Nats-Pin-Id";
/// Of the body that a consumer left out.
const BODY_SIZE: &str = "Nats-Msg-Size";

/// Of a consumer that gives headers alone; but anybody may write that header.
pub(super) fn seems_without_body(message: &Message) -> bool {
    let headers = message.headers.as_ref();
    message.payload.is_empty() && headers.is_some_and(|headers| headers.get(BODY_SIZE).is_some())
}

pub(super) fn received(message: Message, position: Position) -> Received {
    let bytes_max = message.length.saturating_sub(message.payload.len());
    let headers = message.headers.as_ref();
    let headers = headers.map(|headers| header_list(headers, bytes_max));
    Received {
        binding: &NATS,
        headers: headers.unwrap_or_default(),
        key: None,
        body: Some(message.payload),
        timestamp_ms: None,
        position,
        defect: None,
    }
}

/// From a core subject, which numbers nothing.
pub(super) fn received_from(place: &Arc<str>, message: Message) -> Received {
    let (place, number) = (Arc::clone(place), None);
    received(message, Position { place, number })
}

pub(super) fn position_prefix(stream: &str) -> Arc<str> {
    format!("nats:{stream}/").into()
}

fn header_list(headers: &HeaderMap, bytes_max: usize) -> HeaderList {
    let mut list = HeaderList::with_capacity(headers.len(), bytes_max);
    for (name, values) in headers.iter() {
        let name: &str = name.as_ref();
        if name.eq_ignore_ascii_case(PIN_ID) {
            continue;
        }
        for value in values {
            list.push(name, Some(value.as_str().as_bytes()));
        }
    }
    list
}

/// What the reply subject of a JetStream delivery says of the message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MessageInfo {
    /// This time included.
    pub(super) delivered: u64,
    pub(super) stream_sequence: u64,
    /// Counts every delivery of the consumer.
    pub(super) consumer_sequence: u64,
    /// In nanoseconds since 1970: tells messages of one sequence apart.
    pub(super) published: i64,
    /// Messages that the consumer has not delivered.
    pub(super) pending: u64,
}

impl MessageInfo {
    /// Reads `$JS.ACK.stream.consumer.delivered.sequence.consumer_sequence.time.pending`, or the form
    /// with domain and account before the stream.
    pub(super) fn of(reply: &str) -> Option<Self> {
        let rest = reply.strip_prefix("$JS.ACK.")?;
        let before = match rest.bytes().filter(|&byte| byte == b'.').count() {
            6 => 2,
            8.. => 4,
            _ => return None,
        };
        let mut tokens = rest.split('.').skip(before);
        Some(Self {
            delivered: tokens.next()?.parse().ok()?,
            stream_sequence: tokens.next()?.parse().ok()?,
            consumer_sequence: tokens.next()?.parse().ok()?,
            published: tokens.next()?.parse().ok()?,
            pending: tokens.next()?.parse().ok()?,
        })
    }
}

/// Acknowledges a message of which no delivery was seen: the server looks it up by its sequence.
pub(super) fn ack_subject(stream: &str, durable: &str, info: MessageInfo) -> String {
    format!(
        "$JS.ACK.{stream}.{durable}.{}.{}.{}.{}.0",
        info.delivered, info.stream_sequence, info.consumer_sequence, info.published
    )
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    #[test]
    fn both_forms_of_a_reply_subject_are_read() {
        let held = MessageInfo {
            delivered: 2,
            stream_sequence: 41,
            consumer_sequence: 7,
            published: 1_700_000_000,
            pending: 3,
        };
        let info = Some(held);
        for reply in [
            "$JS.ACK.S.d.2.41.7.1700000000.3",
            "$JS.ACK.hub.AbC.S.d.2.41.7.1700000000.3",
            "$JS.ACK.hub.AbC.S.d.2.41.7.1700000000.3.token",
        ] {
            assert_eq!(MessageInfo::of(reply), info, "{reply}");
        }
        for other in [
            "",
            "_INBOX.x",
            "$JS.ACK.S.d.1.41",
            "$JS.ACK.S.d.1.x.7.1.0",
            "$JS.ACK.S.d.1.4.7.x.0",
        ] {
            assert_eq!(MessageInfo::of(other), None, "{other}");
        }
        let acknowledged = MessageInfo { pending: 0, ..held };
        assert_eq!(
            MessageInfo::of(&ack_subject("S", "d", held)),
            Some(acknowledged)
        );
    }

    #[test]
    fn headers_keep_their_repeats_and_lose_what_the_server_added() {
        let mut headers = HeaderMap::new();
        headers.append("ce-id", "1");
        headers.append("x", "a");
        headers.append("x", "b");
        headers.append("nats-pin-id", "p");
        let list = header_list(&headers, 0);
        let values = |name: &str| {
            let named = list.iter().filter(|header| header.name == name);
            named
                .map(|header| header.value.map(<[u8]>::to_vec))
                .collect::<Vec<_>>()
        };
        assert_eq!(list.len(), 3);
        assert_eq!(values("x"), [Some(b"a".to_vec()), Some(b"b".to_vec())]);
    }
}
