//! Takes headers whose value is verbatim and whose name is in the case of the specification. All others
//! are left to the general reader, which alone refuses.

use crate::event::attribute::AttributeType::{Uri, UriReference};
use crate::event::attribute::CoreAttribute::{
    self, DataContentType, DataSchema, Id, Source, SpecVersion, Subject, Time, Type,
};
use crate::event::attribute::is_extension_name;
use crate::event::draft::Draft;
use crate::event::media_type::APPLICATION_JSON;
use crate::event::{timestamp, uri};
use crate::vector::verbatim::{ascii, verbatim};
use crate::wire::ReadOptions;
use crate::{Binding, Header};

/// The prefix that the fast path knows: of three bytes, in a binding that does not percent-code values.
pub(super) fn prefix(binding: &Binding) -> Option<[u8; 3]> {
    let prefix = binding.prefix.as_bytes().try_into().ok();
    prefix.filter(|_| !binding.percent_coded)
}

/// Takes the attribute that a header carries; whether it did.
#[inline(always)]
pub(super) fn take_header<'a>(
    prefix: [u8; 3],
    binding: &Binding,
    header: &Header<'a>,
    options: &ReadOptions,
    draft: &mut Draft<'a, '_>,
) -> bool {
    let Some(value) = header.value else {
        return false;
    };
    if draft.count >= options.limits.attributes {
        return false;
    }
    let name = match header.name.as_bytes().split_first_chunk() {
        Some((start, name)) if *start == prefix => name,
        _ => {
            let is_taken = header.name == binding.data_content_type
                && value == APPLICATION_JSON.as_bytes()
                && !draft.is_named(DataContentType);
            if is_taken {
                draft.put(DataContentType, APPLICATION_JSON);
            }
            return is_taken;
        }
    };
    let core = CoreAttribute::candidate(name);
    // Compared here, a name is one or two words that the compiler knows.
    let named = |core: CoreAttribute| name == core.name().as_bytes();
    let text = match core {
        SpecVersion if named(SpecVersion) => (value == b"1.0").then_some("1.0"),
        Id if named(Id) => text(value),
        Type if named(Type) => text(value),
        Subject if named(Subject) => text(value),
        Source if named(Source) => ascii(value).filter(|_| uri::is_usual(value, UriReference)),
        DataSchema if named(DataSchema) => ascii(value).filter(|_| uri::is_usual(value, Uri)),
        Time if named(Time) => ascii(value).filter(|_| timestamp::is_usual(value)),
        // Its header is another one, or another coding.
        DataContentType if named(DataContentType) => None,
        _ => {
            let name = header.name.get(3..).filter(|name| is_extension_name(name));
            let taken = name
                .zip(verbatim(value))
                .and_then(|(name, text)| draft.put_extension(name, text));
            return taken.is_some();
        }
    };
    match text {
        Some(text) if !draft.is_named(core) => {
            draft.put(core, text);
            true
        }
        _ => false,
    }
}

#[inline(always)]
fn text(value: &[u8]) -> Option<&str> {
    verbatim(value).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::error::Place;
    use crate::{Binding, DecodeError, Decoded, Decoder, Header, KAFKA};

    /// As Kafka's, but its prefix is longer than the fast path takes.
    const LONG: Binding = Binding {
        prefix: "long_",
        ..KAFKA
    };

    fn read(
        binding: &Binding,
        headers: &[(String, Option<Vec<u8>>)],
    ) -> Result<Decoded<'static>, DecodeError> {
        let prefixed: Vec<_> = headers
            .iter()
            .map(|(name, value)| (name.replace("ce_", binding.prefix), value.as_deref()))
            .collect();
        let headers: Vec<_> = prefixed
            .iter()
            .map(|(name, value)| Header {
                name,
                value: *value,
            })
            .collect();
        match Decoder::default().decode_any(binding, headers.iter().copied(), Some(b"{}")) {
            Ok(Decoded::Binary(event)) => Ok(Decoded::Binary(event.into_owned())),
            Ok(other) => panic!("{other:?} is in another mode"),
            Err(mut error) => {
                if let Place::Header(name) = &mut error.place {
                    *name = name.replace(binding.prefix, "ce_").into();
                }
                Err(error)
            }
        }
    }

    fn header() -> impl Strategy<Value = (String, Option<Vec<u8>>)> {
        let name = prop_oneof![
            8 => "ce_(id|source|type|time|subject|dataschema|specversion|dataref|sequence|ext)",
            1 => "ce_(datacontenttype|data|Ext|)|content-type|other",
        ];
        let value = prop_oneof![
            Just(b"1.0".to_vec()),
            Just(b"application/json".to_vec()),
            "2026-0[0-9]-[0-3][0-9]T17:31:08(\\.250)?(Z|[+-]0[0-9]:00)".prop_map(Vec::from),
            "https://[a-z]{1,20}[.:/]?[ -~]{0,20}".prop_map(Vec::from),
            "[ -~é\u{7f}]{0,36}".prop_map(Vec::from),
            "[a-z:/.-]{0,36}".prop_map(Vec::from),
            prop::collection::vec(any::<u8>(), 0..4),
        ];
        (name, prop::option::weighted(0.95, value))
    }

    proptest! {
        #[test]
        fn the_fast_path_and_the_general_reader_agree(
            others in prop::collection::vec(header(), 0..6),
            may_repeat: bool,
        ) {
            let required = [
                ("ce_specversion", "1.0"),
                ("ce_id", "1"),
                ("ce_source", "/registry/of/some-thing"),
                ("ce_type", "nl.brp.verhuisd"),
            ]
            .map(|(name, value)| (name.to_owned(), Some(value.into())));
            let is_given = |name: &str| others.iter().any(|(other, _)| other == name);
            let required = required
                .into_iter()
                .filter(|(name, _)| may_repeat || !is_given(name));
            let headers: Vec<_> = required.chain(others.clone()).collect();
            prop_assert_eq!(read(&KAFKA, &headers), read(&LONG, &headers));
        }
    }
}
