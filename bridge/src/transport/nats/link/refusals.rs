//! What the server does not permit us to publish or subscribe to, counted from its errors.

use std::collections::BTreeMap;

/// A sink publishes to one subject and has one inbox.
const MOST_REFUSED: usize = 32;
const WRITE: &str = "permissions violation for publish to \"";
const READ: &str = "permissions violation for subscription to \"";

#[derive(Debug, Default)]
pub(in crate::transport::nats) struct Refusals(BTreeMap<(&'static str, String), u64>);

impl Refusals {
    pub(super) fn hear(&mut self, said: &str) {
        let lower = said.to_ascii_lowercase();
        let Some(what) = [WRITE, READ].into_iter().find(|it| lower.starts_with(it)) else {
            return;
        };
        let subject = said.split('"').nth(1).unwrap_or_default();
        let refused = (what, subject.to_owned());
        if self.0.len() < MOST_REFUSED || self.0.contains_key(&refused) {
            *self.0.entry(refused).or_default() += 1;
        }
    }

    /// The next connection subscribes anew, and is refused anew.
    pub(super) fn connection_lost(&mut self) {
        self.0.retain(|(what, _), _| *what != READ);
    }

    pub(in crate::transport::nats) fn writes(&self, is_meant: impl Fn(&str) -> bool) -> u64 {
        self.times(WRITE, is_meant)
    }

    pub(in crate::transport::nats) fn has_read(&self, is_meant: impl Fn(&str) -> bool) -> bool {
        self.times(READ, is_meant) > 0
    }

    fn times(&self, refused: &str, is_meant: impl Fn(&str) -> bool) -> u64 {
        let all = self.0.iter();
        let meant = all.filter(|((what, subject), _)| *what == refused && is_meant(subject));
        meant.map(|(_, times)| times).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_write_is_counted_and_a_refused_read_lasts_as_long_as_its_connection() {
        let mut refusals = Refusals::default();
        for said in [
            "Permissions Violation for Publish to \"a.b\"",
            "permissions violation for publish to \"a.b\"",
            "Permissions Violation for Subscription to \"_INBOX.x.*\"",
            "Permissions Violation for Subscription to \"q\" using queue \"w\"",
            "Permissions Violation",
            "Authorization Violation",
            "",
        ] {
            refusals.hear(said);
        }
        assert_eq!(refusals.writes(|subject| subject == "a.b"), 2);
        assert_eq!(refusals.writes(|subject| subject != "a.b"), 0);
        let inbox = |subject: &str| subject.starts_with("_INBOX.x");
        assert!(refusals.has_read(inbox));
        assert!(refusals.has_read(|subject| subject == "q"));
        assert!(!refusals.has_read(|subject| subject == "a.b" || subject == "w"));
        refusals.connection_lost();
        assert!(!refusals.has_read(|_| true));
        assert_eq!(refusals.writes(|_| true), 2);
    }

    #[test]
    fn a_server_that_refuses_without_end_fills_nothing() {
        let mut refusals = Refusals::default();
        for number in 0..100 {
            refusals.hear(&format!("{WRITE}{number}\""));
            refusals.hear(&format!("{READ}{number}\""));
        }
        assert_eq!(refusals.0.len(), MOST_REFUSED);
    }
}
