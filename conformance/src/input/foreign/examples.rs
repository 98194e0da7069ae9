//! Examples in AsyncAPI and JSON Schema documents that are events.

use super::line_at;
use crate::capture::{Capture, Protocol};
use crate::input::{Content, Item, Lines};
use crate::json::{self, Document, Member, Value};

/// How deep examples are looked for.
const MOST_LEVELS: usize = 64;

/// Columns that an event keeps: before it stand as many spaces as it has characters on its line.
const MOST_COLUMNS: usize = 1000;

/// `None` for an event, and for what is no JSON.
pub(super) fn read(text: &[u8], line: u64) -> Option<Vec<Item>> {
    let mut items = Vec::new();
    let Ok(Document::Object(members)) = json::parse(text) else {
        return None;
    };
    if named(&members, "specversion").is_some() {
        return None;
    }
    let members = members.into_iter().rev();
    let mut ahead: Vec<_> = members.map(|member| (member, 0)).collect();
    while let Some((member, level)) = ahead.pop() {
        if member.name.text == "examples" {
            let all = elements(&member.value).into_iter();
            items.extend(all.filter_map(|example| item(text, line, &example)));
        } else if level < MOST_LEVELS {
            let inner = member.value.members().unwrap_or_default().into_iter();
            let listed = elements(&member.value).into_iter();
            let inner = inner.chain(listed.flat_map(|one| one.members().unwrap_or_default()));
            let mut inner: Vec<_> = inner.map(|member| (member, level + 1)).collect();
            inner.reverse();
            ahead.append(&mut inner);
        }
    }
    Some(items)
}

fn elements<'t>(value: &Value<'t>) -> Vec<Value<'t>> {
    let Ok(Document::Array(mut all)) = json::parse(value.raw.as_bytes()) else {
        return Vec::new();
    };
    for one in &mut all {
        one.at += value.at;
    }
    all
}

fn named<'m, 't>(members: &'m [Member<'t>], name: &str) -> Option<&'m Member<'t>> {
    members.iter().find(|member| member.name.text == name)
}

/// Whether members are those of an event: of one that lacks a required attribute too.
fn is_event(members: &[Member<'_>], prefix: &str) -> bool {
    let has = |name: &str| named(members, &format!("{prefix}{name}")).is_some();
    has("specversion") || ["id", "source", "type"].into_iter().all(has)
}

/// An example that is an event, that holds one as its `payload` (AsyncAPI) or `value` (OpenAPI), or whose
/// `headers` have the attributes.
fn item(text: &[u8], line: u64, example: &Value<'_>) -> Option<Item> {
    let members = example.members()?;
    if is_event(&members, "") {
        return Some(event(text, line, example));
    }
    let headers = named(&members, "headers").and_then(|headers| headers.value.members());
    let headers = headers.unwrap_or_default();
    let payload = named(&members, "payload").or_else(|| named(&members, "value"));
    let mut prefixes = ["ce-", "ce_"].into_iter();
    if prefixes.any(|prefix| is_event(&headers, prefix)) {
        return Some(binary(text, line, example, &headers, payload));
    }
    let payload = &payload?.value;
    is_event(&payload.members()?, "").then(|| event(text, line, payload))
}

fn event(text: &[u8], line: u64, value: &Value<'_>) -> Item {
    let before = text.get(..value.at).unwrap_or_default();
    let mut lines = before.rsplit(|byte| *byte == b'\n');
    let on_line = String::from_utf8_lossy(lines.next().unwrap_or_default());
    let column = on_line.chars().count().min(MOST_COLUMNS);
    let capture = Capture::event(format!("{}{}", " ".repeat(column), value.raw));
    let first = line_at(text, line, value.at);
    item_of(capture, first, Some(first))
}

fn binary(
    text: &[u8],
    line: u64,
    example: &Value<'_>,
    headers: &[Member<'_>],
    payload: Option<&Member<'_>>,
) -> Item {
    let mut names = headers.iter().map(|member| &member.name.text);
    let mut capture = Capture::new(match names.any(|name| name.starts_with("ce_")) {
        true => Protocol::Kafka,
        false => Protocol::Http,
    });
    for Member { name, value, .. } in headers {
        let told = value.text().map(|text| text.text.into_owned());
        capture = capture.with_header(&name.text, told.unwrap_or_else(|| value.raw.to_owned()));
    }
    capture.body = payload.map(|payload| payload.value.raw.as_bytes().to_vec());
    item_of(capture, line_at(text, line, example.at), None)
}

fn item_of(capture: Capture, first: u64, body: Option<u64>) -> Item {
    Item {
        is_example: true,
        ..Item::new(Content::Message(capture), Lines::new(first, body))
    }
}
