//! Log lines that come again and again, told once in a while: in an outage a client reports each
//! failed attempt, several times a second, for as long as the brokers are away.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// How long lines of one kind are held back after one was written.
const PAUSE: Duration = Duration::from_secs(30);
/// Most kinds that are told apart; a client has a few dozen words.
const MOST_KINDS: usize = 64;

/// When a line of each kind was last written, and how many of it were held back since.
#[derive(Debug, Default)]
pub(crate) struct Throttle(Mutex<BTreeMap<String, (Instant, u64)>>);

impl Throttle {
    /// Whether a line of this kind is to be written now, and how many like it were held back before.
    pub(crate) fn lets_through(&self, kind: &str) -> Option<u64> {
        let now = Instant::now();
        let mut kinds = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((written, held_back)) = kinds.get_mut(kind) {
            if now.duration_since(*written) < PAUSE {
                *held_back += 1;
                return None;
            }
            *written = now;
            return Some(std::mem::take(held_back));
        }
        if kinds.len() < MOST_KINDS {
            kinds.insert(kind.to_owned(), (now, 0));
        }
        Some(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn one_line_of_a_kind_in_half_a_minute() {
        let log = Throttle::default();
        assert_eq!(log.lets_through("FAIL"), Some(0));
        assert_eq!(log.lets_through("FAIL"), None);
        assert_eq!(log.lets_through("FAIL"), None);
        assert_eq!(log.lets_through("OTHER"), Some(0));
        tokio::time::advance(PAUSE).await;
        assert_eq!(log.lets_through("FAIL"), Some(2));
    }
}
