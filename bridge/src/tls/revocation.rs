//! Lists of revoked certificates (RFC 5280, section 5), from files.

use std::path::PathBuf;

use rustls::pki_types::CertificateRevocationListDer;
use rustls::pki_types::pem::PemObject;

use super::{FileError, read_file};
use crate::config::{Reported, Setting, Table, Words};

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Revocation {
    pub(crate) crl_files: Vec<PathBuf>,
    pub(crate) unknown: UnknownStatus,
}

/// What becomes of a certificate of which no list says anything, or an outdated one alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum UnknownStatus {
    #[default]
    Refuse,
    Accept,
}

impl Words for UnknownStatus {
    const WORDS: &'static [(&'static str, Self)] =
        &[("refuse", Self::Refuse), ("accept", Self::Accept)];
}

impl Revocation {
    /// Files as they are read elsewhere too: as paths, or as paths that are followed.
    pub(crate) fn read<F: Into<PathBuf>>(table: &Table<'_>) -> Result<Self, Reported>
    where
        Vec<F>: Setting,
    {
        let meaning = "PEM files with lists of revoked certificates (CRLs), of every issuer between the other side and its root";
        let files = table.key::<Vec<F>>("crl_files", meaning);
        let files = files.optional("none: no certificate counts as revoked");
        let meaning = "with `crl_files`: `refuse` or `accept` a certificate of which no list says anything, or an outdated one";
        let unknown = table.key("crl_unknown", meaning).or("refuse");
        Ok(Self {
            crl_files: files?.into_iter().flatten().map(Into::into).collect(),
            unknown: unknown?,
        })
    }

    pub(crate) fn lists(&self) -> Result<Vec<CertificateRevocationListDer<'static>>, FileError> {
        let mut lists = Vec::new();
        for path in &self.crl_files {
            let (pem, before) = (read_file("crl_files", path)?, lists.len());
            for list in CertificateRevocationListDer::pem_slice_iter(&pem) {
                lists.push(list.map_err(FileError::of("crl_files", path))?);
            }
            if lists.len() == before {
                let cause = "no list of revoked certificates in it";
                return Err(FileError::of("crl_files", path)(cause));
            }
        }
        Ok(lists)
    }
}
