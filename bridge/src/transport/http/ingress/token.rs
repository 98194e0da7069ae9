//! Pure: the bearer token that a request brings (RFC 6750, sections 2.1 and 2.3).

use std::borrow::Cow;

use http::header::AUTHORIZATION;
use http::request::Parts;
use percent_encoding::percent_decode_str;

use super::only;

/// Of the `authorization` header, or with `in_query` the parameter `access_token`; no sender may bring both.
pub(super) fn presented(head: &Parts, in_query: bool) -> Option<Cow<'_, [u8]>> {
    let header = head.headers.get(AUTHORIZATION);
    let header = header.and_then(|value| of_header(value.as_bytes()));
    let query = head.uri.query().filter(|_| in_query).and_then(of_query);
    header.map(Cow::Borrowed).xor(query)
}

fn of_header(value: &[u8]) -> Option<&[u8]> {
    let (scheme, token) = value.split_at_checked(7)?;
    let is_bearer = scheme.eq_ignore_ascii_case(b"bearer ");
    is_bearer.then(|| token.trim_ascii())
}

/// None where it is repeated.
fn of_query(query: &str) -> Option<Cow<'_, [u8]>> {
    let tokens = query
        .split('&')
        .filter_map(|parameter| parameter.strip_prefix("access_token="));
    // A plus sign stays one: tokens may hold it, and never a space.
    Some(percent_decode_str(only(tokens)?).into())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use http::Request;

    use super::*;

    fn token(uri: &str, header: Option<&str>, in_query: bool) -> Option<String> {
        let mut request = Request::post(uri);
        if let Some(header) = header {
            request = request.header(AUTHORIZATION, header);
        }
        let (head, ()) = request.body(()).unwrap().into_parts();
        presented(&head, in_query).map(|token| String::from_utf8(token.into_owned()).unwrap())
    }

    #[test]
    fn a_token_comes_in_one_place() {
        let (plain, query) = ("/events?a=b", "/events?a=b&access_token=q");
        let bearer = Some("bearer  h ");
        for (uri, header, in_query, expected) in [
            (plain, bearer, false, Some("h")),
            (plain, bearer, true, Some("h")),
            (plain, Some("Basic h"), true, None),
            (plain, None, true, None),
            ("/events", None, true, None),
            (query, None, false, None),
            (query, None, true, Some("q")),
            (query, Some("Basic h"), true, Some("q")),
            (query, bearer, false, Some("h")),
            (query, bearer, true, None),
        ] {
            let found = token(uri, header, in_query);
            assert_eq!(found.as_deref(), expected, "{uri} {header:?} {in_query}");
        }
    }

    #[test]
    fn a_parameter_is_decoded_once_and_may_not_be_repeated() {
        for (query, expected) in [
            ("access_token=a.b-c_d~e+f/g==", Some("a.b-c_d~e+f/g==")),
            ("access_token=a%2Bb%2fc%3D%3d", Some("a+b/c==")),
            ("access_token=%2541", Some("%41")),
            ("access_token=", Some("")),
            // What is not encoded stands for itself.
            ("access_token=a%2", Some("a%2")),
            ("access_token=a%", Some("a%")),
            ("access_token=%zz", Some("%zz")),
            ("access_token=%+1", Some("%+1")),
            ("access_token=a&access_token=a", None),
            ("access_token", None),
            ("Access_Token=a", None),
            ("my_access_token=a", None),
            ("", None),
        ] {
            let found = token(&format!("/?{query}"), None, true);
            assert_eq!(found.as_deref(), expected, "{query}");
        }
    }
}
