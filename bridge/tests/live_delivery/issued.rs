//! Certificates, made by openssl as an operator would.

use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::support::receiver::Certificate;

/// A root, and certificates that it signed: two good ones, one for another name, one of a day in 2020, and one
/// that its list names as revoked.
pub(crate) struct Issued(TempDir);

impl Issued {
    pub(crate) fn new() -> Self {
        let issued = Self(TempDir::new().unwrap());
        let own = "[req]\ndistinguished_name = it\n[ca]\ndefault_ca = it\n[it]\ndatabase = index\n\
            serial = serial\nnew_certs_dir = .\ndefault_md = sha256\npolicy = any\ndefault_days = 2\n\
            copy_extensions = copy\ncrlnumber = number\ncrl_extensions = list\n\
            [any]\ncommonName = supplied\n[list]\nauthorityKeyIdentifier = keyid\n";
        for (file, text) in [
            ("own.cnf", own),
            ("index", ""),
            ("serial", "01\n"),
            ("number", "01\n"),
        ] {
            std::fs::write(issued.path(file), text).unwrap();
        }
        issued.openssl(
            "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout root.key \
             -out root.pem -subj /CN=root -addext basicConstraints=critical,CA:TRUE",
        );
        let dates = "-startdate 20200101000000Z -enddate 20200102000000Z";
        for (name, host, dates) in [
            ("good", "IP:127.0.0.1", ""),
            ("renewed", "IP:127.0.0.1", ""),
            ("other", "DNS:other.example", ""),
            ("old", "IP:127.0.0.1", dates),
            ("revoked", "IP:127.0.0.1", ""),
        ] {
            issued.openssl(&format!(
                "req -new -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout {name}.key \
                 -out {name}.csr -subj /CN={name} -addext subjectAltName={host}"
            ));
            issued.openssl(&format!(
                "ca -batch -notext -in {name}.csr -cert root.pem -keyfile root.key -out {name}.pem {dates}"
            ));
        }
        let ca = "ca -cert root.pem -keyfile root.key";
        issued.openssl(&format!("{ca} -revoke revoked.pem"));
        issued.openssl(&format!("{ca} -gencrl -crldays 1 -out root.crl"));
        issued
    }

    fn openssl(&self, arguments: &str) {
        let mut words = arguments.split_whitespace();
        let output = Command::new("openssl")
            .args([words.next().unwrap(), "-config", "own.cnf"])
            .args(words)
            .current_dir(&self.0)
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
    }

    pub(crate) fn path(&self, file: &str) -> PathBuf {
        Path::new(self.0.path()).join(file)
    }

    pub(crate) fn certificate(&self, name: &str) -> Certificate {
        (
            self.path(&format!("{name}.pem")),
            self.path(&format!("{name}.key")),
        )
    }
}
