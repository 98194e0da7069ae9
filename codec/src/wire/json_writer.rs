//! The JSON event format out: members in canonical order, `data` last, where every reader finds it.

use std::io::Write;

use base64_simd::STANDARD;

use crate::event::attribute::CoreAttribute::{
    self, DataContentType, DataSchema, Id, Source, Subject, Time, Type,
};
use crate::event::data::Data;
use crate::event::value::Value;
use crate::event::{Event, Text};
use crate::json::scan::skip_unescaped;

/// Appends the event in the JSON format to `out`, `data` last (JSON format 1.0.2, section 3): the body of
/// [`encode`](crate::encode) in structured mode, into a buffer of your own, without the header.
/// [`BatchElement`](crate::BatchElement) shows it.
pub fn encode_structured(event: &Event<'_>, out: &mut Vec<u8>) {
    // Escapes may add to it.
    let data_length = match event.data() {
        Data::None => 0,
        Data::Json(json) => json.as_str().len(),
        Data::Text(text) => text.len(),
        Data::Binary(bytes) => STANDARD.encoded_length(bytes.len()),
    };
    out.reserve(512 + data_length);
    out.extend_from_slice(b"{\"specversion\":\"1.0");
    write_core(event, Id, r#"","id":""#, out);
    write_core(event, Source, r#"","source":""#, out);
    write_core(event, Type, r#"","type":""#, out);
    write_core(event, DataContentType, r#"","datacontenttype":""#, out);
    write_core(event, DataSchema, r#"","dataschema":""#, out);
    write_core(event, Subject, r#"","subject":""#, out);
    write_core(event, Time, r#"","time":""#, out);
    out.push(b'"');
    for extension in event.extensions() {
        write_name(out, extension.name());
        match extension.value() {
            Value::Text(text) => write_string(out, text.as_str()),
            value => out.extend_from_slice(value.text_in(&mut [0; 11]).as_bytes()),
        }
    }
    match event.data() {
        Data::None => {}
        Data::Json(json) => {
            write_name(out, "data");
            out.extend_from_slice(json.as_str().as_bytes());
        }
        Data::Text(text) => {
            write_name(out, "data");
            write_string(out, text);
        }
        Data::Binary(bytes) => {
            write_name(out, "data_base64");
            out.push(b'"');
            STANDARD.encode_append(bytes, out);
            out.push(b'"');
        }
    }
    out.push(b'}');
}

/// Writes a core attribute, if it is set, after what closes the value before it and names it: a constant, so that the
/// compiler writes it in a few words.
#[inline(always)]
fn write_core(event: &Event<'_>, core: CoreAttribute, between: &str, out: &mut Vec<u8>) {
    let Some(text) = event.core_text(core) else {
        return;
    };
    out.extend_from_slice(between.as_bytes());
    match text {
        Text::Any(text) => write_inside(out, text),
        Text::Verbatim(text) => out.extend_from_slice(text.as_bytes()),
    }
}

/// Names are letters, digits and the underscore of `data_base64`: nothing to escape.
#[inline]
fn write_name(out: &mut Vec<u8>, name: &str) {
    out.extend_from_slice(b",\"");
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b"\":");
}

/// Appends `text` as a JSON string, quotes included.
#[inline]
fn write_string(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    write_inside(out, text);
    out.push(b'"');
}

#[inline]
fn write_inside(out: &mut Vec<u8>, text: &str) {
    let mut rest = text.as_bytes();
    loop {
        let (plain, special) = rest.split_at(skip_unescaped(rest, 0));
        out.extend_from_slice(plain);
        let Some((&byte, after)) = special.split_first() else {
            return;
        };
        write_escape(out, byte);
        rest = after;
    }
}

fn write_escape(out: &mut Vec<u8>, byte: u8) {
    let short = match byte {
        b'"' | b'\\' => byte,
        0x08 => b'b',
        0x0C => b'f',
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        _ => return write!(out, "\\u{byte:04x}").expect("a Vec takes all"),
    };
    out.extend_from_slice(&[b'\\', short]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_what_can_be_read_back() {
        let every: String = (0..0x80)
            .map(char::from)
            .chain("é😀\u{ffff}".chars())
            .collect();
        let mut out = Vec::new();
        write_string(&mut out, &every);
        let read: String = serde_json::from_slice(&out).unwrap();
        assert_eq!(read, every);
    }

    #[test]
    fn core_attributes_are_written_in_their_order_and_by_their_names() {
        let mut event = Event::new("/1", "/2", "/3").unwrap();
        let mut expected = r#"{"specversion":"1.0","id":"/1","source":"/2","type":"/3""#.to_owned();
        for (core, value) in [
            (DataContentType, "text/4"),
            (DataSchema, "a:5"),
            (Subject, "6"),
            (Time, "2026-11-25T00:00:07Z"),
        ] {
            event = event.with_attribute(core.name(), value).unwrap();
            expected += &format!(",\"{}\":\"{value}\"", core.name());
        }
        let mut text = Vec::new();
        encode_structured(&event, &mut text);
        assert_eq!(str::from_utf8(&text), Ok(&*(expected + "}")));
    }
}
