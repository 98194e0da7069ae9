//! Events that a caller builds: each step takes a valid event and gives one back, or says why not.

use std::borrow::Cow;

use super::attribute::{CoreAttribute, Register, is_extension_name};
use super::data::Data;
use super::extensions::Extension;
use super::media_type::{APPLICATION_JSON, is_json};
use super::value::Value;
use super::{Event, Text, check};
use crate::JsonText;
use crate::error::{AttributeFault, EventError};

impl<'a> Event<'a> {
    /// An event with the three attributes that have no default; `specversion` is `1.0`
    /// (CloudEvents 1.0.2, "REQUIRED Attributes"). [`Event`] shows it, and [`Self::with_data`] how to give it data.
    ///
    /// The codec has no clock and no randomness: it never makes up an `id` or a `time`.
    ///
    /// # Errors
    /// [`EventError::Attribute`] when one is empty, holds a forbidden character, or `source` is no
    /// URI-reference.
    pub fn new(
        id: impl Into<Cow<'a, str>>,
        source: impl Into<Cow<'a, str>>,
        ty: impl Into<Cow<'a, str>>,
    ) -> Result<Self, EventError> {
        Self::blank()
            .with_core(CoreAttribute::SpecVersion, Cow::Borrowed("1.0"))?
            .with_core(CoreAttribute::Id, id.into())?
            .with_core(CoreAttribute::Source, source.into())?
            .with_core(CoreAttribute::Type, ty.into())
    }

    /// The same event about this `subject` (CloudEvents 1.0.2, "OPTIONAL Attributes").
    ///
    /// # Errors
    /// [`EventError::Attribute`] when it is empty or holds a control character or a noncharacter.
    pub fn with_subject(self, subject: impl Into<Cow<'a, str>>) -> Result<Self, EventError> {
        self.with_core(CoreAttribute::Subject, subject.into())
    }

    /// The same event at this `time`: a date-time of RFC 3339 with an offset, kept as it is written
    /// (CloudEvents 1.0.2, "OPTIONAL Attributes").
    ///
    /// It takes text, so that no time library is imposed: `jiff::Timestamp::now().to_string()` and
    /// `chrono::Utc::now().to_rfc3339()` print this form.
    ///
    /// # Errors
    /// [`EventError::Attribute`] when it is of another form, or no moment of the calendar.
    pub fn with_time(self, time: impl Into<Cow<'a, str>>) -> Result<Self, EventError> {
        self.with_core(CoreAttribute::Time, time.into())
    }

    /// The same event with the schema of its data (CloudEvents 1.0.2, "OPTIONAL Attributes").
    ///
    /// # Errors
    /// [`EventError::Attribute`] when it is no absolute URI of RFC 3986, section 4.3: one with a
    /// scheme and without a fragment.
    pub fn with_dataschema(self, dataschema: impl Into<Cow<'a, str>>) -> Result<Self, EventError> {
        self.with_core(CoreAttribute::DataSchema, dataschema.into())
    }

    /// The same event with one more attribute, core or extension, in its canonical string
    /// (CloudEvents 1.0.2, "Type System"). One of that name is replaced. Extensions that
    /// [`Register::default`] knows get their type where they have its form; others are `String` (see
    /// [`Self::with_extension`]).
    ///
    /// # Errors
    /// [`EventError::Attribute`] when the name or the value breaks the core specification,
    /// [`EventError::DataUnderOtherType`] when a content type does not fit the data that is there.
    pub fn with_attribute(
        self,
        name: impl Into<Cow<'a, str>>,
        value: impl Into<Cow<'a, str>>,
    ) -> Result<Self, EventError> {
        let (name, value) = (name.into(), value.into());
        match CoreAttribute::of(&name) {
            Some(core) => self.with_core(core, value),
            None => {
                let ty = Register::default().type_of(&name);
                // Text of another form than that of its type is a String.
                let value = Value::of_type(ty, value).or_else(Value::try_from);
                let value = value.map_err(|fault| EventError::new(&name, fault))?;
                self.with_extension(name, value)
            }
        }
    }

    /// The same event with one more extension of any of the seven types (CloudEvents 1.0.2,
    /// "Extension Context Attributes"). One of that name is replaced.
    ///
    /// `bool`, `i32` and text become a Boolean, an Integer and a String; [`Value::parse`] and [`Value::binary`]
    /// make the others. Types other than String survive headers only where the reader's [`Register`] knows the name.
    ///
    /// # Errors
    /// [`EventError::Attribute`] when the name is that of a core attribute or has other than
    /// lower-case letters and digits, or text holds what a String may not.
    pub fn with_extension(
        mut self,
        name: impl Into<Cow<'a, str>>,
        value: impl TryInto<Value<'a>, Error: Into<AttributeFault>>,
    ) -> Result<Self, EventError> {
        let name = name.into();
        if !is_extension_name(&name) || CoreAttribute::of(&name).is_some() {
            return Err(EventError::new(&name, AttributeFault::Name));
        }
        let value = value.try_into();
        let value = value.map_err(|fault| EventError::new(&name, fault.into()))?;
        self.extensions.set(Extension::new(name, value));
        Ok(self)
    }

    /// The same event without that attribute, whether it had it or not (CloudEvents 1.0.2, "OPTIONAL
    /// Attributes").
    ///
    /// # Errors
    /// [`AttributeFault::Missing`] of one that every event has, [`EventError::DataUnderOtherType`] of the
    /// content type of data that is text.
    pub fn without(mut self, name: &str) -> Result<Self, EventError> {
        match CoreAttribute::of(name) {
            None => self.extensions.remove(name),
            Some(core) if core.is_required() => {
                return Err(EventError::new(name, AttributeFault::Missing));
            }
            Some(CoreAttribute::DataContentType) if !self.data.fits(None) => {
                return Err(EventError::DataUnderOtherType);
            }
            Some(core) => {
                self.core[core as usize] = None;
                self.irregular &= !core.bit();
            }
        }
        Ok(self)
    }

    /// The same event with JSON data, written as it is (JSON format 1.0.2, section 3.1.1). A
    /// `datacontenttype` that means JSON stays; any other becomes `application/json`.
    ///
    /// Text and values of your own become a [`JsonText`] by [`JsonText::new`] and [`JsonText::of_value`]. Readers
    /// take 126 levels of it at most, because the event around it is the first of 127; with 127 the event
    /// can be written and not read. [`Self::with_data`] shows it.
    #[must_use]
    pub fn with_json(mut self, json: JsonText<'a>) -> Self {
        if !self.datacontenttype().is_some_and(is_json) {
            let text = Text::Verbatim(APPLICATION_JSON);
            self.put_core(CoreAttribute::DataContentType, text);
        }
        self.data = Data::Json(json);
        self
    }

    /// The same event with text as its data, under a media type that is not JSON, such as
    /// `text/plain` (JSON format 1.0.2, section 3.1.1).
    ///
    /// # Errors
    /// As [`Self::with_data`], which shows it.
    pub fn with_text(
        self,
        datacontenttype: impl Into<Cow<'a, str>>,
        text: impl Into<Cow<'a, str>>,
    ) -> Result<Self, EventError> {
        self.with_data(datacontenttype, Data::Text(text.into()))
    }

    /// The same event with bytes as its data, under any media type. In the JSON format they are
    /// `data_base64` (JSON format 1.0.2, section 3.1.1).
    ///
    /// They are not looked at: under a JSON type, a reader in binary mode will expect JSON.
    ///
    /// # Errors
    /// [`EventError::Attribute`] when the media type is malformed. [`Self::with_data`] shows it.
    pub fn with_bytes(
        self,
        datacontenttype: impl Into<Cow<'a, str>>,
        bytes: impl Into<Cow<'a, [u8]>>,
    ) -> Result<Self, EventError> {
        self.with_data(datacontenttype, Data::Binary(bytes.into()))
    }

    /// The same event with data of any kind and its media type (CloudEvents 1.0.2, "Event Data").
    ///
    /// ```
    /// use cloudevents_nl_codec::{Data, Event, JsonText};
    ///
    /// let event = Event::new("1", "/a", "b")?.with_json(JsonText::new("[1.50]")?);
    /// assert_eq!(event.datacontenttype(), Some("application/json"));
    /// assert!(event.clone().with_text("application/json", "{}").is_err());
    /// let received = event.with_text("text/plain", "hoi")?;
    /// let ty = received.datacontenttype().unwrap_or("text/plain").to_owned();
    /// let event = Event::new("2", "/a", "c")?.with_data(ty, received.into_data())?;
    /// assert_eq!(event.data(), &Data::Text("hoi".into()));
    /// let event = event.with_bytes("application/avro", b"\x02")?;
    /// assert_eq!(event.data(), &Data::Binary(b"\x02".into()));
    /// assert_eq!(event.with_data_alone(Data::None)?.data(), &Data::None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`EventError::Attribute`] when the media type is malformed, [`EventError::DataUnderOtherType`] when it
    /// does not fit the kind of data: JSON under another type, text under JSON.
    pub fn with_data(
        mut self,
        datacontenttype: impl Into<Cow<'a, str>>,
        data: Data<'a>,
    ) -> Result<Self, EventError> {
        self.data = data;
        self.with_core(CoreAttribute::DataContentType, datacontenttype.into())
    }

    /// The same event with data of any kind under the media type that it has, if it has one: the way to
    /// data without a media type, and to an event without data (CloudEvents 1.0.2, "Event Data").
    ///
    /// # Errors
    /// [`EventError::DataUnderOtherType`] when it does not fit the media type: JSON under another type,
    /// text under JSON, text without a type.
    pub fn with_data_alone(mut self, data: Data<'a>) -> Result<Self, EventError> {
        if !data.fits(self.datacontenttype()) {
            return Err(EventError::DataUnderOtherType);
        }
        self.data = data;
        Ok(self)
    }

    fn with_core(mut self, core: CoreAttribute, text: Cow<'a, str>) -> Result<Self, EventError> {
        check::check_core(core, &text).map_err(|fault| EventError::new(core.name(), fault))?;
        if core == CoreAttribute::DataContentType && !self.data.fits(Some(&text)) {
            return Err(EventError::DataUnderOtherType);
        }
        self.put_core(core, Text::Any(text));
        Ok(self)
    }
}
