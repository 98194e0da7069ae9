//! Waivers: deviations that somebody explains ("pas toe of leg uit").

use jiff::civil::Date;

use super::table;
use super::{Fault, wrong};
use crate::catalogue::Entry;
use crate::reading::Event;
use crate::rule::Check;
use crate::rules;

/// A deviation that somebody answers for, until a date.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Waiver {
    /// The rule that is deviated from.
    pub rule: &'static Entry,
    /// Why.
    pub reason: String,
    /// Who answers for it.
    pub owner: String,
    /// The last day it holds.
    pub until: Date,
    /// The sources it is about, all where there is none; `*` stands for any text.
    pub source: Option<String>,
    /// The types it is about, all where there is none; `*` stands for any text.
    pub ty: Option<String>,
}

/// The waivers of a file.
///
/// ```
/// use cloudevents_nl_conformance::Waivers;
///
/// let text = r#"
/// [[waiver]]
/// rule = "CE-ID-2"
/// reason = "The case system numbers its events from next spring on"
/// owner = "team zaken"
/// until = "2027-03-31"
/// source = "urn:nld:oin:*:systeem:zaken"
/// "#;
/// assert_eq!(Waivers::read(text).map(|waivers| waivers.all.len()), Ok(1));
/// let faults = Waivers::read("[[waiver]]\nrule = \"CE-ID-22\"").unwrap_err();
/// assert_eq!(faults[3].to_string(), "2: rule = \"CE-ID-22\": no rule has this name; did you mean CE-ID-2?");
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Waivers {
    /// In the order of the file.
    pub all: Vec<Waiver>,
}

impl Waivers {
    /// Reads `[[waiver]]` tables with `rule`, `reason`, `owner`, `until`, and perhaps `source` and
    /// `type`.
    ///
    /// # Errors
    /// Everything that is wrong, in the order of the lines. A rule that only sums up others is wrong:
    /// nothing is ever reported under its name.
    pub fn read(text: &str) -> Result<Self, Vec<Fault>> {
        let all = table::each(text, "waiver", |table, faults| {
            let rule = table.rule(faults);
            let check = rule.and_then(|rule| Some(rules::rule(&rule.id)?.check));
            if let Some(Check::Umbrella(parts, _)) = check {
                let parts = parts.join(", ");
                let problem = wrong(
                    format!("only sums up {parts}, which report it: waive the one reported"),
                    format!(
                        "vat alleen {parts} samen, en die melden het: noem de regel die is gemeld"
                    ),
                );
                faults.push(table.fault("rule", problem));
            }
            let reason = table.text("reason", faults);
            let owner = table.text("owner", faults);
            let until = table.date("until", faults);
            let source = table.optional_text("source", faults);
            let ty = table.optional_text("type", faults);
            Some(Waiver {
                rule: rule?,
                reason: reason?,
                owner: owner?,
                until: until?,
                source,
                ty,
            })
        })?;
        Ok(Self { all })
    }
}

impl Waiver {
    /// Whether it holds no more on a day.
    #[must_use]
    pub fn is_expired(&self, today: Date) -> bool {
        self.until < today
    }

    /// Whether it is about an event; `None` is a breach that belongs to no event.
    #[must_use]
    pub fn is_about(&self, event: Option<&Event<'_>>) -> bool {
        let meets = |pattern: &Option<String>, name: &str| match pattern {
            None => true,
            Some(pattern) => event
                .and_then(|event| event.text(name))
                .is_some_and(|text| matches(pattern, text)),
        };
        meets(&self.source, "source") && meets(&self.ty, "type")
    }
}

/// Whether a text is of a pattern in which `*` stands for any text.
pub(crate) fn matches(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = text.strip_prefix(parts.next().unwrap_or_default()) else {
        return false;
    };
    let Some(last) = parts.next_back() else {
        return rest.is_empty();
    };
    for part in parts {
        match rest.split_once(part) {
            Some((_, behind)) => rest = behind,
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn a_star_is_any_text() {
        for (pattern, text, expected) in [
            ("a", "a", true),
            ("a", "ab", false),
            ("a*", "a", true),
            ("a*", "abc", true),
            ("*c", "abc", true),
            ("a*c", "ac", true),
            ("a*c", "acd", false),
            ("a*b*c", "a1b2c", true),
            ("a*b*c", "a1c2c", false),
            ("aa*a", "aa", false),
            ("*", "", true),
        ] {
            assert_eq!(matches(pattern, text), expected, "{pattern} {text}");
        }
    }

    #[test]
    fn the_last_day_counts() {
        let text = "[[waiver]]\nrule='CE-ID-2'\nreason='r'\nowner='o'\nuntil=2026-11-21";
        let waiver = Waivers::read(text).unwrap().all.remove(0);
        let day = |text: &str| text.parse::<Date>().unwrap();
        assert!(!waiver.is_expired(day("2026-11-21")));
        assert!(waiver.is_expired(day("2026-11-22")));
    }

    #[test]
    fn all_faults_are_told_with_line_key_and_value() {
        for (text, expected) in [
            ("[[waiver", &["1: no TOML: "][..]),
            (
                "[[waivers]]\n",
                &["1: waivers: unknown; the file holds [[waiver]] tables"],
            ),
            ("waiver = 1", &["1: waiver: is no list of tables"]),
            (
                "[waiver]\nrule='CE-ID-2'\nreason='r'\nowner=1\nuntil='2027-01-01'",
                &[
                    "1: waiver: is no list of tables: write [[waiver]]",
                    "4: owner = 1: no text",
                ],
            ),
            (
                "[[waiver]]\nrule='CE-ID-2'\nreason='r'\nowner=''\nuntil='2027-01-01'\n\
                 [[waver]]\nrule='CE-ID-2'\nreasn='r'\nowner='o'\nuntil='2027-01-01'\n\
                 [declaration]\nrule='CE-ID-99'\n[[waver]]\nuntil='soon'\n",
                &[
                    "4: owner = \"\": empty",
                    "6: waver: unknown; the file holds [[waiver]] tables",
                    "6: reason: missing",
                    "8: waver.reasn: unknown; did you mean reason?",
                    "11: declaration: unknown; the file holds [[waiver]] tables",
                    "13: rule: missing",
                    "13: reason: missing",
                    "13: owner: missing",
                    "14: until = \"soon\": no date",
                ],
            ),
            (
                "[[waiver]]\nrule='CE-SOURCE-4'\nreason='r'\nowner='o'\nuntil='2027-01-01'\n\
                 [[waiver]]\nrule='CE-TYPES-11'\nreason='r'\nowner='o'\nuntil='2027-01-01'",
                &[
                    "2: rule = \"CE-SOURCE-4\": only sums up CE-ID-3, which report",
                    "7: rule = \"CE-TYPES-11\": only sums up CE-SOURCE-2, EXT-DATAREF-1, which report",
                ],
            ),
            (
                "[[waiver]]\nrule = 'CE-SUBJECT-9'\nreason = ' '\nunitl = '2027-01-01'\nowner = 1\nuntil='soon'",
                &[
                    "2: rule = \"CE-SUBJECT-9\": no rule has this name; did you mean CE-SUBJECT-",
                    "3: reason = \" \": empty",
                    "4: waiver.unitl: unknown; did you mean until?",
                    "5: owner = 1: no text",
                    "6: until = \"soon\": no date of the form 2027-01-31",
                ],
            ),
        ] {
            let faults = Waivers::read(text).unwrap_err();
            let told: Vec<_> = faults.iter().map(ToString::to_string).collect();
            assert_eq!(told.len(), expected.len(), "{told:?}");
            for (told, expected) in told.iter().zip(expected) {
                assert!(told.starts_with(expected), "{told}");
            }
        }
        assert!(Waivers::read("").unwrap().all.is_empty());
    }
}
