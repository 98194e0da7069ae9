//! A message as one line for people: never its `data`, its `subject` or its key.

use std::fmt;

use cloudevents_nl_codec::{Decoded, Decoder, Event};
use jiff::Timestamp;

use crate::delivery::Received;
use crate::route::dead_letter::Explanation;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct MessageLine {
    /// Of the event, as far as they can be read.
    pub(super) id: Option<String>,
    pub(super) source: Option<String>,
    pub(super) r#type: Option<String>,
    pub(super) line: String,
}

impl MessageLine {
    pub(super) fn of(received: &Received, decoder: &Decoder) -> Self {
        if let Some(defect) = received.defect {
            return Self::undecodable(received, decoder, defect);
        }
        match received.decode(decoder) {
            Ok(Decoded::Structured(event)) => Self::event(&event, "structured"),
            Ok(Decoded::Binary(event)) => Self::event(&event, "binary"),
            Ok(Decoded::Batch(elements)) => Self {
                line: format!("mode=batched events={}", elements.len()),
                ..Self::default()
            },
            Err(error) => Self::undecodable(received, decoder, &error.to_string()),
        }
    }

    fn event(event: &Event<'_>, mode: &str) -> Self {
        let (ty, source, id) = (Text(event.ty()), Text(event.source()), Text(event.id()));
        Self {
            line: format!("type={ty} source={source} id={id} mode={mode}"),
            id: Some(event.id().to_owned()),
            source: Some(event.source().to_owned()),
            r#type: Some(event.ty().to_owned()),
        }
    }

    fn undecodable(received: &Received, decoder: &Decoder, why: &str) -> Self {
        let [id, source, r#type] = received.identity(decoder);
        let shown_id = id.as_ref().map(|id| format!(" id={}", Text(id)));
        Self {
            line: format!("undecodable={}{}", Text(why), shown_id.unwrap_or_default()),
            id,
            source,
            r#type,
        }
    }
}

pub(super) fn cause(why: &Explanation) -> String {
    let (kind, status, attempts) = (Text(&why.kind), Text(&why.status), Text(&why.attempts));
    format!("kind={kind} status={status} attempts={attempts}")
}

pub(super) fn moment(time_ms: Option<i64>) -> String {
    let time = time_ms.and_then(|time| Timestamp::from_millisecond(time).ok());
    time.map_or_else(|| "-".to_owned(), |time| format!("{time:.3}"))
}

/// Quoted and escaped where it holds white space, or anything that could move the cursor or end the line.
pub(super) struct Text<'a>(pub(super) &'a str);

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let quoted = format!("{:?}", self.0);
        let has_escapes = quoted.len() != self.0.len() + 2;
        match self.0.is_empty() || self.0.contains(' ') || has_escapes {
            true => f.write_str(&quoted),
            false => f.write_str(self.0),
        }
    }
}

pub(super) fn reasons(why: &Explanation, state: Option<impl fmt::Display>) -> String {
    let (cause, route, from) = (cause(why), Text(&why.route), Text(&why.source));
    let state = state.map_or_else(String::new, |state| format!(" state={state}"));
    format!("{cause} route={route} from={from}{state}")
}

/// Of a message that came at `time_ms`; `said` is what is known beyond the message itself.
pub(super) fn line(
    time_ms: Option<i64>,
    content: &Received,
    said: &str,
    shown: &MessageLine,
) -> String {
    let (time, position, size) = (moment(time_ms), &content.position, content.byte_len());
    let (space, shown) = (if said.is_empty() { "" } else { " " }, &shown.line);
    format!("{time} {position} {said}{space}{shown} size={size}\n")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use cloudevents_nl_codec::{HeaderList, KAFKA};

    use super::*;
    use crate::delivery::Position;

    fn shown(headers: &[(&str, &str)], body: &str) -> String {
        line(headers, body).line
    }

    fn line(headers: &[(&str, &str)], body: &str) -> MessageLine {
        let mut list = HeaderList::default();
        for (name, value) in headers {
            list.push(name, Some(value.as_bytes()));
        }
        let received = Received {
            binding: &KAFKA,
            headers: list,
            key: Some("geheim".into()),
            body: Some(body.to_owned().into()),
            timestamp_ms: None,
            position: Position::numbered("memory:0/", 0),
            defect: None,
        };
        MessageLine::of(&received, &Decoder::default())
    }

    #[test]
    fn neither_data_nor_subject_nor_key_is_shown() {
        let structured = r#"{"specversion":"1.0","id":"a b","source":"/s","type":"t","subject":"geheim","data":"geheim"}"#;
        assert_eq!(
            shown(
                &[("content-type", "application/cloudevents+json")],
                structured
            ),
            r#"type=t source=/s id="a b" mode=structured"#
        );
        let binary = [
            ("ce_specversion", "1.0"),
            ("ce_id", "1"),
            ("ce_source", "/s"),
            ("ce_type", "t"),
            ("ce_subject", "geheim"),
        ];
        assert_eq!(
            shown(&binary, "geheim"),
            "type=t source=/s id=1 mode=binary"
        );
        let broken = shown(&binary[..3], "geheim");
        assert!(broken.starts_with("undecodable=\""), "{broken}");
        assert!(broken.ends_with("\" id=1"), "{broken}");
        assert!(!broken.contains("geheim"), "{broken}");
        let text = r#"{"specversion":"1.0","id":"a","source":"","type":"t","data":"geheim"}"#;
        let line = line(&[("content-type", "application/cloudevents+json")], text);
        assert_eq!(
            (line.id.as_deref(), line.r#type.as_deref()),
            (Some("a"), Some("t"))
        );
        let broken = line.line;
        assert!(
            broken.ends_with("\" id=a") && !broken.contains("geheim"),
            "{broken}"
        );
    }

    #[test]
    fn a_text_stays_within_its_line() {
        for (text, expected) in [
            ("zaak-1", "zaak-1"),
            ("", r#""""#),
            ("a b", r#""a b""#),
            ("a\n\u{1b}[2J", r#""a\n\u{1b}[2J""#),
            ("a\"b\\", r#""a\"b\\""#),
            ("\u{202e}x", r#""\u{202e}x""#),
            ("\u{200f}x\u{2067}", r#""\u{200f}x\u{2067}""#),
            ("a\u{a0}\u{2028}", r#""a\u{a0}\u{2028}""#),
            ("é/%'", "é/%'"),
            ("\\", r#""\\""#),
        ] {
            assert_eq!(Text(text).to_string(), expected);
        }
    }

    #[test]
    fn a_moment_has_milliseconds() {
        assert_eq!(moment(Some(1_700_000_000_000)), "2023-11-14T22:13:20.000Z");
        assert_eq!(moment(None), "-");
        assert_eq!(moment(Some(i64::MAX)), "-");
    }
}
