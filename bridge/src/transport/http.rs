//! HTTP: a source that webhooks are posted to, and a sink that posts to webhooks.

pub mod ingress;
mod signature;
pub mod webhook;

use http::HeaderName;

use super::contract::{Entry, Transport};
use ingress::{ListenerSettings, PathSettings};
use webhook::{CallbackSettings, WebhookSettings};

// Of the handshake (webhook specification 1.0.2, section 4).
const REQUEST_ORIGIN: HeaderName = HeaderName::from_static("webhook-request-origin");
const REQUEST_RATE: HeaderName = HeaderName::from_static("webhook-request-rate");
const REQUEST_CALLBACK: HeaderName = HeaderName::from_static("webhook-request-callback");
const ALLOWED_ORIGIN: HeaderName = HeaderName::from_static("webhook-allowed-origin");
const ALLOWED_RATE: HeaderName = HeaderName::from_static("webhook-allowed-rate");

/// `http` in `[route.source]`, `url` in `[route.sink]`.
pub const TRANSPORT: Transport = Transport {
    name: "http",
    tables: &[
        ("http", |table| {
            Ok(Some(ListenerSettings::read(table)?.listen))
        }),
        ("consent", |table| {
            Ok(Some(CallbackSettings::read(table)?.listen))
        }),
    ],
    source: Some(Entry {
        key: "http",
        read: |table, connection| {
            let listener = ListenerSettings::read(connection);
            Ok(Box::new(PathSettings::read(table, listener)?))
        },
    }),
    sink: Some(Entry {
        key: "url",
        read: |table, _| Ok(Box::new(WebhookSettings::read(table)?)),
    }),
    view: None,
};
