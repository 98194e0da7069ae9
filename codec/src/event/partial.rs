//! What could be read of an event that was refused.

use std::borrow::Cow;

use super::check::is_attribute_text;

/// The attributes that tell an event apart, as far as they could be read from a message that was refused:
/// to name it in a log or beside a dead letter. [`DecodeError::partial`](crate::DecodeError::partial) has it.
///
/// What is given stands in the message as it is here, escapes and percent-coding undone, once and not empty, without control
/// characters; whether a source is a URI-reference was not asked. What the sender wrote in more than 512 bytes is left out,
/// so that an error stays small.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PartialEvent {
    id: Option<Box<str>>,
    source: Option<Box<str>>,
    ty: Option<Box<str>>,
}

/// The most bytes of a name or a text, as the sender wrote it.
pub(crate) const WRITTEN_MAX: usize = 512;

impl PartialEvent {
    /// `id`, if it could be read.
    pub fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// `source`, if it could be read.
    pub fn source(&self) -> Option<&str> {
        self.source.as_deref()
    }

    /// `type`, if it could be read.
    pub fn ty(&self) -> Option<&str> {
        self.ty.as_deref()
    }

    /// Takes an attribute and asks for its text if that is wanted, `None` where it has none. The second of a name
    /// leaves it open which one counts. Until [`Self::finish`] an empty text stands for one that counts for nothing.
    pub(crate) fn take<'t>(&mut self, name: &str, text: impl FnOnce() -> Option<Cow<'t, str>>) {
        let place = match name {
            "id" => &mut self.id,
            "source" => &mut self.source,
            "type" => &mut self.ty,
            _ => return,
        };
        let text = if place.is_none() { text() } else { None };
        let text = text.filter(|text| is_attribute_text(text));
        *place = Some(text.unwrap_or_default().into());
    }

    /// What was read, if that is anything.
    pub(crate) fn finish(mut self) -> Option<Box<Self>> {
        for place in [&mut self.id, &mut self.source, &mut self.ty] {
            place.take_if(|text| text.is_empty());
        }
        (self != Self::default()).then(|| Box::new(self))
    }
}
