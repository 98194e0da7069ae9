//! Waits for the call by which a receiver consents later.

use std::time::Duration;

use anyhow::{Context, bail};
use cloudevents_nl_conformance::Purpose;
use tokio::time::{sleep, timeout};

use super::run::{PAUSE, Runner};
use super::scenario::{Known, Seen, Try};
use crate::listener::{Answer, Arrival, Listener, Refused, server_config};
use crate::record::without_secrets;

/// How a call came that was to come over TLS.
pub(super) const PLAIN: &str = " over plain HTTP";

impl Runner<'_> {
    /// Asks with a URL for the call, and waits for it, where somebody is to listen.
    pub(super) async fn callback(&mut self, known: &mut Known) -> anyhow::Result<()> {
        let (arguments, url) = (self.arguments, known.target.callback.clone());
        let (Some(url), Some(listen)) = (url, arguments.callback_listen) else {
            return Ok(());
        };
        let tls = match &*arguments.callback_identity {
            [certificate, key] => Some(server_config(certificate, key)?),
            // As behind a proxy that has them.
            _ => None,
        };
        let listener = Listener::bind(listen, tls).await;
        let mut listener = listener.with_context(|| format!("cannot listen at {listen}"))?;
        let request = known.target.options().with("webhook-request-rate", "120");
        let request = request.with("webhook-request-callback", url.to_string());
        let asked = Try::new("OPTIONS, callback", request);
        let asked = self.settled(&asked).await?;
        if self.is_unreached() {
            bail!("{}: {}", self.remedy(), asked.told());
        }
        if asked.consents() {
            return Ok(());
        }
        // Others may come by at a port that is open to all. Who names a rate means this call,
        // wherever it goes to.
        let wait = Duration::from_secs(arguments.callback_wait);
        let called = timeout(wait, async {
            loop {
                let (received, how) = match listener.next().await {
                    Arrival::Request(received) => (received, ""),
                    Arrival::Refused(Refused {
                        plain: Some(received),
                        ..
                    }) => (received, PLAIN),
                    Arrival::Refused(refused) => {
                        known.no_call = Some(refused.error);
                        continue;
                    }
                };
                if received.head.uri.path() == url.path()
                    || received.header("webhook-allowed-rate").is_some()
                {
                    return (received, how);
                }
                received.answer(Answer::status(404));
            }
        });
        let Ok((received, how)) = called.await else {
            return Ok(());
        };
        let mut exchange = received.answer(Answer::status(200));
        exchange.purpose = Purpose::Validation;
        let mut kept = exchange.request.clone();
        kept.target = kept.target.as_deref().map(without_secrets);
        let line = self.record.message(&kept);
        known.callback = Some(Seen {
            what: format!(
                "{} callback{how}",
                kept.method.as_deref().unwrap_or_default()
            ),
            line: line.context("cannot write the record")?,
            exchange,
        });
        self.keep_rate(known);
        // Dropped at once, the listener would take the answer with it, and a consent is none before that.
        sleep(PAUSE).await;
        Ok(())
    }
}
