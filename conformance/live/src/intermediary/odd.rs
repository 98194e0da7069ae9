//! Messages that an intermediary may refuse. They may keep it busy, so that they go in last, and only where
//! the operator wants it.

use cloudevents_nl_conformance::{Capture, Mode};

use super::message::{Message, Writer};
use super::specimens::{SOURCE, TYPE};

/// In an event format that nobody knows.
pub(crate) const UNKNOWN_FORMAT: &str = "unknown-format";
/// With a control character in an attribute.
pub(crate) const CONTROL_CHARACTER: &str = "control-character";

/// All of them, for the structured mode of an end.
pub(crate) fn odd(run: &str, writer: &Writer) -> Vec<Message> {
    if writer.mode != Mode::Structured {
        return Vec::new();
    }
    let message = |name: &'static str, content_type: &str, body: String| {
        let mut capture = Capture::new(writer.protocol).with_header("content-type", content_type);
        capture.body = Some(body.into_bytes());
        Message {
            names: vec![name],
            capture,
            is_odd: true,
        }
    };
    let control = format!(
        r#"{{"specversion":"1.0","id":"{run}/{CONTROL_CHARACTER}","source":"{SOURCE}","type":"{TYPE}","subject":"a\u0007b"}}"#
    );
    vec![
        message(
            UNKNOWN_FORMAT,
            "application/cloudevents+cenl",
            format!("{run}/{UNKNOWN_FORMAT}"),
        ),
        message(CONTROL_CHARACTER, "application/cloudevents+json", control),
    ]
}
