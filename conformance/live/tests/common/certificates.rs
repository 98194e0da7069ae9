//! A private root, and certificates for 127.0.0.1 and for another name, made by openssl as an operator would.

use std::path::PathBuf;
use std::process::Command;

use tempfile::TempDir;

pub(crate) struct Certificates {
    folder: TempDir,
}

impl Certificates {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let settings = "[req]\ndistinguished_name = name\n[name]\n";
        std::fs::write(folder.path().join("openssl.cnf"), settings).unwrap();
        let root = "-subj /CN=root -keyout root.key -out root.pem \
            -addext basicConstraints=critical,CA:TRUE";
        let server = "-subj /CN=receiver -keyout server.key -out server.pem \
            -CA root.pem -CAkey root.key \
            -addext basicConstraints=critical,CA:FALSE -addext subjectAltName=IP:127.0.0.1";
        let other = "-subj /CN=other -keyout other.key -out other.pem \
            -CA root.pem -CAkey root.key \
            -addext basicConstraints=critical,CA:FALSE -addext subjectAltName=DNS:other.example";
        for arguments in [root, server, other] {
            let output = Command::new("openssl")
                .args("req -x509 -config openssl.cnf -days 2 -nodes".split(' '))
                .args("-newkey ec -pkeyopt ec_paramgen_curve:prime256v1".split(' '))
                .args(arguments.split_whitespace())
                .current_dir(folder.path())
                .output()
                .expect("openssl is installed");
            assert!(output.status.success(), "{output:?}");
        }
        Self { folder }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}
