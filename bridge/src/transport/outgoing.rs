use std::fmt;

use bytes::Bytes;
use cloudevents_nl_codec::{Binding, HeaderList};
use ring::digest::{Context, SHA256};

/// A retry sends the same bytes again.
#[derive(Clone, Debug, Default)]
pub struct Outgoing {
    pub headers: HeaderList,
    /// `None` is a Kafka null value.
    pub body: Option<Bytes>,
    pub key: Option<Bytes>,
    /// Milliseconds since 1970.
    pub timestamp_ms: Option<i64>,
    /// Where the sink asked for it.
    pub message_id: Option<MessageId>,
    /// Of a dead letter: the binding it was read by.
    pub received_as: Option<&'static Binding>,
}

impl Outgoing {
    pub fn is_same_message(&self, other: &Self) -> bool {
        self.headers == other.headers && self.body == other.body
    }

    /// Bytes on the wire, framing left out.
    pub fn byte_len(&self) -> usize {
        let part = |bytes: &Option<Bytes>| bytes.as_ref().map_or(0, Bytes::len);
        self.headers.byte_len() + part(&self.key) + part(&self.body)
    }
}

/// The SHA-256 of destination, `source` and `id`, each with its length before it (64 bits, big-endian), so
/// that `("a", "bc")` and `("ab", "c")` differ. It follows from the event alone, so it survives a crash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MessageId([u8; 32]);

impl MessageId {
    /// Several subjects may share a stream that drops repeats, so the scope is part of it.
    pub fn of(scope: &str, source: &str, id: &str) -> Self {
        let mut context = Context::new(&SHA256);
        for part in [scope, source, id] {
            context.update(&(part.len() as u64).to_be_bytes());
            context.update(part.as_bytes());
        }
        let digest = context.finish();
        Self(digest.as_ref().try_into().expect("SHA-256 has 32 bytes"))
    }
}

impl fmt::Display for MessageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let mut text = [0; 64];
        for (pair, byte) in text.chunks_exact_mut(2).zip(self.0) {
            pair[0] = DIGITS[usize::from(byte >> 4)];
            pair[1] = DIGITS[usize::from(byte & 15)];
        }
        f.write_str(str::from_utf8(&text).expect("digits are ASCII"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Computed with Python's `hashlib` over `struct.pack(">Q", len(part)) + part`.
    #[test]
    fn is_the_digest_of_parts_with_their_lengths() {
        for (parts, expected) in VECTORS {
            let [scope, source, id] = parts;
            assert_eq!(MessageId::of(scope, source, id).to_string(), expected);
        }
    }

    #[test]
    fn where_one_part_ends_matters() {
        assert_ne!(MessageId::of("a", "b", "cd"), MessageId::of("a", "bc", "d"));
        assert_ne!(MessageId::of("a", "b", "c"), MessageId::of("ab", "", "c"));
    }

    const VECTORS: [([&str; 3], &str); 3] = [
        (
            [
                "zaken.geopend",
                "urn:nld:oin:00000001823288444000:systeem:zaken",
                "f3dce042-cd6e-4977-844d-05be8dce7cea",
            ],
            "80a2da10a08d784b8a3f1d57b10bb830e0d4abab0c79828777365f660ab5bd04",
        ),
        (
            ["a", "b", "c"],
            "bd735517dea8b04bba91d58ed956ea9ce3296d2f39b4a6e1103884815dd71d0d",
        ),
        (
            ["", "é", ""],
            "f97f057902450aad2092a0966c2a62bb1e9b4106a9adc4da67cf11ef4498b76e",
        ),
    ];
}
