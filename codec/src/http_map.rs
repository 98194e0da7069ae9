//! HTTP messages in the types of the crate `http`. Reading them needs nothing from here: their headers become
//! [`Header`](crate::Header)s as any others do.

use std::borrow::Cow;

use http::HeaderMap;
use http::header::{CONTENT_TYPE, HeaderName, HeaderValue};

use crate::event::media_type::APPLICATION_JSON;
use crate::{
    BATCHED_JSON, ContentMode, EncodeError, Event, HTTP, HeaderSink, STRUCTURED_JSON, encode_batch,
    encode_binary, encode_structured,
};

/// Writes an event as the headers and the body of an HTTP request or response (HTTP binding 1.0.2,
/// section 3); feature `http`.
///
/// Batched mode gives a batch of this one event, for receivers that asked for batches; for several
/// events there is [`encode_batch`]. In binary mode a body that is borrowed is the data itself.
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
/// In binary mode, as [`encode_binary`], and [`EncodeError::TooManyHeaders`] where a
/// [`HeaderMap`] cannot hold the headers. The other modes can carry every event.
pub fn encode_http<'e>(
    event: &'e Event<'_>,
    mode: ContentMode,
) -> Result<(HeaderMap, Cow<'e, [u8]>), EncodeError> {
    let mut headers = HeaderMap::with_capacity(12);
    let mut text = Vec::new();
    let media_type = match mode {
        ContentMode::Binary => return binary(event, headers),
        ContentMode::Structured => {
            encode_structured(event, &mut text)?;
            STRUCTURED_JSON
        }
        ContentMode::Batched => {
            let mut element = Vec::new();
            encode_structured(event, &mut element)?;
            encode_batch([&*element], &mut text);
            BATCHED_JSON
        }
    };
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
    Ok((headers, Cow::Owned(text)))
}

fn binary<'e>(
    event: &'e Event<'_>,
    headers: HeaderMap,
) -> Result<(HeaderMap, Cow<'e, [u8]>), EncodeError> {
    let is_full = false;
    let mut sink = HeaderMapSink { headers, is_full };
    let body = encode_binary(event, &HTTP, &mut sink)?;
    if sink.is_full {
        return Err(EncodeError::TooManyHeaders);
    }
    Ok((sink.headers, body.unwrap_or_default()))
}

/// Takes headers until one does not fit.
struct HeaderMapSink {
    headers: HeaderMap,
    is_full: bool,
}

impl HeaderMapSink {
    /// Each name comes once, so inserting loses none.
    fn insert(&mut self, name: Option<HeaderName>, value: &str) {
        let value = match value {
            "1.0" => Some(HeaderValue::from_static("1.0")),
            APPLICATION_JSON => Some(HeaderValue::from_static(APPLICATION_JSON)),
            _ => HeaderValue::from_str(value).ok(),
        };
        let inserted = name
            .zip(value)
            .and_then(|(name, value)| self.headers.try_insert(name, value).ok());
        self.is_full |= inserted.is_none();
    }
}

impl HeaderSink for HeaderMapSink {
    fn header(&mut self, name: &str, value: &str) {
        self.insert(HeaderName::from_bytes(name.as_bytes()).ok(), value);
    }

    fn static_header(&mut self, name: &'static str, value: &str) {
        self.insert(Some(HeaderName::from_static(name)), value);
    }
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
                let size: usize = headers
                    .iter()
                    .map(|(name, value)| name.as_str().len() + value.len())
                    .sum();
                assert_eq!(crate::wire_size(&event, &HTTP, mode), Ok(size + body.len()));
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

        let (headers, is_full) = (HeaderMap::new(), false);
        let mut sink = HeaderMapSink { headers, is_full };
        let mut count = 0;
        while !sink.is_full {
            sink.header(&format!("ce-x{count}"), "1");
            count += 1;
        }
        assert_eq!(count, 24_577);
    }
}
