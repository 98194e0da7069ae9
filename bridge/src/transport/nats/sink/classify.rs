//! What the answer of a stream means for an event.

use std::cell::Cell;

use async_nats::jetstream::{Error, ErrorCode as Code};
use serde::Deserialize;

use crate::outcome::{Outcome, RefusedReason, UntrustedReason};

pub(super) const NO_STREAM: &str = "no-stream";

/// In one pass: the client's own `Response` is read into a tree first, and tried as an error.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Answer {
    error: Option<Error>,
    stream: String,
    seq: u64,
    duplicate: bool,
}

/// `stream` should have stored the event; `last_sequence` is that of the event before.
pub(super) fn classify(answer: &[u8], stream: &str, last_sequence: &Cell<u64>) -> Outcome {
    let answer: Answer = serde_json::from_slice(answer).unwrap_or_default();
    if let Some(error) = &answer.error {
        refused(error)
    } else if answer.stream.is_empty() || answer.seq == 0 {
        // What listens on the subject and answers is no stream.
        Outcome::Unreachable("no-ack")
    } else if answer.stream != stream {
        Outcome::Untrusted(UntrustedReason::Other("wrong-stream"))
    } else if answer.duplicate {
        Outcome::Duplicate
    } else if answer.seq <= last_sequence.get() {
        // Sequences only rise: the stream was made anew, and may be one that keeps nothing.
        Outcome::Unreachable(NO_STREAM)
    } else {
        last_sequence.set(answer.seq);
        Outcome::Delivered
    }
}

fn refused(error: &Error) -> Outcome {
    match error.error_code() {
        Code::STREAM_MESSAGE_EXCEEDS_MAXIMUM | Code::STREAM_HEADER_EXCEEDS_MAXIMUM => {
            Outcome::Refused(RefusedReason::TooLarge)
        }
        // As with an address that does not exist: somebody must correct the stream or its name.
        Code::STREAM_NOT_MATCH => Outcome::Untrusted(UntrustedReason::Other("wrong-stream")),
        Code::STREAM_NOT_FOUND => Outcome::Untrusted(UntrustedReason::Other(NO_STREAM)),
        Code::STREAM_SEALED => Outcome::Untrusted(UntrustedReason::Other("stream-sealed")),
        Code::JETSTREAM_NOT_ENABLED
        | Code::JETSTREAM_NOT_ENABLED_FOR_ACCOUNT
        | Code::NO_ACCOUNT => Outcome::Untrusted(UntrustedReason::Other("no-jetstream")),
        // A full stream that turns new messages away, or a disk that fails; it may get room by
        // itself.
        Code::STREAM_STORE_FAILED | Code::STREAM_MAX_STREAM_BYTES_EXCEEDED => {
            Outcome::Unreachable("not-stored")
        }
        Code::ACCOUNT_RESOURCES_EXCEEDED
        | Code::INSUFFICIENT_RESOURCES
        | Code::MEMORY_RESOURCES_EXCEEDED
        | Code::STORAGE_RESOURCES_EXCEEDED => Outcome::Unreachable("no-resources"),
        // The first attempt is still under way, or too many others are.
        Code::STREAM_DUPLICATE_MESSAGE_CONFLICT | Code::STREAM_TOO_MANY_REQUESTS => {
            Outcome::Unreachable("busy")
        }
        Code(number) => {
            let code = error.code();
            tracing::warn!(number, code, "jetstream refuses what is written");
            match code {
                // Such as counters, which this sink never sends.
                400..=499 => Outcome::Untrusted(UntrustedReason::Other("stream-refuses")),
                _ => Outcome::Unreachable("stream"),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::Next;

    fn refusal(code: u16, number: u64) -> Outcome {
        let error = format!(r#"{{"code":{code},"err_code":{number},"description":"d"}}"#);
        let answer = format!(r#"{{"error":{error},"stream":"S","seq":0}}"#);
        classify(answer.as_bytes(), "S", &Cell::new(7))
    }

    #[test]
    fn an_ack_counts_when_it_is_of_the_stream_that_was_asked() {
        for (answer, expected) in [
            (r#"{"stream":"S","seq":8}"#, Outcome::Delivered),
            (
                r#"{"stream":"S","seq":7}"#,
                Outcome::Unreachable("no-stream"),
            ),
            (
                r#"{"stream":"S","seq":1}"#,
                Outcome::Unreachable("no-stream"),
            ),
            (
                r#"{"stream":"S","domain":"d","seq":1,"duplicate":true}"#,
                Outcome::Duplicate,
            ),
            (
                r#"{"stream":"T","seq":1}"#,
                Outcome::Untrusted(UntrustedReason::Other("wrong-stream")),
            ),
            (r#"{}"#, Outcome::Unreachable("no-ack")),
            ("", Outcome::Unreachable("no-ack")),
            ("+OK", Outcome::Unreachable("no-ack")),
            (r#"{"stream":7}"#, Outcome::Unreachable("no-ack")),
            (r#"{"stream":"S"}"#, Outcome::Unreachable("no-ack")),
        ] {
            let last_sequence = Cell::new(7);
            assert_eq!(
                classify(answer.as_bytes(), "S", &last_sequence),
                expected,
                "{answer}"
            );
        }
    }

    #[test]
    fn only_the_size_of_an_event_makes_it_a_dead_letter() {
        let (retry, hold) = (Next::Unavailable, Next::Refused);
        for (code, numbers, expected) in [
            (400, &[10054, 10097][..], Next::DeadLetter),
            (400, &[10060, 10109, 10166, 10169, 0], hold),
            (404, &[10059], hold),
            (503, &[10039, 10076, 10035], hold),
            (503, &[10077, 10023, 10047, 10008, 0, 99999], retry),
            (400, &[10122], retry),
            (409, &[10158], retry),
            (429, &[10167], retry),
            (500, &[10028, 10051], retry),
        ] {
            for &number in numbers {
                assert_eq!(refusal(code, number).next(), expected, "{code} {number}");
            }
        }
    }
}
