//! Kafka records to received messages, and outgoing events to Kafka headers.
//!
//! rdkafka panics on a header name that is not UTF-8. It is caught: hence `panic = "unwind"`.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::{Arc, Once};

use bytes::Bytes;
use cloudevents_nl_codec::{HeaderList, KAFKA};
use rdkafka::Message;
use rdkafka::message::{Header, Headers, OwnedHeaders};

use crate::delivery::{Position, Received};

pub(super) const HEADER_NAME: &str = "header-name-not-utf8";

const USUAL_HEADER: usize = 32;

pub(super) fn position_prefix(topic: &str, partition: i32) -> Arc<str> {
    format!("kafka:{topic}/{partition}/").into()
}

/// Empty and null values stay what they are.
pub(super) fn received(position_prefix: &Arc<str>, record: &impl Message) -> Received {
    let (headers, defect) = record.headers().map_or_else(Default::default, header_list);
    Received {
        binding: &KAFKA,
        headers,
        key: record.key().map(Bytes::copy_from_slice),
        body: record.payload().map(Bytes::copy_from_slice),
        timestamp_ms: record.timestamp().to_millis(),
        position: Position {
            place: Arc::clone(position_prefix),
            number: u64::try_from(record.offset()).ok(),
        },
        defect,
    }
}

fn header_list(headers: &impl Headers) -> (HeaderList, Option<&'static str>) {
    let count = headers.count();
    let mut list = HeaderList::with_capacity(count, count * USUAL_HEADER);
    let (mut left, mut defect) = (0..count, None);
    while !left.is_empty() {
        let is_read = quietly(|| {
            for header in left.by_ref().filter_map(|index| headers.try_get(index)) {
                list.push(header.key, header.value);
            }
        });
        // The others are behind it.
        if !is_read {
            defect = Some(HEADER_NAME);
        }
    }
    (list, defect)
}

thread_local! {
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// False where it panics.
fn quietly(read: impl FnOnce()) -> bool {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let loud = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !QUIET.get() {
                loud(info);
            }
        }));
    });
    QUIET.set(true);
    let result = panic::catch_unwind(AssertUnwindSafe(read));
    QUIET.set(false);
    result.is_ok()
}

pub(super) fn owned_headers(headers: &HeaderList) -> OwnedHeaders {
    let owned = OwnedHeaders::new_with_capacity(headers.len());
    headers.iter().fold(owned, |owned, header| {
        owned.insert(Header {
            key: header.name,
            value: header.value,
        })
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use rdkafka::Timestamp;
    use rdkafka::message::OwnedMessage;

    use super::*;

    fn record(key: Option<&str>, body: Option<&str>, headers: &HeaderList) -> Received {
        let owned = |text: &str| text.as_bytes().to_vec();
        let record = OwnedMessage::new(
            body.map(owned),
            key.map(owned),
            "zaken".into(),
            Timestamp::CreateTime(17),
            3,
            41,
            Some(owned_headers(headers)),
        );
        received(&position_prefix("zaken", 3), &record)
    }

    #[test]
    fn headers_keep_order_repeats_nulls_and_empty_values() {
        let mut headers = HeaderList::default();
        headers.push("b", Some(b"\xff\x00"));
        headers.push("a", None);
        headers.push("b", Some(b""));
        let received = record(None, None, &headers);
        assert_eq!(received.headers, headers);
        assert_eq!(received.defect, None);
    }

    #[test]
    fn null_and_empty_stay_apart() {
        let none = record(None, None, &HeaderList::default());
        assert_eq!((none.key, none.body), (None, None));
        let empty = record(Some(""), Some(""), &HeaderList::default());
        assert_eq!(
            (empty.key, empty.body),
            (Some(Bytes::new()), Some(Bytes::new()))
        );
    }

    #[test]
    fn place_and_time_are_kept() {
        let received = record(Some("k"), Some("v"), &HeaderList::default());
        assert_eq!(received.position.to_string(), "kafka:zaken/3/41");
        assert_eq!(received.timestamp_ms, Some(17));
    }

    #[test]
    fn a_panicking_header_leaves_a_defect_and_the_others() {
        struct Hostile;
        impl Headers for Hostile {
            fn count(&self) -> usize {
                3
            }
            fn try_get(&self, index: usize) -> Option<Header<'_, &[u8]>> {
                assert!(index != 1, "as rdkafka does on a name that is not UTF-8");
                Some(Header {
                    key: "ok",
                    value: Some(b"1"),
                })
            }
        }
        let (list, defect) = header_list(&Hostile);
        assert_eq!(list.len(), 2);
        assert_eq!(defect, Some(HEADER_NAME));
    }
}
