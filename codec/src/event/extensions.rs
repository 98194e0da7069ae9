//! The extensions of one event: a few inline, the rest on the heap.

use std::borrow::Cow;
use std::mem;

use super::attribute::AttributeType;
use super::value::Value;

/// One extension attribute (CloudEvents 1.0.2, "Extension Context Attributes"); [`Event`](crate::Event) shows it.
#[derive(Clone, Debug)]
pub struct Extension<'a> {
    pub(super) name: Cow<'a, str>,
    pub(super) value: Value<'a>,
    /// The type that the decoder's register has for it, where leniency let in what does not have that form.
    pub(super) irregular: Option<AttributeType>,
}

impl PartialEq for Extension<'_> {
    fn eq(&self, other: &Self) -> bool {
        (&self.name, &self.value) == (&other.name, &other.value)
    }
}

impl Eq for Extension<'_> {}

impl<'a> Extension<'a> {
    pub(super) fn new(name: Cow<'a, str>, value: Value<'a>) -> Self {
        Self {
            name,
            value,
            irregular: None,
        }
    }

    fn into_owned(self) -> Extension<'static> {
        Extension {
            name: Cow::Owned(self.name.into_owned()),
            value: self.value.into_owned(),
            irregular: self.irregular,
        }
    }

    /// The name: lower-case letters and digits (CloudEvents 1.0.2, "Attribute Naming Convention").
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The value, with the type of the JSON member, of the [`Register`](crate::Register), or of who built the event.
    pub fn value(&self) -> &Value<'a> {
        &self.value
    }
}

/// What Dutch government events carry fits inline, so reading one allocates nothing.
const INLINE: usize = 6;

/// A list in the order received. Plain arrays keep [`crate::Event`] covariant in its lifetime.
#[derive(Clone, Debug, Default)]
pub(crate) struct Extensions<'a> {
    inline: [Option<Extension<'a>>; INLINE],
    len: usize,
    spilled: Vec<Extension<'a>>,
}

impl<'a> Extensions<'a> {
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    #[inline]
    pub(crate) fn push(&mut self, extension: Extension<'a>) {
        match self.inline.get_mut(self.len) {
            Some(free) => *free = Some(extension),
            None => self.spilled.push(extension),
        }
        self.len += 1;
    }

    /// Appends an extension, or replaces the one of that name where it is.
    pub(crate) fn set(&mut self, extension: Extension<'a>) {
        let mut known = self.inline.iter_mut().flatten().chain(&mut self.spilled);
        match known.find(|known| known.name == extension.name) {
            Some(known) => *known = extension,
            None => {
                drop(known);
                self.push(extension);
            }
        }
    }

    pub(crate) fn remove(&mut self, name: &str) {
        let kept = mem::take(self).into_each();
        kept.filter(|kept| kept.name != name)
            .for_each(|kept| self.push(kept));
    }

    fn into_each(self) -> impl Iterator<Item = Extension<'a>> {
        self.inline.into_iter().flatten().chain(self.spilled)
    }

    #[inline]
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Extension<'a>> {
        let inline = self.inline.iter().take(self.len).flatten();
        inline.chain(&self.spilled)
    }

    #[inline]
    pub(crate) fn find(&self, name: &str) -> Option<&Extension<'a>> {
        self.iter().find(|extension| extension.name == name)
    }

    pub(crate) fn into_owned(self) -> Extensions<'static> {
        let mut owned = Extensions::default();
        self.into_each()
            .for_each(|extension| owned.push(extension.into_owned()));
        owned
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Value;

    #[test]
    fn keeps_order_beyond_the_inline_ones() {
        let names: Vec<String> = (0..10).map(|number| format!("e{number}")).collect();
        let mut extensions = Extensions::default();
        for (value, name) in (0..).zip(&names) {
            extensions.push(Extension::new(name.into(), Value::Integer(value)));
        }
        assert_eq!(extensions.len(), 10);
        assert!(extensions.iter().map(Extension::name).eq(&names));
        for name in ["e1", "e8"] {
            let value = Value::Boolean(true);
            extensions.set(Extension::new(name.into(), value.clone()));
            assert_eq!(extensions.find(name).unwrap().value(), &value);
        }
        assert_eq!(extensions.len(), 10);
        assert_eq!(extensions.find("e9").unwrap().value(), &Value::Integer(9));
        extensions.remove("e2");
        extensions.remove("e9");
        let names = [&names[..2], &names[3..9]].concat();
        assert!(extensions.iter().map(Extension::name).eq(&names));
        assert_eq!(extensions.len(), 8);
        let owned = extensions.into_owned();
        assert!(owned.iter().map(Extension::name).eq(&names));
    }
}
