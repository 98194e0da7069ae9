//! How reading ends: what is in flight is waited for, then the pin is given up.

use tokio::time::sleep;

use super::End;
use super::consumer::pinned;
use super::pending_acks::NAK;
use super::reader::{RETRY, Reader};
use super::session::Session;

impl Reader {
    /// Waits until what was started has finished, and keeps the pin meanwhile.
    pub(super) async fn drain(&mut self, mut session: Option<Session>) {
        while !self.pending.is_finished() {
            let kept = match &mut session {
                Some(open) => self.keep_pin(open),
                None if self.durable.keeps_order => self.check_pin().await.map(drop),
                None if self.durable.link.is_up() && !self.durable.is_known() => {
                    self.durable.find().await.map(drop)
                }
                None => Ok(()),
            };
            if let Err(end) = kept {
                self.end(end, &mut session).await;
            }
            self.work().await;
        }
    }

    /// Takes nothing.
    pub(super) fn keep_pin(&mut self, session: &mut Session) -> Result<(), End> {
        session.check(&self.durable.link)?;
        while let Some((_, _, reply)) = session.next_now()? {
            if !self.durable.keeps_order {
                self.pending.push(reply, NAK);
            }
        }
        session.keep_pin(self.order.pin());
        Ok(())
    }

    pub(super) async fn release(&mut self) {
        if !self.durable.keeps_order {
            self.flush();
            self.pending.give_back();
        }
        if !self.flush() && self.durable.find().await.is_ok() {
            while !self.flush() {
                sleep(RETRY).await;
            }
        }
        // The answer comes behind the acknowledgements. Who took over meanwhile keeps the pin.
        let (_, answer) = self.durable.ask().await;
        if let (Some(pin), Ok(info)) = (self.order.pin(), answer)
            && pinned(&info) == Some(pin)
            && self.durable.unpin().await.is_err()
        {
            tracing::debug!("the pin was not given up, it is lost in a moment");
        }
    }
}
