//! Limits hold before work is done: what is far too large costs no memory, and is hardly looked at.
//!
//! Memory is counted in bytes asked for. Work is counted in what was looked at: what lies behind a
//! limit is broken, and the error must be that of the limit all the same; `untouched.rs` counts pages
//! of memory. No clock decides.

#![allow(clippy::unwrap_used, reason = "a test may fail this way")]

#[path = "limits/messages.rs"]
mod messages;

use allocation_counter::measure;
use cloudevents_nl_codec::{
    Binding, DecodeError, DecodeErrorKind, Decoder, HTTP, Header, JsonFault, JsonText, KAFKA,
    Limits, NATS, Place, Register,
};
use messages::{header, required};

/// More than an error and a name in it take, and far less than any of the inputs.
const BYTES_MAX: u64 = 4 << 10;

const BINDINGS: [&Binding; 3] = [&HTTP, &KAFKA, &NATS];
const REQUIRED: &str = r#""specversion":"1.0","id":"1","source":"/a","type":"b""#;

/// The error of some work, which may ask for so many bytes in all.
#[track_caller]
fn refused<T>(bytes_max: u64, work: impl FnOnce() -> Result<T, DecodeError>) -> DecodeError {
    let mut result = None;
    let counted = measure(|| result = work().err());
    assert!(
        counted.bytes_total <= bytes_max,
        "{} bytes",
        counted.bytes_total
    );
    result.unwrap()
}

#[track_caller]
fn assert_too_large(error: &DecodeError, place: &Place) {
    assert_eq!(
        (&error.kind, &error.place),
        (&DecodeErrorKind::TooLarge, place)
    );
}

#[test]
fn a_hundred_thousand_headers_end_at_the_limit() {
    let limit = Limits::default();
    // What headers borrow is listed as far as the limit, in a list that doubles.
    let listed = (2 * limit.headers * size_of::<Header<'_>>()) as u64;
    for binding in BINDINGS {
        let names: Vec<_> = (0..100_000)
            .map(|at| format!("{}x{at}", binding.prefix))
            .collect();
        let attributes = names.iter().map(|name| header(name, ""));
        let attributes: Vec<_> = required(binding).into_iter().chain(attributes).collect();
        let foreign = required(binding)
            .into_iter()
            .chain(vec![header("x", ""); 100_000]);
        let foreign: Vec<_> = foreign.collect();
        for (headers, place) in [
            (&attributes, names[limit.headers - 4].as_str()),
            (&foreign, "x"),
        ] {
            let error = refused(BYTES_MAX + listed, || {
                Decoder::default().decode_any(binding, headers.iter().copied(), None)
            });
            assert_too_large(&error, &Place::Header(place.into()));
        }
        // Within the limit of headers there is still that of attributes, and no more are kept.
        let kept = 256 << limit.attributes.ilog2();
        let error = refused(kept + listed, || {
            Decoder::default().decode_any(
                binding,
                attributes[..limit.headers].iter().copied(),
                None,
            )
        });
        assert_too_large(
            &error,
            &Place::Header(names[limit.attributes - 4].as_str().into()),
        );
    }
}

#[test]
fn a_hundred_thousand_members_end_at_the_limit() {
    // Behind the limit stands what is no JSON.
    let members: Vec<_> = (0..20_000).map(|at| format!(r#""x{at}":"""#)).collect();
    let text = format!("{{{REQUIRED},{} broken", members.join(","));
    // What is refused is read again, by the reader that tells why.
    let kept = 2 * (256 << Limits::default().attributes.ilog2());
    let error = refused(kept, || {
        Decoder::default().decode_structured(text.as_bytes())
    });
    assert_too_large(&error, &Place::Attribute("x252".into()));
}

#[test]
fn ten_thousand_levels_end_at_the_limit() {
    for opening in ["[", r#"{"a":"#] {
        // Nothing is closed again, which is not noticed.
        let deep = opening.repeat(10_000);
        let before = r#"{"data":"#;
        let text = format!("{before}{deep}");
        let error = refused(BYTES_MAX, || {
            Decoder::default().decode_structured(text.as_bytes())
        });
        assert_too_large(&error, &Place::Byte(before.len() + 126 * opening.len()));

        let mut result = None;
        let counted = measure(|| result = JsonText::new(&*deep).err());
        let error = result.unwrap();
        assert_eq!(
            (error.fault, error.at),
            (JsonFault::TooDeep, 127 * opening.len())
        );
        assert_eq!(counted.bytes_total, 0);

        for binding in BINDINGS {
            let mut headers = required(binding);
            headers.push(header(binding.data_content_type, "application/json"));
            let error = refused(BYTES_MAX, || {
                Decoder::default().decode_any(
                    binding,
                    headers.iter().copied(),
                    Some(deep.as_bytes()),
                )
            });
            assert_too_large(&error, &Place::Byte(126 * opening.len()));
        }
    }
}

#[test]
fn a_limit_of_depth_above_the_most_changes_nothing() {
    let limits = Limits::default();
    let mut deeper = limits;
    deeper.depth = usize::MAX;
    let text = format!(r#"{{{REQUIRED},"data":{}"#, "[".repeat(10_000));
    for limits in [limits, deeper] {
        let decoder = Decoder::new(limits, Register::default());
        let error = refused(BYTES_MAX, || decoder.decode_structured(text.as_bytes()));
        assert_eq!(error.kind, DecodeErrorKind::TooLarge);
    }
}

#[test]
fn a_string_of_64_mebibytes_is_refused_for_its_length() {
    // Escapes would have to be undone in a text of its own.
    let long = "\\u00e9".repeat((64 << 20) / 6);
    let text = |name: &str| format!(r#"{{{REQUIRED},"{name}":"{long}"}}"#);
    let name = format!(r#"{{{REQUIRED},"{long}":""}}"#);
    for text in [text("subject"), text("data"), text("data_base64"), name] {
        let error = refused(BYTES_MAX, || {
            Decoder::default().decode_structured(text.as_bytes())
        });
        assert_too_large(&error, &Place::Message);
    }
}

#[test]
fn where_limits_let_it_in_a_string_is_copied_once_at_most_by_each_reading() {
    let mut limits = Limits::default();
    limits.event_bytes = 128 << 20;
    let decoder = Decoder::new(limits, Register::default());
    let long = "\\u00e9".repeat((1 << 20) / 6);
    for name in ["subject", "x", "time"] {
        // The last character makes each of them invalid.
        let text = format!(r#"{{{REQUIRED},"{name}":"{long}\u0000"}}"#);
        // What is refused is read again, by the reader that tells why.
        let most = 2 * long.len() as u64 + BYTES_MAX;
        let error = refused(most, || decoder.decode_structured(text.as_bytes()));
        assert_eq!(error.place, Place::Attribute(name.into()));
    }
    // What needs no unescaping is not copied at all, nor is a name repeated in full.
    let long = "e".repeat(2 << 20);
    let text = format!(r#"{{{REQUIRED},"E{long}":""}}"#);
    let error = refused(BYTES_MAX, || decoder.decode_structured(text.as_bytes()));
    let Place::Attribute(name) = error.place else {
        panic!("{error}");
    };
    assert_eq!(name.len(), 64);
}

#[test]
fn a_batch_ends_at_its_limits() {
    let limits = Limits::default();
    let event = format!("{{{REQUIRED}}}");
    let many = format!("[{} broken", format!("{event},").repeat(20_000));
    let kept = 2048 * limits.batch_events as u64;
    let error = refused(kept, || Decoder::default().decode_batch(many.as_bytes()));
    assert_too_large(&error, &Place::Batch);
    assert_eq!(error.element, Some(limits.batch_events));

    let deep = format!("[{event},{}", r#"{"data":["#.repeat(10_000));
    let error = refused(16 << 10, || {
        Decoder::default().decode_batch(deep.as_bytes())
    });
    assert_eq!(
        (&error.kind, error.element),
        (&DecodeErrorKind::TooLarge, Some(1))
    );
}
