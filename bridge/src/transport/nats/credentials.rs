//! Who we are to a NATS server: at most one of four ways to prove it.

use std::io;

use async_nats::ConnectOptions;
use nkeys::{KeyPair, KeyPairType};
use serde_json::Value as Json;

use crate::config::describe::{keys, object};
use crate::config::{Fault, Found, Reported, SecretPlace, Setting, Table};

/// Where the one secret is kept that proves who we are; each is read at start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Secrets {
    password: Option<SecretPlace>,
    token: Option<SecretPlace>,
    nkey: Option<SecretPlace>,
    credentials: Option<SecretPlace>,
}

fn read(table: &Table<'_>) -> Result<Secrets, Reported> {
    let password = table.key("password", "password of `user`").optional("none");
    let meaning = "token that stands for no user";
    let token = table.key("token", meaning).optional("none");
    let meaning = "seed of a user's NKey, which begins with `SU`";
    let nkey = table.key("nkey", meaning).optional("none");
    let meaning =
        "credentials file as `nsc` writes it: the user's JWT and the seed that belongs to it";
    let credentials = table.key("credentials", meaning).optional("none");
    Ok(Secrets {
        password: password?,
        token: token?,
        nkey: nkey?,
        credentials: credentials?,
    })
}

impl Setting for Secrets {
    fn read(found: &Found<'_>) -> Result<Self, Reported> {
        found.section(read)
    }

    fn schema() -> Json {
        object(&keys(read))
    }
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
    /// The content of a credentials file, and the key that says where it is kept.
    Jwt {
        content: String,
        place: &'static str,
    },
}

impl Secrets {
    /// Reads the one secret there is, for the connection in `table`.
    fn prove(
        &self,
        table: &Table<'_>,
        user: Option<&str>,
        read_secret: impl Fn(&SecretPlace) -> io::Result<String>,
    ) -> Result<Credentials, Reported> {
        let ways = [
            ("password", &self.password),
            ("token", &self.token),
            ("nkey", &self.nkey),
            ("credentials", &self.credentials),
        ];
        let mut given = ways
            .iter()
            .filter_map(|(way, kept)| Some((*way, kept.as_ref()?)));
        let mut contradicts = Ok(());
        let first = given.next();
        if let (Some((first, _)), Some((second, _))) = (first, given.next()) {
            let what = format!("stands beside {first}: a server is told one of them");
            contradicts = Err(table.report(&["secrets", second], what, "keep one of them"));
        }
        if let (Some(_), None) = (user, &self.password) {
            let remedy = "add `secrets = { password = { file = \"…\" } }`, or leave `user` out";
            let what = "holds no password for the user";
            contradicts = Err(table.report(&["secrets"], what, remedy));
        }
        if let (None, Some(_)) = (user, &self.password) {
            let what = "is missing beside a password";
            contradicts = Err(table.report(&["user"], what, "name the user"));
        }
        let Some((way, place)) = first else {
            return contradicts.map(|()| Credentials::None);
        };
        let secret = read_secret(place).map_err(|error| {
            let what = format!("cannot be read: {error}");
            Fault::new(what, "make the file readable or set the variable")
        });
        let credentials = match (contradicts, secret) {
            (Ok(()), Ok(secret)) => credentials(way, secret, user, place),
            (Err(reported), Ok(_)) => return Err(reported),
            (_, Err(fault)) => Err(fault),
        };
        credentials.map_err(|fault| table.fault(&["secrets", way, place.kind()], fault))
    }
}

fn credentials(
    way: &str,
    secret: String,
    user: Option<&str>,
    place: &SecretPlace,
) -> Result<Credentials, Fault> {
    if secret.trim().is_empty() {
        return Err(Fault::new("is empty", "put the secret there"));
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
            place: place.kind(),
        },
    })
}

/// The seed of a user, and of nobody else. The error of the parser is kept: it shows no seed.
fn user_seed(seed: &str) -> Result<String, Fault> {
    let remedy = "give the seed that begins with SU";
    match KeyPair::from_seed(seed).map(|pair| pair.key_pair_type()) {
        Ok(KeyPairType::User) => Ok(seed.to_owned()),
        Ok(_) => Err(Fault::new("is no seed of a user", remedy)),
        Err(_) => Err(Fault::new("is no NKey seed", remedy)),
    }
}

impl Credentials {
    /// Reads the keys of a connection that say who we are, and the secret.
    pub(super) fn read(
        table: &Table<'_>,
        read_secret: impl Fn(&SecretPlace) -> io::Result<String>,
    ) -> Result<Self, Reported> {
        let meaning = "name of the user whose password is under `secrets`";
        let user = table.key("user", meaning).optional("none");
        let meaning = "where the one secret is kept that proves who we are: `password`, `token`, \
                       `nkey` (the seed of a user) or `credentials` (a file as `nsc` writes it, \
                       with JWT and seed), for example `{ credentials = { file = \
                       \"/run/secrets/bridge.creds\" } }` or `{ token = { env = \"NATS_TOKEN\" } \
                       }`; read at start";
        let secrets = table.key::<Secrets>("secrets", meaning).optional("none");
        let user: Option<String> = user?;
        let secrets = secrets?.unwrap_or_default();
        secrets.prove(table, user.as_deref(), read_secret)
    }

    /// Whether who listens on the way hears the secret itself, and not a signature.
    pub(super) fn are_sent_as_they_are(&self) -> bool {
        matches!(self, Self::Password { .. } | Self::Token(_))
    }

    /// The options that say so to a server; else where the secret is kept, and why it does not serve.
    pub(super) fn apply(
        self,
        options: ConnectOptions,
    ) -> Result<ConnectOptions, (&'static str, Fault)> {
        Ok(match self {
            Self::None => options,
            Self::Password { user, password } => options.user_and_password(user, password),
            Self::Token(token) => options.token(token),
            Self::Nkey(seed) => options.nkey(seed),
            // The error of the client shows nothing of the content.
            Self::Jwt { content, place } => options.credentials(&content).map_err(|_| {
                let what = "is no credentials file with a user's JWT and seed";
                (
                    place,
                    Fault::new(what, "write it with `nsc generate creds`"),
                )
            })?,
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;
    use crate::config::tests as testing;

    /// What is wrong with a connection of this user, whose secret is this.
    fn found(json: &str, user: Option<&str>, content: &str) -> Vec<String> {
        let json = match user {
            Some(user) => format!(r#"{{ "user": "{user}", "secrets": {json} }}"#),
            None => format!(r#"{{ "secrets": {json} }}"#),
        };
        let proven = testing::read(&json, |table| {
            let read_content = |_: &SecretPlace| Ok(content.to_owned());
            let credentials = Credentials::read(table, read_content)?;
            let options = credentials.apply(ConnectOptions::new());
            options.map_err(|(place, fault)| table.fault(&["secrets", "credentials", place], fault))
        });
        let problems = proven.err().unwrap_or_default();
        let hidden = format!("{problems:?}");
        assert!(
            content.trim().is_empty() || !hidden.contains(content),
            "{hidden}"
        );
        problems
            .into_iter()
            .map(|problem| format!("{}: {}", problem.key, problem.what))
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
        let json = r#"{ "servers": "a", "tls": "required", "secrets": { "token": { "file": "/nonexistent" } } }"#;
        let keys = testing::faults(json, super::super::connection::Cluster::read);
        assert_eq!(keys, ["secrets.token.file"]);
    }
}
