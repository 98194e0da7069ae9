//! What is published on a core subject while somebody listens.

use std::sync::Arc;

use async_nats::{Client, Subscriber};
use futures_util::future::LocalBoxFuture;
use futures_util::{FutureExt, StreamExt};
use jiff::Timestamp;

use super::super::message::received;
use super::{Spot, View, ViewError, Viewed, failed};
use crate::delivery::Position;

/// See the module.
pub(super) struct CoreSubscription {
    subscriber: Subscriber,
    place: Arc<str>,
    count: u64,
    /// Keeps the connection.
    _client: Client,
}

impl CoreSubscription {
    /// Listens; a subscription of its own takes nothing from anybody.
    pub(super) async fn open(client: Client, subject: String) -> Result<Self, ViewError> {
        let subscriber = client.subscribe(subject.clone()).await;
        let subscriber = subscriber.map_err(|error| failed(error.to_string()))?;
        // The server has it when it has answered.
        let flushed = client.flush().await;
        flushed.map_err(|error| failed(error.to_string()))?;
        Ok(Self {
            subscriber,
            place: format!("nats:{subject}").into(),
            count: 0,
            _client: client,
        })
    }
}

impl View for CoreSubscription {
    fn next(&mut self) -> LocalBoxFuture<'_, Result<Option<Viewed>, ViewError>> {
        async move {
            let message = self.subscriber.next().await;
            let message = message.ok_or_else(|| failed("the connection was ended"))?;
            let number = self.count;
            self.count += 1;
            let position = Position {
                place: Arc::clone(&self.place),
                number: None,
            };
            Ok(Some(Viewed {
                received: received(message, position),
                spot: Spot {
                    partition: 0,
                    number,
                },
                time_ms: Some(Timestamp::now().as_millisecond()),
            }))
        }
        .boxed_local()
    }

    fn left(&self) -> Option<u64> {
        None
    }
}
