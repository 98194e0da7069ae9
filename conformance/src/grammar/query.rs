//! Tokens and secrets in the URLs of webhooks.

/// The parameter in which a token travels.
const TOKEN: &str = "access_token=";

/// Whether the query of a URL holds a token, whatever separates its parameters.
pub(crate) fn has_token(url: &str) -> bool {
    query(url).split(['&', ';']).any(is_token)
}

/// Whether the query of a URL has something else than `&`, or nothing, between the token and another parameter.
pub(crate) fn has_token_run_together(url: &str) -> bool {
    let mut parameters = query(url).split('&');
    parameters.any(|parameter| match parameter.split_once(TOKEN) {
        None | Some((_, "")) => false,
        Some(("", token)) => token.split(';').skip(1).any(|other| other.contains('=')),
        // A value may be an address, with a token of its own, or a text that begins so.
        Some((before, _)) => {
            let is_in_value = before.contains('=') && !before.ends_with('=');
            before.ends_with(';') || is_in_value && !before.contains('/')
        }
    })
}

/// Whether some part of a URL is long and mixed enough to be a secret: 8 characters with a digit
/// among them, or 20.
pub(crate) fn may_hold_secret(url: &str) -> bool {
    let path = url.split_once("://").map_or(url, |(_, rest)| rest);
    let mut parts = path.split(['/', '?', '&', ';', '=', '#']).skip(1);
    parts.any(|part| {
        part.len() >= 20 || part.len() >= 8 && part.contains(|c: char| c.is_ascii_digit())
    })
}

/// A URL without the tokens in its query.
pub(crate) fn without_tokens(url: &str) -> String {
    let mut parts = url.split(TOKEN);
    let mut shown = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part.find(['&', ';', '#']).and_then(|end| part.get(end..));
        shown.push_str(TOKEN);
        shown.push('…');
        shown.push_str(rest.unwrap_or_default());
    }
    shown
}

/// The scheme and the host of a URL.
pub(crate) fn without_path(url: &str) -> String {
    let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if host.len() == rest.len() {
        return url.to_owned();
    }
    let separator = if scheme.is_empty() { "" } else { "://" };
    format!("{scheme}{separator}{host}/…")
}

fn query(url: &str) -> &str {
    let url = url.split('#').next().unwrap_or_default();
    url.split_once('?').map_or("", |(_, query)| query)
}

fn is_token(parameter: &str) -> bool {
    parameter.starts_with(TOKEN) && parameter.len() > TOKEN.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::check;

    #[test]
    fn finds_tokens() {
        let passes = [
            "https://a.nl/?access_token=b",
            "/a?b=c&access_token=d",
            "/a?b;access_token=d",
        ];
        let fails = [
            "",
            "https://a.nl/access_token=b",
            "/a?access_token=",
            "/a?b=c#access_token=d",
        ];
        check(
            has_token,
            &passes,
            &[&fails[..], &["/a?no_access_token=b"]].concat(),
        );
    }

    #[test]
    fn finds_what_separates_them() {
        let passes = [
            "/a?access_token=b;c=d",
            "/a?c=d;access_token=b",
            "/a?e=f&c=d;access_token=b",
            "/a?c=d?access_token=b",
            "/a?c=daccess_token=b",
            "/a?c=d&amp;access_token=b",
        ];
        let fails = [
            "/a?access_token=b&c=d",
            "/a?access_token=b;c",
            "/a?access_token=b&c=d;e=f",
            "/a?no_access_token=b",
            "/a?c=access_token=b",
            "/a?c=d?access_token=",
            "/a?c=https://b.nl/?access_token=d",
            "/a",
        ];
        check(has_token_run_together, &passes, &fails);
    }

    #[test]
    fn knows_what_nobody_guesses() {
        let passes = [
            "https://a.nl/confirm?id=12345&key=geheim-7f3a9c",
            "https://a.nl/c/0f8fad5b-d9cb-469f-a165-70867728950e",
            "https://a.nl/c?k=zYxWvUtSrQpOnMlKjIhG",
        ];
        let fails = [
            "https://a.nl/confirm",
            "https://eventemitter20.example.com/registrations/confirm",
            "https://a.nl/confirm?id=12345",
        ];
        check(may_hold_secret, &passes, &fails);
    }

    #[test]
    fn shows_no_secrets() {
        for (url, shown) in [
            (
                "https://a.nl/?access_token=b&c=d",
                "https://a.nl/?access_token=…&c=d",
            ),
            (
                "/?access_token=b&access_token=c",
                "/?access_token=…&access_token=…",
            ),
            ("/a", "/a"),
        ] {
            assert_eq!(without_tokens(url), shown);
        }
        for (url, shown) in [
            ("https://a.nl/b?c=d", "https://a.nl/…"),
            ("https://a.nl?c=d", "https://a.nl/…"),
            ("https://a.nl", "https://a.nl"),
            ("a/b", "a/…"),
        ] {
            assert_eq!(without_path(url), shown);
        }
    }
}
