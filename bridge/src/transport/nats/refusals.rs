//! Pure: what the server does not let us write or read, as its errors tell.

use std::collections::BTreeMap;

/// Most subjects that are told apart; a sink writes to one, and has its inbox.
const MOST_REFUSED: usize = 16;
const WRITE: &str = "permissions violation for publish to \"";
const READ: &str = "permissions violation for subscription to \"";

/// Subjects, and how often the server said that we may not.
type Subjects = BTreeMap<String, u64>;

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Refusals {
    writes: Subjects,
    /// Of this connection, which hears nothing of them.
    reads: Subjects,
}

impl Refusals {
    /// Hears an error of the server.
    pub(super) fn hear(&mut self, said: &str) {
        let lower = said.to_ascii_lowercase();
        let refused = if lower.starts_with(WRITE) {
            &mut self.writes
        } else if lower.starts_with(READ) {
            &mut self.reads
        } else {
            return;
        };
        let subject = said.split('"').nth(1).unwrap_or_default();
        if refused.len() < MOST_REFUSED || refused.contains_key(subject) {
            *refused.entry(subject.to_owned()).or_default() += 1;
        }
    }

    /// The next connection subscribes anew, and is told anew.
    pub(super) fn connection_lost(&mut self) {
        self.reads.clear();
    }

    /// How often we were not let write to the subjects meant.
    pub(super) fn writes(&self, is_meant: impl Fn(&str) -> bool) -> u64 {
        let meant = self.writes.iter().filter(|(subject, _)| is_meant(subject));
        meant.map(|(_, times)| times).sum()
    }

    /// Whether one of the subjects meant may not be read.
    pub(super) fn has_read(&self, is_meant: impl Fn(&str) -> bool) -> bool {
        self.reads.keys().any(|subject| is_meant(subject))
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
        let (writes, reads) = (refusals.writes.len(), refusals.reads.len());
        assert_eq!((writes, reads), (MOST_REFUSED, MOST_REFUSED));
    }
}
