//! What a hop takes from an event: every way in which a message says less than the event did.

use std::fmt;

use crate::{
    AttributeType, Binding, ContentMode, Data, Decoder, EncodeError, Event, Extension, HeaderList,
    Limits, encode,
};

/// Something of an event that does not arrive. After the first three, attributes keep their names and
/// their text, and data its bytes but for [`Self::OuterSpace`].
///
/// ```
/// use cloudevents_nl_codec::{ContentMode, Decoder, EncodeError, Event, HTTP, Loss};
///
/// let event = Event::new("1", "/a", "b")?.with_text("text/plain; charset=utf-16", "hoi")?;
/// let (from, to) = ((&HTTP, ContentMode::Structured), (&HTTP, ContentMode::Binary));
/// let lost = Decoder::default().loss(&event, from, to);
/// assert_eq!(lost, [Loss::Unwritable(EncodeError::UnsupportedCharset)]);
/// # Ok::<(), cloudevents_nl_codec::EventError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Loss<'e> {
    /// Everything: the event cannot be written so.
    Unwritable(EncodeError),
    /// Everything: the reader refuses it. The data is bytes that are no JSON under a media type that
    /// means JSON, which no reader of binary mode takes; or JSON that is nested deeper than its limit,
    /// of which the event around it is one level: at most 126 are left of [`Limits::depth`](crate::Limits::depth).
    Unreadable,
    /// Nothing can be said: the event is none that comes from there, because it could not be written or
    /// read so.
    ImpossibleOrigin,
    /// The type of an extension, because neither headers nor JSON strings carry it and the register
    /// has another one for that name, or none (JSON format 1.0.2, section 2.2).
    ExtensionType {
        /// Name of the extension.
        name: &'e str,
        /// The type it has in the event.
        ty: AttributeType,
        /// The type it arrives with.
        arrives_as: AttributeType,
    },
    /// That `datacontenttype` was not set: JSON arrives as `application/json`, which means the same
    /// (JSON format 1.0.2, section 3.1.2).
    ImpliedContentType,
    /// That there was data, of zero bytes: it arrives as no data, because HTTP and NATS cannot tell
    /// the two apart.
    EmptyData,
    /// Whether data was JSON, text or bytes: it arrives as another one of these, with the same bytes.
    DataKind,
    /// White space around JSON data, which has no meaning (RFC 8259, section 2).
    OuterSpace,
}

impl fmt::Display for Loss<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unwritable(error) => return error.fmt(f),
            Self::Unreadable => {
                "data is no JSON although datacontenttype says so, or is nested too deep; correct it, \
                 or write bytes in structured mode"
            }
            Self::ImpossibleOrigin => {
                "this event cannot come from there: it could not be written or read so"
            }
            Self::ExtensionType {
                name,
                ty,
                arrives_as,
            } => {
                return write!(
                    f,
                    "extension {name:?}: {ty} arrives as {arrives_as}; add it to the register"
                );
            }
            Self::ImpliedContentType => {
                "datacontenttype arrives as application/json; set it to say so from the start"
            }
            Self::EmptyData => {
                "empty data arrives as no data; write the event in structured mode to tell them apart"
            }
            Self::DataKind => {
                "data arrives as another of JSON, text and bytes; \
                 write the event in structured mode to keep its kind"
            }
            Self::OuterSpace => "white space around JSON data is left out",
        })
    }
}

impl Decoder {
    /// What `event` loses when it comes from a message of `from` and is written to one of `to`, if the
    /// reader at both ends is like this decoder. Empty is: it arrives as it came from there.
    /// [`Loss::ImpossibleOrigin`] stands alone for an event that does not come from there.
    ///
    /// What the event cannot have when it comes from there is not counted; one that was read from a
    /// message is as it came. Batched mode is counted as structured. Limits other than that on nesting
    /// are not looked at, nor what is no part of an event: record keys, subjects, other parties' headers.
    /// It reads JSON data again and works on copies, so it is not meant for every event.
    ///
    /// What is no part of an event is not told either: the order of attributes, members that are null, and
    /// white space between members. To keep even these, forward a structured message as it came.
    ///
    /// ```
    /// use cloudevents_nl_codec::{ContentMode, Decoder, Event, HTTP, KAFKA, Loss};
    ///
    /// let event = Event::new("1", "/a", "b")?
    ///     .with_extension("urgent", true)?
    ///     .with_text("text/plain", "")?;
    /// let kafka = (&KAFKA, ContentMode::Structured);
    /// let lost = Decoder::default().loss(&event, kafka, (&HTTP, ContentMode::Binary));
    /// assert_eq!(
    ///     lost[0].to_string(),
    ///     r#"extension "urgent": Boolean arrives as String; add it to the register"#
    /// );
    /// assert_eq!(lost[1], Loss::EmptyData);
    /// assert_eq!(Decoder::default().loss(&event, kafka, (&HTTP, ContentMode::Structured)), []);
    /// # Ok::<(), cloudevents_nl_codec::EventError>(())
    /// ```
    #[must_use]
    pub fn loss<'e>(
        &self,
        event: &'e Event<'_>,
        from: (&Binding, ContentMode),
        to: (&Binding, ContentMode),
    ) -> Vec<Loss<'e>> {
        let Ok(sent) = self.arriving(event, from) else {
            return vec![Loss::ImpossibleOrigin];
        };
        match self.arriving(&sent, to) {
            Ok(arrived) => differences(event, &sent, &arrived),
            Err(loss) => vec![loss],
        }
    }

    /// The event as it is read from a message that it was written to.
    fn arriving(
        &self,
        event: &Event<'_>,
        (binding, mode): (&Binding, ContentMode),
    ) -> Result<Event<'static>, Loss<'static>> {
        let mode = match mode {
            ContentMode::Batched => ContentMode::Structured,
            mode => mode,
        };
        let mut headers = HeaderList::default();
        let body = encode(event, binding, mode, headers.sink()).map_err(Loss::Unwritable)?;
        let mut reader = self.clone();
        reader.options.limits = Limits {
            depth: self.options.limits.depth,
            ..Limits::NONE
        };
        let arriving = reader.decode(binding, headers.iter(), body.as_deref());
        arriving
            .map(Event::into_owned)
            .map_err(|_| Loss::Unreadable)
    }
}

fn differences<'e>(event: &'e Event<'_>, sent: &Event<'_>, arrived: &Event<'_>) -> Vec<Loss<'e>> {
    let names = event.extensions().map(Extension::name);
    let ty = |event: &Event<'_>, name| event.attribute(name).map(|value| value.ty());
    let mut lost: Vec<_> = names
        .filter_map(|name| {
            let (ty, arrives_as) = (ty(sent, name)?, ty(arrived, name)?);
            (ty != arrives_as).then_some(Loss::ExtensionType {
                name,
                ty,
                arrives_as,
            })
        })
        .collect();
    if sent.datacontenttype() != arrived.datacontenttype() {
        lost.push(Loss::ImpliedContentType);
    }
    match (sent.data(), arrived.data()) {
        (sent, arrived) if sent == arrived => {}
        (_, Data::None) => lost.push(Loss::EmptyData),
        (Data::Json(_), Data::Json(_)) => lost.push(Loss::OuterSpace),
        _ => lost.push(Loss::DataKind),
    }
    lost
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{HTTP, JsonText, KAFKA, NATS, Register};

    #[test]
    fn names_what_a_hop_does_not_carry() {
        let event = || Event::new("1", "/a", "b").unwrap();
        let json = |text| JsonText::new(text).unwrap();
        let flagged = event().with_extension("flag", true).unwrap();
        let flag = |arrives_as| Loss::ExtensionType {
            name: "flag",
            ty: AttributeType::Boolean,
            arrives_as,
        };
        let empty = event().with_text("text/plain", "").unwrap();
        let untyped = event().with_data_alone(Data::Json(json("1"))).unwrap();
        let padded = event().with_json(json("1 "));
        let deep = "[".repeat(127) + &"]".repeat(127);
        let deep = event().with_json(JsonText::new(deep).unwrap());
        let broken = event().with_bytes("application/json", b"{").unwrap();
        let raw = event().with_bytes("text/plain", b"a").unwrap();
        let announcing = event()
            .with_bytes("application/cloudevents+avro", b"a")
            .unwrap();
        let announcing_is_refused = Loss::Unwritable(EncodeError::AnnouncesStructured);
        let (text, headers) = (ContentMode::Structured, ContentMode::Binary);
        for (event, from, to, expected) in [
            (&flagged, (&HTTP, text), (&KAFKA, text), vec![]),
            (
                &flagged,
                (&HTTP, text),
                (&KAFKA, headers),
                vec![flag(AttributeType::String)],
            ),
            // It was lost before.
            (&flagged, (&HTTP, headers), (&KAFKA, headers), vec![]),
            (&empty, (&KAFKA, headers), (&KAFKA, headers), vec![]),
            (
                &empty,
                (&KAFKA, headers),
                (&NATS, headers),
                vec![Loss::EmptyData],
            ),
            (
                &untyped,
                (&NATS, text),
                (&HTTP, headers),
                vec![Loss::ImpliedContentType],
            ),
            (&padded, (&HTTP, headers), (&NATS, headers), vec![]),
            (
                &padded,
                (&HTTP, headers),
                (&NATS, text),
                vec![Loss::OuterSpace],
            ),
            (
                &broken,
                (&HTTP, text),
                (&KAFKA, headers),
                vec![Loss::Unreadable],
            ),
            (&raw, (&HTTP, text), (&KAFKA, headers), vec![Loss::DataKind]),
            (
                &announcing,
                (&NATS, headers),
                (&KAFKA, headers),
                vec![announcing_is_refused],
            ),
            (
                &announcing,
                (&KAFKA, headers),
                (&HTTP, headers),
                vec![Loss::ImpossibleOrigin],
            ),
            (
                &deep,
                (&HTTP, text),
                (&KAFKA, text),
                vec![Loss::ImpossibleOrigin],
            ),
        ] {
            let lost = Decoder::default().loss(event, from, to);
            assert_eq!(lost, expected, "{event:?}");
            assert!(lost.iter().all(|loss| !loss.to_string().is_empty()));
        }
        let register = Register::default().with("flag", AttributeType::Boolean);
        let decoder = Decoder::new(Limits::default(), register);
        let lost = decoder.loss(&flagged, (&HTTP, text), (&KAFKA, headers));
        assert_eq!(lost, []);
    }
}
