//! Examples in AsyncAPI and JSON Schema documents that are events.

use crate::capture::{Capture, Header, Protocol};
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
    if members
        .iter()
        .any(|member| member.name.text == "specversion")
    {
        return None;
    }
    let mut ahead: Vec<_> = members
        .into_iter()
        .rev()
        .map(|member| (member, 0))
        .collect();
    while let Some((member, level)) = ahead.pop() {
        if member.name.text == "examples" {
            let all = elements(&member.value).into_iter();
            items.extend(all.filter_map(|example| item(text, line, &example)));
        } else if level < MOST_LEVELS {
            let inner = member.value.members().unwrap_or_default().into_iter();
            let listed = elements(&member.value).into_iter();
            let inner = inner.chain(listed.flat_map(|one| one.members().unwrap_or_default()));
            let inner: Vec<_> = inner.collect();
            ahead.extend(inner.into_iter().rev().map(|member| (member, level + 1)));
        }
    }
    Some(items)
}

fn elements<'t>(value: &Value<'t>) -> Vec<Value<'t>> {
    match json::parse(value.raw.as_bytes()) {
        Ok(Document::Array(all)) => {
            let all = all.into_iter();
            all.map(|one| Value {
                at: one.at + value.at,
                ..one
            })
            .collect()
        }
        _ => Vec::new(),
    }
}

/// An example that is an event, that holds one as its `payload` (AsyncAPI) or `value` (OpenAPI), or whose
/// `headers` have the attributes.
fn item(text: &[u8], line: u64, example: &Value<'_>) -> Option<Item> {
    let members = example.members()?;
    let named = |name: &str| members.iter().find(|member| member.name.text == name);
    if named("specversion").is_some() {
        return Some(event(text, line, example));
    }
    let headers = named("headers").and_then(|headers| headers.value.members());
    let is_attribute =
        |member: &Member<'_>| matches!(&*member.name.text, "ce-specversion" | "ce_specversion");
    let payload = named("payload").or_else(|| named("value"));
    if let Some(headers) = headers.filter(|headers| headers.iter().any(is_attribute)) {
        return Some(binary(text, line, example, &headers, payload));
    }
    let payload = &payload?.value;
    let inner = payload.members()?;
    let is_event = inner.iter().any(|member| member.name.text == "specversion");
    is_event.then(|| event(text, line, payload))
}

fn event(text: &[u8], line: u64, value: &Value<'_>) -> Item {
    let before = text.get(..value.at).unwrap_or_default();
    let on_line = before
        .rsplit(|byte| *byte == b'\n')
        .next()
        .unwrap_or_default();
    let column = String::from_utf8_lossy(on_line)
        .chars()
        .count()
        .min(MOST_COLUMNS);
    let capture = Capture::event(format!("{}{}", " ".repeat(column), value.raw));
    let first = line_of(text, line, value);
    item_of(capture, first, Some(first))
}

fn binary(
    text: &[u8],
    line: u64,
    example: &Value<'_>,
    headers: &[Member<'_>],
    payload: Option<&Member<'_>>,
) -> Item {
    let is_kafka = headers
        .iter()
        .any(|member| member.name.text.starts_with("ce_"));
    let mut capture = Capture::new(if is_kafka {
        Protocol::Kafka
    } else {
        Protocol::Http
    });
    let value = |value: &Value<'_>| {
        value
            .text()
            .map_or_else(|| value.raw.to_owned(), |text| text.text.into_owned())
    };
    let headers = headers.iter().map(|member| Header {
        name: member.name.text.clone().into_owned(),
        value: Some(value(&member.value).into_bytes()),
    });
    capture.headers = headers.collect();
    capture.body = payload.map(|payload| payload.value.raw.as_bytes().to_vec());
    item_of(capture, line_of(text, line, example), None)
}

fn line_of(text: &[u8], line: u64, value: &Value<'_>) -> u64 {
    let before = text.iter().take(value.at);
    line + before.filter(|byte| **byte == b'\n').count() as u64
}

fn item_of(capture: Capture, first: u64, body: Option<u64>) -> Item {
    Item {
        content: Content::Message(capture),
        lines: Lines {
            first,
            body,
            headers: Vec::new(),
            has_no_columns: false,
        },
        response_lines: None,
        is_taken_as_decoded: false,
    }
}
