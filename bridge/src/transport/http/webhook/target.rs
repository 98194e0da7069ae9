//! One URL that is posted to, for all routes of the process with the same settings: what its receiver has
//! consented to, and the rate that goes with it.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use http::{HeaderMap, Uri};
use tokio::time::Instant;

use super::consent_state::ConsentState;
use super::handshake::{Consent, ContractSettings, Handshake};
use super::rate::{RateLimiter, RequestRate};
use crate::outcome::CONSENT_PENDING;
use crate::shared::{Shared, lock};

/// A receiver that may consent later is asked again after so long.
const ASK_AGAIN: Duration = Duration::from_secs(600);
/// Another process may have been called back: so often the place where consent is kept is read.
const LOOK_AGAIN: Duration = Duration::from_secs(30);

pub(super) struct DeliveryTarget {
    pub(super) settings: ContractSettings,
    pub(super) limiter: RateLimiter,
    /// Held while it is asked.
    asking: tokio::sync::Mutex<Answered>,
    called_back: Mutex<Option<Consent>>,
}

#[derive(Default)]
struct Answered {
    /// `None` where it is to be asked.
    at: Option<Instant>,
    /// It may still consent by calling back.
    withheld: Option<Instant>,
    looked: Option<Instant>,
    /// It stands until the receiver says otherwise.
    by_callback: Option<Consent>,
    /// What the log says of it.
    last: Option<Result<Option<RequestRate>, &'static str>>,
}

impl DeliveryTarget {
    pub(super) fn shared(url: &Uri, settings: &ContractSettings) -> Arc<Self> {
        static TARGETS: Shared<(Uri, ContractSettings), DeliveryTarget> = Shared::new();
        TARGETS.get((url.clone(), settings.clone()), || Self {
            limiter: RateLimiter::new(settings.rate_at_first()),
            settings: settings.clone(),
            asking: tokio::sync::Mutex::default(),
            called_back: Mutex::default(),
        })
    }

    /// Asks where nothing is known, or what is known is old. The error is why nothing may be sent.
    pub(super) async fn agree(
        &self,
        ask: impl Future<Output = Result<HeaderMap, &'static str>>,
        state: Option<&ConsentState>,
    ) -> Result<(), &'static str> {
        let mut answered = self.asking.lock().await;
        if let Some(consent) = lock(&self.called_back).take() {
            answered.by_callback = Some(consent);
            self.settle(&mut answered, Ok(consent.rate));
            return Ok(());
        }
        let good_for = match (answered.withheld, answered.by_callback) {
            (Some(_), None) => ASK_AGAIN,
            _ => self.settings.renewal,
        };
        if answered.at.is_some_and(|at| at.elapsed() < good_for) {
            return Ok(());
        }
        let consent = self.consent(&mut answered, ask, state).await;
        if self.settings.handshake == Handshake::Required {
            consent?;
        }
        self.settle(&mut answered, consent.map(|consent| consent.rate));
        Ok(())
    }

    async fn consent(
        &self,
        answered: &mut Answered,
        ask: impl Future<Output = Result<HeaderMap, &'static str>>,
        state: Option<&ConsentState>,
    ) -> Result<Consent, &'static str> {
        let is_recent = |at: Option<Instant>, limit| at.is_some_and(|at| at.elapsed() < limit);
        if !is_recent(answered.withheld, ASK_AGAIN) {
            if let Some(consent) = self.settings.consent(&ask.await?)? {
                answered.withheld = None;
                return Ok(consent);
            }
            if self.settings.callback.is_none() {
                return Err("receiver does not consent");
            }
            answered.withheld = Some(Instant::now());
            answered.looked = None;
        }
        if answered.by_callback.is_none()
            && !is_recent(answered.looked, LOOK_AGAIN)
            && let Some(state) = state
        {
            answered.looked = Some(Instant::now());
            answered.by_callback = state.read().await;
        }
        answered.by_callback.ok_or(CONSENT_PENDING)
    }

    /// The rate that was granted, or why there is none.
    fn settle(&self, answered: &mut Answered, granted: Result<Option<RequestRate>, &'static str>) {
        let rate = granted.unwrap_or(self.settings.unconsented_rate);
        let rate = self.settings.least_of(rate);
        self.limiter.set(rate);
        answered.at = Some(Instant::now());
        let now = Some(granted.map(|_| rate));
        if std::mem::replace(&mut answered.last, now) == now {
            return;
        }
        let rate = rate.map_or_else(|| "any".to_owned(), |rate| rate.to_string());
        match granted {
            Ok(_) => tracing::info!(rate, "receiver consents to be sent to"),
            Err(cause) => {
                tracing::warn!(
                    cause,
                    rate,
                    "receiver was asked for consent and did not give it, it is sent to all the same"
                );
            }
        }
    }

    /// It answered as one does that has not consented, or no more.
    pub(super) fn doubt(&self) {
        if let Ok(mut answered) = self.asking.try_lock() {
            (answered.at, answered.withheld) = (None, None);
        }
    }

    /// Consent that came by callback counts from the next event on.
    pub(super) fn grant(&self, consent: Consent) {
        *lock(&self.called_back) = Some(consent);
    }
}
