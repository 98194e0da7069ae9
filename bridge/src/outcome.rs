//! What a sink answered, and the one table from there to the next step.

use std::collections::BTreeMap;
use std::time::Duration;

/// Why a destination does not trust us, or we do not trust it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UntrustedReason {
    /// It does not know who we are, or we who it is.
    NotAuthenticated,
    /// It knows us, and we may not.
    NotAuthorised,
    Other(&'static str),
}

/// Why a destination will never take a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefusedReason {
    /// It is above the size that the destination takes; a waiting sender hears 413 of it.
    TooLarge,
    /// It has a time that the destination does not take.
    InvalidTimestamp,
    Other(&'static str),
}

/// What became of one attempt to hand a batch to a sink.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The destination acknowledged durably: 2xx, or a delivery report with `acks=all`.
    Delivered,
    /// The destination has the event already, from an earlier attempt or start, and said so durably.
    Duplicate,
    /// An HTTP status other than 2xx, with `Retry-After` as a duration from now.
    Status {
        code: u16,
        retry_after: Option<Duration>,
    },
    /// Nothing was sent, or nobody knows whether it was: network, timeout, broker away. The word names
    /// the cause.
    Unreachable(&'static str),
    /// A request was sent, and no answer came that can be read. The word names the cause.
    Unanswered(&'static str),
    /// The destination does not trust us, or we do not trust it: certificate, credentials, authorisation.
    Untrusted(UntrustedReason),
    /// The destination will never take this batch, whatever the number of attempts.
    Refused(RefusedReason),
}

/// What an answer means for the events that were sent, and what the route does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    Delivered,
    /// One of them fails: it waits by its own back-off.
    Retry,
    /// The endpoint cannot take events now: its circuit opens.
    Unavailable,
    /// The endpoint refuses us, and somebody must act: its circuit opens. Where it takes others, it is the
    /// event that is refused, which is dead-lettered after some refusals.
    Refused,
    /// One of them can never be delivered: the batch is split, or the event that stands alone goes to the
    /// dead letters.
    DeadLetter,
    /// The endpoint is gone for good, once that is confirmed: the route stops, its events stay unsettled.
    Gone,
}

impl Outcome {
    /// The outcome table.
    pub fn next(&self) -> Next {
        match *self {
            Self::Delivered | Self::Duplicate => Next::Delivered,
            Self::Unreachable(_) | Self::Unanswered(_) => Next::Unavailable,
            Self::Untrusted(_) => Next::Refused,
            Self::Refused(_) => Next::DeadLetter,
            Self::Status { code, .. } => match code {
                429 | 503 => Next::Unavailable,
                401..=405 | 407 | 421 | 426 | 451 | 300..=399 => Next::Refused,
                410 => Next::Gone,
                408 | 425 => Next::Retry,
                400..=499 => Next::DeadLetter,
                // 5xx; and what is neither a final answer nor one that a receiver may give.
                _ => Next::Retry,
            },
        }
    }

    /// What it means to a route that reads some statuses otherwise.
    pub fn next_on(&self, outcomes: &BTreeMap<u16, Next>) -> Next {
        match self {
            Self::Status { code, .. } => outcomes.get(code).copied(),
            _ => None,
        }
        .unwrap_or_else(|| self.next())
    }

    pub fn retry_after(&self) -> Option<Duration> {
        match *self {
            Self::Status { retry_after, .. } => retry_after,
            _ => None,
        }
    }

    /// The word, or the status code where there is one.
    pub fn status(&self) -> String {
        match self {
            Self::Status { code, .. } => code.to_string(),
            _ => self.word().to_owned(),
        }
    }

    /// A short constant word for metrics, logs and dead letters.
    pub fn word(&self) -> &'static str {
        match *self {
            Self::Delivered => "delivered",
            Self::Duplicate => "duplicate",
            Self::Status { .. } => "status",
            Self::Untrusted(UntrustedReason::NotAuthenticated) => "not-authenticated",
            Self::Untrusted(UntrustedReason::NotAuthorised) => "not-authorised",
            Self::Refused(RefusedReason::TooLarge) => "too-large",
            Self::Refused(RefusedReason::InvalidTimestamp) => "invalid-timestamp",
            Self::Unreachable(word)
            | Self::Unanswered(word)
            | Self::Untrusted(UntrustedReason::Other(word))
            | Self::Refused(RefusedReason::Other(word)) => word,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(code: u16) -> Outcome {
        Outcome::Status {
            code,
            retry_after: None,
        }
    }

    #[test]
    fn every_answer_has_its_next_step() {
        for (codes, expected) in [
            (&[408, 425, 500, 502, 504, 599, 101][..], Next::Retry),
            (&[429, 503], Next::Unavailable),
            (
                &[
                    401, 402, 403, 404, 405, 407, 421, 426, 451, 301, 302, 307, 308,
                ],
                Next::Refused,
            ),
            (&[410], Next::Gone),
            (
                &[
                    400, 406, 409, 411, 412, 413, 414, 415, 416, 417, 422, 428, 431, 418, 499,
                ],
                Next::DeadLetter,
            ),
        ] {
            for &code in codes {
                assert_eq!(status(code).next(), expected, "{code}");
            }
        }
    }

    #[test]
    fn a_route_reads_a_status_as_it_was_told() {
        let outcomes = [(404, Next::DeadLetter), (409, Next::Delivered)].into();
        for (outcome, expected) in [
            (status(404), Next::DeadLetter),
            (status(409), Next::Delivered),
            (status(401), Next::Refused),
            (Outcome::Delivered, Next::Delivered),
        ] {
            assert_eq!(outcome.next_on(&outcomes), expected, "{outcome:?}");
        }
    }
}
