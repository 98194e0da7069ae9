//! Where secrets are kept.

use std::io;
use std::path::PathBuf;

use serde_json::{Value as Json, json};

use super::problem::Reported;
use super::setting::{Setting, SettingValue};

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum SecretPlace {
    /// `{ file = "…" }`, without the line break at its end.
    File(PathBuf),
    /// `{ env = "…" }`
    Env(String),
}

impl SecretPlace {
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::File(_) => "file",
            Self::Env(_) => "env",
        }
    }
}

impl Setting for SecretPlace {
    fn read(found: &SettingValue<'_>) -> Result<Self, Reported> {
        match found.one_of(&["file", "env"])? {
            ("file", place) => PathBuf::read(&place).map(Self::File),
            (_, place) => String::read(&place).map(Self::Env),
        }
    }

    fn schema() -> Json {
        let one = |key: &str| {
            json!({
                "type": "object", "additionalProperties": false, "required": [key],
                "properties": { key: { "type": "string" } }
            })
        };
        json!({ "oneOf": [one("file"), one("env")] })
    }
}

pub(crate) fn read_secret(place: &SecretPlace) -> io::Result<String> {
    match place {
        SecretPlace::File(path) => {
            let text = std::fs::read_to_string(path)?;
            Ok(text.trim_end_matches(['\r', '\n']).to_owned())
        }
        // The error of a variable that is not text shows it.
        SecretPlace::Env(name) => std::env::var(name)
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
        let place = SecretPlace::File(file.path().to_owned());
        assert_eq!(read_secret(&place).unwrap(), " s3cret ");
    }

    #[test]
    fn a_missing_variable_is_an_error() {
        assert!(read_secret(&SecretPlace::Env("CENL_NO_SUCH_VARIABLE".into())).is_err());
    }
}
