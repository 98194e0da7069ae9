//! Binary mode out: attributes become headers, by one algorithm for every binding.

use std::borrow::Cow;

use smallvec::SmallVec;

use crate::error::EncodeError;
use crate::event::attribute::CoreAttribute;
use crate::event::data::Data;
use crate::event::media_type::APPLICATION_JSON;
use crate::json::utf8;
use crate::wire::body::write_text;
use crate::wire::content_mode::announced;
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
    let body = match event.data() {
        Data::None => None,
        Data::Json(json) => Some(Cow::Borrowed(json.as_str().as_bytes())),
        Data::Text(text) => Some(write_text(content_type.unwrap_or_default(), text)?),
        Data::Binary(bytes) => Some(Cow::Borrowed(&**bytes)),
    };
    let mut headers = Headers {
        binding,
        sink,
        name: SmallVec::from_slice(binding.prefix.as_bytes()),
        value: percent::Buffer::new(),
    };
    // In the order of the table, without a loop: so each is known where it is written.
    headers.core(CoreAttribute::SpecVersion, Some(event.specversion()));
    headers.core(CoreAttribute::Id, Some(event.id()));
    headers.core(CoreAttribute::Source, Some(event.source()));
    headers.core(CoreAttribute::Type, Some(event.ty()));
    if binding.carries_content_type_as_attribute() {
        headers.core(CoreAttribute::DataContentType, content_type);
    } else if let Some(text) = content_type {
        (headers.sink)(binding.data_content_type, text);
    }
    headers.core(CoreAttribute::DataSchema, event.dataschema());
    headers.core(CoreAttribute::Subject, event.subject());
    headers.core(CoreAttribute::Time, event.time());
    for extension in event.extensions() {
        headers.extension(extension.name(), extension.value().text_in(&mut [0; 11]));
    }
    Ok(body)
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
        Some(text) if decides_mode && announced(text.as_bytes()).is_some() => {
            Err(EncodeError::AnnouncesStructured)
        }
        _ => Ok(content_type),
    }
}

struct Headers<'b, 's, S> {
    binding: &'b Binding,
    sink: &'s mut S,
    /// The name of an extension's header.
    name: SmallVec<[u8; 64]>,
    value: percent::Buffer,
}

impl<S: FnMut(&str, &str)> Headers<'_, '_, S> {
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
}

#[inline]
fn coded<'t>(binding: &Binding, text: &'t str, buffer: &'t mut percent::Buffer) -> &'t str {
    if binding.percent_coded {
        percent::encode(text, buffer)
    } else {
        text
    }
}
