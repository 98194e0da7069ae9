//! Structured mode in: whether a text is an event, and what is in it, by the codec and by [`reference`].
//!
//! Intended differences to what serde_json reads from the same text, all of them in [`reference`]: the
//! second member of a name is refused; nesting ends at 127 levels; attributes obey the core
//! specification. Byte order marks are refused by both.

use cloudevents_nl_codec::{
    BatchElement, DecodeError, DecodeErrorKind, Decoder, Event, JsonFault, Place, encode_structured,
};
use serde_json::value::RawValue;

use super::reference::{self, Reading};
use super::validate::assert_same_on_each_path;

/// Holds the codec's reader against the reference, and what it read against what it writes.
pub(crate) fn check(text: &[u8]) {
    let shown = String::from_utf8_lossy(text);
    let decoder = Decoder::default();
    assert_same_on_each_path(text, |decoder| decoder.decode_structured(text));
    match (decoder.decode_structured(text), reference::read(text)) {
        (Ok(event), Reading::Event(reference)) => {
            assert_eq!(
                reference::attributes(&event),
                reference.attributes,
                "{shown:?}"
            );
            let is_same = reference::is_same_data(event.data(), &reference.data);
            assert!(
                is_same,
                "{:?}, {:?}: {shown:?}",
                event.data(),
                reference.data
            );
            assert_written(&event);
            assert_element(text, &event);
        }
        (Ok(event), Reading::Open) => {
            assert_written(&event);
            assert_element(text, &event);
        }
        (Ok(_), Reading::Refused) => panic!("accepted {shown:?}"),
        (Err(error), Reading::Event(_)) => panic!("{error} for {shown:?}"),
        (Err(error), Reading::Refused | Reading::Open) => assert_located(&error, text),
    }
}

/// Written and read again it is the same event, and the same text.
fn assert_written(event: &Event<'_>) {
    let text = structured(event);
    let again = Decoder::default().decode_structured(&text);
    let again = again.expect("what was written can be read");
    assert_eq!(&again, event);
    assert_eq!(structured(&again), text);
}

fn structured(event: &Event<'_>) -> Vec<u8> {
    let mut text = Vec::new();
    encode_structured(event, &mut text);
    text
}

/// In a batch it is the same event, and its text is handed on.
fn assert_element(text: &[u8], event: &Event<'_>) {
    let batch = [b"[", text, b"]"].concat();
    let elements = Decoder::default().decode_batch(&batch);
    let elements = elements.expect("an array of an event is a batch");
    let [
        BatchElement {
            text: found,
            event: again,
            ..
        },
    ] = &*elements
    else {
        panic!("{} events", elements.len());
    };
    assert_eq!((*found, again), (text.trim_ascii(), event));
}

/// A place is in the text, and a text that is called no JSON is none.
fn assert_located(error: &DecodeError, text: &[u8]) {
    assert!(!error.to_string().is_empty());
    if let Place::Byte(at) = error.place {
        assert!(at <= text.len(), "{error}");
    }
    // Half a surrogate pair is JSON, but no text.
    if let DecodeErrorKind::Json(fault) = error.kind
        && fault != JsonFault::LoneSurrogate
    {
        let theirs = serde_json::from_slice::<&RawValue>(text);
        let shown = String::from_utf8_lossy(text);
        assert!(theirs.is_err(), "{error} for {shown:?}");
    }
}
