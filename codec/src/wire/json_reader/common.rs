//! Members written as nearly all of them are: a short name, a string in plain ASCII without escapes.
//!
//! What is read here is valid beyond doubt. Everything else is left untouched for the reader that
//! knows all forms and says what is wrong.

use std::ops::Range;

use super::{DATA, Reader};
use crate::event::attribute::Core;
use crate::event::media_type::COMMON;
use crate::event::timestamp::is_timestamp;
use crate::event::uri::{self, common::Kind};
use crate::json::scan::byte_at;
use crate::json::value::skip_colon;
use crate::lanes::{Lanes, WIDTH};
use crate::vector::ascii::verbatim_string;

/// What a short name names.
pub(super) enum Name {
    /// And whether a string follows without a space.
    Core(Core, bool),
    Data,
    /// Its length.
    Extension(usize),
}

/// The name that begins at `at`, if it is one of the core specification or of three to fifteen lower-case
/// letters and digits.
#[inline(always)]
pub(super) fn short_name(bytes: &[u8], at: usize) -> Option<Name> {
    let start = bytes.get(at..)?.first_chunk()?;
    if let Some((core, is_compact)) = Core::of_quoted(start) {
        return Some(Name::Core(core, is_compact));
    }
    let lanes = Lanes::of(start);
    let length = lanes.places(b'"').trailing_zeros() as usize;
    let is_name = lanes.not_in_names().trailing_zeros() as usize == length;
    // A shorter name ends before its fifth byte, which may have hidden that it is `id`.
    if !is_name || !(3..WIDTH).contains(&length) {
        None
    } else if start.starts_with(b"data\"") {
        Some(Name::Data)
    } else {
        Some(Name::Extension(length))
    }
}

/// What separates a name from a string in JSON without spaces.
const BETWEEN: &[u8; 3] = b"\":\"";

impl<'a> Reader<'a, '_> {
    /// Reads the member whose name begins at `at`; returns where it ends.
    #[inline(always)]
    pub(super) fn read_common(&mut self, at: usize) -> Option<usize> {
        match short_name(self.text.as_bytes(), at)? {
            Name::Core(core, is_compact) => self.read_common_core(core, at, is_compact),
            Name::Extension(length) => self.read_common_extension(at..at + length),
            Name::Data => {
                let value = self.value_behind(at + DATA.len())?;
                self.read_data(value).ok()
            }
        }
    }

    /// Where the value is, given where the name ends.
    #[inline(always)]
    fn value_behind(&self, name_end: usize) -> Option<usize> {
        skip_colon(self.text.as_bytes(), name_end + 1).ok()
    }

    /// Where the inside of a string value is, given where the name ends.
    #[inline(always)]
    fn string_behind(&self, name_end: usize) -> Option<usize> {
        match self.text.as_bytes().get(name_end..)?.first_chunk() {
            Some(BETWEEN) => Some(name_end + BETWEEN.len()),
            _ => self.string_far_behind(name_end),
        }
    }

    /// As [`Self::string_behind`], with space around the colon.
    #[inline(never)]
    fn string_far_behind(&self, name_end: usize) -> Option<usize> {
        let at = self.value_behind(name_end)?;
        (byte_at(self.text.as_bytes(), at) == b'"').then_some(at + 1)
    }

    /// Reads the value of the attribute whose name begins at `at`.
    ///
    /// Each attribute has its own copy of the code: where a constant tells how long a name is, the
    /// processor need not wait until that is found.
    #[inline(always)]
    fn read_common_core(&mut self, core: Core, at: usize, is_compact: bool) -> Option<usize> {
        if self.draft.count() >= self.limits.attributes || self.draft.names(core) {
            return None;
        }
        match core {
            Core::SpecVersion => {
                self.read_literal(Core::SpecVersion, at, is_compact, b"1.0\"", "1.0")
            }
            Core::Id => self.read_verbatim(Core::Id, at, is_compact),
            Core::Source => self.read_uri(Core::Source, at, is_compact, Kind::Reference),
            Core::Type => self.read_verbatim(Core::Type, at, is_compact),
            Core::DataContentType => {
                let quoted = b"application/json\"";
                self.read_literal(Core::DataContentType, at, is_compact, quoted, COMMON)
            }
            Core::DataSchema => self.read_uri(Core::DataSchema, at, is_compact, Kind::Absolute),
            Core::Subject => self.read_verbatim(Core::Subject, at, is_compact),
            Core::Time => self.read_time(at, is_compact),
        }
    }

    /// Where the inside of the string value of an attribute is whose name begins at `at`.
    #[inline(always)]
    fn start(&self, at: usize, core: Core, is_compact: bool) -> Option<usize> {
        let name_end = at + core.name().len();
        if is_compact {
            Some(name_end + BETWEEN.len())
        } else {
            self.string_behind(name_end)
        }
    }

    #[inline(always)]
    fn read_literal<const LENGTH: usize>(
        &mut self,
        core: Core,
        at: usize,
        is_compact: bool,
        quoted: &[u8; LENGTH],
        text: &'static str,
    ) -> Option<usize> {
        let start = self.start(at, core, is_compact)?;
        let found = self.text.as_bytes().get(start..)?.first_chunk::<LENGTH>()?;
        if found != quoted {
            return None;
        }
        self.draft.put(core, text);
        Some(start + LENGTH)
    }

    #[inline(always)]
    fn read_verbatim(&mut self, core: Core, at: usize, is_compact: bool) -> Option<usize> {
        let start = self.start(at, core, is_compact)?;
        let text = verbatim_string(self.text.as_bytes(), start)?;
        if text.is_empty() {
            return None;
        }
        self.draft.put(core, text);
        Some(start + text.len() + 1)
    }

    #[inline(always)]
    fn read_uri(&mut self, core: Core, at: usize, is_compact: bool, kind: Kind) -> Option<usize> {
        let bytes = self.text.as_bytes();
        let start = self.start(at, core, is_compact)?;
        let end = uri::common::end(bytes, start, kind)?;
        if byte_at(bytes, end) != b'"' {
            return None;
        }
        self.draft.put(core, self.text.get(start..end)?);
        Some(end + 1)
    }

    #[inline(always)]
    fn read_time(&mut self, at: usize, is_compact: bool) -> Option<usize> {
        let start = self.start(at, Core::Time, is_compact)?;
        let text = verbatim_string(self.text.as_bytes(), start)?;
        if !is_timestamp(text) {
            return None;
        }
        self.draft.put(Core::Time, text);
        Some(start + text.len() + 1)
    }

    /// Reads the text of an extension that was not named yet; returns where it ends.
    #[inline(always)]
    fn read_common_extension(&mut self, name: Range<usize>) -> Option<usize> {
        if self.draft.count() >= self.limits.attributes {
            return None;
        }
        let start = self.string_behind(name.end)?;
        let text = verbatim_string(self.text.as_bytes(), start)?;
        self.draft
            .put_extension(self.text.get(name)?, text, self.register)?;
        Some(start + text.len() + 1)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::error::Place;
    use crate::{DecodeError, Decoder, Event};

    const NAMES: [&str; 13] = [
        "specversion",
        "id",
        "source",
        "type",
        "datacontenttype",
        "dataschema",
        "subject",
        "time",
        "data",
        "dataref",
        "sampledrate",
        "ext",
        "Ext",
    ];

    /// Values in JSON, valid ones and others.
    fn value() -> impl Strategy<Value = String> {
        prop_oneof![
            Just("\"1.0\"".to_owned()),
            Just("\"application/json\"".to_owned()),
            Just("\"2026-03-10T17:31:08.250Z\"".to_owned()),
            Just("\"urn:nld:oin:00000001823288444000\"".to_owned()),
            "\"https://[a-z]{1,20}[.:/]?[ -~]{0,20}\"",
            "\"[ -~é\u{7f}]{0,36}\"",
            "\"[a-z:/.-]{0,36}\"",
            "null|true|17|\\{\\}|x|\"\\\\u0041\"",
        ]
    }

    fn separator() -> impl Strategy<Value = &'static str> {
        prop::sample::select(vec![
            ":", " : ", ": ", "", "\n:", ":\n", "\r:", ":\r", "\t:", ":\t",
        ])
    }

    fn member() -> impl Strategy<Value = (&'static str, &'static str, String)> {
        (prop::sample::select(NAMES.to_vec()), separator(), value())
    }

    /// What is read, without offsets, which differ between spellings.
    fn read(text: &str) -> Result<Event<'static>, DecodeError> {
        let read = Decoder::default().decode_structured(text.as_bytes());
        read.map(Event::into_owned).map_err(|mut error| {
            if let Place::Byte(at) = &mut error.place {
                *at = 0;
            }
            error
        })
    }

    proptest! {
        /// An escape in a name leads around the short way, and must lead to the same end.
        #[test]
        fn the_short_way_and_the_long_one_agree(
            others in prop::collection::vec(member(), 0..5),
            separator in separator(),
            may_repeat: bool,
            space in "[ ]{0,40}",
        ) {
            let required = [
                ("id", separator, "\"1\"".to_owned()),
                ("source", separator, "\"/registry/of/some-thing\"".to_owned()),
                ("type", separator, "\"nl.brp.verhuisd\"".to_owned()),
                ("specversion", separator, "\"1.0\"".to_owned()),
            ];
            let replaces = |name: &str| others.iter().any(|(other, ..)| *other == name);
            let required = required
                .into_iter()
                .filter(|(name, ..)| may_repeat || !replaces(name));
            let (mut short, mut long) = (Vec::new(), Vec::new());
            for (name, separator, value) in required.chain(others.iter().cloned()) {
                let (first, rest) = name.split_at(1);
                let code = u32::from(first.as_bytes()[0]);
                short.push(format!("\"{name}\"{separator}{value}"));
                long.push(format!("\"\\u{code:04x}{rest}\"{separator}{value}"));
            }
            let text = |members: &[String]| format!("{{{}}}{space}", members.join(","));
            prop_assert_eq!(read(&text(&short)), read(&text(&long)), "{:?}", short);
        }
    }
}
