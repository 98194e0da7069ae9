//! Waits for the call by which a receiver consents later.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, bail};
use cloudevents_nl_conformance::Purpose;
use tokio::time::timeout;

use super::run::Runner;
use super::scenario::{Known, Seen, Try};
use crate::listener::{Answer, Arrival, Listener, server_config};
use crate::record::without_secrets;

/// Where to listen, and what to show there.
#[derive(Debug)]
pub(super) struct Callback {
    pub(super) listen: SocketAddr,
    /// Certificate and key; none behind a proxy that has them.
    pub(super) identity: Option<(PathBuf, PathBuf)>,
    pub(super) wait: Duration,
}

impl Runner {
    /// Asks with a URL for the call, and waits for it.
    ///
    /// # Errors
    /// When the port cannot be taken, or as [`Self::begin`].
    pub(super) async fn callback(
        &mut self,
        callback: &Callback,
        known: &mut Known,
    ) -> anyhow::Result<()> {
        let Some(url) = known.target.callback.clone() else {
            return Ok(());
        };
        let identity = callback.identity.as_ref();
        let tls = identity
            .map(|(certificate, key)| server_config(certificate, key))
            .transpose()?;
        let mut listener = Listener::bind(callback.listen, tls)
            .await
            .with_context(|| format!("cannot listen at {}", callback.listen))?;
        let request = known.target.options().with("webhook-request-rate", "120");
        let request = request.with("webhook-request-callback", url.to_string());
        let asked = self
            .settled(&Try::new("OPTIONS, callback", request))
            .await?;
        if self.is_unreached() {
            bail!("{}: {}", self.progress.remedy(), asked.told());
        }
        if asked.consents() {
            return Ok(());
        }
        // Others may come by at a port that is open to all. Who names a rate means this call,
        // wherever it goes to.
        let called = timeout(callback.wait, async {
            loop {
                match listener.next().await {
                    Arrival::Request(received)
                        if received.head.uri.path() == url.path()
                            || received.header("webhook-allowed-rate").is_some() =>
                    {
                        return received;
                    }
                    Arrival::Request(stranger) => drop(stranger.answer(Answer::status(404))),
                    Arrival::Refused(_) => {}
                }
            }
        });
        let Ok(received) = called.await else {
            return Ok(());
        };
        let mut exchange = received.answer(Answer::status(200));
        exchange.purpose = Purpose::Validation;
        let mut kept = exchange.request.clone();
        kept.target = kept.target.as_deref().map(without_secrets);
        let line = self.record.message(&kept);
        known.callback = Some(Seen {
            what: format!("{} callback", kept.method.as_deref().unwrap_or_default()),
            line: line.context("cannot write the record")?,
            exchange,
        });
        self.keep_rate(known);
        Ok(())
    }
}
