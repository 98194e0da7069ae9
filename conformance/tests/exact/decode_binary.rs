//! Messages in: what a message says is what its headers spell, and survives being written again.
//! [`super::translate`] has the ways from one protocol and mode to another.

use cloudevents_nl_codec::{
    Binding, Data, DecodeError, Decoded, Decoder, Event, Header, HeaderList, Message, Place,
    encode_binary,
};

use super::grammar::percent_decoded;
use super::input::{self, Received};

/// Reads a message in the form of [`input::message`]. Decoding, encoding and decoding again gives the
/// same event.
pub(crate) fn check(input: &[u8]) {
    let Some(received) = input::message(input) else {
        return;
    };
    let headers: Vec<_> = received
        .headers
        .iter()
        .map(|&(name, value)| Header { name, value })
        .collect();
    let message = Message {
        headers: &headers,
        body: received.body,
    };
    let binding = received.binding;
    match Decoder::default().decode(binding, &message) {
        Ok(Decoded::Binary(event)) => {
            assert_spelled(&received, &event);
            assert_eq!(read_again(binding, &event), event, "{received:?}");
        }
        // The headers say nothing then, so that the body alone decides.
        Ok(Decoded::Structured(event)) => {
            let text = received.body.unwrap_or_default();
            assert_eq!(Decoder::default().decode_structured(text), Ok(event));
        }
        Ok(Decoded::Batch(elements)) => {
            let text = received.body.unwrap_or_default();
            assert_eq!(Decoder::default().decode_batch(text), Ok(elements));
        }
        Err(error) => assert_located(&error, &received),
    }
}

/// The event after a hop in binary mode.
fn read_again(binding: &Binding, event: &Event<'_>) -> Event<'static> {
    let mut list = HeaderList::default();
    let body = encode_binary(event, binding, &mut list);
    let body = body.expect("binary mode held it before");
    let headers: Vec<_> = list.iter().collect();
    let message = Message {
        headers: &headers,
        body: body.as_deref(),
    };
    match Decoder::default().decode(binding, &message) {
        Ok(Decoded::Binary(again)) => again.into_owned(),
        other => panic!("{other:?} of what was written for {event:?}"),
    }
}

/// Each attribute is the value of its header, percent-decoded where the binding says so; data is the
/// body.
fn assert_spelled(received: &Received<'_>, event: &Event<'_>) {
    let binding = received.binding;
    let is = |name: &str, expected: &str| match binding.ignores_case {
        true => name.eq_ignore_ascii_case(expected),
        false => name == expected,
    };
    for (name, value) in event.attributes() {
        let header = match name {
            "datacontenttype" => binding.data_content_type.to_owned(),
            _ => format!("{}{name}", binding.prefix),
        };
        let mut found = received.headers.iter().filter(|found| is(found.0, &header));
        // Not written in the register's header, a content type may stand where HTTP has it.
        let Some((_, Some(raw))) = found.next() else {
            assert_eq!((name, binding.protocol), ("datacontenttype", "nats"));
            continue;
        };
        assert_eq!(found.next(), None, "{name} twice");
        let is_content_type = header == "content-type";
        let raw = match binding.percent_coded || is_content_type {
            true => raw.trim_ascii(),
            false => raw,
        };
        // Older senders put a value in quotes; what is in them is another rule's business.
        if !binding.percent_coded || is_content_type {
            assert_eq!(value.text().as_bytes(), raw, "{name}");
        } else if !raw.starts_with(b"\"") {
            assert_eq!(
                Some(&*value.text()),
                percent_decoded(raw).as_deref(),
                "{name}"
            );
        }
    }
    let body = received.body.unwrap_or_default();
    match event.data() {
        Data::None => assert!(body.is_empty()),
        Data::Json(json) => assert_eq!(json.as_str().as_bytes(), body),
        Data::Binary(bytes) => assert_eq!(&**bytes, body),
        // Its charset may be another one than UTF-8: then a character is a byte.
        Data::Text(text) => assert!(text.as_bytes() == body || text.chars().count() == body.len()),
    }
}

/// A header that is blamed is there, up to the 64 characters that an error repeats.
fn assert_located(error: &DecodeError, received: &Received<'_>) {
    assert!(!error.to_string().is_empty());
    match &error.place {
        Place::Byte(at) => assert!(*at <= received.body.map_or(0, <[u8]>::len), "{error}"),
        Place::Header(name) => {
            let mut names = received.headers.iter().map(|(name, _)| name);
            assert!(names.any(|found| found.starts_with(&**name)), "{error}");
        }
        _ => {}
    }
}
