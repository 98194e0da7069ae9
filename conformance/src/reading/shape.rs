//! The shape of JSON data: which members it has, and what kind of value each of them holds.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::Event;
use crate::grammar::media_type;
use crate::json::{self, Document, Member, Text, Value};
use crate::memory::fingerprint;

/// A kind of JSON value; null is none, since it says nothing about what else may stand there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    Text,
    Number,
    Boolean,
    Object,
    Array,
}

/// The members of data that is a JSON object, those of objects in it included; none where there is no
/// such data.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shape<'c> {
    pub(crate) members: Vec<DataMember<'c>>,
    /// What the data itself is, where it is JSON; null is nothing.
    pub(crate) whole: Option<Kind>,
    /// A number for all places and kinds, by which data of the same shape is told.
    pub(crate) fingerprint: u64,
}

/// A member of the data, or of an object in it.
#[derive(Clone, Debug)]
pub(crate) struct DataMember<'c> {
    /// A number for its place in the data.
    pub(crate) path: u64,
    pub(crate) kind: Kind,
    pub(crate) value: Value<'c>,
    name: Text<'c>,
    /// The object it lies in, as an index, unless that is the data.
    parent: Option<usize>,
}

/// Members that are looked at.
const MOST: usize = 256;

/// Objects in objects that are looked into.
const DEEPEST: usize = 4;

impl DataMember<'_> {
    pub(crate) fn is_at_top(&self) -> bool {
        self.parent.is_none()
    }
}

impl<'c> Shape<'c> {
    /// The place of the data itself.
    pub(crate) const WHOLE: u64 = 0;

    pub(super) fn of(event: &Event<'c>) -> Self {
        let mut shape = Self::default();
        let (kind_of_data, members) = data(event);
        shape.whole = kind_of_data;
        let mut hash = DefaultHasher::new();
        shape.whole.hash(&mut hash);
        // Objects whose members are still to be looked at, with their index, place and depth.
        let mut open = vec![(members, None, Self::WHOLE, 0)];
        while let Some((members, parent, place, depth)) = open.pop() {
            for member in members {
                let Some(kind) = kind(member.value) else {
                    continue;
                };
                if shape.members.len() >= MOST {
                    open.clear();
                    break;
                }
                let path = fingerprint(&(place, &*member.name.text));
                (path, kind).hash(&mut hash);
                if kind == Kind::Object && depth < DEEPEST {
                    let members = member.value.members().unwrap_or_default();
                    open.push((members, Some(shape.members.len()), path, depth + 1));
                }
                shape.members.push(DataMember {
                    path,
                    kind,
                    value: member.value,
                    name: member.name,
                    parent,
                });
            }
        }
        shape.fingerprint = hash.finish();
        shape
    }

    /// Where a member stands in the data, as a JSON pointer.
    pub(crate) fn pointer(&self, member: &DataMember<'_>) -> String {
        let mut names = Vec::new();
        let mut next = Some(member);
        while let Some(member) = next {
            names.push(member.name.text.replace('~', "~0").replace('/', "~1"));
            next = member.parent.and_then(|at| self.members.get(at));
        }
        names.iter().rev().flat_map(|name| ["/", name]).collect()
    }
}

/// What the data is where it is JSON, and its members where it is an object.
fn data<'c>(event: &Event<'c>) -> (Option<Kind>, Vec<Member<'c>>) {
    let content_type = event.text("datacontenttype");
    let is_json = content_type.map_or_else(|| event.is_json(), media_type::is_json);
    let none = (None, Vec::new());
    match (event.data, event.body) {
        (Some(data), _) if is_json => (kind(data), data.members().unwrap_or_default()),
        (None, Some(body)) if is_json => match json::parse(body) {
            Ok(Document::Object(members)) => (Some(Kind::Object), members),
            Ok(Document::Array(_)) => (Some(Kind::Array), Vec::new()),
            Ok(Document::Other(value)) => (kind(value), Vec::new()),
            Err(_) => none,
        },
        _ => none,
    }
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
        let shape = reading.events[0].shape();
        let members = shape.members.iter();
        members
            .map(|member| (shape.pointer(member), member.kind))
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

    #[test]
    fn data_of_one_shape_has_one_number() {
        let number = |data: &str| {
            let capture = Capture::event(format!("{{\"data\":{data}}}"));
            Reading::of(&capture).events[0].shape().fingerprint
        };
        let one = number(r#"{"a":{"b":1},"c":"d"}"#);
        assert_eq!(number(r#"{"a":{"b":-2},"c":"","e":null}"#), one);
        for other in [
            "{}",
            r#"{"a":{"b":"1"},"c":"d"}"#,
            r#"{"a":{},"b":1,"c":"d"}"#,
            r#"{"a":{"b":1},"c":"d","e":1}"#,
        ] {
            assert_ne!(number(other), one, "{other}");
        }
    }
}
