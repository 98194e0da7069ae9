//! Asks a receiver whether it can be reached: TCP, TLS, and OPTIONS with the token. No event is posted.

use http::{HeaderMap, Response, StatusCode};
use hyper::body::Incoming;
use tokio::time::timeout;

use super::exchange::WebhookSink;
use super::failure;
use super::handshake::Consent;
use super::settings::WebhookSettings;
use crate::config::Fault;
use crate::credentials::NoToken;
use crate::fetch;
use crate::outcome::Outcome;
use crate::transport::contract::CheckAnswers;

pub(super) async fn check(settings: &WebhookSettings) -> CheckAnswers {
    let protected = match settings.is_protected() {
        true => "TCP and TLS",
        false => "TCP",
    };
    let response = timeout(settings.exchange_timeout, options(settings)).await;
    let response = response.unwrap_or_else(|_| {
        let remedy = Outcome::Unreachable("timeout").remedy();
        Err(Fault::new("no answer within exchange_timeout", remedy))
    });
    match response {
        Ok(response) => {
            let (version, status) = (response.version(), response.status());
            let mut answers = vec![
                ("connection", Ok(format!("{protected}, {version:?}"))),
                ("OPTIONS", judged(status)),
            ];
            if settings.contract.origin.is_some() {
                answers.push(("consent", consent(settings, response.headers())));
            }
            answers
        }
        Err(fault) => vec![("connection", Err(fault))],
    }
}

async fn options(settings: &WebhookSettings) -> Result<Response<Incoming>, Fault> {
    let client = WebhookSink::open(settings, false, 1);
    let client = client.map_err(|error| Fault::new(error.to_string(), "correct what it names"))?;
    let proof = match &client.credential {
        Some(credential) => {
            let no_token = |error: NoToken| Fault::new(error.to_string(), NoToken::REMEDY);
            Some(credential.proof().await.map_err(no_token)?)
        }
        None => None,
    };
    client.options(proof).await.map_err(|error| {
        let outcome = failure::outcome(&*error, Outcome::Unreachable);
        Fault::new(fetch::cause(&*error), outcome.remedy())
    })
}

fn consent(settings: &WebhookSettings, answer: &HeaderMap) -> Result<String, Fault> {
    match settings.contract.consent(answer) {
        Ok(Some(Consent { rate: Some(rate) })) => Ok(format!("given, {rate} at most")),
        Ok(Some(Consent { rate: None })) => Ok("given".to_owned()),
        Ok(None) if settings.contract.callback.is_some() => {
            Ok("not given now; once the route runs, the receiver may call back".to_owned())
        }
        refused => {
            let cause = refused.err().unwrap_or("receiver does not consent");
            let remedy = "let the receiver consent to `origin`, or set `handshake` otherwise";
            Err(Fault::new(cause, remedy))
        }
    }
}

/// Many receivers take no OPTIONS, which says nothing of POST.
fn judged(status: StatusCode) -> Result<String, Fault> {
    let remedy = match status.as_u16() {
        401 | 403 | 407 => "correct what proves who we are, or let the receiver take it",
        404 | 410 => {
            "correct the path of `url`, unless the receiver answers OPTIONS so and takes POST"
        }
        300..=399 => "write the address that it names in `url`: no redirect is followed",
        429 | 500.. if status != StatusCode::NOT_IMPLEMENTED => "look at the receiver",
        _ => return Ok(format!("answered {status}")),
    };
    Err(Fault::new(format!("answered {status}"), remedy))
}
