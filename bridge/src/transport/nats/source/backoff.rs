//! The pause before a session, and what is said of the one before.

use std::time::Duration;

use tokio::time::Instant;

use super::End;
use crate::logging::Throttle;

/// Bounds of the pause, which doubles while no session delivers anything.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// How often it is looked at who reads, and whether a route that is held may go on.
pub(super) const STAND_BY: Duration = Duration::from_secs(1);
pub(super) const LOOK_AGAIN: Duration = Duration::from_secs(10);
/// Lost connections in a row that make a message suspect: the client cannot read it.
const SUSPICIOUS: u32 = 2;

/// See the module.
pub(super) struct Backoff {
    /// A connection that lasted so long did not break because of a message.
    sound: Duration,
    throttle: Throttle,
    broken: u32,
    fruitless: u32,
}

impl Backoff {
    pub(super) fn new(sound: Duration) -> Self {
        Self {
            sound,
            throttle: Throttle::default(),
            broken: 0,
            fruitless: 0,
        }
    }

    /// Counts a session that began then; returns the pause before the next.
    pub(super) fn ended(&mut self, stream: &str, end: &End, began: Instant) -> Duration {
        let cause = match end {
            End::StandBy => return STAND_BY,
            End::Held => return LOOK_AGAIN,
            End::ConnectionLost => "the connection was lost",
            End::StartOver => {
                "the consumer was made anew or counts anew, and is read from where it stands"
            }
            End::Because(cause) => cause,
            End::Fatal(error) => &error.detail,
        };
        self.log(stream, cause);
        if began.elapsed() >= self.sound {
            self.broken = 0;
        } else if matches!(end, End::ConnectionLost) {
            self.broken += 1;
        }
        let pause = FIRST_PAUSE * 2_u32.pow(self.fruitless.min(10));
        self.fruitless += 1;
        pause.min(LONGEST_PAUSE)
    }

    /// Notes that a message came.
    pub(super) fn delivered(&mut self) {
        self.fruitless = 0;
    }

    /// Whether it is time to look for a message that the client cannot read.
    pub(super) fn is_suspicious(&mut self) -> bool {
        let is_suspicious = self.broken >= SUSPICIOUS;
        if is_suspicious {
            self.broken = 0;
        }
        is_suspicious
    }

    /// Says why reading does not go on, once in a while.
    pub(super) fn log(&self, stream: &str, cause: &str) {
        if let Some(held_back) = self.throttle.lets_through(cause) {
            tracing::warn!(
                stream,
                cause,
                held_back,
                "reading a stream is interrupted, trying again"
            );
        }
    }
}
