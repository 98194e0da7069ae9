//! Lists of revoked certificates (RFC 5280, section 5), from files.

use std::path::PathBuf;

use rustls::pki_types::CertificateRevocationListDer;
use rustls::pki_types::pem::PemObject;

use super::FileError;
use crate::config::{Reported, Table, Words};

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Revocation {
    pub(super) crl_files: Vec<PathBuf>,
    pub(super) unknown: UnknownStatus,
}

/// What becomes of a certificate of which no list says anything, or an outdated one alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) enum UnknownStatus {
    #[default]
    Refuse,
    Accept,
}

impl Words for UnknownStatus {
    const WORDS: &'static [(&'static str, Self)] =
        &[("refuse", Self::Refuse), ("accept", Self::Accept)];
}

impl Revocation {
    pub(super) fn read(table: &Table<'_>) -> Result<Self, Reported> {
        let meaning = "PEM files with lists of revoked certificates (CRLs), of every issuer between the server and its root";
        let files = table.key::<Vec<PathBuf>>("crl_files", meaning);
        let files = files.optional("none: no certificate counts as revoked");
        let meaning = "with `crl_files`: `refuse` or `accept` a certificate of which no list says anything, or an outdated one";
        let unknown = table.key("crl_unknown", meaning).or("refuse");
        Ok(Self {
            crl_files: files?.unwrap_or_default(),
            unknown: unknown?,
        })
    }

    pub(super) fn lists(
        &self,
        content: &[Vec<u8>],
    ) -> Result<Vec<CertificateRevocationListDer<'static>>, FileError> {
        let mut lists = Vec::new();
        for (path, pem) in self.crl_files.iter().zip(content) {
            let unusable = |cause: &dyn std::fmt::Display| FileError::new("crl_files", path, cause);
            let before = lists.len();
            for list in CertificateRevocationListDer::pem_slice_iter(pem) {
                lists.push(list.map_err(|error| unusable(&error))?);
            }
            if lists.len() == before {
                return Err(unusable(&"no list of revoked certificates in it"));
            }
        }
        Ok(lists)
    }
}
