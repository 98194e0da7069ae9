//! Typed access to JSON data; the only file that names simd-json.

use std::fmt;

use serde::de::DeserializeOwned;

use crate::event::media_type::is_json;
use crate::{Data, Event};

/// Why data and a value of your own do not become each other.
///
/// ```
/// use cloudevents_nl_codec::{Event, PayloadError};
///
/// let event = Event::new("1", "/a", "b")?.with_text("text/plain", "7")?;
/// assert_eq!(event.data_as::<u8>(), Err(PayloadError::NotJson));
/// # Ok::<(), cloudevents_nl_codec::EventError>(())
/// ```
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
    /// The JSON data as a value of a type of your own. It works on a copy; the data stays as it is.
    ///
    /// ```
    /// use cloudevents_nl_codec::Decoder;
    ///
    /// let text = br#"{"specversion":"1.0","id":"1","source":"/a","type":"b","data":[1,2]}"#;
    /// let event = Decoder::default().decode_structured(text)?;
    /// assert_eq!(event.data_as::<Vec<u8>>(), Ok(vec![1, 2]));
    /// # Ok::<(), cloudevents_nl_codec::DecodeError>(())
    /// ```
    ///
    /// # Errors
    /// [`PayloadError::NotJson`] when there is no JSON, [`PayloadError::OtherShape`] when it has
    /// another shape: then the source of the error says in what, and may quote it.
    ///
    /// ```
    /// use std::error::Error;
    /// use cloudevents_nl_codec::{Event, JsonText};
    ///
    /// #[derive(Debug, serde::Deserialize)]
    /// struct Address {
    ///     huisnummer: u16,
    /// }
    ///
    /// let event = Event::new("1", "/a", "b")?.with_json(JsonText::new("{}")?);
    /// let error = event.data_as::<Address>().unwrap_err();
    /// let cause = error.source().expect("what is missing").to_string();
    /// assert!(cause.contains("missing field `huisnummer`"), "{cause}");
    /// # Ok::<(), Box<dyn Error>>(())
    /// ```
    pub fn data_as<T: DeserializeOwned>(&self) -> Result<T, PayloadError> {
        let mut bytes = match self.data() {
            Data::Json(json) => json.as_str().as_bytes().to_vec(),
            Data::Binary(bytes) if self.datacontenttype().is_some_and(is_json) => bytes.to_vec(),
            _ => return Err(PayloadError::NotJson),
        };
        simd_json::serde::from_slice(&mut bytes)
            .map_err(|error| PayloadError::OtherShape(PayloadCause::of(error)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::JsonText;

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
}
