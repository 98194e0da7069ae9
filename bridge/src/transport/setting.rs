//! What is wrong with one setting of a transport, found before a port opens.

use std::time::Duration;

use crate::interval::Interval;

/// One setting that cannot be used. The plan adds the file, the path to the table and the value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingProblem {
    /// The key inside the transport's own table.
    pub key: String,
    /// What is wrong; nothing secret.
    pub what: String,
    /// What to do.
    pub remedy: String,
    /// Whether the value may be shown, unless its key tells that it is a secret.
    pub shows_value: bool,
}

impl SettingProblem {
    /// A problem with the setting `key`.
    #[must_use]
    pub fn new(key: impl Into<String>, what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self {
            key: key.into(),
            what: what.into(),
            remedy: remedy.into(),
            shows_value: true,
        }
    }

    /// The same problem, where nobody can tell whether the value is a secret.
    #[must_use]
    pub fn unshown(self) -> Self {
        Self {
            shows_value: false,
            ..self
        }
    }

    /// A problem when a span of time is zero, which no exchange can meet.
    #[must_use]
    pub fn of_zero(key: &str, value: Interval) -> Option<Self> {
        let problem = || {
            Self::new(
                key,
                "is no time at all",
                "give a longer time, or leave the key out",
            )
        };
        (value.0 == Duration::ZERO).then(problem)
    }
}

/// Whether the name of a setting tells that its value is a secret, or may hold one.
#[must_use]
pub fn names_a_secret(name: &str) -> bool {
    const WORDS: [&str; 10] = [
        "password",
        "passphrase",
        "secret",
        "token",
        ".pem",
        ".key",
        "ssl_key",
        // A command line of the operator's own, which may hold a password.
        "kinit",
        "jaas",
        // Arbitrary `name=value` pairs for the login module.
        "sasl.oauthbearer.config",
    ];
    let name = name.to_ascii_lowercase();
    WORDS.iter().any(|word| name.contains(word))
}
