//! How what is held is let go: because another process has it, or because this one ends.

use std::rc::Rc;

use async_nats::Subject;
use futures_util::{FutureExt, StreamExt};
use tokio::time::{Instant, timeout, timeout_at};

use super::super::super::message::{self, Place};
use super::super::epoch::pinned;
use super::super::owed::Owed;
use super::{AGAIN, Reader, TOLD};
use crate::delivery::Window;

impl Reader {
    /// Gives up what is held: another process has it by now.
    pub(super) fn let_go(&mut self) {
        self.window.abandon();
        self.status.close(&self.window);
        self.owed.settle(&mut self.ledger, &self.window);
        self.ledger.let_go();
        self.owed.stop_working();
        self.window = Window::partition(self.capacity, &self.share);
        self.status.open(&self.window);
        self.progress.highest = 0;
    }

    /// Lets what was started finish until `deadline`, tells the server, and gives the rest back.
    pub(super) async fn finish(mut self, deadline: Instant) {
        self.progress.is_counting = false;
        let window = Rc::clone(&self.window);
        // What nobody has seen is for others, and need not wait for the rest.
        let unseen = Owed::ask_again(self.link.client.clone(), self.unsubscribe());
        drop(self.tended(timeout(TOLD, unseen)).await);
        if timeout_at(deadline, self.finished(&window)).await.is_err() {
            let left = window.len();
            tracing::warn!(
                left,
                "drain ended at its deadline, what is left will be repeated"
            );
        }
        window.abandon();
        self.owed.settle(&mut self.ledger, &window);
        if timeout(TOLD, self.say_goodbye()).await.is_err() {
            tracing::warn!("the last acknowledgements were not taken in time");
        }
        self.status.close(&window);
        self.status.set_joined(false);
    }

    /// Waits for what was started. Another process that took over meanwhile would repeat it.
    async fn finished(&mut self, window: &Window) {
        let client = self.link.client.clone();
        let inbox = client.new_inbox();
        // Nobody reads the answers, and a server may forget who does not listen.
        let answers = client.subscribe(inbox.clone());
        let _answers = self.tended(timeout(TOLD, answers)).await;
        while self
            .tended(timeout(AGAIN, window.finished()))
            .await
            .is_err()
        {
            if self.progress.pin.is_some() {
                self.ask_for_nothing(inbox.clone());
            }
        }
    }

    async fn say_goodbye(&mut self) {
        self.told().await;
        // Lowest first: the next process takes them in that order.
        let back = self.ledger.let_go();
        self.owed.stop_working();
        let client = self.link.client.clone();
        Owed::ask_again(client.clone(), back).await;
        Owed::arrived(client, self.any_reply()).await;
        // Whoever took over meanwhile keeps the place.
        if self.progress.pin.is_some()
            && let Ok(info) = self.api.info().await
            && pinned(&info) == self.progress.pin.as_deref()
            && let Err(trouble) = self.api.unpin().await
        {
            tracing::debug!(
                ?trouble,
                "the place was not given up, it is lost in a moment"
            );
        }
    }

    /// Asks for nothing more, and returns what acknowledges the messages that came and were not taken.
    fn unsubscribe(&mut self) -> Vec<Subject> {
        let mut unseen = Vec::new();
        if let Some(mut subscription) = self.progress.subscription.take() {
            while let Some(Some(message)) = subscription.next().now_or_never() {
                unseen.extend(message.reply);
            }
        }
        unseen
    }

    /// A subject on which the server answers for the consumer.
    pub(super) fn any_reply(&self) -> Subject {
        let place = Place {
            stream: self.progress.highest.max(1),
            consumer: self.progress.last_delivery,
            stored: 0,
        };
        message::acknowledgement(&self.stream, &self.durable, place).into()
    }
}
