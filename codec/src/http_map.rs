//! HTTP messages in the types of the crate `http`. Reading them needs nothing from here: their headers become
//! [`Header`](crate::Header)s as any others do.

use std::borrow::Cow;

use http::HeaderMap;
use http::header::{HeaderName, HeaderValue};

use crate::event::media_type::APPLICATION_JSON;
use crate::{ContentMode, EncodeError, Event, HTTP, encode};

/// [`encode`] into the headers and the body of an HTTP request or response (HTTP binding 1.0.2,
/// section 3); feature `http`. In binary mode a body that is borrowed is the data itself.
///
/// ```
/// use cloudevents_nl_codec::{ContentMode, Event, encode_http};
///
/// let event = Event::new("doc1", "/registry", "nl.brp.verhuisd")?.with_text("text/plain", "hoi")?;
/// let (headers, body) = encode_http(&event, ContentMode::Binary)?;
/// assert_eq!((&headers["ce-id"], &*body), (&"doc1".parse()?, &b"hoi"[..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// In binary mode, as [`encode`], and [`EncodeError::TooManyHeaders`] where a [`HeaderMap`] cannot hold
/// the headers. The other modes can carry every event.
pub fn encode_http<'e>(
    event: &'e Event<'_>,
    mode: ContentMode,
) -> Result<(HeaderMap, Cow<'e, [u8]>), EncodeError> {
    let mut headers = HeaderMap::with_capacity(12);
    let mut is_full = false;
    let body = encode(event, &HTTP, mode, |name, value| {
        is_full |= insert(&mut headers, name, value).is_none();
    })?;
    if is_full {
        return Err(EncodeError::TooManyHeaders);
    }
    Ok((headers, body.unwrap_or_default()))
}

/// Each name comes once, so inserting loses none; nothing where there is no room.
fn insert(headers: &mut HeaderMap, name: &str, value: &str) -> Option<()> {
    let name = match HTTP.static_name(name) {
        Some(name) => HeaderName::from_static(name),
        None => HeaderName::from_bytes(name.as_bytes()).ok()?,
    };
    let value = match value {
        "1.0" => HeaderValue::from_static("1.0"),
        APPLICATION_JSON => HeaderValue::from_static(APPLICATION_JSON),
        _ => HeaderValue::from_str(value).ok()?,
    };
    headers.try_insert(name, value).ok().map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::{AttributeFault, DecodeErrorKind, Place};
    use crate::{Data, DecodeError, Decoded, Decoder, Header, JsonText};

    fn decode<'a>(headers: &'a HeaderMap, body: &'a [u8]) -> Result<Decoded<'a>, DecodeError> {
        Decoder::default().decode_any(&HTTP, headers.iter().map(Header::from), Some(body))
    }

    fn event() -> Event<'static> {
        Event::new("1", "/a", "nl.brp.verhuisd")
            .unwrap()
            .with_subject("S\u{fa}dwest \"99%\"")
            .unwrap()
            .with_extension("sampledrate", 30)
            .unwrap()
    }

    #[test]
    fn an_event_comes_back_from_every_mode() {
        let json = || JsonText::new("{\"a\": 1.50}").unwrap();
        for event in [
            event(),
            event().with_json(json()),
            event().with_text("text/plain", "\u{e9}").unwrap(),
            event().with_bytes("a/b;c=\"d e\"", &b"\0"[..]).unwrap(),
        ] {
            for mode in [
                ContentMode::Structured,
                ContentMode::Binary,
                ContentMode::Batched,
            ] {
                let (headers, body) = encode_http(&event, mode).unwrap();
                let decoded = decode(&headers, &body).unwrap();
                assert!(decoded.into_events().eq([event.clone()]), "{mode:?}");
            }
        }
    }

    #[test]
    fn headers_are_coded_and_data_is_lent() {
        let event = event().with_text("text/plain", "hoi").unwrap();
        let (headers, body) = encode_http(&event, ContentMode::Binary).unwrap();
        assert_eq!(headers["ce-subject"], "S%C3%BAdwest%20%2299%25%22");
        assert_eq!(headers["content-type"], "text/plain");
        assert_eq!(headers.len(), 7);
        let Data::Text(Cow::Borrowed(text)) = event.data() else {
            panic!("the text is borrowed");
        };
        assert!(std::ptr::eq(text.as_bytes(), &*body));
    }

    #[test]
    fn a_repeated_header_is_refused() {
        let event = event();
        let (mut headers, body) = encode_http(&event, ContentMode::Binary).unwrap();
        headers.append("ce-id", HeaderValue::from_static("2"));
        let error = decode(&headers, &body).unwrap_err();
        let repeated = DecodeErrorKind::Attribute(AttributeFault::Repeated);
        assert_eq!(error.kind, repeated);
        assert_eq!(error.place, Place::Header("ce-id".into()));
    }

    #[test]
    fn what_a_map_cannot_hold_is_refused_and_nothing_panics() {
        let long = "x".repeat(70_000);
        let event = event().with_extension(long, true).unwrap();
        let refused = encode_http(&event, ContentMode::Binary).unwrap_err();
        assert_eq!(refused, EncodeError::TooManyHeaders);
        assert!(encode_http(&event, ContentMode::Structured).is_ok());

        let mut headers = HeaderMap::new();
        let fits = |count: &i32| insert(&mut headers, &format!("ce-x{count}"), "1").is_some();
        assert_eq!((0..).take_while(fits).count(), 24_576);
    }
}
