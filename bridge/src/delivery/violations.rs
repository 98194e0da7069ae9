//! What a profile finds wrong with an event: rules and places, never any of the content.

use std::collections::BTreeSet;

use cloudevents_nl_conformance::{Profile, Text};

use super::Position;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violations {
    pub profile: Profile,
    pub position: Position,
    /// At least one, by place in the event.
    pub findings: Vec<Violation>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Its id, such as `CE-ID-2`.
    pub rule: &'static str,
    /// Its keyword, such as `MUST`.
    pub level: &'static str,
    pub clause: &'static str,
    /// What is wrong, in both languages.
    pub title: Text,
    pub place: String,
}

impl Violations {
    /// The ids, for headers and logs.
    pub fn listed(&self) -> String {
        Vec::from_iter(self.rules()).join(", ")
    }

    pub fn rules(&self) -> BTreeSet<&'static str> {
        self.findings.iter().map(|finding| finding.rule).collect()
    }
}
