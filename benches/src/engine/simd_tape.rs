//! simd-json's tape with reused buffers, and the slice of `data` found again in the input.
//!
//! The tape has no offsets, but its strings lie in the buffer that was parsed. A key's place there is
//! its place in the input, because unescaping only moves bytes within a string.

use base64_simd::STANDARD;
use simd_json::{Buffers, Node, Tape};

use super::{Engine, HeaderIterator, Headers, Shape};
use crate::corpus::Message;

/// `simd-json`. It parses in place, so the input is copied first. Of the CloudEvents rules it only
/// looks for the four required names.
pub struct SimdTape {
    scratch: Vec<u8>,
    buffers: Buffers,
    tape: Tape<'static>,
    headers: Headers,
    text: Vec<u8>,
}

impl Default for SimdTape {
    fn default() -> Self {
        Self {
            scratch: Vec::new(),
            buffers: Buffers::default(),
            tape: Tape::null(),
            headers: Headers::default(),
            text: Vec::new(),
        }
    }
}

impl Engine for SimdTape {
    fn name(&self) -> &'static str {
        "simd-json-tape"
    }

    fn keeps_bytes(&self) -> bool {
        true
    }

    fn decode(&mut self, text: &[u8], take: &mut dyn FnMut(&mut dyn HeaderIterator, &[u8])) {
        self.scratch.clear();
        self.scratch.extend_from_slice(text);
        let base = self.scratch.as_ptr().addr();
        let mut tape = std::mem::replace(&mut self.tape, Tape::null()).reset();
        simd_json::fill_tape(&mut self.scratch, &mut self.buffers, &mut tape).expect("valid JSON");
        self.headers.clear();
        let data = members(&tape, base, &mut self.headers);
        let headers = &mut self.headers.iter();
        match data {
            Member::None => take(headers, b""),
            Member::Json { key, next } => take(headers, raw_value(text, key, next)),
            Member::Text(data) => take(headers, data.as_bytes()),
            Member::Base64(data) => {
                let data = STANDARD.decode_to_vec(data.as_bytes()).expect("base64");
                take(headers, &data);
            }
        }
        self.tape = tape.reset();
    }

    fn encode(&mut self, message: &Message<'_>, take: &mut dyn FnMut(&[u8])) {
        let body = message.body.unwrap_or_default();
        let shape = Shape::of(message);
        if let Shape::Json = shape {
            self.scratch.clear();
            self.scratch.extend_from_slice(body);
            let mut tape = std::mem::replace(&mut self.tape, Tape::null()).reset();
            simd_json::fill_tape(&mut self.scratch, &mut self.buffers, &mut tape)
                .expect("valid JSON");
            self.tape = tape.reset();
        }
        self.text.clear();
        self.text.push(b'{');
        for header in message.headers {
            let name = header.name.strip_prefix("ce_").unwrap_or("datacontenttype");
            let value = str::from_utf8(header.value.unwrap_or_default()).expect("values are text");
            self.text.push(b'"');
            self.text.extend_from_slice(name.as_bytes());
            self.text.extend_from_slice(b"\":");
            serde_json::to_writer(&mut self.text, value).expect("a Vec takes all bytes");
            self.text.push(b',');
        }
        match shape {
            Shape::Json => {
                self.text.extend_from_slice(b"\"data\":");
                self.text.extend_from_slice(body);
            }
            Shape::Text => {
                self.text.extend_from_slice(b"\"data\":");
                let text = str::from_utf8(body).expect("a body of text");
                serde_json::to_writer(&mut self.text, text).expect("a Vec takes all bytes");
            }
            Shape::Bytes => {
                self.text.extend_from_slice(b"\"data_base64\":\"");
                STANDARD.encode_append(body, &mut self.text);
                self.text.push(b'"');
            }
        }
        self.text.push(b'}');
        take(&self.text);
    }
}

/// What holds the data.
enum Member<'t> {
    None,
    /// Where the key `data` and the next key begin.
    Json {
        key: usize,
        next: Option<usize>,
    },
    Text(&'t str),
    Base64(&'t str),
}

/// Writes the attributes to `headers` and returns the member that holds the data.
fn members<'t>(tape: &'t Tape<'_>, base: usize, headers: &mut Headers) -> Member<'t> {
    let nodes = &tape.0;
    assert!(
        matches!(nodes[0], Node::Object { .. }),
        "an event is an object"
    );
    let (mut at, mut data, mut required, mut is_json) = (1, Member::None, 0, true);
    let mut text = None;
    while let Some(Node::String(name)) = nodes.get(at) {
        let offset = name.as_ptr().addr() - base;
        if let Member::Json { next, .. } = &mut data {
            next.get_or_insert(offset);
        }
        at += 1 + match &nodes[at + 1] {
            node if *name == "data" => {
                data = Member::Json {
                    key: offset,
                    next: None,
                };
                if let Node::String(value) = node {
                    text = Some(*value);
                }
                value_len(node)
            }
            Node::String(value) if *name == "data_base64" => {
                data = Member::Base64(value);
                1
            }
            Node::String(value) => {
                required += u8::from(matches!(*name, "specversion" | "id" | "source" | "type"));
                is_json &= *name != "datacontenttype" || *value == "application/json";
                headers.push_attribute(name, value);
                1
            }
            node => value_len(node),
        };
    }
    assert_eq!(required, 4, "the event is valid");
    match text {
        Some(text) if !is_json => Member::Text(text),
        _ => data,
    }
}

fn value_len(node: &Node<'_>) -> usize {
    match node {
        Node::Object { count, .. } | Node::Array { count, .. } => count + 1,
        Node::String(_) | Node::Static(_) => 1,
    }
}

/// The text between the key that starts at `key` and the key that starts at `next`, or the end.
fn raw_value(text: &[u8], key: usize, next: Option<usize>) -> &[u8] {
    let after_key = &text[key + b"data\"".len()..next.map_or(text.len(), |next| next - 1)];
    let value = after_key
        .trim_ascii()
        .strip_prefix(b":")
        .expect("a colon follows a key")
        .trim_ascii();
    let end = if next.is_some() { b"," } else { b"}" };
    value
        .strip_suffix(end)
        .expect("a value is followed by a comma or the end")
        .trim_ascii()
}
