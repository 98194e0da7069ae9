//! What a hop takes from an event: every way in which a message says less than the event did.

use cloudevents_nl_codec::{
    AttributeType, Binding, ContentMode, Data, Decoder, EncodeError, Event, Extension, HeaderList,
    Limits, Register, encode,
};

/// Something of an event that does not arrive. After the first three, attributes keep their names and
/// their text, and data its bytes but for [`Self::OuterSpace`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Loss<'e> {
    /// Everything: the event cannot be written so.
    Unwritable(EncodeError),
    /// Everything: the reader refuses it. The data is bytes that are no JSON under a media type that
    /// means JSON, which no reader of binary mode takes; or JSON of more than 126 levels, because the
    /// event around it is the first of 127.
    Unreadable,
    /// Nothing can be said: the event is none that comes from there, because it could not be written or
    /// read so.
    ImpossibleOrigin,
    /// The type of an extension, because neither headers nor JSON strings carry it and the register
    /// has another one for that name, or none (JSON format 1.0.2, section 2.2).
    ExtensionType {
        name: &'e str,
        ty: AttributeType,
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

/// What `event` loses when it comes from a message of `from` and is written to one of `to`. Empty is: it
/// arrives as it came from there. [`Loss::ImpossibleOrigin`] stands alone for an event that does not come
/// from there.
///
/// What the event cannot have when it comes from there is not counted; one that was read from a
/// message is as it came. Batched mode is counted as structured.
pub(crate) fn loss<'e>(
    event: &'e Event<'_>,
    from: (&Binding, ContentMode),
    to: (&Binding, ContentMode),
) -> Vec<Loss<'e>> {
    let Ok(sent) = arriving(event, from) else {
        return vec![Loss::ImpossibleOrigin];
    };
    match arriving(&sent, to) {
        Ok(arrived) => differences(event, &sent, &arrived),
        Err(loss) => vec![loss],
    }
}

/// The event as it is read from a message that it was written to, however large.
fn arriving(
    event: &Event<'_>,
    (binding, mode): (&Binding, ContentMode),
) -> Result<Event<'static>, Loss<'static>> {
    let mode = match mode {
        ContentMode::Batched => ContentMode::Structured,
        mode => mode,
    };
    let mut headers = HeaderList::default();
    let body = encode(event, binding, mode, headers.sink()).map_err(Loss::Unwritable)?;
    let mut limits = Limits::default();
    limits.event_bytes = usize::MAX;
    limits.headers = usize::MAX;
    limits.attributes = usize::MAX;
    let reader = Decoder::new(limits, Register::default());
    let arriving = reader.decode(binding, headers.iter(), body.as_deref());
    arriving
        .map(Event::into_owned)
        .map_err(|_| Loss::Unreadable)
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
