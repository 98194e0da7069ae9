//! Who we are to a NATS server: at most one of four ways to prove it.

use std::io;

use async_nats::ConnectOptions;
use nkeys::{KeyPair, KeyPairType};
use serde::Deserialize;

use crate::transport::secret::Secret;
use crate::transport::setting::SettingProblem;

/// Where the one secret is kept that proves who we are; each is read at start.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Secrets {
    /// The password of `user`.
    #[serde(default)]
    pub password: Option<Secret>,
    /// A token that stands for no user.
    #[serde(default)]
    pub token: Option<Secret>,
    /// The seed of a user's NKey: text that begins with `SU`.
    #[serde(default)]
    pub nkey: Option<Secret>,
    /// A credentials file as `nsc` writes it: the user's JWT and the seed that belongs to it.
    #[serde(default)]
    pub credentials: Option<Secret>,
}

/// Secrets that were read. Never printed.
pub(super) enum Credentials {
    None,
    Password {
        user: String,
        password: String,
    },
    Token(String),
    Nkey(String),
    /// The content of a credentials file, and the key under which a problem with it is reported.
    Jwt {
        content: String,
        key: String,
    },
}

impl Secrets {
    /// Reads the one secret there is.
    pub(super) fn prove(
        &self,
        user: Option<&str>,
        read_secret: impl Fn(&Secret) -> io::Result<String>,
    ) -> Result<Credentials, Vec<SettingProblem>> {
        let ways = [
            ("password", &self.password),
            ("token", &self.token),
            ("nkey", &self.nkey),
            ("credentials", &self.credentials),
        ];
        let mut given = ways
            .iter()
            .filter_map(|(way, kept)| Some((*way, kept.as_ref()?)));
        let mut problems = Vec::new();
        let first = given.next();
        if let (Some((first, _)), Some((second, _))) = (first, given.next()) {
            let what = format!("stands beside {first}: a server is told one of them");
            problems.push(SettingProblem::new(
                format!("secrets.{second}"),
                what,
                "keep one of them",
            ));
        }
        if let (Some(_), None) = (user, &self.password) {
            let remedy = "add `secrets = { password = { file = \"…\" } }`, or leave `user` out";
            problems.push(SettingProblem::new(
                "secrets",
                "holds no password for the user",
                remedy,
            ));
        }
        if let (None, Some(_)) = (user, &self.password) {
            problems.push(SettingProblem::new(
                "user",
                "is missing beside a password",
                "name the user",
            ));
        }
        let Some((way, kept)) = first else {
            return if problems.is_empty() {
                Ok(Credentials::None)
            } else {
                Err(problems)
            };
        };
        let key = format!("secrets.{way}.{}", kept.kind());
        match read_secret(kept).map_err(unreadable) {
            Ok(secret) if problems.is_empty() => credentials(way, secret, user, &key)
                .map_err(|(what, remedy)| vec![SettingProblem::new(key, what, remedy)]),
            Ok(_) => Err(problems),
            Err((what, remedy)) => {
                problems.push(SettingProblem::new(key, what, remedy));
                Err(problems)
            }
        }
    }
}

type Complaint = (String, &'static str);

fn unreadable(error: io::Error) -> Complaint {
    (
        format!("cannot be read: {error}"),
        "make the file readable or set the variable",
    )
}

fn credentials(
    way: &str,
    secret: String,
    user: Option<&str>,
    key: &str,
) -> Result<Credentials, Complaint> {
    if secret.trim().is_empty() {
        return Err(("is empty".to_owned(), "put the secret there"));
    }
    Ok(match way {
        "password" => Credentials::Password {
            user: user.unwrap_or_default().to_owned(),
            password: secret,
        },
        "token" => Credentials::Token(secret),
        "nkey" => Credentials::Nkey(user_seed(secret.trim())?),
        // The client wants the line break at the end, which is no part of other secrets.
        _ => Credentials::Jwt {
            content: secret + "\n",
            key: key.to_owned(),
        },
    })
}

/// The seed of a user, and of nobody else. The error of the parser is kept: it shows no seed.
fn user_seed(seed: &str) -> Result<String, Complaint> {
    match KeyPair::from_seed(seed).map(|pair| pair.key_pair_type()) {
        Ok(KeyPairType::User) => Ok(seed.to_owned()),
        Ok(_) => Err((
            "is no seed of a user".to_owned(),
            "give the seed that begins with SU",
        )),
        Err(_) => Err((
            "is no NKey seed".to_owned(),
            "give the seed that begins with SU",
        )),
    }
}

impl Credentials {
    /// Whether who listens on the way hears the secret itself, and not a signature.
    pub(super) fn are_sent_as_they_are(&self) -> bool {
        matches!(self, Self::Password { .. } | Self::Token(_))
    }

    /// The options that say so to a server.
    pub(super) fn apply(self, options: ConnectOptions) -> Result<ConnectOptions, SettingProblem> {
        Ok(match self {
            Self::None => options,
            Self::Password { user, password } => options.user_and_password(user, password),
            Self::Token(token) => options.token(token),
            Self::Nkey(seed) => options.nkey(seed),
            // The error of the client shows nothing of the content.
            Self::Jwt { content, key } => options.credentials(&content).map_err(|_| {
                let what = "is no credentials file with a user's JWT and seed";
                SettingProblem::new(key, what, "write it with `nsc generate creds`")
            })?,
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    fn found(json: &str, user: Option<&str>, content: &str) -> Vec<String> {
        let secrets: Secrets = serde_json::from_str(json).unwrap();
        let proven = secrets.prove(user, |_| Ok(content.to_owned()));
        let problems = match proven {
            Ok(credentials) => credentials
                .apply(ConnectOptions::new())
                .err()
                .into_iter()
                .collect(),
            Err(problems) => problems,
        };
        let hidden = format!("{problems:?}");
        assert!(
            content.trim().is_empty() || !hidden.contains(content),
            "{hidden}"
        );
        problems
            .into_iter()
            .map(|p| format!("{}: {}", p.key, p.what))
            .collect()
    }

    #[test]
    fn one_way_is_enough() {
        let seed = KeyPair::new_user().seed().unwrap();
        let file = format!(
            "-----BEGIN NATS USER JWT-----\na.b.c\n------END NATS USER JWT------\n\n\
             -----BEGIN USER NKEY SEED-----\n{seed}\n------END USER NKEY SEED------"
        );
        for (json, user, content) in [
            ("{}", None, ""),
            (r#"{ "password": { "env": "P" } }"#, Some("u"), "hush"),
            (r#"{ "token": { "file": "f" } }"#, None, "hush"),
            (r#"{ "nkey": { "file": "f" } }"#, None, seed.as_str()),
            (r#"{ "credentials": { "file": "f" } }"#, None, file.as_str()),
        ] {
            assert_eq!(found(json, user, content), [""; 0], "{json}");
        }
    }

    #[test]
    fn ways_that_contradict_each_other_or_are_incomplete_are_reported() {
        let account = KeyPair::new_account().seed().unwrap();
        for (json, user, content, expected) in [
            (
                r#"{ "token": { "env": "A" }, "nkey": { "env": "B" } }"#,
                None,
                "hush",
                "secrets.nkey: stands beside token: a server is told one of them",
            ),
            (
                r#"{ "token": { "env": "A" } }"#,
                Some("u"),
                "hush",
                "secrets: holds no password for the user",
            ),
            (
                r#"{ "password": { "env": "A" } }"#,
                None,
                "hush",
                "user: is missing beside a password",
            ),
            (
                r#"{ "token": { "env": "A" } }"#,
                None,
                " ",
                "secrets.token.env: is empty",
            ),
            (
                r#"{ "nkey": { "file": "A" } }"#,
                None,
                "hush",
                "secrets.nkey.file: is no NKey seed",
            ),
            (
                r#"{ "nkey": { "file": "A" } }"#,
                None,
                account.as_str(),
                "secrets.nkey.file: is no seed of a user",
            ),
            (
                r#"{ "credentials": { "file": "A" } }"#,
                None,
                "hush",
                "secrets.credentials.file: is no credentials file with a user's JWT and seed",
            ),
        ] {
            assert_eq!(found(json, user, content), [expected], "{json}");
        }
    }

    #[test]
    fn a_secret_that_cannot_be_read_is_named() {
        let secrets: Secrets =
            serde_json::from_str(r#"{ "token": { "file": "/nonexistent" } }"#).unwrap();
        let problems = secrets
            .prove(None, crate::transport::secret::read_secret)
            .err()
            .unwrap();
        assert_eq!(problems[0].key, "secrets.token.file");
    }
}
