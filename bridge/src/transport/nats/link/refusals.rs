//! Pure: what the server does not let us write or read, as its errors tell.

use std::collections::BTreeMap;

/// Most subjects that are told apart; a sink writes to one, and has its inbox.
const MOST_REFUSED: usize = 32;
const WRITE: &str = "permissions violation for publish to \"";
const READ: &str = "permissions violation for subscription to \"";

/// How often the server said that we may not, by what we may not and the subject.
#[derive(Debug, Default)]
pub(in crate::transport::nats) struct Refusals(BTreeMap<(&'static str, String), u64>);

impl Refusals {
    /// Hears an error of the server.
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

    /// The next connection subscribes anew, and is told anew.
    pub(super) fn connection_lost(&mut self) {
        self.0.retain(|(what, _), _| *what != READ);
    }

    /// How often we were not let write to the subjects meant.
    pub(in crate::transport::nats) fn writes(&self, is_meant: impl Fn(&str) -> bool) -> u64 {
        self.times(WRITE, is_meant)
    }

    /// Whether one of the subjects meant may not be read on this connection.
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
