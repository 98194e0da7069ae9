//! What data may be, and how it is spelled inside a structured event.

use fastrand::Rng;

use super::payload;

/// What the data of every event of a case is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// JSON without spaces.
    Compact,
    /// JSON, indented by two spaces.
    Pretty,
    /// JSON whose strings are full of escapes.
    Escapes,
    /// XML, a string in structured mode.
    Xml,
    /// Bytes, in `data_base64` in structured mode.
    Base64,
}

impl Kind {
    /// Every kind, the one that limits are about first.
    pub const ALL: [Self; 5] = [
        Self::Compact,
        Self::Pretty,
        Self::Escapes,
        Self::Xml,
        Self::Base64,
    ];

    /// The name in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Compact => "compact",
            Self::Pretty => "pretty",
            Self::Escapes => "escapes",
            Self::Xml => "xml",
            Self::Base64 => "base64",
        }
    }

    /// The content type of the data.
    #[must_use]
    pub const fn content_type(self) -> &'static str {
        match self {
            Self::Compact | Self::Pretty | Self::Escapes => "application/json",
            Self::Xml => "application/xml",
            Self::Base64 => "application/octet-stream",
        }
    }

    /// Data that takes about `bytes` bytes in structured mode.
    pub(super) fn generate(self, random: &mut Rng, bytes: usize) -> Vec<u8> {
        match self {
            Self::Compact => payload::generate(random, bytes).into_bytes(),
            Self::Pretty => indented(&payload::generate(random, bytes * 5 / 8)).into_bytes(),
            Self::Escapes => {
                let json = payload::generate(random, bytes * 7 / 8);
                escaped(random, &json).into_bytes()
            }
            Self::Xml => payload::generate_xml(random, bytes * 15 / 16).into_bytes(),
            Self::Base64 => {
                let mut data = vec![0; bytes.saturating_sub(9) / 4 * 3 + 1];
                random.fill(&mut data);
                data
            }
        }
    }

    /// Appends the member that holds `data`.
    pub(super) fn write_member(self, data: &[u8], out: &mut Vec<u8>) {
        match self {
            Self::Compact | Self::Pretty | Self::Escapes => {
                out.extend_from_slice(b"\"data\":");
                out.extend_from_slice(data);
            }
            Self::Xml => {
                out.extend_from_slice(b"\"data\":");
                let text = str::from_utf8(data).expect("XML is text");
                serde_json::to_writer(out, text).expect("a Vec takes all bytes");
            }
            Self::Base64 => {
                out.extend_from_slice(b"\"data_base64\":\"");
                base64_simd::STANDARD.encode_append(data, out);
                out.push(b'"');
            }
        }
    }
}

/// The same JSON over many lines.
fn indented(json: &str) -> String {
    let mut out = String::with_capacity(json.len() * 2);
    let (mut depth, mut in_string, mut is_escaped) = (0, false, false);
    let line = |out: &mut String, depth: usize| {
        out.push('\n');
        out.push_str(&"  ".repeat(depth));
    };
    for character in json.chars() {
        if in_string {
            out.push(character);
            in_string = character != '"' || is_escaped;
            is_escaped = character == '\\' && !is_escaped;
            continue;
        }
        match character {
            '{' | '[' => {
                depth += 1;
                out.push(character);
                line(&mut out, depth);
            }
            '}' | ']' => {
                depth -= 1;
                line(&mut out, depth);
                out.push(character);
            }
            ',' => {
                out.push(character);
                line(&mut out, depth);
            }
            ':' => out.push_str(": "),
            _ => {
                in_string = character == '"';
                out.push(character);
            }
        }
    }
    out
}

/// The same JSON, but spaces in strings become escapes now and then, and other letters than ASCII always.
fn escaped(random: &mut Rng, json: &str) -> String {
    let mut out = String::with_capacity(json.len() * 2);
    for character in json.chars() {
        match character {
            // There are no spaces but in strings.
            ' ' => out.push_str([" ", "\\n", "\\t", "\\\"", "\\/"][random.usize(..5)]),
            character if character.is_ascii() => out.push(character),
            character => out.push_str(&format!("\\u{:04x}", u32::from(character))),
        }
    }
    out
}
