//! The JSON event format in: one pass over a text that is an event, spans instead of a tree.
//!
//! Members are read as they come. `data` may precede `datacontenttype`, so it is walked over, its
//! place is kept, and what it means is settled at the closing brace.

mod fast_path;
pub(crate) mod partial;

use std::borrow::Cow;

use memchr::memchr;

use crate::error::json::{JsonError, JsonFault};
use crate::error::{AttributeFault, DecodeError, DecodeErrorKind, Place};
use crate::event::canonical::integer;
use crate::event::data::Data;
use crate::event::draft::{Draft, ReceivedValue};
use crate::event::media_type::is_json;
use crate::json::scan::{self, Form, ScannedString, long_string_end};
use crate::json::utf8::utf8_between;
use crate::json::value::{skip, skip_colon};
use crate::tokens::{byte_at, skip_literal, skip_number, skip_space, unexpected};
use crate::vector::unescape::unescape;
use crate::vector::{VectorLoops, base64};
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
    let mut reader = Reader {
        bytes,
        options,
        draft: Draft::new(event, options.leniency),
        data: None,
        data_base64: Base64Member::NotNamed,
    };
    reader.read(at).map_err(|error| reader.first_fault(error))
}

struct Reader<'a, 'r> {
    bytes: &'a [u8],
    options: &'r ReadOptions,
    draft: Draft<'a, 'r>,
    /// Where the value of `data` begins, and the value.
    data: Option<(usize, &'a str)>,
    data_base64: Base64Member<'a>,
}

/// What came of the member `data_base64`.
enum Base64Member<'a> {
    NotNamed,
    /// Null: counts for repeats only.
    Unset,
    /// Its bytes are in the event.
    Taken,
    /// Its text, which has escapes or is not Base64.
    Text(Cow<'a, str>),
}

impl<'a> Reader<'a, '_> {
    #[inline(always)]
    fn read(&mut self, at: usize) -> Result<usize, DecodeError> {
        let end = self.read_object(at)?;
        self.finish()?;
        Ok(end)
    }

    /// The first fault in the text: an attribute that was put unchecked comes before where reading ended.
    #[cold]
    fn first_fault(&self, error: DecodeError) -> DecodeError {
        match self.draft.first_fault() {
            Some((core, fault)) => attribute_error(fault, core.name()),
            None => error,
        }
    }

    /// What is between two places of the text.
    #[inline]
    fn slice(&self, start: usize, end: usize) -> &'a [u8] {
        self.bytes.get(start..end).unwrap_or_default()
    }

    /// What is after a place of the text.
    #[inline]
    fn rest_from(&self, at: usize) -> &'a [u8] {
        self.bytes.get(at..).unwrap_or_default()
    }

    /// Where the rest of the text begins.
    #[inline]
    fn offset_of(&self, rest: &[u8]) -> usize {
        self.bytes.len() - rest.len()
    }

    #[inline(always)]
    fn read_object(&mut self, at: usize) -> Result<usize, DecodeError> {
        let bytes = self.bytes;
        if byte_at(bytes, at) != b'{' {
            return Err(not_an_object(bytes, at));
        }
        let at = skip_space(bytes, at + 1);
        if byte_at(bytes, at) == b'}' {
            return Ok(at + 1);
        }
        let mut rest = self.rest_from(at);
        loop {
            // The fast path returns no error: a `Result` would travel through memory.
            let after = match rest {
                [b'"', name @ ..] => self.read_member_fast(name),
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
        let scanned_name = scan::string(bytes, at + 1)?;
        let name = self.string(at + 1, scanned_name)?;
        let at = skip_colon(bytes, scanned_name.end + 1)?;
        match &*name {
            DATA => self.read_data(at),
            DATA_BASE64 => self.read_data_base64(at),
            _ => self.read_attribute(name, at),
        }
    }

    /// The text of a scanned string.
    #[inline]
    fn string(&self, start: usize, scanned: ScannedString) -> Result<Cow<'a, str>, DecodeError> {
        let text = utf8_between(self.bytes, start, scanned.end)?;
        if scanned.form != Form::Escaped {
            return Ok(Cow::Borrowed(text));
        }
        let unescaped = unescape(self.options.loops, text);
        unescaped.map_err(|fault| JsonError::new(fault, start).into())
    }

    fn read_data(&mut self, at: usize) -> Result<usize, DecodeError> {
        if self.data.is_some() {
            return Err(repeated_error(DATA));
        }
        let end = match byte_at(self.bytes, at) {
            b'"' => long_string_end(self.options.loops, self.bytes, at + 1)? + 1,
            _ => skip(self.bytes, at, self.options.limits.depth_of_data())?,
        };
        self.data = Some((at, utf8_between(self.bytes, at, end)?));
        Ok(end)
    }

    fn read_data_base64(&mut self, at: usize) -> Result<usize, DecodeError> {
        if !matches!(self.data_base64, Base64Member::NotNamed) {
            return Err(repeated_error(DATA_BASE64));
        }
        let bytes = self.bytes;
        match byte_at(bytes, at) {
            b'"' => {
                if let Some((decoded, end)) = unescaped_base64(self.options.loops, bytes, at + 1) {
                    self.draft.put_data(Data::Binary(Cow::Owned(decoded)));
                    self.data_base64 = Base64Member::Taken;
                    return Ok(end + 1);
                }
                let scanned = scan::string(bytes, at + 1)?;
                self.data_base64 = Base64Member::Text(self.string(at + 1, scanned)?);
                Ok(scanned.end + 1)
            }
            b'n' => {
                self.data_base64 = Base64Member::Unset;
                Ok(skip_literal(bytes, at, b"null")?)
            }
            b'{' | b'[' | b't' | b'f' | b'-' | b'0'..=b'9' => {
                Err(attribute_error(AttributeFault::NotAString, DATA_BASE64))
            }
            _ => Err(unexpected(bytes, at).into()),
        }
    }

    #[inline]
    fn read_attribute(&mut self, name: Cow<'a, str>, at: usize) -> Result<usize, DecodeError> {
        if self.draft.count() >= self.options.limits.attributes {
            return Err(DecodeError::member(DecodeErrorKind::TooLarge, &name));
        }
        let bytes = self.bytes;
        let (given, end) = match byte_at(bytes, at) {
            b'"' => {
                let scanned = scan::string(bytes, at + 1)?;
                let text = self.string(at + 1, scanned)?;
                let printable = scanned.form == Form::Printable;
                (ReceivedValue::Text(text, printable), scanned.end + 1)
            }
            b'n' => (ReceivedValue::Unset, skip_literal(bytes, at, b"null")?),
            b't' => (
                ReceivedValue::Boolean(true),
                skip_literal(bytes, at, b"true")?,
            ),
            b'f' => (
                ReceivedValue::Boolean(false),
                skip_literal(bytes, at, b"false")?,
            ),
            b'-' | b'0'..=b'9' => {
                let end = skip_number(bytes, at)?;
                let number = match str::from_utf8(self.slice(at, end)) {
                    Ok("-0") => Some(0),
                    digits => integer(digits.unwrap_or_default()),
                };
                let number =
                    number.ok_or_else(|| attribute_error(AttributeFault::NotAnInteger, &name))?;
                (ReceivedValue::Integer(number), end)
            }
            b'{' | b'[' => return Err(attribute_error(AttributeFault::NotAnAttribute, &name)),
            _ => return Err(unexpected(bytes, at).into()),
        };
        match self.draft.take(name, given, &self.options.register) {
            Ok(()) => Ok(end),
            Err((name, fault)) => Err(attribute_error(fault, &name)),
        }
    }

    #[inline]
    fn finish(&mut self) -> Result<(), DecodeError> {
        if let Err((core, fault)) = self.draft.close() {
            return Err(attribute_error(fault, core.name()));
        }
        let data = match (self.data, &self.data_base64) {
            (None, Base64Member::Taken) => return Ok(()),
            (None, Base64Member::NotNamed | Base64Member::Unset) => Data::None,
            (Some((start, value)), Base64Member::NotNamed | Base64Member::Unset) => {
                self.data_of(start, value)?
            }
            (None, Base64Member::Text(text)) => {
                let bytes = base64::decode(self.options.loops, text.as_bytes());
                let bytes =
                    bytes.ok_or_else(|| attribute_error(AttributeFault::Base64, DATA_BASE64))?;
                Data::Binary(Cow::Owned(bytes))
            }
            (Some(_), Base64Member::Taken | Base64Member::Text(_)) => {
                return Err(DecodeError::member(DecodeErrorKind::DataTwice, DATA_BASE64));
            }
        };
        self.draft.put_data(data);
        Ok(())
    }

    #[inline]
    fn data_of(&self, start: usize, value: &'a str) -> Result<Data<'a>, DecodeError> {
        if self.draft.datacontenttype().is_none_or(is_json) {
            return Ok(Data::Json(JsonText::already_validated(value)));
        }
        let Some(inside) = value
            .strip_prefix('"')
            .and_then(|rest| rest.strip_suffix('"'))
        else {
            return Err(DecodeError::member(DecodeErrorKind::DataNotText, DATA));
        };
        let text = unescape(self.options.loops, inside);
        let text = text.map_err(|fault| JsonError::new(fault, start + 1))?;
        Ok(Data::Text(text))
    }
}

/// The bytes of a string that is Base64 without escapes, and where its closing quote is.
#[inline(never)]
fn unescaped_base64(
    loops: Option<VectorLoops>,
    bytes: &[u8],
    at: usize,
) -> Option<(Vec<u8>, usize)> {
    let rest = bytes.get(at..)?;
    let length = memchr(b'"', rest)?;
    let decoded = base64::decode(loops, rest.get(..length)?)?;
    Some((decoded, at + length))
}

#[cold]
fn repeated_error(name: &str) -> DecodeError {
    attribute_error(AttributeFault::Repeated, name)
}

#[cold]
fn attribute_error(fault: AttributeFault, name: &str) -> DecodeError {
    DecodeError::member(DecodeErrorKind::Attribute(fault), name)
}

#[cold]
fn not_an_object(bytes: &[u8], at: usize) -> DecodeError {
    match byte_at(bytes, at) {
        b'[' | b'"' | b't' | b'f' | b'n' | b'-' | b'0'..=b'9' => {
            DecodeError::new(DecodeErrorKind::NotAnObject, Place::Byte(at))
        }
        _ => unexpected(bytes, at).into(),
    }
}

/// The error for anything but white space after the end.
pub(crate) fn expect_end(bytes: &[u8], at: usize) -> Result<(), DecodeError> {
    let at = skip_space(bytes, at);
    if at == bytes.len() {
        Ok(())
    } else {
        Err(JsonError::new(JsonFault::TrailingText, at).into())
    }
}
