//! The data of an event.

use std::borrow::Cow;

use super::media_type::is_json;
use crate::JsonText;

/// What an event carries (CloudEvents 1.0.2, "Event Data"); [`Event::with_data`](crate::Event::with_data) shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(
    clippy::exhaustive_enums,
    reason = "there are exactly these four states: absent, JSON, other text, bytes"
)]
pub enum Data<'a> {
    /// No data. Differs from empty data where the protocol can tell.
    #[default]
    None,
    /// A JSON text, kept verbatim, under a content type that means JSON or under none (JSON format
    /// 1.0.2, section 3.1.1). `null` is such a text, and not [`Self::None`].
    Json(JsonText<'a>),
    /// Text under a content type that is not JSON (JSON format 1.0.2, section 3.1.2); in binary
    /// mode a body of `text/*` or XML that its charset can read.
    Text(Cow<'a, str>),
    /// Bytes: `data_base64` in the JSON format, decoded, and any other body in binary mode.
    Binary(Cow<'a, [u8]>),
}

impl Data<'_> {
    /// Detaches the data from its buffer, as [`Event::into_owned`](crate::Event::into_owned) shows.
    #[must_use]
    pub fn into_owned(self) -> Data<'static> {
        match self {
            Self::None => Data::None,
            Self::Json(text) => Data::Json(text.into_owned()),
            Self::Text(text) => Data::Text(Cow::Owned(text.into_owned())),
            Self::Binary(bytes) => Data::Binary(Cow::Owned(bytes.into_owned())),
        }
    }

    /// Whether this kind of data can stand under that content type; none means JSON for `data`.
    pub(crate) fn fits(&self, datacontenttype: Option<&str>) -> bool {
        match self {
            Self::None | Self::Binary(_) => true,
            Self::Json(_) => datacontenttype.is_none_or(is_json),
            Self::Text(_) => datacontenttype.is_some_and(|media_type| !is_json(media_type)),
        }
    }
}
