//! What could be read of an event that was refused.

use super::attribute::CoreAttribute;
use super::text::is_attribute_text;

/// The attributes that tell an event apart, as far as they could be read from a message that was refused:
/// to name it in a log or beside a dead letter. [`DecodeError::partial`](crate::DecodeError::partial) has it.
///
/// What is given stands in the message as it is here, escapes and percent-coding undone, once and not empty, without control
/// characters; whether a source is a URI-reference was not asked. It is as long as the sender made it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PartialEvent {
    id: Option<Box<str>>,
    source: Option<Box<str>>,
    ty: Option<Box<str>>,
}

impl PartialEvent {
    /// `id`, if it could be read.
    #[must_use]
    pub fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// `source`, if it could be read.
    #[must_use]
    pub fn source(&self) -> Option<&str> {
        self.source.as_deref()
    }

    /// `type`, if it could be read.
    #[must_use]
    pub fn ty(&self) -> Option<&str> {
        self.ty.as_deref()
    }
}

/// Takes attributes in any order, and keeps those of a [`PartialEvent`].
#[derive(Default)]
pub(crate) struct PartialDraft {
    event: PartialEvent,
    /// Bits of [`CoreAttribute`]: named so far.
    named: u32,
}

impl PartialDraft {
    /// Takes an attribute, `None` where its value is no text. The second of a name leaves it open which one counts.
    pub(crate) fn take(&mut self, name: &str, text: Option<&str>) {
        let Some(core) = CoreAttribute::of(name) else {
            return;
        };
        let place = match core {
            CoreAttribute::Id => &mut self.event.id,
            CoreAttribute::Source => &mut self.event.source,
            CoreAttribute::Type => &mut self.event.ty,
            _ => return,
        };
        let is_first = self.named & core.bit() == 0;
        self.named |= core.bit();
        *place = text
            .filter(|text| is_first && !text.is_empty() && is_attribute_text(text))
            .map(Box::from);
    }

    /// What was read, if that is anything.
    pub(crate) fn finish(self) -> Option<Box<PartialEvent>> {
        (self.event != PartialEvent::default()).then(|| Box::new(self.event))
    }
}
