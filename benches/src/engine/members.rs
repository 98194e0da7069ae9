//! The members of an event as a careful user of serde would read them, whoever parses the JSON.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};

use super::Headers;

/// Reads the members of an event into headers and returns its data, JSON as a raw `R`.
pub(super) struct Members<'h, R>(&'h mut Headers, PhantomData<R>);

impl<'h, R> Members<'h, R> {
    pub(super) fn into(headers: &'h mut Headers) -> Self {
        Self(headers, PhantomData)
    }
}

/// The data of an event as it was found.
pub(super) struct Found<'de, R> {
    pub(super) data: Option<R>,
    pub(super) base64: Option<Cow<'de, str>>,
    /// Whether the content type says that `data` is JSON.
    pub(super) is_json: bool,
}

impl<'de, R: Deserialize<'de>> Visitor<'de> for Members<'_, R> {
    type Value = Found<'de, R>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an event")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found = Found {
            data: None,
            base64: None,
            is_json: true,
        };
        let mut required = 0_u8;
        while let Some(Text(name)) = map.next_key()? {
            match &*name {
                "data" => found.data = Some(map.next_value()?),
                "data_base64" => found.base64 = Some(map.next_value::<Text<'_>>()?.0),
                name => {
                    required += u8::from(matches!(name, "specversion" | "id" | "source" | "type"));
                    let Text(value) = map.next_value()?;
                    if name == "datacontenttype" {
                        found.is_json = value == "application/json";
                    }
                    self.0.push_attribute(name, &value);
                }
            }
        }
        if required == 4 {
            Ok(found)
        } else {
            Err(serde::de::Error::missing_field("id"))
        }
    }
}

/// Text that is borrowed unless it held an escape; plain `Cow` would always be owned.
pub(super) struct Text<'a>(pub(super) Cow<'a, str>);

impl<'de> Deserialize<'de> for Text<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(TextVisitor)
    }
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Text<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("text")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Text(Cow::Owned(text.to_owned())))
    }
}
