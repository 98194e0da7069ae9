//! The event in memory, valid by construction for the core specification.

pub(crate) mod attribute;
pub(crate) mod data;
pub(crate) mod value;

use std::borrow::Cow;

use crate::error::EventError;
use data::Data;
use value::Value;

/// One extension attribute.
#[derive(Clone, Debug, PartialEq)]
pub struct Extension<'a> {
    name: Cow<'a, str>,
    value: Value<'a>,
}

impl Extension<'_> {
    /// The name: lower-case letters and digits.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The value.
    #[must_use]
    pub fn value(&self) -> &Value<'_> {
        &self.value
    }
}

/// A CloudEvent that borrows from the buffer it was read from.
#[derive(Clone, Debug, PartialEq)]
pub struct Event<'a> {
    id: Cow<'a, str>,
    source: Cow<'a, str>,
    ty: Cow<'a, str>,
    data: Data<'a>,
}

impl<'a> Event<'a> {
    /// An event with the three attributes that have no default; `specversion` is `1.0`.
    ///
    /// # Errors
    /// When one is empty, holds a forbidden character, or `source` is no URI-reference.
    pub fn new(
        _id: impl Into<Cow<'a, str>>,
        _source: impl Into<Cow<'a, str>>,
        _ty: impl Into<Cow<'a, str>>,
    ) -> Result<Self, EventError> {
        unimplemented!()
    }

    /// The same event with one more attribute (`time`, `subject`, an extension and so on).
    ///
    /// # Errors
    /// When the name or the value breaks the core specification.
    pub fn with_attribute(
        self,
        _name: impl Into<Cow<'a, str>>,
        _value: impl Into<Cow<'a, str>>,
    ) -> Result<Self, EventError> {
        unimplemented!()
    }

    /// The same event with data and, where given, its media type.
    ///
    /// # Errors
    /// When the media type is malformed or does not fit the kind of data.
    pub fn with_data(
        self,
        _datacontenttype: Option<&'a str>,
        _data: Data<'a>,
    ) -> Result<Self, EventError> {
        unimplemented!()
    }

    /// Always `1.0`.
    #[must_use]
    pub fn specversion(&self) -> &'static str {
        "1.0"
    }
    /// `id`.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }
    /// `source`.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }
    /// `type`.
    #[must_use]
    pub fn ty(&self) -> &str {
        &self.ty
    }
    /// `subject`.
    #[must_use]
    pub fn subject(&self) -> Option<&str> {
        unimplemented!()
    }
    /// `time`, as received.
    #[must_use]
    pub fn time(&self) -> Option<&str> {
        unimplemented!()
    }
    /// `datacontenttype`, as received.
    #[must_use]
    pub fn datacontenttype(&self) -> Option<&str> {
        unimplemented!()
    }
    /// `dataschema`.
    #[must_use]
    pub fn dataschema(&self) -> Option<&str> {
        unimplemented!()
    }
    /// Any attribute by name, core and extension alike.
    #[must_use]
    pub fn attribute(&self, _name: &str) -> Option<Value<'_>> {
        unimplemented!()
    }
    /// All attributes that are set, `specversion` first, then core ones, then extensions in the order received.
    pub fn attributes(&self) -> impl Iterator<Item = (&str, Value<'_>)> {
        std::iter::empty()
    }
    /// The extensions in the order received.
    pub fn extensions(&self) -> impl Iterator<Item = &Extension<'a>> {
        std::iter::empty()
    }
    /// The data.
    #[must_use]
    pub fn data(&self) -> &Data<'a> {
        &self.data
    }
    /// Detaches the event from its buffer.
    #[must_use]
    pub fn into_owned(self) -> Event<'static> {
        unimplemented!()
    }
}
