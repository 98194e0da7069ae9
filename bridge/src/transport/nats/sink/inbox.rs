//! Where answers come in: one subscription for all of them, told apart by a number.

use async_nats::{Client, Message, Subject, Subscriber};
use tokio::time::{Duration, sleep};

/// Pause before a subscription that could not be made is tried again.
const PAUSE: Duration = Duration::from_secs(1);

/// A place for answers that nobody else knows.
pub(super) struct Inbox(String);

impl Inbox {
    /// Subscribes, however long that takes.
    pub(super) async fn open(client: &Client) -> (Self, Subscriber) {
        let inbox = Self(client.new_inbox());
        loop {
            match client.subscribe(format!("{}.*", inbox.0)).await {
                Ok(answers) => return (inbox, answers),
                Err(_) => sleep(PAUSE).await,
            }
        }
    }

    /// Where the answer to exchange `number` shall go.
    pub(super) fn reply_to(&self, number: u64) -> Subject {
        format!("{}.{number}", self.0).into()
    }

    /// Whether a subject is one of those that answers come in on.
    pub(super) fn holds(&self, subject: &str) -> bool {
        subject.starts_with(&self.0)
    }

    /// The number of the exchange that a message answers.
    pub(super) fn number(&self, message: &Message) -> Option<u64> {
        let rest = message.subject.strip_prefix(self.0.as_str())?;
        rest.strip_prefix('.')?.parse().ok()
    }
}
