//! An event in the making: attributes come in one by one, in any order and any form.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::attribute::CoreAttribute::{DataContentType, DataSchema, Source, SpecVersion, Time};
use super::attribute::{AttributeType, CoreAttribute, Register, is_extension_name};
use super::check::{check_core, check_form, is_attribute_text};
use super::extensions::Extension;
use super::media_type::is_loose_media_type;
use super::value::Value;
use super::{Event, Text};
use crate::error::{AttributeFault, DecodeError};
use crate::leniency::Leniency;

/// What a sender wrote for an attribute.
pub(crate) enum Given<'a> {
    /// Null: the attribute is not set.
    Unset,
    Text(Cow<'a, str>),
    Boolean(bool),
    Integer(i32),
}

/// So many extensions are compared one by one.
const LINEAR_SEARCH_MAX: usize = 16;

/// Checks every attribute that comes in, as far as leniency lets it, and refuses the second of a name.
///
/// It fills an event in place: an event is large, and copying it costs as much as checking it.
pub(crate) struct Draft<'a, 'e> {
    pub(crate) event: &'e mut Event<'a>,
    register: &'e Register,
    leniency: Leniency,
    /// Attributes named so far, null included.
    pub(crate) count: usize,
    /// Bits of [`CoreAttribute`]: named so far, null included.
    named: u32,
    /// Bits of [`CoreAttribute`]: those that [`Self::close`] has yet to look at.
    unchecked: u32,
    /// A Bloom filter of the names of extensions so far, null included.
    extension_filter: u64,
    /// The name of the last extension that is null.
    unset: Option<Cow<'a, str>>,
    /// The names of the others that are null, and of all that are set but the first [`LINEAR_SEARCH_MAX`]: a
    /// sender chooses how many there are.
    seen: Option<BTreeSet<Cow<'a, str>>>,
}

impl<'a, 'e> Draft<'a, 'e> {
    /// Takes a blank event, which is valid once the draft is closed.
    #[inline]
    pub(crate) fn new(
        event: &'e mut Event<'a>,
        register: &'e Register,
        leniency: Leniency,
    ) -> Self {
        Self {
            event,
            register,
            leniency,
            count: 0,
            named: 0,
            unchecked: 0,
            extension_filter: 0,
            unset: None,
            seen: None,
        }
    }

    #[inline(always)]
    pub(crate) fn is_named(&self, core: CoreAttribute) -> bool {
        self.named & core.bit() != 0
    }

    /// Takes a core attribute that was not named yet, and whose text is valid and verbatim.
    #[inline(always)]
    pub(crate) fn put(&mut self, core: CoreAttribute, text: &'a str) {
        self.count += 1;
        self.named |= core.bit();
        self.event.put_new(core, text);
    }

    /// As [`Self::put`], of a text that is not empty; [`Self::close`] says whether it is valid.
    #[inline(always)]
    pub(crate) fn put_unchecked(&mut self, core: CoreAttribute, text: &'a str) {
        self.unchecked |= core.bit();
        self.put(core, text);
    }

    /// Takes an extension whose name and text are valid, unless it was named before.
    #[inline(always)]
    pub(crate) fn put_extension(&mut self, name: &'a str, text: &'a str) -> Option<()> {
        debug_assert!(is_extension_name(name) && CoreAttribute::of(name).is_none());
        debug_assert!(is_attribute_text(text));
        if self.name_again(name) {
            return None;
        }
        self.count += 1;
        self.push_text(Cow::Borrowed(name), Cow::Borrowed(text));
        Some(())
    }

    /// Notes an extension as named; whether it was before.
    #[inline(always)]
    fn name_again(&mut self, name: &str) -> bool {
        let bit = filter_bit(name);
        let is_named = self.extension_filter & bit != 0 && self.search_extension(name);
        self.extension_filter |= bit;
        is_named
    }

    #[inline(never)]
    fn search_extension(&self, name: &str) -> bool {
        let mut first = self.event.extensions.iter().take(LINEAR_SEARCH_MAX);
        first.any(|extension| extension.name == name)
            || self.unset.as_deref() == Some(name)
            || self.seen.as_ref().is_some_and(|seen| seen.contains(name))
    }

    #[inline(always)]
    fn push(&mut self, extension: Extension<'a>) {
        if self.event.extensions.len() >= LINEAR_SEARCH_MAX {
            let seen = self.seen.get_or_insert_default();
            seen.insert(extension.name.clone());
        }
        self.event.extensions.push(extension);
    }

    /// Takes an attribute. The place of an error is the member, which binary mode renames to its header.
    #[inline(always)]
    pub(crate) fn take(&mut self, name: Cow<'a, str>, given: Given<'a>) -> Result<(), DecodeError> {
        self.count += 1;
        if let Some(core) = CoreAttribute::of(&name) {
            let taken = self.take_core(core, given);
            return taken.map_err(|fault| DecodeError::of(fault, &name));
        }
        if self.name_again(&name) {
            return Err(DecodeError::of(AttributeFault::Repeated, &name));
        }
        match given {
            // Null is as if the member were not there, so its name is not checked.
            Given::Unset => {
                if let Some(before) = self.unset.replace(name) {
                    self.seen.get_or_insert_default().insert(before);
                }
            }
            _ if !is_extension_name(&name) => {
                return Err(DecodeError::of(AttributeFault::Name, &name));
            }
            Given::Text(text) => {
                let checked = check_form(AttributeType::String, &text);
                checked.map_err(|fault| DecodeError::of(fault, &name))?;
                self.push_text(name, text);
            }
            Given::Boolean(value) => self.push(Extension::new(name, Value::Boolean(value))),
            Given::Integer(value) => self.push(Extension::new(name, Value::Integer(value))),
        }
        Ok(())
    }

    #[inline(always)]
    fn take_core(&mut self, core: CoreAttribute, given: Given<'a>) -> Result<(), AttributeFault> {
        if self.is_named(core) {
            return Err(AttributeFault::Repeated);
        }
        self.named |= core.bit();
        match given {
            Given::Unset => Ok(()),
            Given::Text(text) => {
                let irregular = match check_core(core, &text) {
                    Ok(()) => 0,
                    Err(fault) if tolerates(self.leniency, &text, fault) => core.bit(),
                    Err(fault) => return Err(fault),
                };
                self.event.put_core(core, Text::Any(text));
                self.event.irregular |= irregular;
                Ok(())
            }
            Given::Boolean(_) | Given::Integer(_) => Err(AttributeFault::NotAString),
        }
    }

    /// Adds an extension as the register types it, or as text where it does not have the form of that type.
    #[inline(always)]
    fn push_text(&mut self, name: Cow<'a, str>, text: Cow<'a, str>) {
        let (value, irregular) = match self.register.type_of(&name) {
            AttributeType::String => (Value::of_text(AttributeType::String, text), None),
            ty => match Value::of_type(ty, text) {
                Ok(value) => (value, None),
                Err(text) => {
                    let irregular = self.leniency.irregular_attributes.then_some(ty);
                    (Value::of_text(AttributeType::String, text), irregular)
                }
            },
        };
        self.push(Extension {
            name,
            value,
            irregular,
        });
    }

    /// Ends the attributes, or names one that is wrong, and else the first required one that is not set.
    ///
    /// What was put unchecked is checked here and not as it comes: its order varies, and a branch on it would be
    /// mispredicted.
    #[inline]
    pub(crate) fn close(&self) -> Result<(), DecodeError> {
        let refused = |core: CoreAttribute, fault| DecodeError::of(fault, core.name());
        for core in [SpecVersion, Source, DataContentType, DataSchema, Time] {
            if self.unchecked & core.bit() != 0
                && let Some(text) = self.event.core_text(core)
            {
                check_core(core, text.as_str()).map_err(|fault| refused(core, fault))?;
            }
        }
        let is_missing = |core: &CoreAttribute| self.event.core_text(*core).is_none();
        let missing = CoreAttribute::REQUIRED.into_iter().find(is_missing);
        missing.map_or(Ok(()), |core| Err(refused(core, AttributeFault::Missing)))
    }
}

/// Whether a core attribute that has this fault is carried as text.
#[cold]
fn tolerates(leniency: Leniency, text: &str, fault: AttributeFault) -> bool {
    let has_a_form = match fault {
        AttributeFault::Uri | AttributeFault::UriReference | AttributeFault::Timestamp => true,
        AttributeFault::MediaType => is_loose_media_type(text),
        _ => false,
    };
    leniency.irregular_attributes && has_a_form && is_attribute_text(text)
}

/// The bit of a name in the filter, by its length and its first byte.
#[inline(always)]
fn filter_bit(name: &str) -> u64 {
    let first = name.as_bytes().first().copied().unwrap_or_default();
    1 << ((usize::from(first) + name.len() * 7) & 63)
}
