//! From a batch to a request.

use bytes::Bytes;
use cloudevents_nl_codec::{BATCHED_JSON, HTTP, join_batch};
use http::header::{self, HeaderName, HeaderValue};
use http::{HeaderMap, Method, Request, Uri};
use http_body_util::Full;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use crate::credentials::CredentialHeader;
use crate::transport::http::REQUEST_ORIGIN;
use crate::transport::http::signature::Signer;
use crate::transport::{Batch, Outgoing};

const BATCHED: HeaderValue = HeaderValue::from_static(BATCHED_JSON);
const USER_AGENT: HeaderValue =
    HeaderValue::from_static(concat!("cenl-bridge/", env!("CARGO_PKG_VERSION")));
/// Headers that frame a request, name its host or prove who sends it: an event with one could split the
/// request or speak in our name.
const OURS: [HeaderName; 13] = [
    header::AUTHORIZATION,
    header::CONNECTION,
    header::CONTENT_LENGTH,
    header::EXPECT,
    header::HOST,
    header::PROXY_AUTHENTICATE,
    header::PROXY_AUTHORIZATION,
    header::TE,
    header::TRAILER,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
    header::USER_AGENT,
    HeaderName::from_static("keep-alive"),
];

pub(super) fn is_reserved(name: &str) -> bool {
    HeaderName::try_from(name).is_ok_and(|name| OURS.contains(&name))
}

pub(super) struct RequestBuilder {
    pub(super) path: Uri,
    pub(super) host: HeaderValue,
    pub(super) is_batched: bool,
    /// Of every delivery where the receiver was asked for consent (section 4.1.2).
    pub(super) origin: Option<HeaderValue>,
    pub(super) signer: Option<Signer>,
    /// A bearer token goes in the query (section 3.2), and not in a header.
    pub(super) token_in_query: bool,
}

impl RequestBuilder {
    /// With `is_batched` even one event is written as a batch.
    pub(super) fn new(url: &Uri, is_batched: bool) -> Self {
        let host = url.authority().map_or("", |authority| authority.as_str());
        let path = url.path_and_query().cloned();
        Self {
            path: path.map_or_else(Uri::default, Uri::from),
            host: HeaderValue::try_from(host).expect("an authority is visible ASCII"),
            is_batched,
            origin: None,
            signer: None,
            token_in_query: false,
        }
    }

    /// The error is a constant word.
    pub(super) fn request(
        &self,
        batch: &Batch,
        proof: Option<CredentialHeader>,
    ) -> Result<Request<Full<Bytes>>, &'static str> {
        let mut headers = HeaderMap::with_capacity(16);
        let body = if self.is_batched {
            headers.insert(header::CONTENT_TYPE, BATCHED);
            let texts = batch.iter();
            let texts = texts.map(|event| event.body.as_deref().unwrap_or_default());
            let bytes: usize = texts.clone().map(|text| text.len() + 1).sum();
            let mut body = Vec::with_capacity(bytes + 1);
            join_batch(texts, &mut body);
            body.into()
        } else {
            let [event] = batch.as_slice() else {
                return Err("several events outside batched mode");
            };
            append_headers(event, &mut headers)?;
            event.body.clone().unwrap_or_default()
        };
        if let Some(origin) = &self.origin {
            headers.insert(REQUEST_ORIGIN, origin.clone());
        }
        if let Some(signer) = &self.signer {
            signer.sign(batch, &body, &mut headers);
        }
        let mut request = Request::new(Full::new(body));
        *request.headers_mut() = headers;
        Ok(self.finish(Method::POST, request, proof))
    }

    pub(super) fn options(&self, proof: Option<CredentialHeader>) -> Request<Full<Bytes>> {
        self.finish(Method::OPTIONS, Request::default(), proof)
    }

    /// Replaces what an event may have of the same names.
    fn finish(
        &self,
        method: Method,
        mut request: Request<Full<Bytes>>,
        proof: Option<CredentialHeader>,
    ) -> Request<Full<Bytes>> {
        *request.method_mut() = method;
        *request.uri_mut() = self.path.clone();
        let headers = request.headers_mut();
        headers.insert(header::HOST, self.host.clone());
        headers.insert(header::USER_AGENT, USER_AGENT);
        if let Some((name, value)) = proof {
            if let Some(path) = self.path_with(&value) {
                headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
                *request.uri_mut() = path;
            } else {
                headers.insert(name, value);
            }
        }
        request
    }

    fn path_with(&self, authorization: &HeaderValue) -> Option<Uri> {
        let authorization = authorization.to_str().ok().filter(|_| self.token_in_query);
        let token = authorization?.strip_prefix("Bearer ")?;
        let token = utf8_percent_encode(token, NON_ALPHANUMERIC);
        let mark = self.path.query().map_or('?', |_| '&');
        Uri::try_from(format!("{}{mark}access_token={token}", self.path)).ok()
    }
}

fn append_headers(event: &Outgoing, headers: &mut HeaderMap) -> Result<(), &'static str> {
    for header in event.headers.iter() {
        // HTTP has no null; a header without a value is one that is not set.
        let Some(value) = header.value else { continue };
        let name = match HTTP.static_name(header.name) {
            Some(name) => HeaderName::from_static(name),
            None => HeaderName::try_from(header.name).map_err(|_| "illegal header name")?,
        };
        if OURS.contains(&name) {
            return Err("reserved header name");
        }
        let value = HeaderValue::from_bytes(value).map_err(|_| "illegal header value")?;
        let appended = headers.try_append(name, value);
        appended.map_err(|_| "too many headers")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use std::rc::Rc;

    use cloudevents_nl_codec::{HeaderList, STRUCTURED_JSON};
    use proptest::prelude::*;

    use super::*;
    use crate::config::tests::read;
    use crate::transport::http::webhook::WebhookSettings;

    fn event(headers: &[(&str, Option<&[u8]>)]) -> Rc<Outgoing> {
        let mut list = HeaderList::default();
        for (name, value) in headers {
            list.push(name, *value);
        }
        Rc::new(Outgoing {
            headers: list,
            body: Some(Bytes::from_static(b"{}")),
            key: None,
            timestamp_ms: None,
            ..Outgoing::default()
        })
    }

    fn requests() -> RequestBuilder {
        let url = Uri::from_static("https://receiver.example:8443/hook?x=1");
        RequestBuilder::new(&url, false)
    }

    #[test]
    fn takes_the_headers_of_the_event_and_adds_its_own() {
        let batch = vec![event(&[
            ("content-type", Some(STRUCTURED_JSON.as_bytes())),
            ("ce-id", Some(b"1")),
            ("x-null", None),
        ])];
        let request = requests()
            .request(
                &batch,
                Some((header::AUTHORIZATION, HeaderValue::from_static("Bearer t"))),
            )
            .unwrap();
        assert_eq!(request.uri(), "/hook?x=1");
        let mut headers: Vec<_> = request
            .headers()
            .iter()
            .map(|(name, value)| (name.as_str(), value.to_str().unwrap()))
            .collect();
        headers.sort_unstable();
        assert_eq!(
            headers,
            [
                ("authorization", "Bearer t"),
                ("ce-id", "1"),
                ("content-type", STRUCTURED_JSON),
                ("host", "receiver.example:8443"),
                (
                    "user-agent",
                    concat!("cenl-bridge/", env!("CARGO_PKG_VERSION"))
                ),
            ]
        );
    }

    /// HOOK-AUTH-6, HOOK-AUTH-7
    #[test]
    fn a_token_in_the_query_is_kept_from_caches_and_stands_in_no_header() {
        for (url, asked) in [
            ("https://host/hook", "/hook?access_token=a%2Bb%2F%3D"),
            (
                "https://host/hook?x=1",
                "/hook?x=1&access_token=a%2Bb%2F%3D",
            ),
            ("https://host", "/?access_token=a%2Bb%2F%3D"),
        ] {
            let requests = RequestBuilder {
                token_in_query: true,
                ..RequestBuilder::new(&Uri::from_static(url), false)
            };
            let token = HeaderValue::from_static("Bearer a+b/=");
            let proof = Some((header::AUTHORIZATION, token));
            let request = requests.request(&vec![event(&[])], proof).unwrap();
            assert_eq!(request.uri().to_string(), asked);
            assert_eq!(request.headers()[header::CACHE_CONTROL], "no-store");
            assert!(!request.headers().contains_key(header::AUTHORIZATION));
        }
    }

    #[test]
    fn a_url_without_a_path_asks_for_the_root() {
        for (url, asked, host) in [
            ("https://host", "/", "host"),
            ("https://host?key=1", "/?key=1", "host"),
            ("https://host?", "/?", "host"),
            ("https://[::1]:443?key=/1", "/?key=/1", "[::1]:443"),
            ("https://host//a?b", "//a?b", "host"),
        ] {
            let requests = RequestBuilder::new(&Uri::from_static(url), false);
            let request = requests.request(&vec![event(&[])], None).unwrap();
            assert_eq!(request.uri().to_string(), asked, "{url}");
            assert_eq!(request.headers()[header::HOST], host, "{url}");
        }
    }

    proptest! {
        /// Whatever the settings let through can be asked for.
        #[test]
        fn any_url_is_refused_or_written(
            url in "https?://[a-zé0-9.:@%\\[\\]]{0,12}[/?#:a-zé%&=\\[\\]]{0,12}",
        ) {
            let json = serde_json::json!({ "url": url, "allow_plain_http": true }).to_string();
            if let Ok(settings) = read(&json, WebhookSettings::read) {
                let request = RequestBuilder::new(&settings.url, false).request(&vec![event(&[])], None);
                prop_assert!(request.unwrap().uri().to_string().starts_with('/'), "{}", url);
            }
        }
    }

    #[test]
    fn refuses_what_would_break_the_framing() {
        let requests = requests();
        for (name, value, word) in [
            ("ce-a", &b"x\r\nce-b: y"[..], "illegal header value"),
            ("ce-a", b"x\ny", "illegal header value"),
            ("ce-a", b"x\0y", "illegal header value"),
            ("ce-a\r\nce-b", b"x", "illegal header name"),
            ("", b"x", "illegal header name"),
            ("Content-Length", b"3", "reserved header name"),
            ("transfer-encoding", b"chunked", "reserved header name"),
            ("authorization", b"Bearer x", "reserved header name"),
            ("host", b"other.example", "reserved header name"),
        ] {
            let batch = vec![event(&[(name, Some(value))])];
            let refused = requests.request(&batch, None).unwrap_err();
            assert_eq!(refused, word, "{name:?}");
        }
    }

    #[test]
    fn more_headers_than_a_map_holds_are_refused() {
        let many: Vec<_> = (0..40_000).map(|i| format!("x-{i}")).collect();
        let many: Vec<_> = many
            .iter()
            .map(|name| (name.as_str(), Some(&b"1"[..])))
            .collect();
        let refused = requests().request(&vec![event(&many)], None).unwrap_err();
        assert_eq!(refused, "too many headers");
    }

    #[test]
    fn several_events_need_batched_mode() {
        let batch = vec![event(&[]), event(&[])];
        assert!(requests().request(&batch, None).is_err());
    }
}
