//! The JSON event format in: one pass over a text that is an event, spans instead of a tree.
//!
//! Members are read as they come. `data` may precede `datacontenttype`, so it is walked over, its
//! place is kept, and what it means is settled at the closing brace.

mod common;

use std::borrow::Cow;

use bstr::ByteSlice;

use crate::error::json::{JsonError, JsonFault};
use crate::error::{AttributeFault, DecodeError, DecodeErrorKind, Place};
use crate::event::data::Data;
use crate::event::draft::{Draft, Given};
use crate::event::media_type::is_json;
use crate::event::value::integer;
use crate::json::scan::{self, Form};
use crate::json::utf8::utf8_between;
use crate::json::value::{skip_colon, skip_fast};
use crate::tokens::{byte_at, skip_literal, skip_number, skip_space, unexpected};
use crate::vector::base64;
use crate::vector::quoted::Marker;
use crate::vector::unescape::unescape;
use crate::wire::ReadOptions;
use crate::{Event, JsonText};

const DATA: &str = "data";
const DATA_BASE64: &str = "data_base64";

/// Reads the event object that starts at `at` into a blank event; returns where it ends.
///
/// The bytes need not be UTF-8: what is not is refused, though perhaps for something else.
#[inline]
pub(crate) fn read_event<'a>(
    bytes: &'a [u8],
    at: usize,
    options: &ReadOptions,
    event: &mut Event<'a>,
) -> Result<usize, DecodeError> {
    let mut reader = Reader {
        bytes,
        marker: Marker::detect(),
        options,
        draft: Draft::new(event, options.leniency),
        data: None,
        data_base64: Base64::NotNamed,
    };
    reader.read(at).map_err(|error| reader.first_fault(error))
}

struct Reader<'a, 'r> {
    bytes: &'a [u8],
    marker: Marker,
    options: &'r ReadOptions,
    draft: Draft<'a, 'r>,
    /// Where the value of `data` begins, and the value.
    data: Option<(usize, &'a str)>,
    data_base64: Base64<'a>,
}

/// What came of the member `data_base64`.
enum Base64<'a> {
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

    /// The first fault in the order of the text, given where reading ended: an attribute that was put without
    /// a check comes before that.
    #[cold]
    fn first_fault(&self, error: DecodeError) -> DecodeError {
        match self.draft.first_fault() {
            Some((core, fault)) => attribute(fault, core.name()),
            None => error,
        }
    }

    /// What is between two places of the text.
    #[inline]
    fn slice(&self, start: usize, end: usize) -> &'a [u8] {
        self.bytes.get(start..end).unwrap_or_default()
    }

    /// What is behind a place of the text.
    #[inline]
    fn behind(&self, at: usize) -> &'a [u8] {
        self.bytes.get(at..).unwrap_or_default()
    }

    /// Where the text is that something is the rest of.
    #[inline]
    fn place(&self, rest: &[u8]) -> usize {
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
        let mut rest = self.behind(at);
        loop {
            // No error leaves the short way, because a value that may be one travels through memory.
            let behind = match rest {
                [b'"', name @ ..] => self.read_common(name),
                _ => None,
            };
            let behind = match behind {
                Some(behind) => behind,
                None => {
                    let end = self.read_any_member(self.place(rest))?;
                    self.behind(end)
                }
            };
            if let [b',', next @ ..] = behind
                && next.first() == Some(&b'"')
            {
                rest = next;
                continue;
            }
            let at = skip_space(bytes, self.place(behind));
            match byte_at(bytes, at) {
                b',' => rest = self.behind(skip_space(bytes, at + 1)),
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
        let name_end = scan::string(bytes, at + 1)?;
        let name = self.string(at + 1, name_end)?;
        let at = skip_colon(bytes, name_end.end + 1)?;
        match &*name {
            DATA => self.read_data(at),
            DATA_BASE64 => self.read_data_base64(at),
            _ => self.read_attribute(name, at),
        }
    }

    /// The text of a scanned string.
    #[inline]
    fn string(&self, start: usize, scanned: scan::Scanned) -> Result<Cow<'a, str>, DecodeError> {
        let text = utf8_between(self.bytes, start, scanned.end)?;
        if scanned.form != Form::Escaped {
            return Ok(Cow::Borrowed(text));
        }
        let unescaped = unescape(text).map_err(|fault| JsonError::new(fault, start))?;
        Ok(Cow::Owned(unescaped))
    }

    fn read_data(&mut self, at: usize) -> Result<usize, DecodeError> {
        if self.data.is_some() {
            return Err(repeated(DATA));
        }
        let end = skip_fast(self.bytes, at, self.options.limits.depth_of_data())?;
        self.data = Some((at, utf8_between(self.bytes, at, end)?));
        Ok(end)
    }

    fn read_data_base64(&mut self, at: usize) -> Result<usize, DecodeError> {
        if !matches!(self.data_base64, Base64::NotNamed) {
            return Err(repeated(DATA_BASE64));
        }
        let bytes = self.bytes;
        match byte_at(bytes, at) {
            b'"' => {
                if let Some((decoded, end)) = common_base64(bytes, at + 1) {
                    self.draft.put_data(Data::Binary(Cow::Owned(decoded)));
                    self.data_base64 = Base64::Taken;
                    return Ok(end + 1);
                }
                let scanned = scan::string(bytes, at + 1)?;
                self.data_base64 = Base64::Text(self.string(at + 1, scanned)?);
                Ok(scanned.end + 1)
            }
            b'n' => {
                self.data_base64 = Base64::Unset;
                Ok(skip_literal(bytes, at, b"null")?)
            }
            b'{' | b'[' | b't' | b'f' | b'-' | b'0'..=b'9' => {
                Err(attribute(AttributeFault::NotAString, DATA_BASE64))
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
                let plain = scanned.form == Form::Plain;
                (Given::Text(text, plain), scanned.end + 1)
            }
            b'n' => (Given::Unset, skip_literal(bytes, at, b"null")?),
            b't' => (Given::Boolean(true), skip_literal(bytes, at, b"true")?),
            b'f' => (Given::Boolean(false), skip_literal(bytes, at, b"false")?),
            b'-' | b'0'..=b'9' => {
                let end = skip_number(bytes, at)?;
                let number = match self.slice(at, end) {
                    b"-0" => Some(0),
                    digits => integer(digits),
                };
                let number =
                    number.ok_or_else(|| attribute(AttributeFault::NotAnInteger, &name))?;
                (Given::Integer(number), end)
            }
            b'{' | b'[' => return Err(attribute(AttributeFault::NotAnAttribute, &name)),
            _ => return Err(unexpected(bytes, at).into()),
        };
        match self.draft.take(name, given, &self.options.register) {
            Ok(()) => Ok(end),
            Err((name, fault)) => Err(attribute(fault, &name)),
        }
    }

    #[inline]
    fn finish(&mut self) -> Result<(), DecodeError> {
        if let Err((core, fault)) = self.draft.close() {
            return Err(attribute(fault, core.name()));
        }
        let data = match (self.data, &self.data_base64) {
            (None, Base64::Taken) => return Ok(()),
            (None, Base64::NotNamed | Base64::Unset) => Data::None,
            (Some((start, value)), Base64::NotNamed | Base64::Unset) => {
                self.data_of(start, value)?
            }
            (None, Base64::Text(text)) => {
                let bytes = base64::decode(text.as_bytes());
                let bytes = bytes.ok_or_else(|| attribute(AttributeFault::Base64, DATA_BASE64))?;
                Data::Binary(Cow::Owned(bytes))
            }
            (Some(_), Base64::Taken | Base64::Text(_)) => {
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
        if !inside.contains('\\') {
            return Ok(Data::Text(Cow::Borrowed(inside)));
        }
        let text = unescape(inside).map_err(|fault| JsonError::new(fault, start + 1))?;
        Ok(Data::Text(Cow::Owned(text)))
    }
}

/// The bytes of a string that is Base64 as it stands, and where its closing quote is. It holds neither
/// escapes nor control characters then, so it need not be looked at again.
#[inline(never)]
fn common_base64(bytes: &[u8], at: usize) -> Option<(Vec<u8>, usize)> {
    let rest = bytes.get(at..)?;
    let length = rest.find_byte(b'"')?;
    let decoded = base64::decode(rest.get(..length)?)?;
    Some((decoded, at + length))
}

#[cold]
fn repeated(name: &str) -> DecodeError {
    attribute(AttributeFault::Repeated, name)
}

#[cold]
fn attribute(fault: AttributeFault, name: &str) -> DecodeError {
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

/// The error for anything but white space behind the end.
pub(crate) fn expect_end(bytes: &[u8], at: usize) -> Result<(), DecodeError> {
    let at = skip_space(bytes, at);
    if at == bytes.len() {
        Ok(())
    } else {
        Err(JsonError::new(JsonFault::TrailingText, at).into())
    }
}
