//! Secrets of a connection to a broker: where they are kept, never what they are.

use std::io;
use std::path::PathBuf;

use serde::Deserialize;

/// Where a secret is kept.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Secret {
    /// `{ file = "…" }`: the content of a file, without the line break at its end.
    File(PathBuf),
    /// `{ env = "…" }`: the value of an environment variable.
    Env(String),
}

impl Secret {
    /// The key that says where it is kept.
    pub(in crate::transport) fn kind(&self) -> &'static str {
        match self {
            Self::File(_) => "file",
            Self::Env(_) => "env",
        }
    }
}

/// Reads a secret from where it is kept.
///
/// # Errors
/// When the file cannot be read as text or the variable is not set.
pub fn read_secret(secret: &Secret) -> io::Result<String> {
    match secret {
        Secret::File(path) => {
            let text = std::fs::read_to_string(path)?;
            Ok(text.trim_end_matches(['\r', '\n']).to_owned())
        }
        // The error of a variable that is not text would show it.
        Secret::Env(name) => std::env::var(name)
            .map_err(|_| io::Error::new(io::ErrorKind::NotFound, "it is not set, or not text")),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    #[test]
    fn a_file_is_read_without_its_last_line_break() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), " s3cret \r\n").unwrap();
        let secret = Secret::File(file.path().to_owned());
        assert_eq!(read_secret(&secret).unwrap(), " s3cret ");
    }

    #[test]
    fn a_missing_variable_is_an_error() {
        assert!(read_secret(&Secret::Env("CENL_NO_SUCH_VARIABLE".into())).is_err());
    }
}
