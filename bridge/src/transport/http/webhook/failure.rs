//! From an error of the client to an outcome.

use std::error::Error;
use std::io;

use crate::outcome::Outcome;
use crate::tls;

/// The first known cause decides; `failed` makes the outcome where TLS does not say what is wrong.
pub(super) fn outcome(
    error: &(dyn Error + 'static),
    failed: fn(&'static str) -> Outcome,
) -> Outcome {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if let Some(error) = error.downcast_ref::<rustls::Error>() {
            return tls::failure(&error.to_string()).unwrap_or_else(|| failed("tls"));
        }
        if let Some(word) = word(error) {
            return failed(word);
        }
        // An io::Error hides what it wraps from source().
        let wrapped = error
            .downcast_ref::<io::Error>()
            .and_then(io::Error::get_ref)
            .map(|inner| inner as &(dyn Error + 'static));
        cause = wrapped.or_else(|| error.source());
    }
    failed("network")
}

fn word(error: &(dyn Error + 'static)) -> Option<&'static str> {
    // Of a type that hyper-util does not show.
    if error.to_string() == "dns error" {
        return Some("name resolution");
    }
    if let Some(error) = error.downcast_ref::<hyper::Error>() {
        return match error {
            _ if error.is_parse() => Some("malformed answer"),
            _ if error.is_incomplete_message() => Some("closed early"),
            _ => None,
        };
    }
    match error.downcast_ref::<io::Error>()?.kind() {
        io::ErrorKind::ConnectionRefused => Some("connection refused"),
        io::ErrorKind::ConnectionReset
        | io::ErrorKind::ConnectionAborted
        | io::ErrorKind::BrokenPipe => Some("connection reset"),
        io::ErrorKind::UnexpectedEof => Some("closed early"),
        io::ErrorKind::TimedOut => Some("timeout"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use rustls::{AlertDescription, CertificateError, InvalidMessage};

    use super::*;
    use crate::outcome::UntrustedReason;

    #[test]
    fn finds_the_cause_under_layers_of_io_errors() {
        let refused = rustls::Error::InvalidCertificate(CertificateError::UnknownIssuer);
        for (error, expected) in [
            (
                io::Error::other(io::Error::other(refused)),
                Outcome::Untrusted(UntrustedReason::UnknownCa),
            ),
            (
                io::Error::new(
                    io::ErrorKind::InvalidData,
                    rustls::Error::AlertReceived(AlertDescription::CertificateRequired),
                ),
                Outcome::Untrusted(UntrustedReason::Other("client certificate")),
            ),
            (
                io::Error::other(rustls::Error::InvalidMessage(
                    InvalidMessage::InvalidContentType,
                )),
                Outcome::Unreachable("destination speaks no TLS"),
            ),
            (
                io::Error::other(rustls::Error::HandshakeNotComplete),
                Outcome::Unreachable("tls"),
            ),
            (
                io::ErrorKind::ConnectionReset.into(),
                Outcome::Unreachable("connection reset"),
            ),
            (
                io::Error::new(io::ErrorKind::UnexpectedEof, "tls handshake eof"),
                Outcome::Unreachable("closed early"),
            ),
            (io::Error::other("odd"), Outcome::Unreachable("network")),
        ] {
            assert_eq!(outcome(&error, Outcome::Unreachable), expected, "{error:?}");
        }
    }
}
