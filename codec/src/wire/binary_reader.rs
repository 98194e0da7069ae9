//! Binary mode in: headers become attributes, by one algorithm for every binding.

mod fast_path;

use std::borrow::Cow;

use crate::error::{AttributeFault, DecodeError, DecodeErrorKind};
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
    pub(crate) content_type: Option<&'a [u8]>,
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
                if has_content_type {
                    summary.repeated = Some(header.name);
                }
                has_content_type = true;
                summary.content_type = summary.content_type.or(header.value);
            }
        }
        if let Some((mode, is_json)) = announced(summary.content_type.unwrap_or_default()) {
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

/// Reads the event of a message in binary mode into a blank event. `is_typed` is whether it has a content
/// type that is not null.
pub(crate) fn read_event<'a>(
    binding: &Binding,
    headers: &[Header<'a>],
    is_typed: bool,
    body: Option<&'a [u8]>,
    options: &ReadOptions,
    event: &mut Event<'a>,
) -> Result<(), DecodeError> {
    let mut draft = Draft::new(event, options.leniency);
    let fast_prefix = fast_path::prefix(binding);
    for header in headers {
        if let Some(prefix) = fast_prefix {
            let content_type = binding.data_content_type;
            if fast_path::take_header(prefix, content_type, header, options, &mut draft) {
                continue;
            }
        }
        take_any_header(binding, header, is_typed, options, &mut draft)?;
    }
    if binding.carries_content_type_as_attribute() && draft.event.datacontenttype().is_none() {
        // Some senders write it as on HTTP. Reading that is harmless, writing it would be wrong.
        for header in headers {
            if is_named(binding, header.name, binding.content_type)
                && let Some(value) = header.value
            {
                let given = text(binding, header.name, value, true)?;
                let name = Cow::Borrowed(CoreAttribute::DataContentType.name());
                let taken = draft.take(name, given, &options.register);
                taken.map_err(|(_, fault)| attribute_error(fault, header.name))?;
            }
        }
    }
    if let Err((core, fault)) = draft.close() {
        let kind = DecodeErrorKind::Attribute(fault);
        return Err(DecodeError::member(kind, core.name()));
    }
    let data = match body {
        None => Data::None,
        Some([]) if !binding.has_null_body => Data::None,
        Some(body) => {
            let ty = draft.event.datacontenttype();
            read_body(ty, body, &options.limits, options.leniency)?
        }
    };
    draft.event.put_data(data);
    Ok(())
}

/// Takes the attribute that a header carries, if it carries one, however it is written.
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
    let is_bare = carried.is_none();
    let name = match carried {
        Some(name) => name,
        // Null is as if the header were not there.
        None if is_content_type && header.value.is_some() => {
            Cow::Borrowed(CoreAttribute::DataContentType.name())
        }
        None => return Ok(()),
    };
    if draft.count >= options.limits.attributes {
        return Err(DecodeError::header(DecodeErrorKind::TooLarge, header.name));
    }
    if name == CoreAttribute::DataContentType.name() && !is_content_type {
        if !options.leniency.datacontenttype_header {
            let kind = DecodeErrorKind::ForbiddenHeader;
            return Err(DecodeError::header(kind, header.name));
        }
        if is_typed {
            return Ok(());
        }
    }
    let given = match header.value {
        None => Given::Unset,
        Some(value) => match plain_uri(binding, options, &name, value) {
            Some(uri) => Given::Text(uri),
            None => text(binding, header.name, value, is_bare)?,
        },
    };
    let taken = draft.take(name, given, &options.register);
    taken.map_err(|(_, fault)| attribute_error(fault, header.name))
}

/// The text of a header value. The bare content type, without a prefix, is never percent-coded, and the space
/// around it is not part of it on any protocol.
#[inline]
fn text<'a>(
    binding: &Binding,
    name: &str,
    value: &'a [u8],
    is_bare: bool,
) -> Result<Given<'a>, DecodeError> {
    let text = if is_bare {
        utf8::text(percent::trim(value)).map(Cow::Borrowed)
    } else {
        decoded(binding, value)
    };
    let text = text.ok_or_else(|| DecodeError::header(DecodeErrorKind::HeaderNotUtf8, name))?;
    Ok(Given::Text(text))
}

#[inline]
fn decoded<'a>(binding: &Binding, value: &'a [u8]) -> Option<Cow<'a, str>> {
    if binding.percent_coded {
        percent::decode(value)
    } else {
        utf8::text(value).map(Cow::Borrowed)
    }
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
                plain_uri(binding, options, &name, value).or_else(|| decoded(binding, value))
            });
        }
    }
    partial.finish()
}

/// The URI or URI-reference in a header whose sender did not percent-encode it: decoded it is none.
#[inline]
fn plain_uri<'a>(
    binding: &Binding,
    options: &ReadOptions,
    name: &str,
    value: &'a [u8],
) -> Option<Cow<'a, str>> {
    let may_be_plain = options.leniency.plain_uris && binding.percent_coded;
    if !may_be_plain || !value.contains(&b'%') {
        return None;
    }
    let core = CoreAttribute::of(name).map(CoreAttribute::ty);
    let is_uri = match core.unwrap_or_else(|| options.register.type_of(name)) {
        AttributeType::Uri => is_absolute_uri,
        AttributeType::UriReference => is_uri_reference,
        _ => return None,
    };
    if percent::decode(value).is_some_and(|decoded| is_uri(&decoded)) {
        return None;
    }
    percent::plain(value).filter(|plain| is_uri(plain))
}

#[cold]
fn attribute_error(fault: AttributeFault, name: &str) -> DecodeError {
    DecodeError::header(DecodeErrorKind::Attribute(fault), name)
}
