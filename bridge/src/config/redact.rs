//! How values are shown to people: secrets never, and what is long only in part.

use figment::value::Value;

use super::path::Path;
use crate::transport::setting::names_a_secret;

const HIDDEN: &str = "***";
const LONGEST: usize = 120;

/// The text of a value; `None` for tables, which have none.
pub(super) fn shown(path: &Path, value: &Value) -> Option<String> {
    if matches!(value, Value::Dict(..) | Value::Empty(..)) {
        return None;
    }
    if is_secret(path) {
        return Some(HIDDEN.to_owned());
    }
    let text = match value {
        Value::String(_, text) if names_an_address(path) => format!("{:?}", bare_address(text)),
        Value::String(_, text) => format!("{:?}", without_secrets(text)),
        Value::Char(_, letter) => format!("{letter:?}"),
        Value::Bool(_, truth) => truth.to_string(),
        Value::Num(_, number) => super::value::number_text(*number),
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

/// Whether a key holds a secret. A name that ends in `_file`, `_env` or `.location`, and `file` and
/// `env` below `secrets`, say where the secret is, which may be shown, as may `access_token_in_query`.
fn is_secret(path: &Path) -> bool {
    const PLACES: [&str; 6] = ["_file", "_env", "_in_query", ".location", "_url", ".url"];
    let keys: Vec<_> = path.keys().map(str::to_ascii_lowercase).collect();
    if let [_, _, table, _, place] = keys.as_slice()
        && table == "secrets"
        && matches!(place.as_str(), "file" | "env")
    {
        return false;
    }
    keys.iter()
        .any(|key| names_a_secret(key) && !PLACES.iter().any(|place| key.ends_with(place)))
}

/// Whether the value under a key is an address, even where it does not look like one.
fn names_an_address(path: &Path) -> bool {
    path.keys()
        .last()
        .is_some_and(|key| key.to_ascii_lowercase().ends_with("url") || key == "servers")
}

/// A text without what may carry credentials, if it looks like an address.
fn without_secrets(text: &str) -> String {
    if text.contains("://") {
        bare_address(text)
    } else {
        text.to_owned()
    }
}

/// An address without the parts that may carry credentials: user information, query and fragment.
fn bare_address(text: &str) -> String {
    let (scheme, rest) = match text.split_once("://") {
        Some((scheme, rest)) => (format!("{scheme}://"), rest),
        None => (String::new(), text),
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
            assert_eq!(is_secret(&Path::default().key(key)), expected, "{key}");
        }
    }

    #[test]
    fn the_place_of_a_secret_is_shown_and_nothing_else_beside_it() {
        let secrets = Path::default().key("kafka").key("main").key("secrets");
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
        ] {
            let path = Path::default().key("url");
            let shown = shown(&path, &Value::from(text));
            assert_eq!(shown, Some(format!("{expected:?}")), "{text}");
        }
        assert_eq!(without_secrets("zaken?"), "zaken?");
        assert_eq!(without_secrets("https://u:p@a"), "https://***@a");
    }
}
