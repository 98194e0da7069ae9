//! The JSON event format in: one pass over a text that is an event, spans instead of a tree.
//!
//! Members are read as they come. `data` may precede `datacontenttype`, so it is walked over, its
//! place is kept, and what it means is settled at the closing brace.

mod fast_path;
pub(crate) mod partial;

use std::borrow::Cow;

use memchr::memchr;

use crate::error::json::JsonError;
use crate::error::{AttributeFault, DecodeError, DecodeErrorKind, Place};
use crate::event::attribute::CoreAttribute;
use crate::event::data::Data;
use crate::event::draft::{Draft, Given};
use crate::event::media_type::is_json;
use crate::json::scan::{long_string_end, skip, skip_colon, string_end};
use crate::json::utf8::utf8_between;
use crate::tokens::{byte_at, skip_literal, skip_number, skip_space, unexpected};
use crate::vector::decode_base64;
use crate::vector::unescape::unescape;
use crate::wire::ReadOptions;
use crate::{Event, JsonText};

const DATA: &str = "data";
const DATA_BASE64: &str = "data_base64";

/// Reads the event object that starts at `at` into a blank event; returns where it ends.
///
/// Bytes that are not UTF-8 are refused, though perhaps as another fault.
#[inline]
pub(crate) fn read_event<'a>(
    bytes: &'a [u8],
    at: usize,
    options: &ReadOptions,
    event: &mut Event<'a>,
) -> Result<usize, DecodeError> {
    let read = Reader::read(bytes, at, options, event, true);
    read.or_else(|_| read_event_slowly(bytes, at, options, event))
}

/// Reads it once more without the fast path: the general reader tells the first fault, and knows what is tolerated.
#[cold]
fn read_event_slowly<'a>(
    bytes: &'a [u8],
    at: usize,
    options: &ReadOptions,
    event: &mut Event<'a>,
) -> Result<usize, DecodeError> {
    *event = Event::blank();
    Reader::read(bytes, at, options, event, false)
}

struct Reader<'a, 'r> {
    bytes: &'a [u8],
    options: &'r ReadOptions,
    is_fast: bool,
    draft: Draft<'a, 'r>,
    /// Where the value of `data` begins, and the value.
    data: Option<(usize, &'a str)>,
    /// What `data_base64` stands for, if it was named.
    data_base64: Option<Data<'a>>,
}

impl<'a, 'r> Reader<'a, 'r> {
    #[inline(always)]
    fn read(
        bytes: &'a [u8],
        at: usize,
        options: &'r ReadOptions,
        event: &'r mut Event<'a>,
        is_fast: bool,
    ) -> Result<usize, DecodeError> {
        let mut reader = Self {
            bytes,
            options,
            is_fast,
            draft: Draft::new(event, &options.register, options.leniency),
            data: None,
            data_base64: None,
        };
        let end = reader.read_object(at)?;
        reader.finish()?;
        Ok(end)
    }

    fn rest_from(&self, at: usize) -> &'a [u8] {
        self.bytes.get(at..).unwrap_or_default()
    }

    fn offset_of(&self, rest: &[u8]) -> usize {
        self.bytes.len() - rest.len()
    }

    #[inline(always)]
    fn read_object(&mut self, at: usize) -> Result<usize, DecodeError> {
        let bytes = self.bytes;
        if byte_at(bytes, at) != b'{' {
            return Err(other_kind(DecodeErrorKind::NotAnObject, bytes, at));
        }
        let at = skip_space(bytes, at + 1);
        if byte_at(bytes, at) == b'}' {
            return Ok(at + 1);
        }
        let mut rest = self.rest_from(at);
        loop {
            // The fast path returns no error: a `Result` would travel through memory.
            let after = match rest {
                [b'"', name @ ..] if self.is_fast => self.read_member_fast(name),
                _ => None,
            };
            let after = match after {
                Some(after) => after,
                None => {
                    let end = self.read_any_member(self.offset_of(rest))?;
                    self.rest_from(end)
                }
            };
            if let [b',', next @ ..] = after
                && next.first() == Some(&b'"')
            {
                rest = next;
                continue;
            }
            let at = skip_space(bytes, self.offset_of(after));
            match byte_at(bytes, at) {
                b',' => rest = self.rest_from(skip_space(bytes, at + 1)),
                b'}' => return Ok(at + 1),
                _ => return Err(unexpected(bytes, at).into()),
            }
        }
    }

    /// Reads a member however it is written.
    #[inline(never)]
    fn read_any_member(&mut self, at: usize) -> Result<usize, DecodeError> {
        let bytes = self.bytes;
        if byte_at(bytes, at) != b'"' {
            return Err(unexpected(bytes, at).into());
        }
        let (name, end) = self.string(at + 1)?;
        let (at, _) = skip_colon(bytes, end)?;
        match &*name {
            DATA => self.read_data(at),
            DATA_BASE64 => self.read_data_base64(at),
            _ => self.read_attribute(name, at),
        }
    }

    /// The text of the string whose inside begins at `start`, and where the string ends.
    #[inline]
    fn string(&self, start: usize) -> Result<(Cow<'a, str>, usize), DecodeError> {
        let end = string_end(self.bytes, start)?;
        let text = unescape(self.options.loops, utf8_between(self.bytes, start, end)?);
        let text = text.map_err(|error| JsonError::new(error.fault, start + error.at))?;
        Ok((text, end + 1))
    }

    fn read_data(&mut self, at: usize) -> Result<usize, DecodeError> {
        if self.data.is_some() {
            return Err(DecodeError::of(AttributeFault::Repeated, DATA));
        }
        let end = match byte_at(self.bytes, at) {
            b'"' => long_string_end(self.options.loops, self.bytes, at + 1)? + 1,
            _ => skip(self.bytes, at, self.options.limits.depth_of_data())?,
        };
        self.data = Some((at, utf8_between(self.bytes, at, end)?));
        Ok(end)
    }

    fn read_data_base64(&mut self, at: usize) -> Result<usize, DecodeError> {
        if self.data_base64.is_some() {
            return Err(DecodeError::of(AttributeFault::Repeated, DATA_BASE64));
        }
        let bytes = self.bytes;
        let (data, end) = match byte_at(bytes, at) {
            b'"' => {
                let (decoded, end) = self.base64(at + 1)?;
                (Data::Binary(Cow::Owned(decoded)), end)
            }
            b'n' => (Data::None, skip_literal(bytes, at, b"null")?),
            b'{' | b'[' | b't' | b'f' | b'-' | b'0'..=b'9' => {
                return Err(DecodeError::of(AttributeFault::NotAString, DATA_BASE64));
            }
            _ => return Err(unexpected(bytes, at).into()),
        };
        self.data_base64 = Some(data);
        Ok(end)
    }

    /// The bytes of a string that is Base64, and where it ends.
    #[inline(never)]
    fn base64(&self, start: usize) -> Result<(Vec<u8>, usize), DecodeError> {
        let rest = self.rest_from(start);
        if let Some((inside, _)) = memchr(b'"', rest).and_then(|end| rest.split_at_checked(end))
            && let Some(decoded) = decode_base64(self.options.loops, inside)
        {
            return Ok((decoded, start + inside.len() + 1));
        }
        // It has escapes, or is none.
        let (text, end) = self.string(start)?;
        let decoded = decode_base64(self.options.loops, text.as_bytes());
        let decoded = decoded.ok_or_else(|| DecodeError::of(AttributeFault::Base64, DATA_BASE64));
        Ok((decoded?, end))
    }

    #[inline]
    fn read_attribute(&mut self, name: Cow<'a, str>, at: usize) -> Result<usize, DecodeError> {
        if self.draft.count >= self.options.limits.attributes {
            return Err(DecodeError::member(DecodeErrorKind::TooLarge, &name));
        }
        let bytes = self.bytes;
        let (given, end) = match byte_at(bytes, at) {
            b'"' => {
                let (text, end) = self.string(at + 1)?;
                (Given::Text(text), end)
            }
            b'n' => (Given::Unset, skip_literal(bytes, at, b"null")?),
            b't' => (Given::Boolean(true), skip_literal(bytes, at, b"true")?),
            b'f' => (Given::Boolean(false), skip_literal(bytes, at, b"false")?),
            first @ (b'-' | b'0'..=b'9') => {
                let end = skip_number(bytes, at, first)?;
                let number = str::from_utf8(bytes.get(at..end).unwrap_or_default());
                let number = number.unwrap_or_default().parse::<i32>();
                let refused = |_| match CoreAttribute::of(&name) {
                    Some(_) => DecodeError::of(AttributeFault::NotAString, &name),
                    None => DecodeError::of(AttributeFault::NotAnInteger, &name),
                };
                (Given::Integer(number.map_err(refused)?), end)
            }
            b'{' | b'[' => return Err(DecodeError::of(AttributeFault::NotAnAttribute, &name)),
            _ => return Err(unexpected(bytes, at).into()),
        };
        self.draft.take(name, given)?;
        Ok(end)
    }

    #[inline]
    fn finish(&mut self) -> Result<(), DecodeError> {
        self.draft.close()?;
        let data = match (self.data, self.data_base64.take()) {
            (Some(_), Some(Data::Binary(_))) => {
                return Err(DecodeError::member(DecodeErrorKind::DataTwice, DATA_BASE64));
            }
            (Some((start, value)), _) => self.data_of(start, value)?,
            (None, data) => data.unwrap_or_default(),
        };
        self.draft.event.put_data(data);
        Ok(())
    }

    #[inline]
    fn data_of(&self, start: usize, value: &'a str) -> Result<Data<'a>, DecodeError> {
        if self.draft.event.datacontenttype().is_none_or(is_json) {
            return Ok(Data::Json(JsonText::already_validated(value)));
        }
        let rest = value.strip_prefix('"');
        let Some(inside) = rest.and_then(|rest| rest.strip_suffix('"')) else {
            return Err(DecodeError::member(DecodeErrorKind::DataNotText, DATA));
        };
        let text = unescape(self.options.loops, inside);
        let text = text.map_err(|error| JsonError::new(error.fault, start + 1 + error.at))?;
        Ok(Data::Text(text))
    }
}

/// The error for what is at `at`: a value of another kind than is needed, or none.
#[cold]
pub(crate) fn other_kind(kind: DecodeErrorKind, bytes: &[u8], at: usize) -> DecodeError {
    match byte_at(bytes, at) {
        b'{' | b'[' | b'"' | b't' | b'f' | b'n' | b'-' | b'0'..=b'9' => {
            DecodeError::new(kind, Place::Byte(at))
        }
        _ => unexpected(bytes, at).into(),
    }
}
