//! The event in memory, valid by construction for the core specification.

pub(crate) mod attribute;
mod build;
pub(crate) mod check;
pub(crate) mod data;
pub(crate) mod draft;
pub(crate) mod extensions;
pub(crate) mod media_type;
pub(crate) mod partial;
pub(crate) mod timestamp;
pub(crate) mod uri;
pub(crate) mod value;

use std::borrow::Cow;
use std::mem;

use attribute::{AttributeType, CoreAttribute};
use data::Data;
use extensions::{Extension, Extensions};
use value::Value;

/// A CloudEvent (CloudEvents 1.0.2) that borrows from the buffer it was read from.
///
/// There is no invalid one: every attribute obeys the core specification, names are unique, and the
/// data fits `datacontenttype`. Only a decoder that was given [`Leniency`](crate::Leniency) makes events with
/// attributes of another form, which it names.
///
/// Two events are equal when their attributes and data are; the order of extensions means nothing.
///
/// Core attributes have a method each (CloudEvents 1.0.2, "REQUIRED Attributes" and "OPTIONAL Attributes"); optional
/// ones that are not set are `None`.
///
/// ```
/// use cloudevents_nl_codec::{AttributeFault, AttributeType, Event, EventError, Value};
///
/// let event = Event::new("doc1", "/registry", "nl.brp.verhuisd")?
///     .with_time("2021-12-10T17:31:00+01:00")?
///     .with_attribute("sampledrate", "30")?
///     .with_extension("portaal", Value::parse(AttributeType::Uri, "https://brp.example/")?)?
///     .with_extension("geheimhouding", true)?;
/// assert_eq!((event.id(), event.ty(), event.subject()), ("doc1", "nl.brp.verhuisd", None));
/// assert_eq!(event.attribute("source").map(Value::into_text).as_deref(), Some("/registry"));
/// assert_eq!(event.extension("sampledrate"), Some(&Value::Integer(30)));
/// let names = event.attributes().map(|(name, _)| name).skip(4);
/// assert!(names.eq(["time", "sampledrate", "portaal", "geheimhouding"]));
/// let extension = event.extensions().last().expect("the one set last");
/// assert_eq!((extension.name(), extension.value()), ("geheimhouding", &Value::Boolean(true)));
/// assert_eq!(event.clone().without("time")?.time(), None);
/// let Err(EventError::Attribute { name, fault }) = event.with_time("2021-02-29T17:31:00Z") else { panic!() };
/// assert_eq!((&*name, fault), ("time", AttributeFault::Timestamp));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Event<'a> {
    /// By [`CoreAttribute`].
    core: [Option<Text<'a>>; CoreAttribute::ALL.len()],
    extensions: Extensions<'a>,
    data: Data<'a>,
    /// Core attributes that do not have the form of their type: bits of [`CoreAttribute`].
    irregular: u32,
}

/// The text of a core attribute; verbatim is U+0020 to U+007E without quotes and backslashes, which JSON holds
/// as it is.
#[derive(Clone, Debug)]
pub(crate) enum Text<'a> {
    Any(Cow<'a, str>),
    Verbatim(&'a str),
}

impl Text<'_> {
    #[inline(always)]
    pub(crate) fn as_str(&self) -> &str {
        match self {
            Self::Any(text) => text,
            Self::Verbatim(text) => text,
        }
    }

    fn into_owned(self) -> Text<'static> {
        Text::Any(Cow::Owned(self.as_str().to_owned()))
    }
}

impl<'a> Event<'a> {
    /// Only for [`draft::Draft`]: the required attributes are still to come.
    #[inline]
    pub(crate) fn blank() -> Self {
        Self {
            // A constant would be copied whole, where a mark per attribute is enough.
            core: std::array::from_fn(|_| None),
            extensions: Extensions::default(),
            data: Data::None,
            irregular: 0,
        }
    }

    #[inline(always)]
    fn put_core(&mut self, core: CoreAttribute, text: Text<'a>) {
        self.core[core as usize] = Some(text);
        self.irregular &= !core.bit();
    }

    /// As [`Self::put_core`], for one that is not set: there is nothing to drop, and nothing looked for.
    #[inline(always)]
    fn put_new(&mut self, core: CoreAttribute, text: &'a str) {
        let before = self.core[core as usize].replace(Text::Verbatim(text));
        debug_assert!(before.is_none());
        mem::forget(before);
    }

    /// `specversion`: always `1.0` (CloudEvents 1.0.2, "REQUIRED Attributes").
    pub fn specversion(&self) -> &'static str {
        "1.0"
    }

    /// `id`: with `source`, what tells events apart (CloudEvents 1.0.2, "REQUIRED Attributes").
    #[inline]
    pub fn id(&self) -> &str {
        self.core(CoreAttribute::Id).unwrap_or_default()
    }

    /// `source`: where it happened; a URI-reference (RFC 3986, section 4.1), as received.
    #[inline]
    pub fn source(&self) -> &str {
        self.core(CoreAttribute::Source).unwrap_or_default()
    }

    /// `type`: what happened (CloudEvents 1.0.2, "REQUIRED Attributes").
    #[inline]
    pub fn ty(&self) -> &str {
        self.core(CoreAttribute::Type).unwrap_or_default()
    }

    /// `subject`: what it happened to (CloudEvents 1.0.2, "OPTIONAL Attributes").
    #[inline]
    pub fn subject(&self) -> Option<&str> {
        self.core(CoreAttribute::Subject)
    }

    /// `time`: when it happened; a date-time of RFC 3339, as received. Compare moments, not texts.
    #[inline]
    pub fn time(&self) -> Option<&str> {
        self.core(CoreAttribute::Time)
    }

    /// `datacontenttype`: a media type with its parameters (RFC 2046), as received. Data that is JSON without one
    /// is `application/json`.
    #[inline]
    pub fn datacontenttype(&self) -> Option<&str> {
        self.core(CoreAttribute::DataContentType)
    }

    /// `dataschema`: the schema of the data; an absolute URI (RFC 3986, section 4.3), as received.
    #[inline]
    pub fn dataschema(&self) -> Option<&str> {
        self.core(CoreAttribute::DataSchema)
    }

    #[inline]
    pub(crate) fn core(&self, core: CoreAttribute) -> Option<&str> {
        self.core_text(core).map(Text::as_str)
    }

    #[inline(always)]
    pub(crate) fn core_text(&self, core: CoreAttribute) -> Option<&Text<'a>> {
        self.core[core as usize].as_ref()
    }

    /// Whether an attribute that should be a URI or a URI-reference is none.
    pub(crate) fn has_irregular_uri(&self) -> bool {
        const URIS: u32 = CoreAttribute::Source.bit() | CoreAttribute::DataSchema.bit();
        let is_uri = |ty| matches!(ty, AttributeType::Uri | AttributeType::UriReference);
        let mut extensions = self.extensions.iter();
        self.irregular & URIS != 0 || extensions.any(|it| it.irregular.is_some_and(is_uri))
    }

    pub(crate) fn put_data(&mut self, data: Data<'a>) {
        debug_assert!(data.fits(self.datacontenttype()));
        self.data = data;
    }

    fn core_value(&self, core: CoreAttribute) -> Option<Value<'_>> {
        let ty = match self.irregular & core.bit() {
            0 => core.ty(),
            _ => AttributeType::String,
        };
        Some(Value::of_text(ty, Cow::Borrowed(self.core(core)?)))
    }

    /// Any attribute by name, core and extension alike, borrowed from the event; `None` when it is not set
    /// (CloudEvents 1.0.2, "Context Attributes").
    pub fn attribute(&self, name: &str) -> Option<Value<'_>> {
        match CoreAttribute::of(name) {
            Some(core) => self.core_value(core),
            None => self.extension(name).map(Value::borrowed),
        }
    }

    /// The value of an extension; `None` when it is not set, and for core attributes (CloudEvents 1.0.2,
    /// "Extension Context Attributes").
    pub fn extension(&self, name: &str) -> Option<&Value<'a>> {
        self.extensions.find(name).map(Extension::value)
    }

    /// All attributes that are set, `specversion` first, then core ones, then extensions in the order received.
    pub fn attributes(&self) -> impl Iterator<Item = (&str, Value<'_>)> {
        let core = CoreAttribute::ALL.into_iter();
        let core = core.filter_map(|core| Some((core.name(), self.core_value(core)?)));
        let extensions = self.extensions.iter();
        core.chain(extensions.map(|extension| (extension.name(), extension.value.borrowed())))
    }

    /// The extensions in the order received.
    pub fn extensions(&self) -> impl Iterator<Item = &Extension<'a>> {
        self.extensions.iter()
    }

    /// The names of the attributes that do not have the form of their type, where
    /// [`Leniency::irregular_attributes`](crate::Leniency::irregular_attributes) lets them in.
    pub fn irregular(&self) -> impl Iterator<Item = &str> {
        let is_irregular = |core: &CoreAttribute| self.irregular & core.bit() != 0;
        let core = CoreAttribute::ALL.into_iter().filter(is_irregular);
        let extensions = self.extensions.iter().filter(|it| it.irregular.is_some());
        let core = core.map(|core| -> &str { core.name() });
        core.chain(extensions.map(Extension::name))
    }

    /// The data, [`Data::None`] when there is none (CloudEvents 1.0.2, "Event Data").
    pub fn data(&self) -> &Data<'a> {
        &self.data
    }

    /// The data alone, without a copy of what is borrowed.
    #[must_use]
    pub fn into_data(self) -> Data<'a> {
        self.data
    }

    /// Detaches the event from its buffer, so that it can be sent to another task or kept. Every part
    /// that was borrowed is copied.
    ///
    /// ```
    /// use cloudevents_nl_codec::{Decoder, Event};
    ///
    /// let text = br#"{"specversion":"1.0","id":"1","source":"/a","type":"b"}"#.to_vec();
    /// let event: Event<'static> = Decoder::default().decode_structured(&text)?.into_owned();
    /// drop(text);
    /// assert_eq!(event.id(), "1");
    /// # Ok::<(), cloudevents_nl_codec::DecodeError>(())
    /// ```
    #[must_use]
    pub fn into_owned(self) -> Event<'static> {
        Event {
            core: self.core.map(|text| text.map(Text::into_owned)),
            extensions: self.extensions.into_owned(),
            data: self.data.into_owned(),
            irregular: self.irregular,
        }
    }
}

impl PartialEq for Event<'_> {
    fn eq(&self, other: &Self) -> bool {
        let (mut core, mut extensions) = (CoreAttribute::ALL.into_iter(), self.extensions.iter());
        core.all(|core| self.core(core) == other.core(core))
            && self.extensions.len() == other.extensions.len()
            && extensions.all(|it| other.extensions.find(&it.name) == Some(it))
            && self.data == other.data
    }
}

impl Eq for Event<'_> {}

#[cfg(test)]
mod tests;
