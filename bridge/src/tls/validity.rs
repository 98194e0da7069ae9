//! From when and until when certificates and lists of revoked ones are good.

use std::path::Path;
use std::time::UNIX_EPOCH;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, CertificateRevocationListDer};
use x509_cert::Certificate;
use x509_cert::crl::CertificateList;
use x509_cert::der::Decode;
use x509_cert::time::Time;

use super::{Revocation, in_pem};
use crate::config::Table;

type Validity = (Option<Time>, Option<Time>);

/// Warns of what has expired or is not valid yet. What cannot be read is reported elsewhere.
pub(crate) fn warn_of_validity(
    table: &Table<'_>,
    certificate_file: Option<&Path>,
    revocation: &Revocation,
) {
    if let Some(path) = certificate_file {
        let remedy = "renew it, or correct the clock: the other side refuses it";
        let key = "certificate_file";
        warn::<CertificateDer<'static>>(table, key, path, of_certificate, remedy);
    }
    for path in &revocation.crl_files {
        let remedy =
            "fetch the list that its issuer has now; `crl_unknown` says what counts until then";
        let key = "crl_files";
        warn::<CertificateRevocationListDer<'static>>(table, key, path, of_list, remedy);
    }
}

fn warn<T: PemObject + AsRef<[u8]>>(
    table: &Table<'_>,
    key: &'static str,
    path: &Path,
    validity: fn(&[u8]) -> Option<Validity>,
    remedy: &'static str,
) {
    let now = UNIX_EPOCH.elapsed().unwrap_or_default();
    for object in in_pem::<T>(key, path, "nothing in it").unwrap_or_default() {
        let what = match validity(object.as_ref()).unwrap_or_default() {
            (_, Some(until)) if until.to_unix_duration() < now => format!("expired at {until}"),
            (Some(from), _) if now < from.to_unix_duration() => {
                format!("is not valid before {from}")
            }
            _ => continue,
        };
        table.warn(&[key], format!("{} {what}", path.display()), remedy);
    }
}

fn of_certificate(der: &[u8]) -> Option<Validity> {
    let validity = Certificate::from_der(der).ok()?.tbs_certificate.validity;
    Some((Some(validity.not_before), Some(validity.not_after)))
}

fn of_list(der: &[u8]) -> Option<Validity> {
    let list = CertificateList::from_der(der).ok()?.tbs_cert_list;
    Some((None, list.next_update))
}
