//! From an error of the client to an outcome.

use std::error::Error;
use std::io;

use rustls::{AlertDescription, CertificateError};

use crate::outcome::{Outcome, UntrustedReason};

#[derive(Debug, thiserror::Error)]
#[error("name resolution")]
pub(super) struct NotResolved(#[source] pub(super) io::Error);

/// The first known cause decides; `failed` makes the outcome where it is no matter of trust.
pub(super) fn outcome(
    error: &(dyn Error + 'static),
    failed: fn(&'static str) -> Outcome,
) -> Outcome {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if let Some(reason) = error.downcast_ref().and_then(mistrust) {
            return Outcome::Untrusted(reason);
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
    if error.is::<rustls::Error>() {
        return Some("tls");
    }
    if error.is::<NotResolved>() {
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

fn mistrust(error: &rustls::Error) -> Option<UntrustedReason> {
    use {AlertDescription as Alert, CertificateError as Certificate};
    Some(match error {
        rustls::Error::InvalidCertificate(fault) => match fault {
            // A root of the same name has another key.
            Certificate::UnknownIssuer | Certificate::BadSignature => UntrustedReason::UnknownCa,
            Certificate::NotValidForName | Certificate::NotValidForNameContext { .. } => {
                UntrustedReason::WrongName
            }
            Certificate::Expired | Certificate::ExpiredContext { .. } => UntrustedReason::Expired,
            Certificate::Revoked => UntrustedReason::Other("certificate revoked"),
            Certificate::UnknownRevocationStatus
            | Certificate::ExpiredRevocationList
            | Certificate::ExpiredRevocationListContext { .. } => {
                UntrustedReason::Other("certificate without a current list of revoked ones")
            }
            _ => UntrustedReason::Other("certificate"),
        },
        rustls::Error::NoCertificatesPresented | rustls::Error::InvalidCertRevocationList(_) => {
            UntrustedReason::Other("certificate")
        }
        // The receiver wants a certificate of ours, and the bridge has none.
        rustls::Error::AlertReceived(
            Alert::NoCertificate
            | Alert::BadCertificate
            | Alert::UnsupportedCertificate
            | Alert::CertificateRevoked
            | Alert::CertificateExpired
            | Alert::CertificateUnknown
            | Alert::UnknownCA
            | Alert::AccessDenied
            | Alert::CertificateRequired,
        ) => UntrustedReason::Other("client certificate"),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

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
