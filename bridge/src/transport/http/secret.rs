//! Bearer tokens: never shown, and compared in constant time.

use std::fmt;
use std::io;
use std::path::Path;

use subtle::ConstantTimeEq;

/// It has no `==`, which would tell by its time how much was right.
#[derive(Clone)]
pub(crate) struct Secret(Box<str>);

impl Secret {
    /// Without surrounding white space, such as the line break of a file.
    pub(crate) fn new(text: &str) -> Self {
        Self(text.trim().into())
    }

    /// One secret per line.
    pub(crate) fn read_lines(path: &Path) -> io::Result<Vec<Self>> {
        let text = std::fs::read_to_string(path)?;
        let secrets: Vec<_> = text
            .lines()
            .filter(|line| !line.trim().is_empty())
            .map(Self::new)
            .collect();
        if secrets.is_empty() {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "nothing in it"));
        }
        Ok(secrets)
    }

    /// In a time that depends on the lengths alone.
    pub(crate) fn matches(&self, candidate: &[u8]) -> bool {
        self.0.as_bytes().ct_eq(candidate).into()
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_never_shown() {
        assert_eq!(format!("{:?}", Some(Secret::new("hunter2"))), "Some(***)");
    }

    #[test]
    fn matches_itself_alone() {
        let secret = Secret::new("abc\n");
        assert!(secret.matches(b"abc"));
        for other in [&b""[..], b"ab", b"abd", b"abcd", b"ABC"] {
            assert!(!secret.matches(other), "{other:?}");
        }
    }
}
