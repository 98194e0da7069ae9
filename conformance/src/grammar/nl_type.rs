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
    let is_encoded = label
        .get(..4)
        .is_some_and(|start| start.eq_ignore_ascii_case("xn--"))
        && label.len() > 4;
    is_label(label) && (is_letters || is_encoded)
}

fn is_part(part: &str) -> bool {
    !part.is_empty()
        && part
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
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
    for (place, _) in places(&parts).into_iter().rev() {
        let version = parts.drain(place).flat_map(|part| {
            let part = part.strip_prefix('v').unwrap_or(part);
            let dashes = if is_date(part) { 3 } else { 1 };
            part.split('-').take(dashes)
        });
        let version: Vec<u64> = version
            .map(|part| part.parse().unwrap_or(u64::MAX))
            .collect();
        numbers.splice(0..0, version);
    }
    (parts.join("."), numbers)
}

/// The parts that are versions.
fn places(parts: &[&str]) -> Vec<(Range<usize>, Version)> {
    let mut found = Vec::new();
    let mut at = 2;
    while let Some(part) = parts.get(at) {
        let following = parts.iter().skip(at + 1);
        let numbers = 1 + following
            .take_while(|part| is_number_or_prerelease(part))
            .count();
        let is_last = at + numbers == parts.len();
        let has_prefix = part.strip_prefix('v').is_some_and(is_number);
        let numbers = match () {
            () if has_prefix || is_number(part) && (numbers > 1 || is_last) => numbers,
            () if is_date(part) => 1,
            () => {
                at += 1;
                continue;
            }
        };
        let version = Version {
            has_prefix,
            numbers,
        };
        found.push((at..at + numbers, version));
        at += numbers;
    }
    found
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// As in the last part of `v1.0.0-beta`.
fn is_number_or_prerelease(text: &str) -> bool {
    is_number(text.split_once('-').map_or(text, |(number, _)| number)) && !is_date(text)
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
