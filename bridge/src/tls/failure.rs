//! What failed over TLS, by the words of rustls: some clients hand on nothing else of it.

use crate::outcome::Outcome::{self, Unreachable, Untrusted};
use crate::outcome::UntrustedReason::{Expired, Other, UnknownCa, WrongName};

const CERTIFICATE: &str = "invalid peer certificate: ";
const ALERT: &str = "received fatal alert: ";

const REVOKED: Outcome = Untrusted(Other("certificate revoked"));
const NO_LIST: Outcome = Untrusted(Other("certificate without a current list of revoked ones"));
const NOT_YET: Outcome = Untrusted(Other("certificate not valid yet"));
/// Self-signed ones are such, as many tools make them: none may be a server's.
const OF_A_CA: Outcome = Untrusted(Other("CA certificate used as server certificate"));
const NOT_FOR_SERVERS: Outcome = Untrusted(Other("certificate not for servers"));
const UNFIT: Outcome = Untrusted(Other("certificate"));
/// The other side refuses our certificate, or wants one where there is none.
const OURS_REFUSED: Outcome = Untrusted(Other("client certificate"));
const NO_TLS: Outcome = Unreachable("destination speaks no TLS");

/// The first counts of which both parts are said. A name may hold any word, so it stands first.
static SAID: [(&str, &str, Outcome); 18] = [
    (CERTIFICATE, "not valid for name", Untrusted(WrongName)),
    (CERTIFICATE, "certificate expired", Untrusted(Expired)),
    (CERTIFICATE, "UnknownIssuer", Untrusted(UnknownCa)),
    // A root of the same name has another key.
    (CERTIFICATE, "BadSignature", Untrusted(UnknownCa)),
    (CERTIFICATE, "Revoked", REVOKED),
    (CERTIFICATE, "UnknownRevocationStatus", NO_LIST),
    (CERTIFICATE, "revocation list expired", NO_LIST),
    (CERTIFICATE, "Expired", Untrusted(Expired)),
    (CERTIFICATE, "certificate not valid yet", NOT_YET),
    (CERTIFICATE, "CaUsedAsEndEntity", OF_A_CA),
    (CERTIFICATE, "extended key usage", NOT_FOR_SERVERS),
    (CERTIFICATE, "", UNFIT),
    ("peer sent no certificates", "", UNFIT),
    ("invalid certificate revocation list: ", "", UNFIT),
    (ALERT, "Certificate", OURS_REFUSED),
    (ALERT, "UnknownCA", OURS_REFUSED),
    (ALERT, "AccessDenied", OURS_REFUSED),
    ("corrupt message of type InvalidContentType", "", NO_TLS),
];

/// `None` where it is something else.
pub(crate) fn failure(said: &str) -> Option<Outcome> {
    let mut known = SAID.iter();
    let (.., outcome) = known.find(|(what, why, _)| said.contains(*what) && said.contains(*why))?;
    Some(outcome.clone())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use std::time::Duration;

    use rustls::pki_types::{ServerName, UnixTime};
    use rustls::{
        AlertDescription, CertRevocationListError, CertificateError, Error, ExtendedKeyPurpose,
        InvalidMessage,
    };

    use super::*;

    /// A release of rustls that says it otherwise must be followed here.
    #[test]
    fn what_rustls_says_is_understood() {
        let (now, past) = (
            UnixTime::now(),
            UnixTime::since_unix_epoch(Duration::from_secs(1)),
        );
        let name = CertificateError::NotValidForNameContext {
            expected: ServerName::try_from("a.example").unwrap(),
            presented: vec!["DnsName(\"UnknownIssuer.example\")".to_owned()],
        };
        let expired = CertificateError::ExpiredContext {
            time: now,
            not_after: past,
        };
        let list_expired = CertificateError::ExpiredRevocationListContext {
            time: now,
            next_update: past,
        };
        let not_yet = CertificateError::NotValidYetContext {
            time: past,
            not_before: now,
        };
        let of_clients = CertificateError::InvalidPurposeContext {
            required: ExtendedKeyPurpose::ServerAuth,
            presented: vec![ExtendedKeyPurpose::ClientAuth],
        };
        for (fault, expected) in [
            (name, Untrusted(WrongName)),
            (expired, Untrusted(Expired)),
            (CertificateError::Expired, Untrusted(Expired)),
            (CertificateError::UnknownIssuer, Untrusted(UnknownCa)),
            (CertificateError::BadSignature, Untrusted(UnknownCa)),
            (CertificateError::Revoked, REVOKED),
            (CertificateError::UnknownRevocationStatus, NO_LIST),
            (list_expired, NO_LIST),
            (not_yet, NOT_YET),
            (of_clients, NOT_FOR_SERVERS),
            (CertificateError::BadEncoding, UNFIT),
        ] {
            let said = format!("IO error: {}", Error::InvalidCertificate(fault));
            assert_eq!(failure(&said), Some(expected), "{said}");
        }
        for alert in [
            AlertDescription::NoCertificate,
            AlertDescription::BadCertificate,
            AlertDescription::UnsupportedCertificate,
            AlertDescription::CertificateRevoked,
            AlertDescription::CertificateExpired,
            AlertDescription::CertificateUnknown,
            AlertDescription::UnknownCA,
            AlertDescription::AccessDenied,
            AlertDescription::CertificateRequired,
        ] {
            let said = Error::AlertReceived(alert).to_string();
            assert_eq!(failure(&said), Some(OURS_REFUSED), "{said}");
        }
        let bad_list = CertRevocationListError::BadSignature;
        let no_tls = InvalidMessage::InvalidContentType;
        for (error, expected) in [
            (Error::NoCertificatesPresented, Some(UNFIT)),
            (Error::InvalidCertRevocationList(bad_list), Some(UNFIT)),
            (Error::InvalidMessage(no_tls), Some(NO_TLS)),
            (
                Error::AlertReceived(AlertDescription::HandshakeFailure),
                None,
            ),
            (Error::HandshakeNotComplete, None),
        ] {
            assert_eq!(failure(&error.to_string()), expected, "{error}");
        }
    }
}
