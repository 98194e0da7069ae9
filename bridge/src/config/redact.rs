//! How values are shown to people: secrets never, and what is long only in part.

use figment::value::Value;

use super::key_path::KeyPath;
use super::setting::number_text;

const HIDDEN: &str = "***";
const LONGEST: usize = 120;

/// The text of a value; `None` for tables, which have none.
pub(super) fn shown(path: &KeyPath, value: &Value) -> Option<String> {
    if matches!(value, Value::Dict(..) | Value::Empty(..)) {
        return None;
    }
    if is_secret(path) || names_a_place(path) && !looks_like_a_place(path, value) {
        return Some(HIDDEN.to_owned());
    }
    let text = match value {
        Value::String(_, text) if text.contains("-----BEGIN") => HIDDEN.to_owned(),
        Value::String(_, text) if names_an_address(path) => format!("{:?}", bare_address(text)),
        Value::String(_, text) => format!("{:?}", without_secrets(text)),
        Value::Char(_, letter) => format!("{letter:?}"),
        Value::Bool(_, truth) => truth.to_string(),
        Value::Num(_, number) => number_text(*number),
        Value::Array(_, list) => {
            let shown: Vec<_> = list
                .iter()
                .map(|element| shown(path, element).unwrap_or_else(|| "{ … }".to_owned()))
                .collect();
            format!("[{}]", shown.join(", "))
        }
        Value::Dict(..) | Value::Empty(..) => return None,
    };
    if text.chars().count() <= LONGEST {
        return Some(text);
    }
    Some(text.chars().take(LONGEST).chain(['…']).collect())
}

/// Whether the name of a setting tells that its value is a secret, or may hold one.
pub(crate) fn names_a_secret(name: &str) -> bool {
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

/// Whether a key holds a secret itself, not the [place](names_a_place) of one.
fn is_secret(path: &KeyPath) -> bool {
    !names_a_place(path) && path.keys().any(names_a_secret)
}

/// Whether a key says where a secret is, which may be shown: a name that ends in `_file`, `_env` or
/// `.location`, and `file` and `env` below `secrets`; or how it comes, as `access_token_in_query`.
fn names_a_place(path: &KeyPath) -> bool {
    const PLACES: [&str; 7] = [
        "_file",
        ".file",
        "_env",
        "_in_query",
        ".location",
        "_url",
        ".url",
    ];
    let keys: Vec<_> = path.keys().map(str::to_ascii_lowercase).collect();
    if let [_, _, table, _, place] = keys.as_slice()
        && table == "secrets"
    {
        return matches!(place.as_str(), "file" | "env");
    }
    let mut secrets = keys.iter().filter(|key| names_a_secret(key)).peekable();
    secrets.peek().is_some() && secrets.all(|key| PLACES.iter().any(|place| key.ends_with(place)))
}

/// Whether what stands where the place of a secret belongs is not the secret itself: a path from the
/// top or from here, the name of a variable as most are spelt, or an address.
fn looks_like_a_place(path: &KeyPath, value: &Value) -> bool {
    const LONGEST_VARIABLE: usize = 40;
    let key = path.keys().last().unwrap_or_default().to_ascii_lowercase();
    match value {
        Value::Bool(..) => true,
        Value::String(_, text) if key.ends_with("env") => {
            let is_letter = |byte: u8| matches!(byte, b'A'..=b'Z' | b'0'..=b'9' | b'_');
            text.len() <= LONGEST_VARIABLE && text.bytes().all(is_letter)
        }
        Value::String(_, text) if key.ends_with("url") => text.contains("://"),
        Value::String(_, text) => !key.ends_with("_in_query") && text.starts_with(['/', '.', '~']),
        _ => false,
    }
}

/// Whether the value under a key is an address, even where it does not look like one.
fn names_an_address(path: &KeyPath) -> bool {
    path.keys().last().is_some_and(|key| {
        let key = key.to_ascii_lowercase();
        key.ends_with("url") || matches!(key.as_str(), "servers" | "brokers" | "listen")
    })
}

/// A text without what may carry credentials, if it looks like an address.
fn without_secrets(text: &str) -> String {
    let has_user = || {
        text.split_once('@')
            .is_some_and(|(user, _)| user.contains(':'))
    };
    if text.contains("://") || has_user() {
        bare_address(text)
    } else {
        text.to_owned()
    }
}

/// An address without the parts that may carry credentials: user information, query and fragment.
fn bare_address(text: &str) -> String {
    // In a list of addresses what stands before the first `://` may be an address itself.
    let is_scheme = |scheme: &str| scheme.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let (scheme, rest) = match text.split_once("://") {
        Some((scheme, rest)) if is_scheme(scheme) => (format!("{scheme}://"), rest),
        _ => (String::new(), text),
    };
    let (rest, query) = match rest.find(['?', '#']) {
        Some(at) => (
            rest.get(..at).unwrap_or_default(),
            rest.get(at..).unwrap_or_default(),
        ),
        None => (rest, ""),
    };
    // A password with a question mark looks like a query with an address in it: neither is shown.
    if query.contains('@') {
        return format!("{scheme}{HIDDEN}");
    }
    let mark = query.chars().next().map(|mark| format!("{mark}{HIDDEN}"));
    let mark = mark.unwrap_or_default();
    match rest.rsplit_once('@') {
        Some((_, rest)) => format!("{scheme}{HIDDEN}@{rest}{mark}"),
        None => format!("{scheme}{rest}{mark}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_hold_secrets_are_told_from_names_that_say_where() {
        for (key, expected) in [
            ("sasl.password", true),
            ("sasl.jaas.config", true),
            ("ssl.key.password", true),
            ("ssl.key.pem", true),
            ("client_secret", true),
            ("bearer_token", true),
            ("token", true),
            ("token_file", false),
            ("token_env", false),
            ("access_token_in_query", false),
            ("ssl.key.location", false),
            ("sasl.oauthbearer.token.endpoint.url", false),
            ("sasl.username", false),
            ("topic", false),
        ] {
            assert_eq!(is_secret(&KeyPath::default().key(key)), expected, "{key}");
        }
    }

    #[test]
    fn the_place_of_a_secret_is_shown_and_nothing_else_beside_it() {
        let secrets = KeyPath::default().key("kafka").key("main").key("secrets");
        let property = secrets.key("sasl.password");
        for (path, expected) in [
            (property.key("file"), false),
            (property.key("env"), false),
            (property.key("fiel"), true),
            (secrets.key("file"), true),
            (property, true),
        ] {
            assert_eq!(is_secret(&path), expected, "{path}");
        }
    }

    #[test]
    fn what_does_not_look_like_the_place_of_a_secret_is_not_shown() {
        let path = |keys: &[&str]| {
            let top = KeyPath::default();
            keys.iter().fold(top, |path, key| path.key(key))
        };
        let sink = |key| path(&["route", "sink", key]);
        let secret = |place| path(&["nats", "main", "secrets", "nkey", place]);
        for (path, text, is_shown) in [
            (sink("token_file"), "/run/secrets/token", true),
            (sink("token_file"), "./token", true),
            (sink("token_file"), "hunter2", false),
            (sink("token_file"), "-----BEGIN PRIVATE KEY-----", false),
            (sink("token_env"), "RECEIVER_TOKEN_2", true),
            (sink("token_env"), "hunter2", false),
            (secret("env"), "NATS_NKEY", true),
            (
                secret("env"),
                "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY",
                false,
            ),
            (secret("file"), "/run/secrets/nkey", true),
            (secret("file"), "hunter2", false),
            (sink("access_token_in_query"), "hunter2", false),
            (sink("ca_file"), "-----BEGIN PRIVATE KEY-----", false),
            (sink("ca_file"), "ca.pem", true),
        ] {
            let expected = if is_shown {
                format!("{text:?}")
            } else {
                HIDDEN.to_owned()
            };
            assert_eq!(shown(&path, &Value::from(text)), Some(expected), "{path}");
        }
    }

    #[test]
    fn addresses_lose_user_information_query_and_fragment() {
        for (text, expected) in [
            ("https://a.example/hook", "https://a.example/hook"),
            ("https://u:p@a.example/hook", "https://***@a.example/hook"),
            ("https://u:p/q@a.example", "https://***@a.example"),
            ("https://u:p?q@a.example", "https://***"),
            ("https://a.example?access_token=x", "https://a.example?***"),
            ("https://a.example?to=x@y&t=z", "https://***"),
            ("https://a.example#token", "https://a.example#***"),
            ("https:/u:p@a.example", "***@a.example"),
            ("a.example/hook?t=x", "a.example/hook?***"),
            ("u:p@a,nats://b:1", "***@a,nats://b:1"),
            ("nats://u:p@a,nats://v:q@b", "nats://***@b"),
        ] {
            let path = KeyPath::default().key("url");
            let shown = shown(&path, &Value::from(text));
            assert_eq!(shown, Some(format!("{expected:?}")), "{text}");
        }
        assert_eq!(without_secrets("zaken?"), "zaken?");
        assert_eq!(without_secrets("https://u:p@a"), "https://***@a");
        assert_eq!(without_secrets("u:p@a:9092"), "***@a:9092");
        assert_eq!(without_secrets("a@b.example"), "a@b.example");
    }
}
