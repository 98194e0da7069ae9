//! simd-json's tape with reused buffers, and the slice of `data` found again in the input.
//!
//! The tape has no offsets, but its strings lie in the buffer that was parsed. A key's place there is
//! its place in the input, because unescaping only moves bytes within a string.

use cloudevents_nl_codec::Message;
use simd_json::{Buffers, Node, Tape};

use super::{Engine, HeaderIterator, Headers};

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
        self.tape = tape.reset();
        let body = data.map_or(&b""[..], |(key, next)| raw_value(text, key, next));
        take(&mut self.headers.iter(), body);
    }

    fn encode(&mut self, message: &Message<'_>, take: &mut dyn FnMut(&[u8])) {
        let body = message.body.unwrap_or_default();
        self.scratch.clear();
        self.scratch.extend_from_slice(body);
        let mut tape = std::mem::replace(&mut self.tape, Tape::null()).reset();
        simd_json::fill_tape(&mut self.scratch, &mut self.buffers, &mut tape).expect("valid JSON");
        self.tape = tape.reset();
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
        self.text.extend_from_slice(b"\"data\":");
        self.text.extend_from_slice(body);
        self.text.push(b'}');
        take(&self.text);
    }
}

/// Writes the attributes to `headers` and returns where the key `data` and the next key begin.
fn members(tape: &Tape<'_>, base: usize, headers: &mut Headers) -> Option<(usize, Option<usize>)> {
    let nodes = &tape.0;
    assert!(
        matches!(nodes[0], Node::Object { .. }),
        "an event is an object"
    );
    let (mut at, mut data, mut required) = (1, None, 0);
    while let Some(Node::String(name)) = nodes.get(at) {
        let offset = name.as_ptr().addr() - base;
        if let Some((_, next @ None)) = &mut data {
            *next = Some(offset);
        }
        at += 1 + match &nodes[at + 1] {
            _ if *name == "data" => {
                data = Some((offset, None));
                value_len(&nodes[at + 1])
            }
            Node::String(value) => {
                required += u8::from(matches!(*name, "specversion" | "id" | "source" | "type"));
                headers.push_attribute(name, value);
                1
            }
            node => value_len(node),
        };
    }
    assert_eq!(required, 4, "the event is valid");
    data
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
