//! What the server does not permit us to publish or subscribe to, counted from its errors.

use std::collections::BTreeMap;

/// A sink publishes to one subject and has one inbox.
const SUBJECTS_MAX: usize = 32;
const STREAM_INFO: &str = "$JS.API.STREAM.INFO.";
const PUBLISH: &str = "permissions violation for publish to \"";
const SUBSCRIBE: &str = "permissions violation for subscription to \"";

#[derive(Debug, Default)]
pub(in crate::transport::nats) struct PermissionViolations(BTreeMap<(&'static str, String), u64>);

impl PermissionViolations {
    pub(super) fn record(&mut self, error: &str) {
        let lower = error.to_ascii_lowercase();
        let Some(what) = [PUBLISH, SUBSCRIBE]
            .into_iter()
            .find(|it| lower.starts_with(it))
        else {
            return;
        };
        let subject = error.split('"').nth(1).unwrap_or_default();
        let refused = (what, subject.to_owned());
        if self.0.len() < SUBJECTS_MAX || self.0.contains_key(&refused) {
            *self.0.entry(refused).or_default() += 1;
        }
    }

    /// The next connection subscribes anew, and is refused anew.
    pub(super) fn connection_lost(&mut self) {
        self.0.retain(|(what, _), _| *what != SUBSCRIBE);
    }

    pub(in crate::transport::nats) fn of_publish(&self, is_ours: impl Fn(&str) -> bool) -> u64 {
        self.times(PUBLISH, is_ours)
    }

    pub(in crate::transport::nats) fn has_subscription(
        &self,
        is_ours: impl Fn(&str) -> bool,
    ) -> bool {
        self.times(SUBSCRIBE, is_ours) > 0
    }

    /// Some users may not request what a stream is.
    pub(in crate::transport::nats) fn has_stream_info(&self) -> bool {
        self.times(PUBLISH, |subject| subject.starts_with(STREAM_INFO)) > 0
    }

    fn times(&self, refused: &str, is_ours: impl Fn(&str) -> bool) -> u64 {
        let all = self.0.iter();
        let meant = all.filter(|((what, subject), _)| *what == refused && is_ours(subject));
        meant.map(|(_, times)| times).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_write_is_counted_and_a_refused_read_lasts_as_long_as_its_connection() {
        let mut violations = PermissionViolations::default();
        for error in [
            "Permissions Violation for Publish to \"a.b\"",
            "permissions violation for publish to \"a.b\"",
            "Permissions Violation for Subscription to \"_INBOX.x.*\"",
            "Permissions Violation for Subscription to \"q\" using queue \"w\"",
            "Permissions Violation",
            "Authorization Violation",
            "",
        ] {
            violations.record(error);
        }
        assert_eq!(violations.of_publish(|subject| subject == "a.b"), 2);
        assert_eq!(violations.of_publish(|subject| subject != "a.b"), 0);
        let inbox = |subject: &str| subject.starts_with("_INBOX.x");
        assert!(violations.has_subscription(inbox));
        assert!(violations.has_subscription(|subject| subject == "q"));
        assert!(!violations.has_subscription(|subject| subject == "a.b" || subject == "w"));
        violations.connection_lost();
        assert!(!violations.has_subscription(|_| true));
        assert_eq!(violations.of_publish(|_| true), 2);
    }

    #[test]
    fn a_server_that_refuses_without_end_fills_nothing() {
        let mut violations = PermissionViolations::default();
        for number in 0..100 {
            violations.record(&format!("{PUBLISH}{number}\""));
            violations.record(&format!("{SUBSCRIBE}{number}\""));
        }
        assert_eq!(violations.0.len(), SUBJECTS_MAX);
    }
}
