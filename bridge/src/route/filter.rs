//! Pure: the filter of a route, as CloudEvents Subscriptions has it.

use std::collections::BTreeMap;

use cloudevents_nl_codec::Event;

/// A condition on the canonical text of attributes, never on `data`. An attribute that the event does not have makes
/// it false.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Filter {
    Exact(BTreeMap<String, String>),
    Prefix(BTreeMap<String, String>),
    Suffix(BTreeMap<String, String>),
    All(Vec<Self>),
    Any(Vec<Self>),
    Not(Box<Self>),
}

impl Filter {
    pub fn matches(&self, event: &Event<'_>) -> bool {
        let every = |wanted: &BTreeMap<String, String>, compare: fn(&str, &str) -> bool| {
            wanted.iter().all(|(name, wanted)| {
                let value = event.attribute(name);
                value.is_some_and(|value| compare(&value.text(), wanted))
            })
        };
        match self {
            Self::Exact(wanted) => every(wanted, |text, wanted| text == wanted),
            Self::Prefix(wanted) => every(wanted, |text, wanted| text.starts_with(wanted)),
            Self::Suffix(wanted) => every(wanted, |text, wanted| text.ends_with(wanted)),
            Self::All(conditions) => conditions.iter().all(|condition| condition.matches(event)),
            Self::Any(conditions) => conditions.iter().any(|condition| condition.matches(event)),
            Self::Not(condition) => !condition.matches(event),
        }
    }

    /// What is wrong with the first comparison that can never be true.
    pub fn fault(&self) -> Option<&'static str> {
        let is_name = |name: &str| {
            let is_letter = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
            !name.is_empty() && name.bytes().all(is_letter)
        };
        match self {
            Self::Exact(wanted) | Self::Prefix(wanted) | Self::Suffix(wanted) => {
                if wanted.is_empty() {
                    Some("names no attribute")
                } else if !wanted.keys().all(|name| is_name(name)) {
                    Some(
                        "names an attribute that cannot exist: names are lower-case letters and digits",
                    )
                } else if wanted.values().any(String::is_empty) {
                    Some("compares with an empty text")
                } else {
                    None
                }
            }
            Self::All(conditions) | Self::Any(conditions) if conditions.is_empty() => {
                Some("holds no condition")
            }
            Self::All(conditions) | Self::Any(conditions) => {
                conditions.iter().find_map(Self::fault)
            }
            Self::Not(condition) => condition.fault(),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use crate::config::tests::read;

    fn filter(text: &str) -> Filter {
        let json = format!(r#"{{ "filter": {text} }}"#);
        read(&json, |table| table.key("filter", "").required()).unwrap()
    }

    fn holds(text: &str) -> bool {
        let event = Event::new("1", "urn:nl:zaken", "nl.zaak.created")
            .and_then(|event| event.with_attribute("priority", "3"))
            .unwrap();
        filter(text).matches(&event)
    }

    #[test]
    fn compares_attributes_and_joins_conditions() {
        for (text, expected) in [
            (r#"{"exact": {"type": "nl.zaak.created"}}"#, true),
            (r#"{"exact": {"type": "nl.zaak"}}"#, false),
            (
                r#"{"exact": {"type": "nl.zaak.created", "priority": "3"}}"#,
                true,
            ),
            (
                r#"{"exact": {"type": "nl.zaak.created", "priority": "4"}}"#,
                false,
            ),
            (r#"{"prefix": {"type": "nl.zaak."}}"#, true),
            (r#"{"prefix": {"type": "NL."}}"#, false),
            (r#"{"suffix": {"type": ".created"}}"#, true),
            (r#"{"not": {"suffix": {"type": ".created"}}}"#, false),
            (
                r#"{"all": [{"prefix": {"type": "nl."}}, {"suffix": {"source": ":zaken"}}]}"#,
                true,
            ),
            (
                r#"{"all": [{"prefix": {"type": "nl."}}, {"suffix": {"source": ":x"}}]}"#,
                false,
            ),
            (
                r#"{"any": [{"prefix": {"type": "x"}}, {"suffix": {"source": ":zaken"}}]}"#,
                true,
            ),
            (r#"{"any": [{"prefix": {"type": "x"}}]}"#, false),
        ] {
            assert_eq!(holds(text), expected, "{text}");
        }
    }

    #[test]
    fn a_comparison_with_an_absent_attribute_is_false_and_not_inverts_it() {
        for operator in ["exact", "prefix", "suffix"] {
            let comparison = format!(r#"{{"{operator}": {{"subject": "x"}}}}"#);
            assert!(!holds(&comparison), "{comparison}");
            assert!(
                holds(&format!(r#"{{"not": {comparison}}}"#)),
                "{comparison}"
            );
        }
    }

    #[test]
    fn says_which_conditions_mean_nothing() {
        for (text, faulty) in [
            (r#"{"exact": {}}"#, true),
            (r#"{"exact": {"Type": "x"}}"#, true),
            (r#"{"prefix": {"type": ""}}"#, true),
            (r#"{"all": []}"#, true),
            (
                r#"{"not": {"any": [{"exact": {"type": "x"}}, {"any": []}]}}"#,
                true,
            ),
            (r#"{"not": {"any": [{"exact": {"type": "x"}}]}}"#, false),
        ] {
            assert_eq!(filter(text).fault().is_some(), faulty, "{text}");
        }
    }
}
