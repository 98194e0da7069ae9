//! Messages on which the client ends the connection, each time it is sent them.

use std::collections::BTreeSet;
use std::time::Duration;

use tokio::time::sleep;

use super::super::epoch::{End, Epoch};
use super::super::ledger::Known;
use super::super::line_up::Line;
use super::super::raw::RawMessage;
use super::Reader;
use crate::delivery::Delivery;

/// Lost connections in a row that make a message suspect, and that leave no other explanation.
const SUSPICIOUS: u32 = 2;
const HOPELESS: u32 = 6;
/// Pause between attempts to get past a message of which nothing can be read.
const HELD: Duration = Duration::from_secs(30);
/// Most messages of which the raw form is looked at in one go.
const MOST_RAW: usize = 10_000;

impl Reader {
    /// Takes messages that the client cannot read in their raw form, when connections broke so often
    /// that there may be one among those that are missing. Returns what is to be handed on, and the
    /// sequences that were found.
    pub(super) async fn pass_unreadable(
        &mut self,
        epoch: &mut Epoch,
    ) -> Result<(Vec<Delivery>, BTreeSet<u64>), End> {
        let (mut first, mut found) = (Vec::new(), BTreeSet::new());
        if self.progress.suspicion < SUSPICIOUS {
            return Ok((first, found));
        }
        for raw in self.unreadable(epoch).await? {
            let (stream, sequence) = (&*self.stream, raw.seq);
            tracing::error!(
                stream,
                sequence,
                "a message cannot be read, its raw form is taken"
            );
            found.insert(sequence);
            let taken = (
                raw.received(&self.stream),
                raw.stored(),
                self.reply(sequence, raw.stored(), &epoch.info),
            );
            let Some(line) = epoch.line.as_mut().filter(|_| self.keeps_order) else {
                first.push(self.admit(sequence, taken));
                continue;
            };
            if let Line::Complete(all) = line.take(sequence, taken) {
                epoch.line = None;
                first.extend(
                    all.into_iter()
                        .map(|(sequence, taken)| self.admit(sequence, taken)),
                );
            }
        }
        // Connections may also break while nothing is to be had.
        let is_stuck = self.missing(&epoch.info) > 0 && self.progress.fruitless >= HOPELESS;
        if found.is_empty() && is_stuck {
            self.hold_before(epoch.info.ack_floor.stream_sequence + 1)
                .await;
        }
        Ok((first, found))
    }

    /// Messages that the client cannot read, among those that are missing.
    async fn unreadable(&mut self, epoch: &mut Epoch) -> Result<Vec<RawMessage>, End> {
        let mut unreadable = Vec::new();
        let mut next = epoch.info.ack_floor.stream_sequence + 1;
        for _ in 0..MOST_RAW {
            let Some(raw) = self.raw_unknown(next, epoch).await? else {
                break;
            };
            next = raw.seq + 1;
            match self.ledger.known(raw.seq, raw.stored()) {
                Known::New if !raw.is_readable() => unreadable.push(raw),
                Known::Other => {
                    self.start_over();
                    return Err(End::Anew);
                }
                _ => {}
            }
        }
        Ok(unreadable)
    }

    /// Says where reading stands, and tries again after a while.
    async fn hold_before(&mut self, sequence: u64) {
        let stream = &*self.stream;
        tracing::error!(
            stream,
            sequence,
            "the connection breaks again and again before this message or the next ones can be read: reading is held"
        );
        self.window.hold("message-unreadable");
        self.tended(sleep(HELD)).await;
    }
}
