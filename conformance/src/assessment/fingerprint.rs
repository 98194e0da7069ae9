//! By what a finding is known again in another run: never by its line, so that it stays the same where
//! others are added or mended.

use std::collections::HashMap;

use crate::grammar::bsn;
use crate::hashed::sha256;
use crate::reading::Event;
use crate::report::{Finding, Part, Place};

/// How often each finding was seen, so that equal ones are told apart.
#[derive(Debug, Default)]
pub(super) struct Fingerprints {
    seen: HashMap<String, usize>,
}

impl Fingerprints {
    /// Rule, input, place, what stood there, and the event: as a hash, in which no citizen service number
    /// can be searched for.
    pub(super) fn next(
        &mut self,
        input: &str,
        finding: &Finding,
        event: Option<&Event<'_>>,
    ) -> String {
        let place = finding.place.to_string();
        let of_event = |name| event.and_then(|event| event.text(name)).unwrap_or_default();
        let part = match finding.part {
            Part::Message => "message",
            Part::Response => "response",
        };
        let [id, source, ty] = ["id", "source", "type"].map(of_event);
        let of_message = [input.trim_start_matches("./"), id, source, ty];
        let of_message = of_message.map(|text| bsn::masked("", text, false));
        let seen = bsn::masked(&place, &finding.seen, finding.place == Place::Body);
        let place = bsn::masked("", &place, false);
        let all = [finding.rule.id, part, &place, &seen, &of_message.join("\0")];
        let print = sha256(all.join("\0").as_bytes());
        let count = self.seen.entry(print.clone()).or_default();
        *count += 1;
        match count {
            1 => print,
            count => sha256(format!("{print} {count}").as_bytes()),
        }
    }
}
