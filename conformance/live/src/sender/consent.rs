//! The answer to a handshake: consent in each of its forms, or none, or by callback.

use std::path::PathBuf;
use std::time::Duration;

use http::{Method, Uri};

use super::journal::Handshake;
use crate::client::{self, Client, Request};
use crate::listener::{Answer, Received};

const ALLOWED_ORIGIN: &str = "WebHook-Allowed-Origin";
const ALLOWED_RATE: &str = "WebHook-Allowed-Rate";
/// For each of the two calls.
const CALL_TIMEOUT: Duration = Duration::from_secs(10);

/// How consent is given.
#[derive(Debug, Default)]
pub(super) struct Consent {
    /// Instead of what is asked for.
    pub(super) rate: Option<u32>,
    pub(super) callback_ca: Option<PathBuf>,
    /// How many times it was given at once.
    pub(super) given: usize,
    /// How many times it was refused.
    pub(super) refused: usize,
    pub(super) has_called: bool,
}

impl Consent {
    /// The answer to OPTIONS, and what is kept of it. Where a callback is offered, and none was called
    /// yet, consent is to follow by that.
    pub(super) fn answer(&mut self, received: &Received, is_refused: bool) -> (Answer, Handshake) {
        let callback = received.header("webhook-request-callback");
        let asked = received.header("webhook-request-rate");
        let above_zero = |rate: &str| rate.parse::<u32>().ok().filter(|rate| *rate > 0);
        let granted = self.rate.or_else(|| above_zero(asked?));
        let origin = received.header("webhook-request-origin");
        let mut asked_for = Handshake {
            line: 0,
            at: received.at,
            deliveries: 0,
            origin: origin.unwrap_or_default().to_owned(),
            callback: callback.filter(|_| !self.has_called).map(str::to_owned),
            granted,
            has_consent: false,
            is_to_another: false,
            callbacks: Vec::new(),
        };
        let answer = Answer::status(200).with("Allow", "POST");
        if is_refused || asked_for.callback.is_some() {
            asked_for.granted = None;
            self.refused += usize::from(is_refused);
            // Consent to somebody else is none.
            asked_for.is_to_another = is_refused && self.refused.is_multiple_of(2);
            let answer = match asked_for.is_to_another {
                true => answer
                    .with(ALLOWED_ORIGIN, "elsewhere.example")
                    .with(ALLOWED_RATE, "*"),
                false => answer,
            };
            return (answer, asked_for);
        }
        asked_for.has_consent = true;
        // Both forms mean the same, and the rate may be left out where none was asked for.
        let by_name = self.given.is_multiple_of(2) && !asked_for.origin.is_empty();
        let leaves_out = granted.is_none() && asked.is_none() && self.given % 3 == 2;
        self.given += 1;
        let origin = if by_name { &*asked_for.origin } else { "*" };
        let answer = answer.with(ALLOWED_ORIGIN, origin);
        if leaves_out {
            return (answer, asked_for);
        }
        (answer.with(ALLOWED_RATE, told(granted)), asked_for)
    }

    /// Consents by callback, with GET and then with POST.
    pub(super) async fn call(&mut self, asked: &mut Handshake) {
        let Some(url) = asked.callback.take() else {
            return;
        };
        self.has_called = true;
        asked.granted = self.rate;
        for (name, method) in [("GET", Method::GET), ("POST", Method::POST)] {
            let status = self.call_by(method, &url).await;
            asked.has_consent |= status.is_some_and(|status| (200..300).contains(&status));
            asked.callbacks.push((name, status));
        }
    }

    async fn call_by(&self, method: Method, url: &str) -> Option<u16> {
        let url: Uri = url.parse().ok()?;
        let options = client::Options {
            timeout: CALL_TIMEOUT,
            ca_file: self.callback_ca.clone(),
            ..client::Options::default()
        };
        let request = Request::new(method, &url).with(ALLOWED_RATE, told(self.rate));
        let exchange = match Client::new(&url, &options) {
            Ok(client) => client.send(&request).await,
            Err(error) => Err(error),
        };
        match exchange {
            Ok(exchange) => exchange.response.status,
            Err(error) => {
                // Its path holds a secret.
                let host = url.host().unwrap_or_default();
                eprintln!("callback to {host}: {error:#}");
                None
            }
        }
    }
}

fn told(rate: Option<u32>) -> String {
    rate.map_or_else(|| "*".to_owned(), |rate| rate.to_string())
}
