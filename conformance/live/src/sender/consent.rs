//! The answer to a handshake: consent in each of its forms, or none, or by callback.

use std::time::Duration;

use http::{Method, Uri};

use super::Options;
use super::journal::Handshake;
use crate::client::{self, Client, Request};
use crate::listener::{Answer, Received};

const ALLOWED_ORIGIN: &str = "WebHook-Allowed-Origin";
const ALLOWED_RATE: &str = "WebHook-Allowed-Rate";
/// For each of the two calls.
const CALL_TIMEOUT: Duration = Duration::from_secs(10);

#[derive(Debug, Default)]
pub(super) struct Consent {
    /// How many times it was given at once.
    given: usize,
    refused: usize,
    has_called: bool,
}

impl Consent {
    /// The answer to OPTIONS, and what is kept of it. Where a callback is offered, and none was called
    /// yet, consent is to follow by that.
    pub(super) fn answer(
        &mut self,
        options: &Options,
        received: &Received,
        is_refused: bool,
    ) -> (Answer, Handshake) {
        let callback = received.header("webhook-request-callback");
        let callback = callback.filter(|_| !self.has_called);
        let asked = received.header("webhook-request-rate");
        let above_zero = |rate: &str| rate.parse::<u32>().ok().filter(|rate| *rate > 0);
        let granted = options.rate.or_else(|| above_zero(asked?));
        let origin = received.header("webhook-request-origin");
        let origin = origin.unwrap_or_default();
        let has_consent = !is_refused && callback.is_none();
        self.refused += usize::from(is_refused);
        // Consent to somebody else is none.
        let is_to_another = is_refused && self.refused.is_multiple_of(2);
        let mut answer = Answer::status(200).with("Allow", "POST");
        if is_to_another {
            answer = answer.with(ALLOWED_ORIGIN, "elsewhere.example");
            answer = answer.with(ALLOWED_RATE, "*");
        } else if has_consent {
            // Both forms mean the same, and the rate may be left out where none was asked for.
            let by_name = self.given.is_multiple_of(2) && !origin.is_empty();
            let leaves_out = granted.is_none() && asked.is_none() && self.given % 3 == 2;
            self.given += 1;
            answer = answer.with(ALLOWED_ORIGIN, if by_name { origin } else { "*" });
            if !leaves_out {
                answer = answer.with(ALLOWED_RATE, told(granted));
            }
        }
        let asked = Handshake {
            line: 0,
            at: received.at,
            origin: origin.to_owned(),
            callback: callback.map(str::to_owned),
            granted: granted.filter(|_| has_consent),
            has_consent,
            is_to_another,
            callbacks: Vec::new(),
        };
        (answer, asked)
    }

    /// Consents by callback, with GET and then with POST.
    pub(super) async fn call(&mut self, options: &Options, asked: &mut Handshake) {
        let Some(url) = asked.callback.take() else {
            return;
        };
        self.has_called = true;
        asked.granted = options.rate;
        for (name, method) in [("GET", Method::GET), ("POST", Method::POST)] {
            let status = called(options, method, &url).await;
            asked.has_consent |= status.is_some_and(|status| (200..300).contains(&status));
            asked.callbacks.push((name, status));
        }
    }
}

async fn called(options: &Options, method: Method, url: &str) -> Option<u16> {
    let url: Uri = url.parse().ok()?;
    let request = Request::new(method, &url).with(ALLOWED_RATE, told(options.rate));
    let options = client::Options {
        timeout: CALL_TIMEOUT,
        ca_file: options.callback_ca.clone(),
        ..client::Options::default()
    };
    let sent = async { Client::new(&url, &options)?.send(&request).await };
    match sent.await {
        Ok(exchange) => exchange.response.status,
        Err(error) => {
            // Its path holds a secret.
            let host = url.host().unwrap_or_default();
            eprintln!("callback to {host}: {error:#}");
            None
        }
    }
}

fn told(rate: Option<u32>) -> String {
    rate.map_or_else(|| "*".to_owned(), |rate| rate.to_string())
}
