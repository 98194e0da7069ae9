//! Who we are to a NATS server: at most one of four ways to prove it, or what a table of credentials says.

use async_nats::{Auth, AuthError, ConnectOptions};
use nkeys::{KeyPair, KeyPairType};
use serde_json::Value as Json;

use crate::config::describe::{keys, object};
use crate::config::{Fault, Reported, SecretPlace, Setting, SettingValue, Table, read_secret};
use crate::credentials::{self, BrokerCredential};

#[derive(Default)]
struct Secrets(Vec<(&'static str, SecretPlace)>);

fn ways(table: &Table<'_>) -> Result<Secrets, Reported> {
    let way = |way, meaning: &'static str| {
        let place = table.key(way, meaning).optional("none");
        place.map(|place| place.map(|place| (way, place)))
    };
    let ways = [
        way("password", "password of `user`"),
        way("token", "token that stands for no user"),
        way("nkey", "seed of a user's NKey, which begins with `SU`"),
        way(
            "credentials",
            "credentials file as `nsc` writes it: the user's JWT and the seed that belongs to it",
        ),
    ];
    let given = ways.into_iter().filter_map(Result::transpose);
    given.collect::<Result<_, _>>().map(Secrets)
}

impl Setting for Secrets {
    fn read(found: &SettingValue<'_>) -> Result<Self, Reported> {
        found.section(ways)
    }

    fn schema() -> Json {
        object(&keys(ways))
    }
}

/// Options that prove who we are, and whether that sends the secret itself and not a signature.
pub(super) fn read(table: &Table<'_>) -> (ConnectOptions, bool) {
    let meaning = "name of the user whose password is under `secrets`";
    let user = table.key::<String>("user", meaning).optional("none");
    let meaning = "where the one secret is kept that proves who we are: `password`, `token`, \
                   `nkey` (the seed of a user) or `credentials` (a file as `nsc` writes it, \
                   with JWT and seed), for example `{ credentials = { file = \
                   \"/run/secrets/bridge.creds\" } }` or `{ token = { env = \"NATS_TOKEN\" } \
                   }`; read at start, and a file when it changes";
    let secrets = table.key::<Secrets>("secrets", meaning).optional("none");
    let meaning = "the `NAME` of `[credentials.NAME]` with `token`, `token_url` (for servers with an \
                   auth callout) or `password`, instead of `user` and `secrets`";
    let named = table.reference("credentials", meaning, credentials::read);
    let (Ok(user), Ok(secrets), Ok(named)) = (user, secrets, named) else {
        return Default::default();
    };
    if let Some(settings) = named {
        if user.is_some() || secrets.is_some() {
            let what = "stands beside `user` or `secrets`: a server is told one of them";
            table.report(&["credentials"], what, "keep one of them");
        }
        let Some(credential) = settings.for_broker() else {
            let remedy = "name a table with `token`, `token_url` or `password`";
            table.report(&["credentials"], "is nothing that a server takes", remedy);
            return Default::default();
        };
        return (shown_at_each_connect(credential), true);
    }
    let Secrets(ways) = secrets.unwrap_or_default();
    check(table, user.as_deref(), &ways);
    let Some((way, place)) = ways.into_iter().next() else {
        return Default::default();
    };
    let secret = read_secret(&place).map_err(|error| {
        let what = format!("cannot be read: {error}");
        Fault::new(what, "make the file readable or set the variable")
    });
    let options = secret.and_then(|secret| prove(way, secret, user));
    let options = options.unwrap_or_else(|fault| {
        table.fault(&["secrets", way, place.kind()], fault);
        ConnectOptions::new()
    });
    (options, matches!(way, "password" | "token"))
}

fn shown_at_each_connect(credential: BrokerCredential) -> ConnectOptions {
    ConnectOptions::with_auth_callback(move |_| {
        let credential = credential.clone();
        async move {
            let mut auth = Auth::new();
            match credential {
                BrokerCredential::Token(token) => {
                    auth.token = Some(token.ready().await.map_err(AuthError::new)?);
                }
                BrokerCredential::Password { user, password } => {
                    auth.username = Some(user);
                    auth.password = Some(password.to_string());
                }
            }
            Ok(auth)
        }
    })
}

fn check(table: &Table<'_>, user: Option<&str>, ways: &[(&'static str, SecretPlace)]) {
    if let [(first, _), (second, _), ..] = ways {
        let what = format!("stands beside {first}: a server is told one of them");
        table.report(&["secrets", second], what, "keep one of them");
    }
    let has_password = ways.iter().any(|(way, _)| *way == "password");
    if user.is_some() && !has_password {
        let remedy = "add `secrets = { password = { file = \"…\" } }`, or leave `user` out";
        table.report(&["secrets"], "holds no password for the user", remedy);
    }
    if user.is_none() && has_password {
        table.report(&["user"], "is missing beside a password", "name the user");
    }
}

fn prove(way: &str, secret: String, user: Option<String>) -> Result<ConnectOptions, Fault> {
    let options = ConnectOptions::new();
    if secret.trim().is_empty() {
        return Err(Fault::new("is empty", "put the secret there"));
    }
    match way {
        "password" => Ok(options.user_and_password(user.unwrap_or_default(), secret)),
        "token" => Ok(options.token(secret)),
        "nkey" => user_seed(secret.trim()).map(|seed| options.nkey(seed)),
        // The client wants the line break at the end. Its error shows nothing of the content.
        _ => options.credentials(&(secret + "\n")).map_err(|_| {
            let what = "is no credentials file with a user's JWT and seed";
            Fault::new(what, "write it with `nsc generate creds`")
        }),
    }
}

fn user_seed(seed: &str) -> Result<String, Fault> {
    let remedy = "give the seed that begins with SU";
    match KeyPair::from_seed(seed).map(|pair| pair.key_pair_type()) {
        Ok(KeyPairType::User) => Ok(seed.to_owned()),
        Ok(_) => Err(Fault::new("is no seed of a user", remedy)),
        Err(_) => Err(Fault::new("is no NKey seed", remedy)),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;
    use crate::config::tests as testing;

    /// What is wrong with a connection of this user, whose secret, at `FILE`, is this.
    fn found(json: &str, user: Option<&str>, content: &str) -> Vec<String> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), content).unwrap();
        let json = json.replace("FILE", &format!(r#"{{ "file": {:?} }}"#, file.path()));
        let json = match user {
            Some(user) => format!(r#"{{ "user": "{user}", "secrets": {json} }}"#),
            None => format!(r#"{{ "secrets": {json} }}"#),
        };
        let proven = testing::read(&json, |table| {
            read(table);
            table.sound()
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
            (r#"{ "password": FILE }"#, Some("u"), "hush"),
            (r#"{ "token": FILE }"#, None, "hush"),
            (r#"{ "nkey": FILE }"#, None, seed.as_str()),
            (r#"{ "credentials": FILE }"#, None, file.as_str()),
        ] {
            assert_eq!(found(json, user, content), [""; 0], "{json}");
        }
    }

    #[test]
    fn ways_that_contradict_each_other_or_are_incomplete_are_reported() {
        let account = KeyPair::new_account().seed().unwrap();
        for (json, user, content, expected) in [
            (
                r#"{ "token": FILE, "nkey": FILE }"#,
                None,
                "hush",
                "secrets.nkey: stands beside token: a server is told one of them",
            ),
            (
                r#"{ "token": FILE }"#,
                Some("u"),
                "hush",
                "secrets: holds no password for the user",
            ),
            (
                r#"{ "password": FILE }"#,
                None,
                "hush",
                "user: is missing beside a password",
            ),
            (
                r#"{ "token": FILE }"#,
                None,
                " ",
                "secrets.token.file: is empty",
            ),
            (
                r#"{ "nkey": FILE }"#,
                None,
                "hush",
                "secrets.nkey.file: is no NKey seed",
            ),
            (
                r#"{ "nkey": FILE }"#,
                None,
                account.as_str(),
                "secrets.nkey.file: is no seed of a user",
            ),
            (
                r#"{ "credentials": FILE }"#,
                None,
                "hush",
                "secrets.credentials.file: is no credentials file with a user's JWT and seed",
            ),
        ] {
            assert_eq!(found(json, user, content), [expected], "{json}");
        }
    }

    /// What is wrong with `[nats.main]` that names a table of this kind.
    fn with_credentials(kind: &str, lines: &str) -> Vec<String> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "hush").unwrap();
        let text = format!(
            "[nats.main]\nservers = \"127.0.0.1\"\ncredentials = \"c\"\n{lines}\n[credentials.c]\n{}",
            kind.replace("FILE", &format!("{{ file = {:?} }}", file.path()))
        );
        let read = |root: &Table<'_>| {
            root.know_all();
            let main = root.named("nats", "main").unwrap();
            main.section(super::super::NatsCluster::read).map(drop)
        };
        let problems = testing::toml(&text, read).err().unwrap_or_default();
        assert!(!format!("{problems:?}").contains("hush"), "{problems:?}");
        problems.into_iter().map(|problem| problem.key).collect()
    }

    #[test]
    fn a_table_of_credentials_stands_alone_and_is_no_header() {
        let oauth =
            "token_url = \"https://a.example/token\"\nclient_id = \"b\"\nclient_secret = FILE";
        for kind in ["token = FILE", oauth, "user = \"u\"\npassword = FILE"] {
            assert_eq!(with_credentials(kind, ""), [""; 0], "{kind}");
            let secrets = "secrets = { token = { file = \"/etc/hostname\" } }";
            for lines in [secrets, "user = \"u\""] {
                let found = with_credentials(kind, lines);
                assert_eq!(found, ["nats.main.credentials"], "{kind} {lines}");
            }
            let elsewhere = with_credentials(kind, "tls = \"required\"");
            assert_eq!(elsewhere, [""; 0], "{kind}");
        }
        let header = with_credentials("api_key = FILE", "");
        assert_eq!(header, ["nats.main.credentials"]);
    }

    #[test]
    fn a_secret_that_cannot_be_read_is_named() {
        let json = r#"{ "servers": "a", "tls": "required", "secrets": { "token": { "file": "/nonexistent" } } }"#;
        let keys = testing::faults(json, super::super::NatsCluster::read);
        assert_eq!(keys, ["secrets.token.file"]);
    }
}
