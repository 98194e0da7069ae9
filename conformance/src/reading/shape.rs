//! The shape of JSON data: which members it has, and what kind of value each of them holds.

use super::Event;
use crate::grammar::media_type;
use crate::json::Value;

/// A kind of JSON value; null is none, since it says nothing about what else may stand there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    Number,
    Boolean,
    Object,
    Array,
}

/// A member of the data, or of an object in it.
#[derive(Clone, Debug)]
pub(crate) struct DataMember<'c> {
    /// Where it stands in the data, as a JSON pointer.
    pub(crate) pointer: String,
    pub(crate) kind: Kind,
    pub(crate) value: Value<'c>,
}

/// Members that are looked at.
const MOST: usize = 256;

/// Objects in objects that are looked into.
const DEEPEST: usize = 4;

/// The members of data that is a JSON object, those of objects in it included; none where there is no
/// such data.
pub(crate) fn data_members<'c>(event: &Event<'c>) -> Vec<DataMember<'c>> {
    let mut found = Vec::new();
    let mut objects = vec![(String::new(), data(event), 0)];
    while let Some((parent, object, depth)) = objects.pop() {
        let members = object.and_then(|object| object.members());
        for member in members.unwrap_or_default() {
            let Some(kind) = kind(member.value) else {
                continue;
            };
            if found.len() >= MOST {
                return found;
            }
            let name = member.name.text.replace('~', "~0").replace('/', "~1");
            let pointer = format!("{parent}/{name}");
            if kind == Kind::Object && depth < DEEPEST {
                objects.push((pointer.clone(), Some(member.value), depth + 1));
            }
            found.push(DataMember {
                pointer,
                kind,
                value: member.value,
            });
        }
    }
    found
}

/// The data where it is JSON.
fn data<'c>(event: &Event<'c>) -> Option<Value<'c>> {
    let content_type = event.text("datacontenttype");
    if event.is_json() {
        return event
            .data
            .filter(|_| content_type.is_none_or(media_type::is_json));
    }
    let raw = str::from_utf8(event.body?).ok()?;
    content_type
        .is_some_and(media_type::is_json)
        .then_some(Value { raw, at: 0 })
}

fn kind(value: Value<'_>) -> Option<Kind> {
    Some(match value.raw.as_bytes().first()? {
        b'"' => Kind::Text,
        b't' | b'f' => Kind::Boolean,
        b'{' => Kind::Object,
        b'[' => Kind::Array,
        b'n' => return None,
        _ => Kind::Number,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::{Capture, Protocol};
    use crate::reading::Reading;

    fn shape(capture: &Capture) -> Vec<(String, Kind)> {
        let reading = Reading::of(capture);
        let members = data_members(&reading.events[0]);
        members
            .into_iter()
            .map(|member| (member.pointer, member.kind))
            .collect()
    }

    #[test]
    fn finds_members_and_their_kinds() {
        let event = r#"{"data":{"a":"b","c":{"d/e":1,"f":null},"g":[{"h":1}],"i":true}}"#;
        let expected = [
            ("/a", Kind::Text),
            ("/c", Kind::Object),
            ("/g", Kind::Array),
            ("/i", Kind::Boolean),
            ("/c/d~1e", Kind::Number),
        ];
        let expected = expected.map(|(pointer, kind)| (pointer.to_owned(), kind));
        assert_eq!(shape(&Capture::event(event)), expected);
    }

    #[test]
    fn looks_at_json_objects_alone() {
        for event in [
            "{}",
            r#"{"data":5}"#,
            r#"{"data":[{"a":1}]}"#,
            r#"{"data":"{}"}"#,
            r#"{"datacontenttype":"text/plain","data":{"a":1}}"#,
            r#"{"data_base64":"eyJhIjoxfQ=="}"#,
        ] {
            assert_eq!(shape(&Capture::event(event)), [], "{event}");
        }
    }

    #[test]
    fn reads_the_body_in_binary_mode() {
        let mut capture = Capture::new(Protocol::Http).with_header("ce-id", "1");
        capture.body = Some(b" {\"a\":1}".to_vec());
        assert_eq!(shape(&capture), []);
        let capture = capture.with_header("content-type", "application/json");
        assert_eq!(shape(&capture), [("/a".to_owned(), Kind::Number)]);
    }

    #[test]
    fn looks_at_so_many_and_no_deeper() {
        let members: Vec<_> = (0..300).map(|n| format!("\"m{n}\":1")).collect();
        let wide = format!("{{\"data\":{{{}}}}}", members.join(","));
        assert_eq!(shape(&Capture::event(wide)).len(), MOST);
        let deep = format!("{{\"data\":{}1{}}}", "{\"a\":".repeat(50), "}".repeat(50));
        assert_eq!(shape(&Capture::event(deep)).len(), DEEPEST + 1);
    }
}
