//! What could be read of an event that was refused.

use std::borrow::Cow;

use super::attribute::CoreAttribute;
use super::text::is_attribute_text;

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

/// The most bytes of a name or a text, as the sender wrote it.
pub(crate) const WRITTEN_MAX: usize = 512;

/// Takes attributes in any order, and keeps those of a [`PartialEvent`].
#[derive(Default)]
pub(crate) struct PartialDraft {
    event: PartialEvent,
    /// Bits of [`CoreAttribute`]: named so far.
    named: u32,
}

impl PartialDraft {
    /// Takes an attribute and asks for its text if that is wanted, `None` where it has none. The second of a name
    /// leaves it open which one counts.
    pub(crate) fn take<'t>(&mut self, name: &str, text: impl FnOnce() -> Option<Cow<'t, str>>) {
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
        *place = None;
        if is_first && let Some(text) = text() {
            let is_whole = !text.is_empty() && is_attribute_text(&text);
            *place = is_whole.then(|| text.into());
        }
    }

    /// What was read, if that is anything.
    pub(crate) fn finish(self) -> Option<Box<PartialEvent>> {
        (self.event != PartialEvent::default()).then(|| Box::new(self.event))
    }
}
