//! Pure: whom the certificate of a client names.

use http::HeaderValue;
use percent_encoding::percent_decode;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use x509_cert::Certificate;
use x509_cert::der::asn1::ObjectIdentifier;
use x509_cert::der::{Decode, Tag, Tagged};

use super::only;

/// `serialNumber` of a subject, which holds the OIN in certificates of PKIoverheid.
const SERIAL_NUMBER: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.4.5");

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Subject {
    /// As RFC 4514 writes it: the last part first.
    pub(super) name: String,
    /// `None` where there is none, or more than one.
    pub(super) oin: Option<String>,
}

impl Subject {
    pub(super) fn of(der: &[u8]) -> Option<Self> {
        let certificate = Certificate::from_der(der).ok()?;
        let name = certificate.tbs_certificate.subject;
        let parts = name.0.iter().flat_map(|part| part.0.iter());
        let number = only(parts.filter(|part| part.oid == SERIAL_NUMBER));
        let oin = number.map(|number| &number.value);
        let is_text = |tag| matches!(tag, Tag::PrintableString | Tag::Utf8String);
        let oin = oin.filter(|value| is_text(value.tag()));
        let oin = oin.and_then(|value| str::from_utf8(value.value()).ok());
        Some(Self {
            oin: oin.map(str::to_owned),
            name: name.to_string(),
        })
    }

    /// Of PEM in percent-encoding, as nginx has it in `$ssl_client_escaped_cert`.
    pub(super) fn of_header(value: &HeaderValue) -> Option<Self> {
        let pem: Vec<u8> = percent_decode(value.as_bytes()).collect();
        let der = CertificateDer::from_pem_slice(&pem).ok()?;
        Self::of(&der)
    }
}
