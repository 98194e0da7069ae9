//! The begin of a stretch: a look at the consumer, and what must come before anything new.

use std::collections::BTreeSet;

use async_nats::Subject;
use async_nats::connection::State;
use async_nats::jetstream::consumer::Info;
use tokio::time::{sleep, timeout};

use super::super::super::message::{self, Place};
use super::super::api::Trouble;
use super::super::consumer;
use super::super::counts::{Counts, Delivered};
use super::super::epoch::{End, Epoch, pinned};
use super::super::line_up::LineUp;
use super::super::owed::Owed;
use super::super::raw::RawMessage;
use super::{AGAIN, Reader, TICK, TOLD};
use crate::delivery::Delivery;
use crate::transport::SourceError;

/// Looks that do not find the consumer, after which it is gone for good.
const MOST_MISSED: u32 = 3;
/// Most sequences that are asked for again without a look which of them the consumer has.
const MOST_BLIND: u64 = 100_000;

impl Reader {
    /// Looks at the consumer and takes a place in it.
    pub(super) async fn begin(&mut self) -> Result<Epoch, End> {
        let client = self.link.client.clone();
        while client.connection_state() != State::Connected {
            self.status.set_joined(false);
            self.tend();
            sleep(TICK).await;
        }
        let disconnections = self.link.signals.disconnections();
        let inbox = client.new_inbox();
        // The old one goes first: what was asked for there comes no more.
        self.progress.subscription = None;
        let subscribed = self.tended(client.subscribe(format!("{inbox}.*"))).await;
        let subscribed = subscribed.map_err(|error| End::Again(error.to_string()))?;
        self.progress.subscription = Some(subscribed);
        let mut info = self.look().await?;
        if self.acknowledges_again(&info).await? {
            info = self.look().await?;
        }
        self.status.set_joined(true);
        self.owed.set_ack_wait(info.config.ack_wait);
        let (capacity, largest) = (self.capacity, client.max_payload());
        let mut epoch = Epoch::new(inbox, disconnections, info, capacity, largest);
        epoch.stands_by = self.keeps_order && !self.has_the_place(&epoch.info);
        if !epoch.stands_by {
            self.progress.last_delivery = epoch.info.delivered.consumer_sequence;
            epoch.expected = self.keeps_order.then_some(self.progress.last_delivery + 1);
            epoch.line = LineUp::new(
                self.missing(&epoch.info),
                epoch.info.delivered.stream_sequence,
            );
        }
        let (stands_by, missing) = (epoch.stands_by, self.missing(&epoch.info));
        tracing::debug!(stands_by, missing, "reading begins");
        Ok(epoch)
    }

    /// Asks what the server counts, while this process tells it nothing that would change it.
    async fn look(&mut self) -> Result<Info, End> {
        drop(timeout(TOLD, self.told()).await);
        self.progress.is_counting = true;
        let (api, client, reply) = (self.api.clone(), self.link.client.clone(), self.any_reply());
        // Acknowledgements and questions take different ways through a server.
        let arrived = timeout(TOLD, Owed::arrived(client, reply));
        let found = self
            .tended(async move {
                drop(arrived.await);
                api.info().await
            })
            .await;
        let gone = match found {
            Ok(info) => {
                self.progress.missed = 0;
                consumer::check(&self.wanted, &info.config).map_err(End::Fatal)?;
                self.meet(&info);
                self.progress.is_counting = false;
                return Ok(info);
            }
            Err(Trouble::Passing(cause)) => return Err(End::Again(cause)),
            Err(Trouble::NoStream) => format!("stream {} was deleted", self.stream),
            Err(Trouble::NoConsumer) => format!("consumer {} was deleted", self.durable),
        };
        self.progress.missed += 1;
        if self.progress.missed < MOST_MISSED {
            return Err(End::Again("the consumer is not found".to_owned()));
        }
        let detail = format!(
            "{gone}, and with it the place where reading stood; restart to begin at `start`"
        );
        Err(End::Fatal(SourceError {
            reason: "nats-consumer-gone",
            detail,
        }))
    }

    /// Notices a consumer that is another one of the same name, or that was set back, or whose server
    /// forgot the last of it.
    fn meet(&mut self, info: &Info) {
        let progress = &mut self.progress;
        let known = progress.made.replace(info.created);
        let is_another = known.is_some_and(|made| made != info.created);
        let lost = self.link.signals.disconnections();
        let connection_was_lost = std::mem::replace(&mut progress.disconnections, lost) != lost;
        let least = Delivered {
            deliveries: progress.last_delivery,
            sequence: progress.highest,
        };
        let now = Delivered {
            deliveries: info.delivered.consumer_sequence,
            sequence: info.delivered.stream_sequence,
        };
        match Counts::compare(least, now, is_another, connection_was_lost) {
            Counts::GoOn => {}
            Counts::FellBack => self.fall_back(now),
            Counts::Anew => self.start_over(),
        }
    }

    /// Counts on from where the server is. What it delivers again is held or remembered as settled,
    /// each by its sequence and the moment at which it was stored; what was forgotten is delivered
    /// twice.
    fn fall_back(&mut self, now: Delivered) {
        let stream = &*self.stream;
        tracing::warn!(
            stream,
            "the server has forgotten the last deliveries of the consumer, what it repeats is recognised"
        );
        self.progress.last_delivery = now.deliveries;
        self.progress.highest = self.progress.highest.min(now.sequence);
    }

    /// Forgets everything: the same sequences may be other messages, which nobody has delivered. The
    /// window is another one, so that no late verdict settles them.
    pub(super) fn start_over(&mut self) {
        let stream = &*self.stream;
        tracing::warn!(
            stream,
            "the consumer was made anew or counts anew, and is read from where it stands"
        );
        self.let_go();
        self.ledger.forget_settled();
        self.owed.forget();
        self.progress.pin = None;
        self.progress.last_delivery = 0;
    }

    /// Acknowledges what is settled and still open on the server: a connection broke in between.
    async fn acknowledges_again(&mut self, info: &Info) -> Result<bool, End> {
        if info.num_ack_pending <= self.ledger.held_up_to(info.delivered.stream_sequence) {
            return Ok(false);
        }
        let (first, last) = (
            info.ack_floor.stream_sequence + 1,
            info.delivered.stream_sequence,
        );
        let mut settled: Vec<_> = self.ledger.settled_within(first, last).collect();
        // A stream that lost its end counts on: before a message that is the same, all are.
        while let Some(&(sequence, stored)) = settled.last() {
            match self.raw_from(sequence, info).await? {
                Some(raw) if raw.seq == sequence && raw.stored() == stored => break,
                Some(raw) if raw.seq == sequence => {
                    self.start_over();
                    return Err(End::Anew);
                }
                _ => settled.pop(),
            };
        }
        for &(sequence, stored) in &settled {
            let reply = self.reply(sequence, stored, info);
            self.owed.acknowledge(reply);
        }
        Ok(!settled.is_empty())
    }

    /// Whether only this process may read; it gives up what it holds when another one may.
    fn has_the_place(&mut self, info: &Info) -> bool {
        match (pinned(info), &self.progress.pin) {
            (Some(reads), Some(own)) if reads == own => true,
            (Some(_), _) => {
                self.progress.pin = None;
                if self.ledger.len() > 0 {
                    let stream = &*self.stream;
                    tracing::warn!(
                        stream,
                        "another process has taken over, what was held is its now"
                    );
                    self.let_go();
                }
                false
            }
            (None, _) => {
                self.progress.pin = None;
                false
            }
        }
    }

    /// Messages that the server takes for delivered, and that never came or came to another process.
    pub(super) fn missing(&self, info: &Info) -> usize {
        let held = self.ledger.held_up_to(info.delivered.stream_sequence);
        info.num_ack_pending.saturating_sub(held)
    }

    /// Has missing messages sent again. What this lets in is to be handed on first.
    pub(super) async fn line_up(&mut self, epoch: &mut Epoch) -> Result<Vec<Delivery>, End> {
        let missing = self.missing(&epoch.info);
        let is_in_place = self.keeps_order && !epoch.stands_by;
        // While another process reads, they are its. In place, the number decides nothing: it is too
        // low when messages that are held have left the stream.
        if missing == 0 && !is_in_place || epoch.stands_by && pinned(&epoch.info).is_some() {
            return Ok(Vec::new());
        }
        let (first, found) = self.pass_unreadable(epoch).await?;
        let asked = if epoch.stands_by {
            // A consumer that waits for so many acknowledgements that it sends nothing lets nobody
            // begin: one message is enough.
            self.ask_again(epoch, Some(1), &found).await
        } else if is_in_place {
            self.ask_again(epoch, None, &found).await
        } else {
            // The server sends them again when they are due, and nobody waits for them.
            epoch.line = None;
            Ok(())
        };
        if let Err(end) = asked {
            let handing = self.handing(first);
            self.hand_on(handing).await;
            return Err(end);
        }
        Ok(first)
    }

    /// The next message of which nothing is known, or one behind it; the place is kept meanwhile.
    pub(super) async fn raw_unknown(
        &mut self,
        mut sequence: u64,
        epoch: &mut Epoch,
    ) -> Result<Option<RawMessage>, End> {
        while !self.ledger.is_new(sequence) {
            sequence += 1;
        }
        self.keep_place(epoch);
        self.raw_from(sequence, &epoch.info).await
    }

    async fn raw_from(&mut self, sequence: u64, info: &Info) -> Result<Option<RawMessage>, End> {
        let api = self.api.clone();
        match self
            .tended(async move { api.raw_from(sequence).await })
            .await
        {
            Ok(raw) => Ok(raw.filter(|raw| raw.seq <= info.delivered.stream_sequence)),
            Err(Trouble::Passing(cause)) => Err(End::Again(cause)),
            Err(Trouble::NoStream | Trouble::NoConsumer) => {
                Err(End::Again("the stream is not found".to_owned()))
            }
        }
    }

    /// Has missing messages sent again, lowest first. Those of which the server knows nothing it
    /// leaves alone.
    async fn ask_again(
        &mut self,
        epoch: &mut Epoch,
        most: Option<usize>,
        except: &BTreeSet<u64>,
    ) -> Result<(), End> {
        let (first, last) = (
            epoch.info.ack_floor.stream_sequence + 1,
            epoch.info.delivered.stream_sequence,
        );
        let is_wanted = |reader: &Self, sequence: &u64| {
            reader.ledger.is_new(*sequence) && !except.contains(sequence)
        };
        let mut wanted = Vec::new();
        let most = most.unwrap_or(usize::MAX);
        if last.saturating_sub(first) < MOST_BLIND {
            let all = (first..=last).filter(|sequence| is_wanted(self, sequence));
            wanted.extend(all.take(most));
        } else {
            // Few of many sequences have a subject that the consumer takes.
            let mut next = first;
            while wanted.len() < most
                && let Some(raw) = self.raw_unknown(next, epoch).await?
            {
                next = raw.seq + 1;
                wanted.extend(Some(raw.seq).filter(|sequence| is_wanted(self, sequence)));
            }
        }
        let replies: Vec<Subject> = wanted
            .iter()
            .map(|&sequence| self.reply(sequence, 0, &epoch.info))
            .collect();
        let asked = timeout(TOLD, Owed::ask_again(self.link.client.clone(), replies));
        match self.tended(asked).await {
            Ok(true) => Ok(()),
            Ok(false) | Err(_) => {
                self.tended(sleep(AGAIN)).await;
                Err(End::Anew)
            }
        }
    }

    pub(super) fn reply(&self, sequence: u64, stored: i64, info: &Info) -> Subject {
        let place = Place {
            stream: sequence,
            consumer: info.delivered.consumer_sequence,
            stored,
        };
        message::acknowledgement(&self.stream, &self.durable, place).into()
    }
}
