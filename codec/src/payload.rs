//! Typed access to JSON data.

use std::fmt;

use serde::Deserialize;

use crate::event::media_type::is_json;
use crate::{Data, Event, JsonText};

/// Why data and a value of your own do not become each other; [`PayloadCause`] shows one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PayloadError {
    /// The event has no data, or data that is not JSON.
    #[error("the data is not JSON; look at datacontenttype and data")]
    NotJson,
    /// The JSON does not have the shape of the type asked for, or holds a number that it cannot.
    #[error(
        "the data does not have the shape that was asked for; compare the type with dataschema"
    )]
    OtherShape(#[source] PayloadCause),
    /// The value cannot be written as JSON.
    #[error("the value has no JSON form; keys of maps are text, and nesting ends at 127 levels")]
    NotSerializable(#[source] PayloadCause),
}

/// What a type of your own says: the member that is missing, what it expected, why it has no JSON form.
///
/// **It may quote the data**, as below. It is the source of the error and no part of its text, so
/// that what must not name people, as a log, can show the error alone.
///
/// ```
/// use cloudevents_nl_codec::{Event, JsonText, PayloadError};
///
/// let event = Event::new("1", "/a", "b")?.with_json(JsonText::new(r#""Jansen""#)?);
/// let error = event.data_as::<char>().unwrap_err();
/// assert!(!format!("{error} {error:?}").contains("Jansen"));
/// let PayloadError::OtherShape(cause) = error else { panic!() };
/// assert!(cause.to_string().contains("Jansen"), "{cause}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PayloadCause(Box<str>);

impl fmt::Debug for PayloadCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PayloadCause").finish_non_exhaustive()
    }
}

impl PayloadCause {
    pub(crate) fn of(error: impl fmt::Display) -> Self {
        Self(error.to_string().into())
    }
}

impl Event<'_> {
    /// The JSON data as a value of a type of your own, which may borrow from it. It takes every valid JSON,
    /// and of members that the type does not have only asks where they end.
    ///
    /// ```
    /// use cloudevents_nl_codec::Decoder;
    ///
    /// #[derive(Debug, PartialEq, serde::Deserialize)]
    /// struct Zaak<'e> {
    ///     naam: &'e str,
    /// }
    ///
    /// let text = br#"{"specversion":"1.0","id":"1","source":"/a","type":"b","data":{"naam":"x","n":1e400}}"#;
    /// let event = Decoder::default().decode_structured(text)?;
    /// assert_eq!(event.data_as(), Ok(Zaak { naam: "x" }));
    /// # Ok::<(), cloudevents_nl_codec::DecodeError>(())
    /// ```
    ///
    /// # Errors
    /// [`PayloadError::NotJson`] when there is no JSON, [`PayloadError::OtherShape`] when it has
    /// another shape: then the source of the error says in what, and may quote it.
    pub fn data_as<'e, T: Deserialize<'e>>(&'e self) -> Result<T, PayloadError> {
        let read = match self.data() {
            Data::Json(json) => serde_json::from_str(json.as_str()),
            Data::Binary(bytes) if self.datacontenttype().is_some_and(is_json) => {
                serde_json::from_slice(bytes)
            }
            _ => return Err(PayloadError::NotJson),
        };
        read.map_err(|error| PayloadError::OtherShape(PayloadCause::of(error)))
    }

    /// The value in the JSON data that a pointer leads to (RFC 6901), verbatim; none where there is nothing,
    /// and where the data is not [`Data::Json`]. [`JsonText::at_each`] follows several pointers at once.
    ///
    /// ```
    /// use cloudevents_nl_codec::{Event, JsonText};
    ///
    /// let event = Event::new("1", "/a", "b")?.with_json(JsonText::new(r#"{"leges":1.50}"#)?);
    /// assert_eq!(event.data_at("/leges").map(JsonText::into_text).as_deref(), Some("1.50"));
    /// assert_eq!(event.with_text("text/plain", "hoi")?.data_at(""), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn data_at(&self, pointer: &str) -> Option<JsonText<'_>> {
        match self.data() {
            Data::Json(json) => json.at_each(&[pointer]).pop()?,
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::de::{DeserializeOwned, IgnoredAny};
    use serde_json::value::RawValue;

    use super::*;

    fn data_as<T: DeserializeOwned>(
        ty: Option<&'static str>,
        data: Data<'_>,
    ) -> Result<T, PayloadError> {
        let event = Event::new("1", "/a", "b").unwrap();
        let event = match ty {
            Some(ty) => event.with_data(ty, data),
            None => event.with_data_alone(data),
        };
        event.unwrap().data_as()
    }

    #[test]
    fn reads_json_however_it_is_carried_and_nothing_else() {
        let json = |text| Data::Json(JsonText::new(text).unwrap());
        let bytes = || Data::Binary(b"[7]".into());
        let text = Data::Text("7".into());
        assert_eq!(data_as::<u8>(None, json("7")), Ok(7));
        assert_eq!(data_as::<Option<u8>>(None, json("null")), Ok(None));
        let refused = data_as::<u8>(None, json("700"));
        assert!(matches!(refused, Err(PayloadError::OtherShape(_))));
        assert_eq!(data_as::<[u8; 1]>(Some("a/b+json"), bytes()), Ok([7]));
        assert_eq!(
            data_as::<[u8; 1]>(Some("a/b"), bytes()),
            Err(PayloadError::NotJson)
        );
        assert_eq!(
            data_as::<[u8; 1]>(None, bytes()),
            Err(PayloadError::NotJson)
        );
        assert_eq!(
            data_as::<u8>(Some("text/plain"), text),
            Err(PayloadError::NotJson)
        );
        assert_eq!(data_as::<u8>(None, Data::None), Err(PayloadError::NotJson));
    }

    #[test]
    fn every_json_is_read_by_a_type_that_asks_for_no_more() {
        let text = r#"{"n":1234567890123456789012345,"e":1e400,"s":"\ud800","i":-170141183460469231731687303715884105728,"t":"kort"}"#;
        let event = Event::new("1", "/a", "b").unwrap();
        let event = event.with_json(JsonText::new(text).unwrap());
        assert!(event.data_as::<IgnoredAny>().is_ok());
        let raw: BTreeMap<&str, &RawValue> = event.data_as().unwrap();
        assert_eq!(raw["e"].get(), "1e400");
        #[derive(Debug, PartialEq, serde::Deserialize)]
        struct Partly<'e> {
            i: i128,
            t: &'e str,
        }
        let expected = Partly {
            i: i128::MIN,
            t: "kort",
        };
        assert_eq!(event.data_as(), Ok(expected));
    }
}
