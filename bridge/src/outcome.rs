//! What a sink answered, and the one table from there to the next step.

use std::time::Duration;

use crate::delivery::Verdict;

/// The word of [`Outcome::Refused`] for a parcel above the size that the destination takes; a waiting
/// sender hears 413 of it.
pub const TOO_LARGE: &str = "too-large";

/// The word of [`Outcome::Refused`] for a parcel whose time the destination does not take.
pub const INVALID_TIMESTAMP: &str = "invalid-timestamp";

/// What became of one attempt to hand a parcel to a sink.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The destination acknowledged durably: 2xx, or a delivery report with `acks=all`.
    Delivered,
    /// The destination has the event already, from an earlier attempt or start, and said so durably.
    Duplicate,
    /// An HTTP status other than 2xx, with `Retry-After` as a duration from now.
    Status {
        /// The status code.
        code: u16,
        /// What `Retry-After` asked for.
        retry_after: Option<Duration>,
    },
    /// No answer that says anything: network, timeout, broker away. The word names the cause.
    Unreachable(&'static str),
    /// The destination does not trust us, or we do not trust it: certificate, credentials, authorisation.
    Untrusted(&'static str),
    /// The destination will never take this parcel, whatever the number of attempts.
    Refused(&'static str),
}

/// What the route does next with every event of the parcel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Settle with this verdict.
    Settle(Verdict),
    /// Try again after a back-off.
    Retry {
        /// The earliest moment, counted from now; jitter only adds to it.
        floor: Option<Duration>,
        /// Whether the whole endpoint waits, not only this parcel.
        endpoint: bool,
    },
    /// Somebody must act: the route waits and probes with one event.
    Hold {
        /// The earliest moment of the probe, counted from now.
        floor: Option<Duration>,
    },
    /// The target is retired: the route stops, its events stay unsettled.
    Stop,
    /// The parcel is at fault: split it, or dead-letter the event that stands alone.
    DeadLetter {
        /// The earliest moment of the next exchange with the endpoint, counted from now.
        floor: Option<Duration>,
    },
}

impl Outcome {
    /// The outcome table: what each answer means for the events that were sent.
    #[must_use]
    pub fn next(&self) -> Next {
        let retry = |floor, endpoint| Next::Retry { floor, endpoint };
        match *self {
            Self::Delivered | Self::Duplicate => Next::Settle(Verdict::Delivered),
            Self::Unreachable(_) => retry(None, false),
            Self::Untrusted(_) => Next::Hold { floor: None },
            Self::Refused(_) => Next::DeadLetter { floor: None },
            Self::Status { code, retry_after } => match code {
                429 | 503 => retry(retry_after, true),
                408 | 425 | 500..=599 => retry(retry_after, retry_after.is_some()),
                401..=405 | 407 | 421 | 426 | 451 | 300..=399 => Next::Hold { floor: retry_after },
                410 => Next::Stop,
                400..=499 => Next::DeadLetter { floor: retry_after },
                // Neither a final answer nor one that a receiver may give: as if there were none.
                _ => retry(None, false),
            },
        }
    }

    /// The word, or the status code where there is one.
    #[must_use]
    pub fn status(&self) -> String {
        match self {
            Self::Status { code, .. } => code.to_string(),
            _ => self.word().to_owned(),
        }
    }

    /// A short constant word for metrics, logs and dead letters.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match *self {
            Self::Delivered => "delivered",
            Self::Duplicate => "duplicate",
            Self::Status { .. } => "status",
            Self::Unreachable(word) | Self::Untrusted(word) | Self::Refused(word) => word,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_answer_has_its_next_step() {
        let next = |code| {
            Outcome::Status {
                code,
                retry_after: None,
            }
            .next()
        };
        let retry = |endpoint| Next::Retry {
            floor: None,
            endpoint,
        };
        for (codes, expected) in [
            (&[408, 425, 500, 502, 504, 599][..], retry(false)),
            (&[429, 503], retry(true)),
            (
                &[
                    401, 402, 403, 404, 405, 407, 421, 426, 451, 301, 302, 307, 308,
                ],
                Next::Hold { floor: None },
            ),
            (&[410], Next::Stop),
            (
                &[
                    400, 406, 409, 411, 412, 413, 414, 415, 416, 417, 422, 428, 431, 418, 499,
                ],
                Next::DeadLetter { floor: None },
            ),
        ] {
            for &code in codes {
                assert_eq!(next(code), expected, "{code}");
            }
        }
    }

    #[test]
    fn retry_after_is_a_floor_for_the_whole_endpoint() {
        let floor = Some(Duration::from_secs(7));
        for code in [429, 503, 500] {
            let outcome = Outcome::Status {
                code,
                retry_after: floor,
            };
            assert_eq!(
                outcome.next(),
                Next::Retry {
                    floor,
                    endpoint: true
                },
                "{code}"
            );
        }
        let next = |code| {
            Outcome::Status {
                code,
                retry_after: floor,
            }
            .next()
        };
        assert_eq!(next(403), Next::Hold { floor });
        assert_eq!(next(413), Next::DeadLetter { floor });
    }
}
