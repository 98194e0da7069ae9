//! Notices a client that knows no broker any more.
//!
//! librdkafka forgets a broker that an answer about topics does not name. A broker that stops or
//! starts can give an answer that names topics and no broker, itself included. Whoever hears it has
//! nobody left to ask and nobody left to connect to, and seldom finds back by itself: messages time
//! out one after another, partitions stand still without an error, long after the broker is back
//! (librdkafka 2.10 and later, confluentinc/librdkafka#5301). Only a new client heals it.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use futures_util::FutureExt;
use serde::Deserialize;
use tokio::sync::Notify;

/// How often a client tells what it knows, as a property of librdkafka.
pub(super) const LOOK: (&str, &str) = ("statistics.interval.ms", "1000");
/// So many times in a row without a broker, and the client will not find back: for moments every
/// client is without one, while it goes back to the brokers it began with.
const LOOKS: u32 = 2;

/// What is known of one client, or of one after another. Clones share it.
#[derive(Clone, Debug, Default)]
pub(super) struct Forsaken(Arc<State>);

#[derive(Debug, Default)]
struct State {
    looks_in_vain: AtomicU32,
    is_certain: Notify,
}

#[derive(Deserialize)]
struct Statistics {
    brokers: HashMap<String, Broker>,
}

#[derive(Deserialize)]
struct Broker {
    source: String,
}

impl Forsaken {
    /// Takes what the client tells of itself. May be called on any thread.
    pub(super) fn look(&self, statistics: &[u8]) {
        let Ok(Statistics { brokers }) = serde_json::from_slice(statistics) else {
            return;
        };
        // The others are names for what a client asks of a broker, such as the coordinator of a group.
        let is_broker = |broker: &Broker| matches!(&*broker.source, "learned" | "configured");
        if brokers.values().any(is_broker) {
            self.0.looks_in_vain.store(0, Ordering::Relaxed);
        } else if self.0.looks_in_vain.fetch_add(1, Ordering::Relaxed) + 1 == LOOKS {
            self.0.is_certain.notify_one();
        }
    }

    /// Forgets what is known: another client takes the place of the one before.
    pub(super) fn begin_anew(&self) {
        self.0.looks_in_vain.store(0, Ordering::Relaxed);
        // What may have been found of the one before is nothing to the other.
        self.is_certain().now_or_never();
    }

    /// Waits until a client will not find back. May be dropped.
    pub(super) async fn is_certain(&self) {
        self.0.is_certain.notified().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: &str = r#"{"name":"x","brokers":{ },"topics":{}}"#;
    const LOGICAL: &str =
        r#"{"brokers":{"GroupCoordinator":{"nodeid":-1,"source":"logical","toppars":{}}}}"#;
    const ONE: &str = r#"{"brokers":{"b:9092/1":{"nodeid":1,"source":"learned","toppars":{}}}}"#;
    const FIRST: &str = r#"{"brokers":{"b:9092/bootstrap":{"nodeid":-1,"source":"configured"}}}"#;

    fn check(told: &[&str], is_certain: bool) {
        let forsaken = Forsaken::default();
        for statistics in told {
            forsaken.look(statistics.as_bytes());
        }
        let found = forsaken.is_certain().now_or_never().is_some();
        assert_eq!(found, is_certain, "{told:?}");
    }

    #[test]
    fn a_client_without_brokers_twice_is_forsaken() {
        check(&[NONE, NONE], true);
        check(&[ONE, LOGICAL, NONE, NONE], true);
        check(&[NONE], false);
        check(&[NONE, ONE, NONE], false);
        check(&[LOGICAL, FIRST, LOGICAL], false);
        check(&[ONE, ONE, FIRST], false);
        check(&["no statistics", "{}", "{}"], false);
    }

    #[test]
    fn one_that_was_made_anew_may_be_forsaken_again() {
        let forsaken = Forsaken::default();
        for told in [NONE, NONE, NONE] {
            forsaken.look(told.as_bytes());
        }
        assert!(forsaken.is_certain().now_or_never().is_some());
        assert!(forsaken.is_certain().now_or_never().is_none());
        for told in [ONE, NONE, NONE] {
            forsaken.look(told.as_bytes());
        }
        assert!(forsaken.is_certain().now_or_never().is_some());
        // The next one never knows a broker at all; nor does the one after it.
        for _ in 0..2 {
            forsaken.begin_anew();
            forsaken.look(NONE.as_bytes());
            assert!(forsaken.is_certain().now_or_never().is_none());
            forsaken.look(NONE.as_bytes());
            assert!(forsaken.is_certain().now_or_never().is_some());
        }
        for told in [NONE, ONE, NONE, NONE] {
            forsaken.look(told.as_bytes());
        }
        forsaken.begin_anew();
        assert!(forsaken.is_certain().now_or_never().is_none());
    }
}
