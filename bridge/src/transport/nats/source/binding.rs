//! The consumer of a route: found, made where there is none, changed to what the route needs.

use async_nats::datetime::DateTime;
use async_nats::jetstream::ErrorCode;
use async_nats::jetstream::consumer::Info;

use super::super::settings::StreamOrigin;
use super::End;
use super::consumer::{updated, wanted};
use super::durable::Durable;
use crate::config::Start;
use crate::delivery::window::Capacity;
use crate::transport::SourceError;

/// Looks in a row that do not find the consumer, after which it is gone for good.
const MOST_MISSED: u32 = 3;

/// See the module.
pub(super) struct Binding {
    pub(super) durable: Durable,
    pub(super) origin: StreamOrigin,
    pub(super) keeps_order: bool,
    pub(super) capacity: Capacity,
    /// When the consumer was made: another one of its name has delivered nothing.
    created: Option<DateTime>,
    missed: u32,
}

impl Binding {
    pub(super) fn new(
        durable: Durable,
        origin: StreamOrigin,
        keeps_order: bool,
        capacity: Capacity,
    ) -> Self {
        Self {
            durable,
            origin,
            keeps_order,
            capacity,
            created: None,
            missed: 0,
        }
    }

    /// The consumer, which is made where there was none; and whether it is another than before.
    pub(super) async fn found(&mut self) -> Result<(Info, bool), End> {
        let is_new = self.created.is_none();
        let gone = match self.durable.info().await {
            Ok(Some(info)) => {
                self.missed = 0;
                let created = self.created.replace(info.created);
                let is_another = created.is_some_and(|created| created != info.created);
                return Ok((info, is_another));
            }
            Ok(None) if is_new => {
                // Not every user may ask.
                let next = match self.origin.start {
                    Start::Latest => self.durable.stream_info().await?.state.last_sequence + 1,
                    Start::Earliest | Start::Time(_) => 1,
                };
                let wanted = wanted(&self.origin, self.keeps_order, self.capacity, next);
                let info = self.durable.put(wanted).await?;
                self.created = Some(info.created);
                return Ok((info, false));
            }
            Ok(None) => format!("consumer {} was deleted", self.durable.name),
            Err(error) if error.is(ErrorCode::STREAM_NOT_FOUND) => {
                if is_new {
                    return Err(End::Because("the stream does not exist yet".to_owned()));
                }
                format!("stream {} was deleted", self.durable.stream)
            }
            Err(error) => return Err(error.into()),
        };
        self.missed += 1;
        if self.missed < MOST_MISSED {
            return Err(End::Because("the consumer is not found".to_owned()));
        }
        Err(End::Fatal(SourceError {
            reason: "nats-consumer-gone",
            detail: format!(
                "{gone}, and with it the place where reading stood; restart to begin at `start`"
            ),
        }))
    }

    /// Makes the consumer what the route needs; it keeps its place.
    pub(super) async fn change(&self, info: &Info) -> Result<(), End> {
        let wanted = wanted(&self.origin, self.keeps_order, self.capacity, 1);
        let Some((config, differences)) = updated(&wanted, &info.config).map_err(End::Fatal)?
        else {
            return Ok(());
        };
        for difference in differences {
            tracing::warn!(
                stream = &*self.durable.stream,
                durable = self.durable.name,
                setting = difference.setting,
                found = difference.found,
                wanted = difference.wanted,
                "the consumer is changed to what the route needs"
            );
        }
        self.durable.put(config).await?;
        Ok(())
    }
}
