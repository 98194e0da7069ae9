//! Events and JSON texts for those who have serde: [`Serialize`] and [`Deserialize`].
//!
//! `data` passes as a raw value of serde_json, so its text is kept; that is why no other crate of
//! formats will do. The writer and the reader of this crate are faster, and ask for no crate at all.

use base64_simd::STANDARD;
use serde::de::{Deserialize, Deserializer, Error as _};
use serde::ser::{Error as _, Serialize, SerializeMap, Serializer};
use serde_json::value::RawValue;

use crate::{Data, Decoder, Event, JsonText, PayloadCause, PayloadError, Value};

/// The JSON format of CloudEvents, in the order in which [`encode_structured`] writes it: with
/// `serde_json`, alone or inside a type of your own.
///
/// ```
/// use cloudevents_nl_codec::{Event, JsonText};
///
/// #[derive(serde::Serialize, serde::Deserialize)]
/// struct Stored {
///     attempt: u32,
///     event: Event<'static>,
/// }
///
/// let text = r#"{"attempt":2,"event":{"specversion":"1.0","id":"1","source":"/a","type":"b","data":{"leges": 1.50}}}"#;
/// let stored: Stored = serde_json::from_str(text)?;
/// assert_eq!(stored.event.id(), "1");
/// assert_eq!(serde_json::to_string(&stored)?, text);
/// # Ok::<(), serde_json::Error>(())
/// ```
///
/// Only `serde_json` will do: YAML and TOML would get `data` in a form that means nothing there. With
/// `#[serde(flatten)]`, and inside an untagged or internally tagged enum, an event can be written and not
/// read again; give it a member or a variant of its own.
///
/// # Errors
/// When the format is not for people to read: such formats cannot hold JSON as it is.
///
/// [`encode_structured`]: crate::encode_structured
impl Serialize for Event<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if !serializer.is_human_readable() {
            return Err(S::Error::custom(
                "an event serializes as JSON only; use encode_structured and store the bytes",
            ));
        }
        let mut map = serializer.serialize_map(None)?;
        for (name, value) in self.attributes() {
            match value {
                Value::Boolean(value) => map.serialize_entry(name, &value)?,
                Value::Integer(value) => map.serialize_entry(name, &value)?,
                text => map.serialize_entry(name, &text.text())?,
            }
        }
        match self.data() {
            Data::None => {}
            Data::Json(json) => map.serialize_entry("data", json)?,
            Data::Text(text) => map.serialize_entry("data", text)?,
            Data::Binary(bytes) => {
                map.serialize_entry("data_base64", &STANDARD.encode_to_string(bytes))?;
            }
        }
        map.end()
    }
}

/// Reads the JSON format of CloudEvents, as [`Decoder::default`] does, and detaches the event.
///
/// Its `Serialize` shows it, and says where an event cannot be read: there serde takes the text apart before.
///
/// # Errors
/// Those of [`Decoder::decode_structured`], as text: places count from the beginning of the event.
impl<'de> Deserialize<'de> for Event<'_> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Box::<RawValue>::deserialize(deserializer)?;
        let event = Decoder::default()
            .decode_structured(text.get().as_bytes())
            .map_err(D::Error::custom)?;
        Ok(event.into_owned())
    }
}

impl JsonText<'static> {
    /// The JSON text of a value of your own; [`Event::data_as`] is the way back.
    ///
    /// ```
    /// use cloudevents_nl_codec::{Event, JsonText};
    ///
    /// #[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize)]
    /// struct Adres {
    ///     huisnummer: u16,
    /// }
    ///
    /// let json = JsonText::of_value(&Adres { huisnummer: 1 })?;
    /// let event = Event::new("doc1", "/registry", "nl.brp.verhuisd")?.with_json(json);
    /// assert_eq!(event.data_as(), Ok(Adres { huisnummer: 1 }));
    /// let json = JsonText::try_from(serde_json::json!({"huisnummer": 1}))?;
    /// assert_eq!(String::from(json), r#"{"huisnummer":1}"#);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`PayloadError::NotSerializable`] when the value cannot be JSON, such as a map whose keys are no
    /// text, or has more than 127 levels; [`Event::with_json`] says how many of them readers take.
    pub fn of_value<T: Serialize + ?Sized>(value: &T) -> Result<Self, PayloadError> {
        let refused = |cause| PayloadError::NotSerializable(cause);
        let text = serde_json::to_string(value).map_err(|e| refused(PayloadCause::of(e)))?;
        Self::new(text).map_err(|e| refused(PayloadCause::of(e)))
    }
}

/// A value of serde_json, which can be nested deeper than a [`JsonText`]; [`JsonText::of_value`] shows it.
impl TryFrom<serde_json::Value> for JsonText<'static> {
    type Error = PayloadError;

    fn try_from(value: serde_json::Value) -> Result<Self, PayloadError> {
        Self::of_value(&value)
    }
}

/// The text as it is, as the `Serialize` of [`Event`] shows, for `serde_json`; other formats have no place for it.
impl Serialize for JsonText<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let raw: &RawValue = serde_json::from_str(self.as_str()).map_err(S::Error::custom)?;
        raw.serialize(serializer)
    }
}
