//! From an error of the client to an outcome: who does not answer, and who does not trust whom.

use std::error::Error;
use std::io;

use rustls::AlertDescription;

use super::resolver::NotResolved;
use crate::outcome::{Outcome, UntrustedReason};

/// What an error of connecting, sending or receiving means; the first cause that says it decides.
/// `failed` is what came of the exchange where nobody mistrusts anybody.
pub(super) fn outcome(
    error: &(dyn Error + 'static),
    failed: fn(&'static str) -> Outcome,
) -> Outcome {
    let mut cause = Some(error);
    while let Some(error) = cause {
        match meaning(error) {
            Some(Meaning::Mistrust) => {
                return Outcome::Untrusted(UntrustedReason::Other("certificate"));
            }
            Some(Meaning::Failure(word)) => return failed(word),
            None => {}
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

enum Meaning {
    Mistrust,
    Failure(&'static str),
}

fn meaning(error: &(dyn Error + 'static)) -> Option<Meaning> {
    if let Some(error) = error.downcast_ref::<rustls::Error>() {
        return Some(of_tls(error));
    }
    if let Some(error) = error.downcast_ref::<io::Error>() {
        return of_io(error.kind());
    }
    if error.is::<NotResolved>() {
        return Some(Meaning::Failure("name resolution"));
    }
    let error = error.downcast_ref::<hyper::Error>()?;
    if error.is_parse() {
        Some(Meaning::Failure("malformed answer"))
    } else if error.is_incomplete_message() {
        Some(Meaning::Failure("closed early"))
    } else {
        None
    }
}

fn of_io(kind: io::ErrorKind) -> Option<Meaning> {
    let word = match kind {
        io::ErrorKind::ConnectionRefused => "connection refused",
        io::ErrorKind::ConnectionReset
        | io::ErrorKind::ConnectionAborted
        | io::ErrorKind::BrokenPipe => "connection reset",
        io::ErrorKind::UnexpectedEof => "closed early",
        io::ErrorKind::TimedOut => "timeout",
        _ => return None,
    };
    Some(Meaning::Failure(word))
}

fn of_tls(error: &rustls::Error) -> Meaning {
    match error {
        rustls::Error::InvalidCertificate(_)
        | rustls::Error::NoCertificatesPresented
        | rustls::Error::InvalidCertRevocationList(_)
        | rustls::Error::AlertReceived(
            AlertDescription::NoCertificate
            | AlertDescription::BadCertificate
            | AlertDescription::UnsupportedCertificate
            | AlertDescription::CertificateRevoked
            | AlertDescription::CertificateExpired
            | AlertDescription::CertificateUnknown
            | AlertDescription::UnknownCA
            | AlertDescription::AccessDenied
            | AlertDescription::CertificateRequired,
        ) => Meaning::Mistrust,
        _ => Meaning::Failure("tls"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_cause_under_layers_of_io_errors() {
        let refused = rustls::Error::InvalidCertificate(rustls::CertificateError::UnknownIssuer);
        for (error, expected) in [
            (
                io::Error::other(io::Error::other(refused)),
                Outcome::Untrusted(UntrustedReason::Other("certificate")),
            ),
            (
                io::Error::new(
                    io::ErrorKind::InvalidData,
                    rustls::Error::AlertReceived(AlertDescription::CertificateRequired),
                ),
                Outcome::Untrusted(UntrustedReason::Other("certificate")),
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
