//! What becomes of a message that comes in.

use async_nats::Message;
use futures_util::{FutureExt, StreamExt};
use tokio::time::Instant;

use super::super::super::message::{self, PIN_ID, Place};
use super::super::epoch::{End, Epoch, Status, Taken};
use super::super::ledger::Known;
use super::super::line_up::Line;
use super::Reader;
use crate::delivery::Delivery;

/// Most messages handed over in one go.
const MOST: usize = 128;

impl Reader {
    /// Takes a message, and those that are there already.
    pub(super) fn take_all(
        &mut self,
        epoch: &mut Epoch,
        message: Message,
        taken: &mut Vec<Delivery>,
    ) -> Option<End> {
        let mut next = Some(message);
        while let Some(message) = next {
            epoch.heard = Instant::now();
            if let Some(end) = self.take(epoch, message, taken) {
                return Some(end);
            }
            // What was asked for has room, so no message waits here for it.
            next = match (taken.len() < MOST, &mut self.progress.subscription) {
                (true, Some(subscription)) => subscription.next().now_or_never().flatten(),
                _ => None,
            };
        }
        None
    }

    fn take(
        &mut self,
        epoch: &mut Epoch,
        message: Message,
        taken: &mut Vec<Delivery>,
    ) -> Option<End> {
        if let Some(status) = Status::of(&message) {
            return self.hear(epoch, status, &message);
        }
        let reply = message.reply.clone()?;
        let place = Place::of(&reply)?;
        epoch.had_message = epoch.heard;
        self.window.go_on();
        epoch.pulls.came(message.length);
        if epoch.stands_by {
            return Some(self.step_forward(&message, place));
        }
        if let Some(expected) = &mut epoch.expected {
            // Somebody else was given a message, or it was lost.
            if place.consumer != *expected {
                // No delivery counts less than one before it, unless the consumer was set back.
                if place.consumer < *expected {
                    self.start_over();
                }
                return Some(End::Anew);
            }
            *expected += 1;
            self.progress.last_delivery = place.consumer;
        }
        match self.ledger.known(place.stream, place.stored) {
            Known::Held => self.owed.works_on(reply),
            Known::Settled => self.owed.acknowledge(reply),
            Known::New => {
                let position = message::position(&self.stream, place.stream);
                let fresh = (message::received(message, position), place.stored, reply);
                return self.take_new(epoch, place.stream, fresh, taken);
            }
            Known::Other => {
                self.start_over();
                return Some(End::Anew);
            }
        }
        None
    }

    fn take_new(
        &mut self,
        epoch: &mut Epoch,
        sequence: u64,
        fresh: Taken,
        taken: &mut Vec<Delivery>,
    ) -> Option<End> {
        match &mut epoch.line {
            Some(line) => match line.take(sequence, fresh) {
                Line::Waits => None,
                Line::Jumped => Some(End::Anew),
                Line::Complete(all) => {
                    epoch.line = None;
                    taken.extend(
                        all.into_iter()
                            .map(|(sequence, fresh)| self.admit(sequence, fresh)),
                    );
                    None
                }
            },
            // It was forgotten when the others were counted.
            None if self.keeps_order && sequence < self.progress.highest => Some(End::Anew),
            None => {
                taken.push(self.admit(sequence, fresh));
                None
            }
        }
    }

    /// Lets a message into the window.
    pub(super) fn admit(&mut self, sequence: u64, (received, stored, reply): Taken) -> Delivery {
        self.ledger.hold(sequence, stored, reply);
        self.progress.highest = self.progress.highest.max(sequence);
        self.window.admit(received)
    }

    /// This process is the one that reads from now on: the server gave it a message. It is sent
    /// again in its turn.
    fn step_forward(&mut self, message: &Message, place: Place) -> End {
        let headers = message.headers.as_ref();
        // The server appends its own behind those that were stored.
        let id = headers.and_then(|headers| headers.get_last(PIN_ID));
        self.progress.pin = id.map(|id| id.as_str().to_owned());
        let stream = &*self.stream;
        tracing::info!(stream, "this process reads the stream");
        if self.ledger.len() > 0 && place.consumer > self.progress.last_delivery + 1 {
            tracing::warn!(
                stream,
                "another process read meanwhile, what was held is repeated"
            );
            self.let_go();
        }
        End::Anew
    }

    fn hear(&mut self, epoch: &mut Epoch, status: Status, message: &Message) -> Option<End> {
        match status {
            Status::Alive => None,
            Status::Ended {
                events,
                bytes,
                was_too_small,
            } => {
                let number = message
                    .subject
                    .rsplit('.')
                    .next()
                    .and_then(|number| number.parse().ok());
                // The request that only keeps the place is no request for messages.
                if let Some(number @ 1..) = number {
                    if was_too_small {
                        epoch.pulls.was_too_small();
                    }
                    epoch.pulls.ended(number, events, bytes);
                }
                None
            }
            Status::Unpinned => {
                self.progress.pin = None;
                Some(End::Anew)
            }
            Status::Changed => {
                self.progress.is_counting = true;
                self.owed.forget();
                Some(End::Anew)
            }
            Status::Trouble(cause) => Some(End::Again(cause)),
        }
    }
}
