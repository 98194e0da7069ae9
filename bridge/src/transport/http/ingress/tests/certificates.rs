//! A root, the certificate of a listener at 127.0.0.1 and those of clients, made by openssl as an operator would.

use std::path::PathBuf;
use std::process::Command;

use tempfile::TempDir;

/// In the subjects of clients.
pub(super) const OIN: &str = "00000001234567890000";

pub(super) struct Certificates(TempDir);

impl Certificates {
    pub(super) fn new() -> Self {
        Self::of_root("root")
    }

    pub(super) fn of_root(name: &str) -> Self {
        let it = Self(tempfile::tempdir().unwrap());
        let ca = "[req]\ndistinguished_name = name\n[name]\n[ca]\ndefault_ca = it\n[it]\n\
            copy_extensions = copy\ncrlnumber = number\ncrl_extensions = list\ndatabase = index\nserial = serial\nnew_certs_dir = .\ndefault_md = sha256\npolicy = any\n\
            [any]\ncountryName = optional\ncommonName = optional\nserialNumber = optional\n\
            [list]\nauthorityKeyIdentifier = keyid\n";
        for (file, text) in [
            ("openssl.cnf", ca),
            ("index", ""),
            ("serial", "01\n"),
            ("number", "01\n"),
        ] {
            std::fs::write(it.path(file), text).unwrap();
        }
        it.openssl(&format!(
            "req -x509 -config openssl.cnf -days 2 -nodes -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 \
             -subj /CN={name} -keyout root.key -out root.pem -addext basicConstraints=critical,CA:TRUE"
        ));
        it.issue("server", "/CN=receiver");
        it
    }

    /// `NAME.pem` and `NAME.key`.
    pub(super) fn issue(&self, name: &str, subject: &str) {
        self.openssl(&format!(
            "req -x509 -config openssl.cnf -days 2 -nodes -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 \
             -subj {subject} -keyout {name}.key -out {name}.pem -CA root.pem -CAkey root.key \
             -addext basicConstraints=critical,CA:FALSE -addext subjectAltName=IP:127.0.0.1"
        ));
    }

    /// Of a day in 2020.
    pub(super) fn issue_expired(&self, name: &str, subject: &str) {
        self.openssl(&format!(
            "req -new -config openssl.cnf -nodes -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 \
             -subj {subject} -keyout {name}.key -out {name}.csr \
             -addext subjectAltName=IP:127.0.0.1"
        ));
        self.openssl(&format!(
            "ca -config openssl.cnf -batch -notext -in {name}.csr -cert root.pem -keyfile root.key \
             -startdate 20200101000000Z -enddate 20200102000000Z -out {name}.pem"
        ));
    }

    /// `root.crl`, in which these are revoked, and those of calls before.
    pub(super) fn revoke(&self, names: &[&str]) {
        let ca = "ca -config openssl.cnf -cert root.pem -keyfile root.key";
        for name in names {
            self.openssl(&format!("{ca} -revoke {name}.pem"));
        }
        self.openssl(&format!("{ca} -gencrl -crldays 1 -out new.crl"));
        std::fs::rename(self.path("new.crl"), self.path("root.crl")).unwrap();
    }

    pub(super) fn path(&self, file: &str) -> PathBuf {
        self.0.path().join(file)
    }

    fn openssl(&self, arguments: &str) {
        let openssl = Command::new("openssl")
            .args(arguments.split_whitespace())
            .current_dir(self.0.path())
            .output();
        let output = openssl.expect("openssl is installed");
        assert!(output.status.success(), "{output:?}");
    }
}
