//! How values are shown to people: secrets never, and what is long only in part.

use figment::value::Value;

use super::path::Path;

const HIDDEN: &str = "***";
const LONGEST: usize = 120;

/// The text of a value; `None` for tables, which have none.
pub(crate) fn shown(path: &Path, value: &Value) -> Option<String> {
    if matches!(value, Value::Dict(..) | Value::Empty(..)) {
        return None;
    }
    if is_secret(path) {
        return Some(HIDDEN.to_owned());
    }
    let text = match value {
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

/// Whether a key holds a secret. A name that ends in `_file`, `_env` or `.location` says where the
/// secret is, which may be shown.
pub(crate) fn is_secret(path: &Path) -> bool {
    const WORDS: [&str; 6] = ["password", "secret", "token", "passphrase", ".pem", ".key"];
    const PLACES: [&str; 5] = ["_file", "_env", ".location", "_url", ".url"];
    path.keys().any(|key| {
        let key = key.to_ascii_lowercase();
        let hides = WORDS.iter().any(|word| key.contains(word))
            // Holds arbitrary `name=value` pairs for the login module.
            || key == "sasl.oauthbearer.config";
        hides && !PLACES.iter().any(|place| key.ends_with(place))
    })
}

/// An address without the parts that may carry credentials: user information and query.
pub(crate) fn without_secrets(text: &str) -> String {
    let Some((scheme, rest)) = text.split_once("://") else {
        return text.to_owned();
    };
    let (rest, query) = match rest.split_once('?') {
        Some((rest, _)) => (rest, "?***"),
        None => (rest, ""),
    };
    match rest.rsplit_once('@') {
        Some((_, rest)) => format!("{scheme}://{HIDDEN}@{rest}{query}"),
        None => format!("{scheme}://{rest}{query}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_hold_secrets_are_told_from_names_that_say_where() {
        for (key, expected) in [
            ("sasl.password", true),
            ("ssl.key.password", true),
            ("ssl.key.pem", true),
            ("client_secret", true),
            ("bearer_token", true),
            ("token", true),
            ("token_file", false),
            ("token_env", false),
            ("ssl.key.location", false),
            ("sasl.oauthbearer.token.endpoint.url", false),
            ("sasl.username", false),
            ("topic", false),
        ] {
            assert_eq!(is_secret(&Path::default().key(key)), expected, "{key}");
        }
    }

    #[test]
    fn addresses_lose_user_information_and_query() {
        for (text, expected) in [
            ("https://a.example/hook", "https://a.example/hook"),
            ("https://u:p@a.example/hook", "https://***@a.example/hook"),
            ("https://u:p/q@a.example", "https://***@a.example"),
            ("https://a.example?access_token=x", "https://a.example?***"),
            ("zaken", "zaken"),
        ] {
            assert_eq!(without_secrets(text), expected);
        }
    }
}
