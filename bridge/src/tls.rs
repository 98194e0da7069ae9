//! Which certificates a server may show, and which we show it.

mod failure;
mod policy;
mod validity;

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use rustls::client::WebPkiServerVerifier;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, CertificateRevocationListDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore};

use crate::config::{HIDDEN, Reported, Setting, Table, Words};
pub(crate) use failure::failure;
pub(crate) use policy::TlsPolicy;
pub(crate) use validity::warn_of_validity;

/// They take time to read and memory to keep. A broken one is skipped, as other programs do; where there is none, it is
/// looked again.
fn system_roots() -> Arc<RootCertStore> {
    static ROOTS: OnceLock<Arc<RootCertStore>> = OnceLock::new();
    if let Some(roots) = ROOTS.get() {
        return Arc::clone(roots);
    }
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    let roots = Arc::new(roots);
    match roots.is_empty() {
        true => roots,
        false => Arc::clone(ROOTS.get_or_init(|| roots)),
    }
}

/// A certificate and its key, of which one is of no use without the other.
pub(crate) fn both(
    table: &Table<'_>,
    certificate_file: Option<PathBuf>,
    key_file: Option<PathBuf>,
) -> Result<Option<(PathBuf, PathBuf)>, Reported> {
    let missing = match (certificate_file, key_file) {
        (Some(certificate), Some(key)) => return Ok(Some((certificate, key))),
        (None, None) => return Ok(None),
        (Some(_), None) => "key_file",
        (None, Some(_)) => "certificate_file",
    };
    let remedy = "name certificate_file and key_file, or neither";
    Err(table.report(&[missing], "is missing", remedy))
}

/// What a client trusts and shows, in PEM files, and speaks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct ClientTls {
    pub(crate) ca_file: Option<PathBuf>,
    /// Our certificate, and its key.
    pub(crate) identity: Option<(PathBuf, PathBuf)>,
    policy: TlsPolicy,
    revocation: Revocation,
}

impl ClientTls {
    pub(crate) fn read(table: &Table<'_>) -> Result<Self, Reported> {
        let meaning = "PEM file of root certificates to trust beside those of the system";
        let ca_file = table.key("ca_file", meaning).optional("none");
        let meaning = "PEM file of our certificate, and of those between it and its root, for servers that ask for one (mTLS)";
        let certificate_file = table.key("certificate_file", meaning).optional("none");
        let meaning = "PEM file of its key";
        let key_file = table.key("key_file", meaning).optional("none");
        let meaning = "`ncsc-good` or `ncsc-sufficient`: what the NCSC rates so, see [http.NAME]";
        let policy = table.key("tls", meaning).or("ncsc-sufficient");
        let revocation = Revocation::read::<PathBuf>(table);
        Ok(Self {
            ca_file: ca_file?,
            identity: both(table, certificate_file?, key_file?)?,
            policy: policy?,
            revocation: revocation?,
        })
    }

    /// Those beside the roots of the system.
    pub(crate) fn trusting(ca_file: Option<PathBuf>) -> Self {
        Self {
            ca_file,
            ..Self::default()
        }
    }

    pub(crate) fn names_files(&self) -> bool {
        let has_lists = !self.revocation.crl_files.is_empty();
        self.ca_file.is_some() || self.identity.is_some() || has_lists
    }

    /// Reports a file that is of no use, and warns of what in it has expired.
    pub(crate) fn prove(&self, table: &Table<'_>) {
        let certificate = self.identity.as_ref().map(|(file, _)| file.as_path());
        warn_of_validity(table, certificate, &self.revocation);
        if let Err(error) = self.client() {
            let remedy = match error.key {
                "certificate_file" | "key_file" => {
                    "name PEM files of a certificate and of its key that the bridge may read"
                }
                _ => "name a PEM file that the bridge may read",
            };
            table.report(&[error.key], error.to_string(), remedy);
        }
    }

    pub(crate) fn client(&self) -> Result<ClientConfig, FileError> {
        let mut roots = system_roots();
        if let Some(path) = &self.ca_file {
            let roots = Arc::make_mut(&mut roots);
            for certificate in certificates("ca_file", path)? {
                let added = roots.add(certificate);
                added.map_err(FileError::of("ca_file", path))?;
            }
        }
        if roots.is_empty() {
            let what = "no root certificate was found: install the system's ca-certificates or name a PEM file in ca_file";
            return Err(FileError {
                key: "ca_file",
                what: what.to_owned(),
            });
        }
        let verifier = WebPkiServerVerifier::builder_with_provider(roots, TlsPolicy::provider());
        let verifier = verifier.with_crls(self.revocation.lists()?);
        let verifier = match self.revocation.unknown {
            UnknownStatus::Refuse => verifier.enforce_revocation_expiration(),
            UnknownStatus::Accept => verifier.allow_unknown_revocation_status(),
        };
        let verifier = verifier.build();
        let verifier = verifier.map_err(|error| self.revocation.unusable(error))?;
        let config = speaking(self.policy).with_webpki_verifier(verifier);
        let Some((certificate_file, key_file)) = &self.identity else {
            return Ok(config.with_no_client_auth());
        };
        let chain = certificates("certificate_file", certificate_file)?;
        let key = PrivateKeyDer::from_pem_file(key_file);
        let key = key.map_err(FileError::of("key_file", key_file))?;
        let config = config.with_client_auth_cert(chain, key);
        config.map_err(FileError::of_pair(certificate_file, key_file))
    }
}

/// Lists of revoked certificates (RFC 5280, section 5), from files.
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
            let none = "no list of revoked certificates in it";
            lists.append(&mut in_pem("crl_files", path, none)?);
        }
        Ok(lists)
    }

    /// Where a verifier takes the lists for none.
    pub(crate) fn unusable(&self, cause: impl Display) -> FileError {
        let what = format!("crl_files {:?} cannot be used: {cause}", self.crl_files);
        FileError {
            key: "crl_files",
            what,
        }
    }
}

/// What is wrong with a file, and nothing of its content.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{what}")]
pub(crate) struct FileError {
    pub(crate) key: &'static str,
    what: String,
}

impl FileError {
    /// From what went wrong with the file that the key names.
    pub(crate) fn of<E: Display>(key: &'static str, path: &Path) -> impl FnOnce(E) -> Self {
        move |cause| {
            let path = path.display().to_string();
            // Somebody may have put the key itself there.
            let is_key = path.contains("-----BEGIN");
            let shown = if is_key { HIDDEN } else { &path };
            let what = format!("{key} {shown} cannot be used: {cause}");
            Self { key, what }
        }
    }

    /// From what went wrong with a certificate and its key together.
    pub(crate) fn of_pair(certificate: &Path, key: &Path) -> impl FnOnce(rustls::Error) -> Self {
        move |error| {
            let cause = match error {
                rustls::Error::InconsistentKeys(_) => {
                    format!(
                        "it is not the key of certificate_file {}",
                        certificate.display()
                    )
                }
                error => error.to_string(),
            };
            Self::of("key_file", key)(cause)
        }
    }
}

pub(crate) fn certificates(
    key: &'static str,
    path: &Path,
) -> Result<Vec<CertificateDer<'static>>, FileError> {
    in_pem(key, path, "no certificate in it")
}

/// At least one.
fn in_pem<T: PemObject>(key: &'static str, path: &Path, none: &str) -> Result<Vec<T>, FileError> {
    let objects = T::pem_file_iter(path).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let objects = objects.map_err(FileError::of(key, path))?;
    match objects.is_empty() {
        true => Err(FileError::of(key, path)(none)),
        false => Ok(objects),
    }
}

/// For a server without TLS.
pub(crate) fn without_roots() -> ClientConfig {
    let builder = speaking(TlsPolicy::NcscSufficient);
    let builder = builder.with_root_certificates(RootCertStore::empty());
    builder.with_no_client_auth()
}

fn speaking(policy: TlsPolicy) -> rustls::ConfigBuilder<ClientConfig, rustls::WantsVerifier> {
    ClientConfig::builder_with_provider(TlsPolicy::provider())
        .with_protocol_versions(policy.versions())
        .expect("ring offers TLS 1.2 and 1.3")
}
