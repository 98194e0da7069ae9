//! The certificates of a connection, proven before it is made. The client reads them again at each
//! connect, so a renewed certificate needs no restart.

use std::path::PathBuf;

use async_nats::ConnectOptions;

use crate::config::Table;
use crate::tls::ClientTls;

pub(super) fn read(table: &Table<'_>, mut options: ConnectOptions) -> (ConnectOptions, bool) {
    let meaning = "PEM file of root certificates to trust instead of those of the system; read \
                   at each connect";
    let mut files = ClientTls::trusting(path(table, "ca_file", meaning));
    let meaning = "PEM file of our certificate, for servers that ask for one; read at each connect";
    let certificate = path(table, "certificate_file", meaning);
    let meaning = "PEM file of its key; read at each connect";
    let key = path(table, "key_file", meaning);
    let are_named = files.ca_file.is_some() || certificate.is_some();
    if let Some(roots) = &files.ca_file {
        options = options.add_root_certificates(roots.clone());
    }
    match (certificate, key) {
        (Some(certificate), Some(key)) => {
            files.certificate_file = Some(certificate.clone());
            files.key_file = Some(key.clone());
            options = options.add_client_certificate(certificate, key);
        }
        (None, None) => {}
        (certificate, _) => {
            let (missing, what) = match certificate {
                Some(_) => ("key_file", "is missing beside certificate_file"),
                None => ("certificate_file", "is missing beside key_file"),
            };
            table.report(&[missing], what, "name both files");
        }
    }
    if files.names_files()
        && let Err(error) = files.client()
    {
        let remedy = "name a PEM file that the bridge may read, and the key of its certificate";
        table.report(&[error.key], error.to_string(), remedy);
    }
    (options, are_named)
}

fn path(table: &Table<'_>, key: &'static str, meaning: &'static str) -> Option<PathBuf> {
    let path = table.key(key, meaning).optional("none");
    path.unwrap_or_default()
}
