//! The content mode that a media type announces.

use std::fmt;

/// How an event travels in a message (CloudEvents 1.0.2, "Message"; section 3 of each binding).
///
/// ```
/// use cloudevents_nl_codec::{BATCHED_JSON, ContentMode, Decoder, HTTP, STRUCTURED_JSON};
///
/// let mode = |media_type: &str| Decoder::mode(&HTTP, [("content-type", media_type).into()]);
/// assert_eq!(mode(STRUCTURED_JSON), ContentMode::Structured);
/// assert_eq!(mode("application/json"), ContentMode::Binary);
/// assert_eq!(mode(BATCHED_JSON), ContentMode::Batched);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(
    clippy::exhaustive_enums,
    reason = "the core specification names exactly these three"
)]
pub enum ContentMode {
    /// The whole event is the body (HTTP binding 3.2, Kafka binding 3.3, NATS binding 1.0.2, section 3).
    Structured,
    /// Attributes are headers, data is the body (HTTP binding 3.1, Kafka binding 3.2, NATS binding 1.0.3-wip, 3.1).
    Binary,
    /// The body is an array of events (HTTP binding 3.3; on HTTP only).
    Batched,
}

/// The name in the specification, in lower case, such as `structured`.
impl fmt::Display for ContentMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Structured => "structured",
            Self::Binary => "binary",
            Self::Batched => "batched",
        })
    }
}

/// The mode other than binary that a content type announces by its prefix, without regard to case (HTTP-DETECT-1
/// and its siblings), and whether the event format is JSON. A prefix without a format is taken for JSON.
#[inline]
pub(crate) fn announced(content_type: &[u8]) -> Option<(ContentMode, bool)> {
    let rest = strip_prefix_ignoring_case(content_type.trim_ascii(), b"application/cloudevents")?;
    let (mode, rest) = match strip_prefix_ignoring_case(rest, b"-batch") {
        Some(rest) => (ContentMode::Batched, rest),
        None => (ContentMode::Structured, rest),
    };
    let mut parts = rest.split(|&byte| byte == b';');
    let format = parts.next().unwrap_or_default().trim_ascii();
    let is_json = format.is_empty() || format.eq_ignore_ascii_case(b"+json");
    Some((mode, is_json))
}

#[inline]
fn strip_prefix_ignoring_case<'b>(bytes: &'b [u8], prefix: &[u8]) -> Option<&'b [u8]> {
    let (start, rest) = bytes.split_at_checked(prefix.len())?;
    start.eq_ignore_ascii_case(prefix).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_the_batch_prefix_first() {
        for (content_type, mode, is_json) in [
            (
                "application/cloudevents+json",
                ContentMode::Structured,
                true,
            ),
            (
                " Application/CloudEvents+JSON ; charset=UTF-8",
                ContentMode::Structured,
                true,
            ),
            ("application/cloudevents", ContentMode::Structured, true),
            (
                "application/cloudevents; a=b",
                ContentMode::Structured,
                true,
            ),
            (
                "application/cloudevents+avro",
                ContentMode::Structured,
                false,
            ),
            ("application/cloudeventsx", ContentMode::Structured, false),
            (
                "application/cloudevents-batch+json",
                ContentMode::Batched,
                true,
            ),
            (
                "APPLICATION/CLOUDEVENTS-BATCH+JSON;a=b",
                ContentMode::Batched,
                true,
            ),
            (
                "application/cloudevents-batch+xml",
                ContentMode::Batched,
                false,
            ),
        ] {
            let expected = Some((mode, is_json));
            assert_eq!(
                announced(content_type.as_bytes()),
                expected,
                "{content_type}"
            );
        }
        assert_eq!(announced(b"application/json"), None);
        assert_eq!(announced(b""), None);
    }
}
