//! A gibibyte that a sender claims is not read: of memory that nobody has written to, no page is
//! touched. Apart from `limits.rs`, whose allocator writes zeros where the system would give them.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test may fail this way")]

#[path = "limits/messages.rs"]
mod messages;

use std::fs;

use cloudevents_nl_codec::{
    BATCHED_JSON, DecodeErrorKind, Decoder, HTTP, Header, KAFKA, NATS, Place, STRUCTURED_JSON,
};
use messages::{header, required};

/// Times that this thread touched a page of memory which was not there yet.
fn faults() -> u64 {
    let stat = fs::read_to_string("/proc/thread-self/stat").unwrap();
    // The second field is a name in parentheses, which may hold spaces; the tenth counts.
    let (_, fields) = stat.rsplit_once(')').unwrap();
    fields.split_whitespace().nth(7).unwrap().parse().unwrap()
}

#[test]
fn of_a_gibibyte_no_byte_is_read() {
    // Memory of zeros is not there before it is read.
    let gibibyte: Vec<u8> = vec![0; 1 << 30];
    let before = faults();
    let decoder = Decoder::default();
    let mut errors = vec![
        decoder.decode_structured(&gibibyte).unwrap_err(),
        decoder.decode_batch(&gibibyte).unwrap_err(),
    ];
    for binding in [&HTTP, &KAFKA, &NATS] {
        let announced = |mode| vec![header(binding.content_type, mode)];
        let mut json = required(binding);
        json.push(header(binding.data_content_type, "application/json"));
        for headers in [announced(STRUCTURED_JSON), json, required(binding)] {
            errors.push(
                decoder
                    .decode_any(binding, headers, Some(&gibibyte))
                    .unwrap_err(),
            );
        }
        let mut value = required(binding);
        value.push(Header {
            name: "ce-subject",
            value: Some(&gibibyte),
        });
        errors.push(decoder.decode_any(binding, value, None).unwrap_err());
    }
    let headers = [header("content-type", BATCHED_JSON)];
    errors.push(
        decoder
            .decode_any(&HTTP, headers, Some(&gibibyte))
            .unwrap_err(),
    );
    let touched = faults() - before;

    for error in errors {
        let found = (&error.kind, &error.place);
        assert_eq!(found, (&DecodeErrorKind::TooLarge, &Place::Message));
    }
    let pages = (gibibyte.len() / 4096) as u64;
    let huge_pages = (gibibyte.len() / (2 << 20)) as u64;
    assert!(
        touched < huge_pages / 2,
        "{touched} faults for {pages} pages"
    );
    // The measure sees what is read.
    let read: u64 = gibibyte
        .iter()
        .step_by(4096)
        .map(|&byte| u64::from(byte))
        .sum();
    assert_eq!(read, 0);
    assert!(faults() - before >= huge_pages, "reading a page is a fault");
}
