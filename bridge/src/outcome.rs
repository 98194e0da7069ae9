//! What a sink answered, and the one table from there to the next step.

use std::collections::BTreeMap;
use std::time::Duration;

/// Why there is no consent of a receiver that may call back.
pub const CONSENT_PENDING: &str = "receiver has not consented yet, it may call back";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UntrustedReason {
    /// One side does not know the other.
    NotAuthenticated,
    NotAuthorised,
    UnknownCa,
    WrongName,
    Expired,
    Other(&'static str),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefusedReason {
    /// A waiting sender hears 413 of it.
    TooLarge,
    InvalidTimestamp,
    Other(&'static str),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// 2xx, or a delivery report with `acks=all`.
    Delivered,
    /// The destination has the event from an earlier attempt, durably.
    Duplicate,
    /// Any other than 2xx; `Retry-After` counts from now.
    Status {
        code: u16,
        retry_after: Option<Duration>,
        /// The beginning of its body, where the sink keeps it.
        error_body: Option<Box<str>>,
    },
    /// Nothing was sent, or nobody knows whether it was; the word is the cause.
    Unreachable(&'static str),
    /// Nothing was sent, as there is no token to send it with, or it was refused with 401 and there is no other; the
    /// word is the cause.
    NoToken(&'static str),
    /// Nothing was sent, as the receiver has not consented to it; the word is the cause.
    NoConsent(&'static str),
    /// Sent, and no answer came that can be read; the word is the cause.
    Unanswered(&'static str),
    Untrusted(UntrustedReason),
    Refused(RefusedReason),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    Delivered,
    /// An event fails: it waits by its own back-off.
    Retry,
    /// The endpoint cannot take events now: its circuit opens.
    Unavailable,
    /// The endpoint refuses us: its circuit opens. Where it takes others, some refusals make a dead letter.
    Refused,
    /// An event can never be delivered: the batch is split, or the event that stands alone is dead-lettered.
    DeadLetter,
    /// Once confirmed, the route stops and its events stay unsettled.
    Gone,
}

impl Outcome {
    /// The outcome table.
    pub fn next(&self) -> Next {
        match *self {
            Self::Delivered | Self::Duplicate => Next::Delivered,
            Self::Unreachable(_) | Self::NoToken(_) | Self::NoConsent(_) | Self::Unanswered(_) => {
                Next::Unavailable
            }
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

    /// As a route reads it that has `[route.outcomes]`.
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

    pub fn error_body(&self) -> Option<&str> {
        match self {
            Self::Status { error_body, .. } => error_body.as_deref(),
            _ => None,
        }
    }

    /// For people.
    pub fn cause(&self) -> String {
        match self {
            Self::Status { code, .. } => format!("status {code}"),
            _ => self.word().to_owned(),
        }
    }

    /// librdkafka says no more of it.
    pub const KAFKA_TLS_REMEDY: &'static str = "compare root, name and dates of the certificates of both sides with `ssl.ca.location` and the address";

    /// What ends such a failure, for people.
    pub fn remedy(&self) -> &'static str {
        match *self {
            Self::Status { code, .. } => match code {
                401 | 407 => "correct the token or password that the sink names",
                402 | 403 | 451 => "let the destination permit what is sent",
                300..=399 | 404 | 405 | 421 | 426 => "correct the address of the sink",
                410 => "give the route another destination, or take it out, and reload",
                429 | 503 => "wait; if it stays, see why the destination takes so little",
                _ => "look into the log of the destination",
            },
            Self::Unreachable("receiver asked for a pause") => "wait until it is over",
            Self::Unreachable("disk-full") => "make room on the disk, or move the file away",
            Self::Unreachable("file" | "no-permission") => {
                "name a file that the bridge may write, in a folder that is there; the log names the error"
            }
            Self::Unreachable("tls") => {
                "let the destination speak a version of TLS that `tls` allows; its log may say more"
            }
            Self::Unreachable("destination speaks no TLS") => {
                "correct the port, or ask for no TLS: http:// in a URL, tls = optional for NATS"
            }
            Self::Unreachable("destination speaks TLS only") => "write https:// in the address",
            Self::Unreachable(_) => {
                "see that the destination runs, and that DNS, network and address lead to it"
            }
            Self::NoToken(_) => {
                "see that the authorization server runs and knows us; the log says what it answered"
            }
            Self::NoConsent(_) => {
                "let the receiver answer OPTIONS with WebHook-Allowed-Origin and WebHook-Allowed-Rate, or set handshake otherwise"
            }
            Self::Unanswered("malformed answer" | "closed early" | "connection reset") => {
                "look into the destination and what is before it: it breaks its answers off, or they are no HTTP"
            }
            Self::Unanswered(_) => "see why the destination does not answer in time",
            Self::Untrusted(reason) => match reason {
                UntrustedReason::NotAuthenticated => "correct the credentials of the connection",
                UntrustedReason::NotAuthorised => "permit the user of the connection to write",
                UntrustedReason::UnknownCa => "name the root of its certificate in ca_file",
                UntrustedReason::WrongName => "correct the host of the address, or the certificate",
                UntrustedReason::Expired => {
                    "let the destination renew its certificate, or correct a clock"
                }
                UntrustedReason::Other("client certificate") => {
                    "name a certificate in certificate_file that the destination knows and that is valid"
                }
                UntrustedReason::Other("tls") => Self::KAFKA_TLS_REMEDY,
                UntrustedReason::Other(_) => "correct what the cause names, there or in settings",
            },
            Self::Refused(_) | Self::Delivered | Self::Duplicate => "correct the event",
        }
    }

    /// The status code, else the word.
    pub fn status(&self) -> String {
        match self {
            Self::Status { code, .. } => code.to_string(),
            _ => self.word().to_owned(),
        }
    }

    pub fn word(&self) -> &'static str {
        match *self {
            Self::Delivered => "delivered",
            Self::Duplicate => "duplicate",
            Self::Status { .. } => "status",
            Self::Untrusted(UntrustedReason::NotAuthenticated) => "not-authenticated",
            Self::Untrusted(UntrustedReason::NotAuthorised) => "not-authorised",
            Self::Untrusted(UntrustedReason::UnknownCa) => "certificate of an unknown CA",
            Self::Untrusted(UntrustedReason::WrongName) => "certificate for another name",
            Self::Untrusted(UntrustedReason::Expired) => "certificate expired",
            Self::Refused(RefusedReason::TooLarge) => "too-large",
            Self::Refused(RefusedReason::InvalidTimestamp) => "invalid-timestamp",
            Self::Unreachable(word)
            | Self::NoToken(word)
            | Self::NoConsent(word)
            | Self::Unanswered(word)
            | Self::Untrusted(UntrustedReason::Other(word))
            | Self::Refused(RefusedReason::Other(word)) => word,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use std::fs;
    use std::path::Path;

    use super::*;
    use crate::config::Words;

    fn status(code: u16) -> Outcome {
        Outcome::Status {
            code,
            retry_after: None,
            error_body: None,
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

    #[test]
    fn a_remedy_fits_its_cause() {
        for (outcome, expected) in [
            (status(410), "reload"),
            (Outcome::Unreachable("disk-full"), "make room"),
            (Outcome::Unreachable("file"), "a file"),
            (Outcome::Unreachable("no-permission"), "may write"),
            (Outcome::Unreachable("connection reset"), "network"),
            (Outcome::Unreachable("tls"), "version of TLS"),
            (Outcome::Unreachable("destination speaks no TLS"), "http://"),
            (
                Outcome::Unreachable("destination speaks TLS only"),
                "https://",
            ),
            (
                Outcome::Untrusted(UntrustedReason::Other("client certificate")),
                "certificate_file",
            ),
            (Outcome::Unanswered("malformed answer"), "no HTTP"),
            (Outcome::Unanswered("closed early"), "breaks"),
            (Outcome::Unanswered("connection reset"), "breaks"),
            (Outcome::Unanswered("first byte timeout"), "in time"),
        ] {
            let remedy = outcome.remedy();
            assert!(remedy.contains(expected), "{outcome:?}: {remedy}");
        }
    }

    /// The first row that speaks of the status: `401 to 405`, `5xx but 503`, `any other status`.
    fn speaks_of(answer: &str, code: u16) -> bool {
        let number = |text: &str| text.trim().parse::<u16>().ok();
        answer.split(',').any(|part| {
            let (part, but) = part.split_once(" but ").unwrap_or((part, ""));
            let class = (part.trim().strip_suffix("xx")).and_then(number);
            let is_there = match part.split_once(" to ") {
                Some((first, last)) => number(first) <= Some(code) && Some(code) <= number(last),
                None => class == Some(code / 100) || number(part) == Some(code),
            };
            is_there && number(but) != Some(code) || part == "any other status"
        })
    }

    #[test]
    fn the_documentation_says_what_becomes_of_every_answer() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
        let mut files = root.map(|folder| folder.join("docs/operations.md"));
        let text = fs::read_to_string(files.find(|file| file.exists()).unwrap()).unwrap();
        let (_, table) = text.split_once("| answer | step |").unwrap();
        let rows = table.lines().skip(2).take_while(|line| !line.is_empty());
        let rows: Vec<(&str, &str)> = rows
            .map(|row| {
                let mut cells = row.trim_matches('|').split('|').map(str::trim);
                (cells.next().unwrap(), cells.next().unwrap())
            })
            .collect();
        for code in (100..600).filter(|code| !(200..300).contains(code)) {
            let row = rows.iter().find(|(answer, _)| speaks_of(answer, code));
            assert_eq!(row.unwrap().1, status(code).next().word(), "{code}");
        }
        for (answer, outcome) in [
            ("2xx", Outcome::Delivered),
            ("stored before", Outcome::Duplicate),
            ("no connection", Outcome::Unreachable("")),
            ("no answer that can be read", Outcome::Unanswered("")),
            (
                "certificate, credentials or permission refused",
                Outcome::Untrusted(UntrustedReason::NotAuthorised),
            ),
            (
                "event refused for what it is",
                Outcome::Refused(RefusedReason::TooLarge),
            ),
        ] {
            assert!(rows.contains(&(answer, outcome.next().word())), "{answer}");
        }
    }
}
