//! How values are shown to people: secrets never, and what is long only in part.

use figment::value::Value;

use super::key_path::KeyPath;
use super::references::written;

pub(crate) const HIDDEN: &str = "***";
const LONGEST: usize = 120;

/// Each value in a table by itself.
pub(super) fn write(path: &KeyPath, value: &Value, line: &mut impl FnMut(&KeyPath, String)) {
    match value {
        Value::Dict(_, entries) => {
            for (key, value) in entries {
                write(&path.key(key), value, line);
            }
        }
        Value::Array(_, list) if list.iter().any(|value| value.as_dict().is_some()) => {
            for (index, value) in list.iter().enumerate() {
                write(&path.index(index), value, line);
            }
        }
        _ => {
            let shown = shown(path, value).into_iter();
            shown.for_each(|text| line(path, text));
        }
    }
}

/// As it was written; `None` for tables.
pub(super) fn shown(path: &KeyPath, value: &Value) -> Option<String> {
    let keys: Vec<_> = path.keys().map(str::to_ascii_lowercase).collect();
    let key = keys.last().map_or("", String::as_str);
    let mut shown = match value {
        Value::Dict(..) => return None,
        _ if keys.iter().any(|key| names_a_secret(key)) && !is_place_of_a_secret(&keys, value) => {
            HIDDEN.to_owned()
        }
        Value::String(_, text) if text.contains("-----BEGIN") => HIDDEN.to_owned(),
        Value::String(_, text) if names_an_address(key) => format!("{:?}", bare_address(text)),
        Value::String(_, text) => format!("{:?}", without_secrets(text)),
        Value::Array(_, list) => {
            let element = |element| shown(path, element).unwrap_or_else(|| "{ … }".to_owned());
            let elements: Vec<_> = list.iter().map(element).collect();
            format!("[{}]", elements.join(", "))
        }
        number => written(number)?.into_owned(),
    };
    if let Some((end, _)) = shown.char_indices().nth(LONGEST) {
        shown.truncate(end);
        shown.push('…');
    }
    Some(shown)
}

/// By its name, a setting holds a secret, or may hold one.
pub(crate) fn names_a_secret(name: &str) -> bool {
    const WORDS: [&str; 12] = [
        "password",
        "passphrase",
        "secret",
        "token",
        "authorization",
        "api_key",
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

/// Where a secret is, or how it comes: the last key says so, and the value looks like it. Below `secrets`
/// that is behind a secret's name.
fn is_place_of_a_secret(keys: &[String], value: &Value) -> bool {
    const LONGEST_VARIABLE: usize = 40;
    let [.., key] = keys else { return false };
    if keys.get(2).is_some_and(|table| table == "secrets") && keys.len() != 5 {
        return false;
    }
    let Some(written) = value.as_str() else {
        return matches!(value, Value::Bool(..));
    };
    // A default may be the secret itself.
    let is_reference = written.starts_with("${") && !written.contains(":-");
    if key.ends_with("env") {
        let is_letter = |byte: u8| matches!(byte, b'A'..=b'Z' | b'0'..=b'9' | b'_');
        written.len() <= LONGEST_VARIABLE && written.bytes().all(is_letter)
    } else if key.ends_with("url") {
        written.contains("://")
    } else if key.ends_with("file") || key.ends_with(".location") {
        written.starts_with(['/', '.', '~']) || is_reference
    } else {
        false
    }
}

/// Even where it does not look like one.
fn names_an_address(key: &str) -> bool {
    key.ends_with("url") || matches!(key, "servers" | "brokers" | "listen")
}

/// An address without credentials; other texts as they are.
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

/// Without user information, query and fragment.
fn bare_address(text: &str) -> String {
    // In a list of addresses what stands before the first `://` may be an address itself.
    let is_scheme = |scheme: &str| scheme.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let (scheme, rest) = match text.split_once("://") {
        Some((scheme, rest)) if is_scheme(scheme) => (format!("{scheme}://"), rest),
        _ => (String::new(), text),
    };
    let end = rest.find(['?', '#']).unwrap_or(rest.len());
    let (rest, query) = rest.split_at(end);
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

    fn shown(path: &KeyPath, text: &str) -> Option<String> {
        let value = match text {
            "true" => Value::from(true),
            text => Value::from(text),
        };
        super::shown(path, &value)
    }

    #[test]
    fn names_that_hold_secrets_are_told_from_names_that_say_where() {
        for (key, value, is_hidden) in [
            ("sasl.password", "/x", true),
            ("sasl.jaas.config", "/x", true),
            ("ssl.key.password", "/x", true),
            ("ssl.key.pem", "/x", true),
            ("client_secret", "/x", true),
            ("bearer_token", "/x", true),
            ("token", "/x", true),
            ("token_file", "/x", false),
            ("token_env", "X", false),
            ("ssl.key.location", "/x", false),
            (
                "sasl.oauthbearer.token.endpoint.url",
                "https://a.example",
                false,
            ),
            ("sasl.username", "x", false),
            ("topic", "x", false),
        ] {
            let shown = shown(&KeyPath::default().key(key), value);
            let expected = if is_hidden {
                HIDDEN.to_owned()
            } else {
                format!("{value:?}")
            };
            assert_eq!(shown, Some(expected), "{key}");
        }
        let in_query = KeyPath::default().key("access_token_in_query");
        let shown = shown(&in_query, "true");
        assert_eq!(shown.as_deref(), Some("true"));
    }

    #[test]
    fn the_place_of_a_secret_is_shown_and_nothing_else_beside_it() {
        let secrets = KeyPath::default().key("kafka").key("main").key("secrets");
        let property = secrets.key("sasl.password");
        for (path, is_hidden) in [
            (property.key("file"), false),
            (property.key("fiel"), true),
            (secrets.key("file"), true),
            (property, true),
        ] {
            let shown = shown(&path, "/run/secrets/password");
            assert_eq!(shown.as_deref() == Some(HIDDEN), is_hidden, "{path}");
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
            (sink("token_file"), "${SECRETS}/token", true),
            (sink("token_file"), "${TOKEN:-hunter2}", false),
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
            assert_eq!(shown(&path, text), Some(expected), "{path}");
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
            let shown = shown(&path, text);
            assert_eq!(shown, Some(format!("{expected:?}")), "{text}");
        }
        assert_eq!(without_secrets("zaken?"), "zaken?");
        assert_eq!(without_secrets("https://u:p@a"), "https://***@a");
        assert_eq!(without_secrets("u:p@a:9092"), "***@a:9092");
        assert_eq!(without_secrets("a@b.example"), "a@b.example");
    }
}
