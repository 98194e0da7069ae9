//! The `type` of the NL GOV profile: a reverse domain name, and versions in it.

use std::ops::Range;

use super::dns::is_label;

/// Whether a type is a reverse domain name, with parts behind it or without.
pub(crate) fn is_reverse_domain_name(text: &str) -> bool {
    let mut parts = text.split('.');
    parts.next().is_some_and(is_top_level)
        && parts.next().is_some_and(is_label)
        && parts.all(is_part)
}

/// Letters, or an internationalised name in its ASCII form.
fn is_top_level(label: &str) -> bool {
    let is_letters = label.len() >= 2 && label.bytes().all(|byte| byte.is_ascii_alphabetic());
    let start = label.get(..4).filter(|_| label.len() > 4);
    let is_encoded = start.is_some_and(|start| start.eq_ignore_ascii_case("xn--"));
    is_label(label) && (is_letters || is_encoded)
}

fn is_part(part: &str) -> bool {
    let is_inner = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    !part.is_empty() && part.bytes().all(is_inner)
}

/// A version found in a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Version {
    /// Whether it begins with `v`.
    pub(crate) has_prefix: bool,
    /// How many numbers it has; a date counts as one.
    pub(crate) numbers: usize,
}

/// Parts of a type that are looked at; the rest is one part. A sender makes it as long as it likes.
const MOST_PARTS: usize = 64;

/// The versions in a type, looked for behind its first two labels.
pub(crate) fn versions(text: &str) -> Vec<Version> {
    let parts: Vec<_> = text.splitn(MOST_PARTS, '.').collect();
    let found = places(&parts).into_iter();
    found.map(|(_, version)| version).collect()
}

/// A type without its versions, and the numbers in them. The numbers order the types of one name: no
/// version comes first.
pub(crate) fn name_and_numbers(text: &str) -> (String, Vec<u64>) {
    let mut parts: Vec<_> = text.splitn(MOST_PARTS, '.').collect();
    let mut numbers = Vec::new();
    for (place, found) in places(&parts).into_iter().rev() {
        let version = parts.drain(place).take(found.numbers).flat_map(|part| {
            let part = part.strip_prefix('v').unwrap_or(part);
            let dashes = if is_date(part) { 3 } else { 1 };
            part.split('-').take(dashes)
        });
        let version = version.map(|part| part.parse().unwrap_or(u64::MAX));
        numbers.splice(0..0, version.collect::<Vec<_>>());
    }
    (parts.join("."), numbers)
}

/// The parts that are versions.
fn places(parts: &[&str]) -> Vec<(Range<usize>, Version)> {
    let mut found = Vec::new();
    let mut at = 2;
    while let Some(part) = parts.get(at) {
        let following = parts.get(at + 1..).unwrap_or_default();
        // Without minor number the pre-release stands in the first part: `v1-rc.1`.
        let unprefixed = part.strip_prefix('v');
        let has_prerelease = unprefixed.is_some_and(is_number_with_prerelease);
        let (numbers, identifiers) = match has_prerelease {
            true => (0, identifiers(following)),
            false => rest_of_version(following),
        };
        let has_prefix = has_prerelease || unprefixed.is_some_and(is_number);
        let is_last = at + 1 + numbers + identifiers == parts.len();
        let (numbers, identifiers) = match () {
            () if has_prefix || is_number(part) && (numbers > 0 || is_last) => {
                (1 + numbers, identifiers)
            }
            () if is_date(part) => (1, 0),
            () => {
                at += 1;
                continue;
            }
        };
        let version = Version {
            has_prefix,
            numbers,
        };
        let end = at + numbers + identifiers;
        found.push((at..end, version));
        at = end;
    }
    found
}

/// How many numbers follow the first one of a version, the last of them with a pre-release perhaps, and
/// how many parts follow that because the pre-release has dots, as in `v1.0.0-rc.1`. A pre-release
/// ends in a number or where its dots begin: what follows may as well be the name.
fn rest_of_version(parts: &[&str]) -> (usize, usize) {
    let is_number_here = |part: &&&str| is_number(part);
    let numbers = parts.iter().take_while(is_number_here).count();
    let Some((_, rest)) = parts
        .get(numbers..)
        .and_then(<[_]>::split_first)
        .filter(|(part, _)| is_number_with_prerelease(part))
    else {
        return (numbers, 0);
    };
    (numbers + 1, identifiers(rest))
}

/// How many parts belong to the pre-release before them.
fn identifiers(parts: &[&str]) -> usize {
    let is_other = |part: &&str| part.strip_prefix('v').is_some_and(is_number) || is_date(part);
    let other = parts.iter().position(is_other).unwrap_or(parts.len());
    let identifiers = parts.get(..other).unwrap_or_default();
    let last = identifiers.iter().rposition(|part| is_number(part));
    last.map_or(0, |last| last + 1)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// As the last part of `v1.0.0-beta`.
fn is_number_with_prerelease(text: &str) -> bool {
    text.split_once('-')
        .is_some_and(|(number, _)| is_number(number))
        && !is_date(text)
}

fn is_date(text: &str) -> bool {
    text.len() == 10
        && text.bytes().enumerate().all(|(at, byte)| match at {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::check;

    #[test]
    fn knows_reverse_domain_names() {
        let passes = [
            "nl.brp",
            "nl.brp.persoon-verhuisd",
            "com.github.pull_request.opened",
            "NL.Brp",
            "xn--p1ai.a",
            "nl.meldkamer.112.oproep-ontvangen",
            "nl.3m.a",
        ];
        let fails = [
            "",
            "nl",
            "persoon-verhuisd",
            "nl.",
            ".nl.brp",
            "nl..brp",
            "nl.brp.",
            "n.brp",
            "nl.a_b",
            "nl.-a",
            "n1.brp",
            "nl.brp.a b",
            "nl.brp.é",
            "xn--.a",
            "urn:nl:brp",
        ];
        check(is_reverse_domain_name, &passes, &fails);
    }

    #[test]
    fn finds_versions() {
        let version = |has_prefix, numbers| Version {
            has_prefix,
            numbers,
        };
        for (text, expected) in [
            ("nl.brp.a", vec![]),
            ("nl.brp.a.v2", vec![version(true, 1)]),
            ("nl.brp.a.v0.1.0", vec![version(true, 3)]),
            ("nl.brp.a.v1.0.0-beta", vec![version(true, 3)]),
            ("nl.brp.a.v1.0.0-rc.1", vec![version(true, 3)]),
            ("nl.brp.a.v1.0.0-alpha.beta", vec![version(true, 3)]),
            ("nl.brp.a.v1.0.0-0.3.7", vec![version(true, 3)]),
            ("nl.brp.a.v1.0.0-x.7.z.92", vec![version(true, 3)]),
            ("nl.brp.v1.0.0-rc.1.a", vec![version(true, 3)]),
            (
                "nl.brp.v1.0.0-rc.1.v2",
                vec![version(true, 3), version(true, 1)],
            ),
            ("nl.brp.a.v1.1-beta.2", vec![version(true, 2)]),
            ("nl.brp.a.v1-rc.1", vec![version(true, 1)]),
            ("nl.brp.v1-rc.1.a", vec![version(true, 1)]),
            ("nl.brp.a.1.0.0-rc.1", vec![version(false, 3)]),
            ("nl.brp.a.1.2.3", vec![version(false, 3)]),
            ("nl.brp.a.7", vec![version(false, 1)]),
            ("nl.brp.v1.a.v2", vec![version(true, 1), version(true, 1)]),
            ("nl.brp.a.2021-12-10", vec![version(false, 1)]),
            ("nl.meldkamer.112.oproep-ontvangen", vec![]),
            ("nl.box3.a", vec![]),
            ("nl.brp.a-v2", vec![]),
            ("nl.brp.V2", vec![]),
            ("nl.brp.version2", vec![]),
            ("nl.v2", vec![]),
        ] {
            assert_eq!(versions(text), expected, "{text}");
        }
    }

    #[test]
    fn orders_the_types_of_one_name() {
        for (text, name, numbers) in [
            ("nl.brp.a", "nl.brp.a", vec![]),
            ("nl.brp.a.v2", "nl.brp.a", vec![2]),
            ("nl.brp.v2.a", "nl.brp.a", vec![2]),
            ("nl.brp.a.v1.12.0-beta", "nl.brp.a", vec![1, 12, 0]),
            ("nl.brp.a.v1.12.0-rc.1", "nl.brp.a", vec![1, 12, 0]),
            ("nl.brp.v1.12.0-rc.1.a", "nl.brp.a", vec![1, 12, 0]),
            ("nl.brp.a.v1-rc.1", "nl.brp.a", vec![1]),
            ("nl.brp.a.1.2.3", "nl.brp.a", vec![1, 2, 3]),
            ("nl.brp.v1.a.v2", "nl.brp.a", vec![1, 2]),
            ("nl.brp.a.2021-12-10", "nl.brp.a", vec![2021, 12, 10]),
            ("nl.brp.112.a", "nl.brp.112.a", vec![]),
            ("nl", "nl", vec![]),
            ("nl.brp.a.v99999999999999999999", "nl.brp.a", vec![u64::MAX]),
        ] {
            assert_eq!(name_and_numbers(text), (name.to_owned(), numbers), "{text}");
        }
    }
}
