//! Binary mode out: attributes become headers, by one algorithm for every binding.

use std::borrow::Cow;

use smallvec::SmallVec;

use crate::error::EncodeError;
use crate::event::attribute::CoreAttribute;
use crate::event::canonical::{boolean_text, integer_text};
use crate::event::data::Data;
use crate::event::media_type::APPLICATION_JSON;
use crate::event::value::Value;
use crate::json::utf8;
use crate::wire::body::write_text;
use crate::wire::content_mode::{ContentMode, announced};
use crate::wire::percent;
use crate::{Binding, Event};

/// Hands over the headers in canonical order and returns the body.
pub(crate) fn write_event<'e>(
    event: &'e Event<'_>,
    binding: &Binding,
    sink: &mut impl FnMut(&str, &str),
) -> Result<Option<Cow<'e, [u8]>>, EncodeError> {
    if !event.is_exact_in(binding) {
        return Err(EncodeError::Irregular);
    }
    let content_type = content_type(event, binding)?;
    let body = body(event.data(), content_type)?;
    let mut headers = Headers::new(binding, sink);
    // In the order of the table, without a loop: so each is known where it is written.
    headers.core(CoreAttribute::SpecVersion, Some(event.specversion()));
    headers.core(CoreAttribute::Id, Some(event.id()));
    headers.core(CoreAttribute::Source, Some(event.source()));
    headers.core(CoreAttribute::Type, Some(event.ty()));
    headers.content_type(content_type);
    headers.core(CoreAttribute::DataSchema, event.dataschema());
    headers.core(CoreAttribute::Subject, event.subject());
    headers.core(CoreAttribute::Time, event.time());
    for extension in event.extensions() {
        let name = extension.name();
        match extension.value() {
            Value::Boolean(value) => headers.extension(name, boolean_text(*value)),
            Value::Integer(value) => headers.extension(name, integer_text(*value, &mut [0; 11])),
            Value::Text(text) => headers.extension(name, text.as_str()),
        }
    }
    Ok(body)
}

/// The bytes that data is under its content type.
#[inline]
fn body<'e>(
    data: &'e Data<'_>,
    content_type: Option<&str>,
) -> Result<Option<Cow<'e, [u8]>>, EncodeError> {
    Ok(match data {
        Data::None => None,
        Data::Json(json) => Some(Cow::Borrowed(json.as_str().as_bytes())),
        Data::Text(text) => Some(write_text(content_type.unwrap_or_default(), text)?),
        Data::Binary(bytes) => Some(Cow::Borrowed(&**bytes)),
    })
}

/// The content type to write, which must not announce another mode.
fn content_type<'e>(
    event: &'e Event<'_>,
    binding: &Binding,
) -> Result<Option<&'e str>, EncodeError> {
    let content_type = match (event.datacontenttype(), event.data()) {
        (None, Data::Json(_)) => Some(APPLICATION_JSON),
        (content_type, _) => content_type,
    };
    let decides_mode = binding.data_content_type == binding.content_type;
    match content_type {
        Some(text) if decides_mode && announced(text.as_bytes()).mode != ContentMode::Binary => {
            Err(EncodeError::AnnouncesStructured)
        }
        _ => Ok(content_type),
    }
}

/// Spells headers as the binding does.
struct Headers<'b, 's, S> {
    binding: &'b Binding,
    sink: &'s mut S,
    /// The name of an extension's header.
    name: SmallVec<[u8; 64]>,
    value: percent::Buffer,
}

impl<'b, 's, S: FnMut(&str, &str)> Headers<'b, 's, S> {
    fn new(binding: &'b Binding, sink: &'s mut S) -> Self {
        Self {
            binding,
            sink,
            name: SmallVec::from_slice(binding.prefix.as_bytes()),
            value: percent::Buffer::new(),
        }
    }

    #[inline]
    fn core(&mut self, core: CoreAttribute, text: Option<&str>) {
        if let Some(text) = text {
            let name = self.binding.core_headers[core as usize];
            let value = coded(self.binding, text, &mut self.value);
            (self.sink)(name, value);
        }
    }

    #[inline]
    fn extension(&mut self, name: &str, text: &str) {
        self.name.truncate(self.binding.prefix.len());
        self.name.extend_from_slice(name.as_bytes());
        let name = utf8::text(&self.name).expect("prefix and name are text");
        let value = coded(self.binding, text, &mut self.value);
        (self.sink)(name, value);
    }

    fn content_type(&mut self, text: Option<&str>) {
        if self.binding.carries_content_type_as_attribute() {
            self.core(CoreAttribute::DataContentType, text);
        } else if let Some(text) = text {
            (self.sink)(self.binding.data_content_type, text);
        }
    }
}

/// The text of an attribute as a header value.
#[inline]
fn coded<'t>(binding: &Binding, text: &'t str, buffer: &'t mut percent::Buffer) -> &'t str {
    if binding.percent_coded {
        percent::encode(text, buffer)
    } else {
        text
    }
}
