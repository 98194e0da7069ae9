//! The `source` of the NL GOV profile: a URN of the namespace `nld`.

/// What a source says behind `urn:nld:`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NlSource<'s> {
    /// Who publishes.
    pub(crate) organisation: Organisation<'s>,
    /// Whether a system is named behind the organisation.
    pub(crate) has_system: bool,
}

/// How a source names the organisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Organisation<'s> {
    /// `oin:` and this.
    Oin(&'s str),
    /// `kvknr:` and this.
    Kvk(&'s str),
    /// A name.
    Name(&'s str),
}

const SEPARATORS: [char; 3] = [':', '.', '/'];

/// Takes a source apart, `None` when it is no `urn:nld:` with something behind it.
pub(crate) fn parse(text: &str) -> Option<NlSource<'_>> {
    let (prefix, rest) = text.split_at_checked("urn:nld:".len())?;
    if !prefix.eq_ignore_ascii_case("urn:nld:") {
        return None;
    }
    // Components of RFC 8141 are no part of the name.
    let name = rest.split(['?', '#']).next()?;
    if name.is_empty() || name.starts_with('/') {
        return None;
    }
    let (first, rest) = name.split_once(SEPARATORS).unwrap_or((name, ""));
    let is_keyword = name.strip_prefix(first)?.starts_with(':');
    // The case of a keyword does not matter, as that of `urn:nld:` does not.
    let of_number: Option<fn(_) -> _> = match &*first.to_ascii_lowercase() {
        "oin" if is_keyword => Some(Organisation::Oin),
        "kvknr" if is_keyword => Some(Organisation::Kvk),
        _ => None,
    };
    let (organisation, system) = match of_number {
        Some(of_number) => {
            let (number, system) = rest.split_once(SEPARATORS).unwrap_or((rest, ""));
            (of_number(number), system)
        }
        None => (Organisation::Name(first), rest),
    };
    Some(NlSource {
        organisation,
        has_system: !first.is_empty() && is_system(system),
    })
}

/// The keyword alone names no system.
fn is_system(text: &str) -> bool {
    let (first, rest) = text.split_once(SEPARATORS).unwrap_or((text, ""));
    match &*first.to_ascii_lowercase() {
        "systeem" | "system" => !rest.is_empty(),
        _ => !text.is_empty(),
    }
}

/// Whether a name says that the organisation is part of the government, which has an OIN.
pub(crate) fn is_government(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let kinds = ["gemeente-", "provincie-", "waterschap-", "ministerie-"];
    kinds.iter().any(|kind| name.starts_with(kind))
}

/// Whether this is an organisation identification number: 20 digits.
pub(crate) fn is_oin(number: &str) -> bool {
    number.len() == 20 && number.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether this is a number of the chamber of commerce: 8 digits.
pub(crate) fn is_kvk_number(number: &str) -> bool {
    number.len() == 8 && number.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_organisation_and_system() {
        use Organisation::{Kvk, Name, Oin};
        for (text, organisation, has_system) in [
            (
                "urn:nld:oin:00000001823288444000:systeem:BRP",
                Oin("00000001823288444000"),
                true,
            ),
            ("URN:NLD:oin:1", Oin("1"), false),
            ("urn:nld:kvknr:09220932.burgerzaken", Kvk("09220932"), true),
            (
                "urn:nld:gemeente-nijmegen.burgerzaken",
                Name("gemeente-nijmegen"),
                true,
            ),
            (
                "urn:nld:gemeente-nijmegen",
                Name("gemeente-nijmegen"),
                false,
            ),
            ("urn:nld:a:systeem:", Name("a"), false),
            ("urn:nld:a/system", Name("a"), false),
            ("urn:nld:a:b?+x#y", Name("a"), true),
            ("urn:nld:oin", Name("oin"), false),
            ("urn:nld:OIN:1", Oin("1"), false),
            ("urn:nld:KvKnr:1.a", Kvk("1"), true),
            ("urn:nld:a:Systeem", Name("a"), false),
            ("urn:nld::a", Name(""), false),
        ] {
            assert_eq!(
                parse(text),
                Some(NlSource {
                    organisation,
                    has_system
                }),
                "{text}"
            );
        }
        for text in [
            "",
            "urn:nld:",
            "urn:nld:#a",
            "urn:nld:/a:b",
            "urn:nl:a",
            "https://a.nl",
            "urn:nldé",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn knows_numbers() {
        use crate::grammar::check;
        check(
            is_oin,
            &["00000001823288444000"],
            &["", "0000000182328844400", "0000000182328844400a"],
        );
        check(
            is_government,
            &["gemeente-nijmegen", "Ministerie-van-x"],
            &["", "gemeente", "gemeentewerken", "vng"],
        );
        check(
            is_kvk_number,
            &["09220932"],
            &["9220932", "092209321", "0922093٣"],
        );
    }
}
