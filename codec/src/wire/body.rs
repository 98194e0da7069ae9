//! Between the bytes of a binary-mode body and the data of an event.

use std::borrow::Cow;

use crate::error::{DecodeError, EncodeError};
use crate::event::data::Data;
use crate::event::media_type::{Charset, charset, is_json, is_text};
use crate::json::scan::validate;
use crate::json::utf8::{text, utf8};
use crate::{JsonText, Leniency, Limits};

/// What a body is under its content type. Under a JSON type it must be JSON; text that its charset cannot
/// read stays bytes.
#[inline]
pub(crate) fn read_body<'a>(
    datacontenttype: Option<&str>,
    body: &'a [u8],
    limits: &Limits,
    leniency: Leniency,
) -> Result<Data<'a>, DecodeError> {
    let opaque = Data::Binary(Cow::Borrowed(body));
    let Some(media_type) = datacontenttype.filter(|_| !leniency.opaque_data) else {
        return Ok(opaque);
    };
    if is_json(media_type) {
        if body.is_empty() && leniency.empty_json {
            return Ok(opaque);
        }
        let text = utf8(body)?;
        validate(text, limits.depth_of_data())?;
        return Ok(Data::Json(JsonText::already_validated(text)));
    }
    if !is_text(media_type) {
        return Ok(opaque);
    }
    let text = match charset(media_type) {
        Charset::Other => None,
        Charset::Ascii if !body.is_ascii() => None,
        Charset::Latin1 if !body.is_ascii() => {
            Some(Cow::Owned(body.iter().copied().map(char::from).collect()))
        }
        _ => text(body).map(Cow::Borrowed),
    };
    Ok(text.map_or(opaque, Data::Text))
}

/// The bytes that `text` is in the charset of its content type.
pub(crate) fn write_text<'e>(
    media_type: &str,
    text: &'e str,
) -> Result<Cow<'e, [u8]>, EncodeError> {
    match charset(media_type) {
        Charset::Other => Err(EncodeError::UnsupportedCharset),
        Charset::Ascii if !text.is_ascii() => Err(EncodeError::NotInCharset),
        Charset::Latin1 if !text.is_ascii() => {
            let bytes: Result<Vec<u8>, _> = text.chars().map(u8::try_from).collect();
            bytes.map(Cow::Owned).map_err(|_| EncodeError::NotInCharset)
        }
        _ => Ok(Cow::Borrowed(text.as_bytes())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::{DecodeErrorKind, Place};
    use crate::{JsonFault, Limits};

    #[test]
    fn reads_each_kind_of_body() {
        let json = |text| Data::Json(JsonText::new(text).unwrap());
        let text = |text: &'static str| Data::Text(text.into());
        let binary = |bytes: &'static [u8]| Data::Binary(bytes.into());
        for (media_type, body, expected) in [
            (None, &b"{}"[..], binary(b"{}")),
            (Some("application/json"), b"{ }", json("{ }")),
            (Some("a/x+json"), b"null", json("null")),
            (Some("text/plain"), b"\xC3\xA9", text("é")),
            (Some("text/plain"), b"", text("")),
            (Some("text/plain"), b"\xFF", binary(b"\xFF")),
            (
                Some("text/plain;charset=us-ascii"),
                b"\xC3\xA9",
                binary(b"\xC3\xA9"),
            ),
            (Some("text/plain;charset=iso-8859-1"), b"B\xE9", text("Bé")),
            (Some("text/plain;charset=utf-16"), b"a", binary(b"a")),
            (Some("application/soap+xml"), b"<a/>", text("<a/>")),
            (Some("application/avro"), b"a", binary(b"a")),
        ] {
            assert_eq!(
                read_body(media_type, body, &Limits::default(), Leniency::STRICT),
                Ok(expected)
            );
        }
    }

    #[test]
    fn a_json_type_is_held_to_its_promise() {
        let error = read_body(
            Some("text/json"),
            b"[1,]",
            &Limits::default(),
            Leniency::STRICT,
        )
        .unwrap_err();
        assert_eq!(error.kind, DecodeErrorKind::Json(JsonFault::UnexpectedByte));
        assert_eq!(error.place, Place::Byte(3));
    }

    #[test]
    fn writes_text_in_its_charset_or_not_at_all() {
        let written = |media_type, text| write_text(media_type, text).map(Cow::into_owned);
        assert_eq!(written("text/plain", "é"), Ok(vec![0xC3, 0xA9]));
        assert_eq!(written("a/b;charset=ISO-8859-1", "é"), Ok(vec![0xE9]));
        let refused = Err(EncodeError::NotInCharset);
        assert_eq!(written("a/b;charset=iso-8859-1", "€"), refused);
        assert_eq!(written("a/b;charset=us-ascii", "é"), refused);
        let refused = Err(EncodeError::UnsupportedCharset);
        assert_eq!(written("a/b;charset=utf-16", "a"), refused);
    }
}
