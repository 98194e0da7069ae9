//! Binary mode in: headers become attributes, by one algorithm for every binding.

mod fast_path;

use std::borrow::Cow;
use std::mem;

use crate::error::{DecodeError, DecodeErrorKind};
use crate::event::attribute::{AttributeType, CoreAttribute};
use crate::event::data::Data;
use crate::event::draft::{Draft, Given};
use crate::event::partial::{PartialEvent, WRITTEN_MAX};
use crate::event::uri::{is_absolute_uri, is_uri_reference};
use crate::json::utf8;
use crate::vector::prefetch;
use crate::wire::body::read_body;
use crate::wire::content_mode::{ContentMode, announced};
use crate::wire::{ReadOptions, percent};
use crate::{Binding, Event, Header};

/// What the headers of a message say before any attribute is read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HeaderSummary<'a> {
    /// The header that decides the mode, unless it is null.
    pub(crate) content_type: Option<Header<'a>>,
    /// The second of that name, null or not, if there is one.
    pub(crate) repeated: Option<&'a str>,
    pub(crate) mode: ContentMode,
    /// Whether the event format is JSON, where the content type announces one.
    pub(crate) is_json: Option<bool>,
    pub(crate) bytes: usize,
}

impl<'a> HeaderSummary<'a> {
    pub(crate) fn of(binding: &Binding, headers: &[Header<'a>]) -> Self {
        let mut summary = Self {
            content_type: None,
            repeated: None,
            mode: ContentMode::Binary,
            is_json: None,
            bytes: 0,
        };
        let mut has_content_type = false;
        for header in headers {
            let value = header.value.unwrap_or_default();
            prefetch::<1>(value);
            summary.bytes += header.name.len() + value.len();
            if is_named(binding, header.name, binding.content_type) {
                if mem::replace(&mut has_content_type, true) {
                    summary.repeated = Some(header.name);
                }
                let given = || header.value.and(Some(*header));
                summary.content_type = summary.content_type.or_else(given);
            }
        }
        let content_type = summary.content_type.and_then(|header| header.value);
        if let Some((mode, is_json)) = announced(content_type.unwrap_or_default()) {
            (summary.mode, summary.is_json) = (mode, Some(is_json));
        } else if binding.may_be_bare && attribute_names(binding, headers).next().is_none() {
            // Only the JSON format can explain a bare message.
            summary.mode = ContentMode::Structured;
        }
        summary
    }
}

pub(crate) fn attribute_names<'h>(
    binding: &'h Binding,
    headers: &'h [Header<'h>],
) -> impl Iterator<Item = Cow<'h, str>> {
    let names = headers.iter().map(|header| header.name);
    names.filter_map(move |name| attribute_name(binding, name))
}

#[inline]
fn is_named(binding: &Binding, name: &str, expected: &str) -> bool {
    if binding.ignores_case {
        name.eq_ignore_ascii_case(expected)
    } else {
        name == expected
    }
}

/// The attribute that a header carries: what follows the prefix, in lower case where case is ignored.
#[inline]
fn attribute_name<'a>(binding: &Binding, header: &'a str) -> Option<Cow<'a, str>> {
    let (prefix, name) = header.split_at_checked(binding.prefix.len())?;
    if !is_named(binding, prefix, binding.prefix) {
        return None;
    }
    if binding.ignores_case && name.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return Some(Cow::Owned(name.to_ascii_lowercase()));
    }
    Some(Cow::Borrowed(name))
}

/// Reads the event of a message in binary mode into a blank event.
pub(crate) fn read_event<'a>(
    binding: &Binding,
    headers: &[Header<'a>],
    summary: &HeaderSummary<'a>,
    body: Option<&'a [u8]>,
    options: &ReadOptions,
    event: &mut Event<'a>,
) -> Result<(), DecodeError> {
    let mut draft = Draft::new(event, &options.register, options.leniency);
    let fast_prefix = fast_path::prefix(binding);
    let is_typed = summary.content_type.is_some();
    for header in headers {
        if let Some(prefix) = fast_prefix
            && fast_path::take_header(prefix, binding, header, options, &mut draft)
        {
            continue;
        }
        take_any_header(binding, header, is_typed, options, &mut draft)?;
    }
    draft.close()?;
    let body = body.filter(|body| binding.has_null_body || !body.is_empty());
    if binding.carries_content_type_as_attribute()
        && draft.event.datacontenttype().is_none()
        && let Some(header) = &summary.content_type
        && take_bare_type_and_data(header, body, options, &mut draft)?.is_some()
    {
        return Ok(());
    }
    if let Some(body) = body {
        let ty = draft.event.datacontenttype();
        let data = read_body(ty, body, &options.limits, options.leniency)?;
        draft.event.put_data(data);
    }
    Ok(())
}

/// Takes a content type that is written as on HTTP, if it is one and the data has its form, and the data with it. Some
/// senders write it so; where it is another's, the event is read as if it were not there.
#[inline(never)]
fn take_bare_type_and_data<'a>(
    header: &Header<'a>,
    body: Option<&'a [u8]>,
    options: &ReadOptions,
    draft: &mut Draft<'a, '_>,
) -> Result<Option<()>, DecodeError> {
    let leniency = options.leniency.with_opaque_data(false);
    let read = |body| read_body(bare_text(header), body, &options.limits, leniency);
    let data = match body.map_or(Ok(Data::None), read) {
        Ok(data) => data,
        Err(error) if error.kind != DecodeErrorKind::TooLarge => return Ok(None),
        Err(_) if options.leniency.opaque_data => Data::Binary(body.unwrap_or_default().into()),
        Err(error) => return Err(error),
    };
    let taken = take_bare_content_type(header, draft);
    Ok(taken.ok().map(|()| draft.event.put_data(data)))
}

/// Takes the attribute that a header carries, if it carries one, however it is written. `is_typed` is whether the
/// message has a content type that is not null.
#[inline(never)]
fn take_any_header<'a>(
    binding: &Binding,
    header: &Header<'a>,
    is_typed: bool,
    options: &ReadOptions,
    draft: &mut Draft<'a, '_>,
) -> Result<(), DecodeError> {
    let carried = attribute_name(binding, header.name);
    let is_content_type = is_named(binding, header.name, binding.data_content_type);
    // A content type that is null is as if it were not there.
    let is_taken = carried.is_some() || is_content_type && header.value.is_some();
    if !is_taken {
        return Ok(());
    }
    if draft.count >= options.limits.attributes {
        return Err(DecodeError::header(DecodeErrorKind::TooLarge, header.name));
    }
    let Some(name) = carried else {
        return take_bare_content_type(header, draft);
    };
    if name == CoreAttribute::DataContentType.name() && !is_content_type {
        if header.value.is_some() && !options.leniency.datacontenttype_header {
            let kind = DecodeErrorKind::ForbiddenHeader;
            return Err(DecodeError::header(kind, header.name));
        }
        if is_typed {
            return Ok(());
        }
    }
    let given = match header.value {
        None => Some(Given::Unset),
        Some(value) => text(binding, options, &name, value).map(Given::Text),
    };
    take(header, name, given, draft)
}

/// Takes the content type from a header without a prefix: it is never percent-coded, and the space around it is not
/// part of it on any protocol.
fn take_bare_content_type<'a>(
    header: &Header<'a>,
    draft: &mut Draft<'a, '_>,
) -> Result<(), DecodeError> {
    let name = Cow::Borrowed(CoreAttribute::DataContentType.name());
    let given = bare_text(header).map(Cow::Borrowed).map(Given::Text);
    take(header, name, given, draft)
}

fn bare_text<'a>(header: &Header<'a>) -> Option<&'a str> {
    utf8::text(percent::trim(header.value.unwrap_or_default()))
}

/// Takes what a header gives for an attribute; `None` is what is not UTF-8.
#[inline(always)]
fn take<'a>(
    header: &Header<'a>,
    name: Cow<'a, str>,
    given: Option<Given<'a>>,
    draft: &mut Draft<'a, '_>,
) -> Result<(), DecodeError> {
    let refused = || DecodeError::header(DecodeErrorKind::HeaderNotUtf8, header.name);
    let taken = draft.take(name, given.ok_or_else(refused)?);
    taken.map_err(|error| DecodeError::header(error.kind, header.name))
}

/// What tells an event apart that was refused, from all of its headers.
#[cold]
pub(crate) fn read_partial(
    binding: &Binding,
    headers: &[Header<'_>],
    options: &ReadOptions,
) -> Option<Box<PartialEvent>> {
    let mut partial = PartialEvent::default();
    for header in headers {
        if let Some(name) = attribute_name(binding, header.name) {
            partial.take(&name, || {
                let value = header.value.filter(|value| value.len() <= WRITTEN_MAX)?;
                text(binding, options, &name, value)
            });
        }
    }
    partial.finish()
}

/// The text of a header value. Leniency leaves a URI or URI-reference as it stands where its sender did not
/// percent-encode it: decoded it is none.
#[inline]
fn text<'a>(
    binding: &Binding,
    options: &ReadOptions,
    name: &str,
    value: &'a [u8],
) -> Option<Cow<'a, str>> {
    if !binding.percent_coded {
        return utf8::text(value).map(Cow::Borrowed);
    }
    let decoded = percent::decode(value);
    if !options.leniency.plain_uris || !value.contains(&b'%') {
        return decoded;
    }
    let core = CoreAttribute::of(name).map(CoreAttribute::ty);
    let is_uri = match core.unwrap_or_else(|| options.register.type_of(name)) {
        AttributeType::Uri => is_absolute_uri,
        AttributeType::UriReference => is_uri_reference,
        _ => return decoded,
    };
    if decoded.as_deref().is_some_and(is_uri) {
        return decoded;
    }
    let plain = percent::plain(value).filter(|plain| is_uri(plain));
    plain.map(Cow::Owned).or(decoded)
}
