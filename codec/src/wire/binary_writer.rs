//! Binary mode out: attributes become headers, by one algorithm for every binding.

use std::borrow::Cow;

use smallvec::SmallVec;

use crate::error::EncodeError;
use crate::event::attribute::CoreAttribute::{
    self, DataContentType, DataSchema, Id, Source, SpecVersion, Subject, Time, Type,
};
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
    let mut buffer = percent::Buffer::new();
    let mut write = |name: &str, text: Option<&str>, is_coded: bool| {
        if let Some(text) = text {
            let value = if is_coded {
                percent::encode(text, &mut buffer)
            } else {
                text
            };
            sink(name, value);
        }
    };
    let is_coded = binding.percent_coded;
    let name = |core: CoreAttribute| binding.core_headers[core as usize];
    // In the order of the table, without a loop: so each is known where it is written.
    write(name(SpecVersion), Some(event.specversion()), is_coded);
    write(name(Id), Some(event.id()), is_coded);
    write(name(Source), Some(event.source()), is_coded);
    write(name(Type), Some(event.ty()), is_coded);
    if binding.carries_content_type_as_attribute() {
        write(name(DataContentType), content_type, is_coded);
    } else {
        write(binding.data_content_type, content_type, false);
    }
    write(name(DataSchema), event.dataschema(), is_coded);
    write(name(Subject), event.subject(), is_coded);
    write(name(Time), event.time(), is_coded);
    let mut name: SmallVec<[u8; 64]> = SmallVec::from_slice(binding.prefix.as_bytes());
    for extension in event.extensions() {
        name.truncate(binding.prefix.len());
        name.extend_from_slice(extension.name().as_bytes());
        let (name, value) = (utf8::text(&name), extension.value());
        let name = name.expect("prefix and name are text");
        write(name, Some(value.text_in(&mut [0; 11])), is_coded);
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
    if decides_mode && content_type.is_some_and(|text| announced(text.as_bytes()).is_some()) {
        return Err(EncodeError::AnnouncesStructured);
    }
    Ok(content_type)
}
