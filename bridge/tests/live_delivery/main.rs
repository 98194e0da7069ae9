//! Live: events between real Kafka, real NATS and real HTTP, with the bridge as a process of its own. Each test
//! checks every id at the far end. They need the brokers of `scripts/brokers up`.

#![allow(clippy::unwrap_used, reason = "tests")]

mod all_pairs;
mod between;
mod certificates;
mod check_connections;
mod checked;
mod conformance;
mod consent;
mod credentials;
mod elsewhere;
mod examples;
mod harness;
mod ingress;
mod isolation;
mod issued;
mod issuer_keys;
mod jetstream;
mod judged_alone;
mod letters;
mod many_routes;
mod modes;
mod named_lines;
mod nats;
mod oauthbearer;
mod one_odd_event;
mod operations;
mod orders;
mod outages;
mod page;
mod pairs;
mod poison;
mod rates;
mod readme;
mod receivers;
mod reload;
mod replay;
mod scene;
mod security;
mod site;
mod stream_faults;
mod tail;
mod traces;
mod undisturbed;
mod unsuited;
mod violating;

#[path = "../common/browser.rs"]
#[allow(dead_code, reason = "the page's own tests use the rest")]
mod browser;
#[path = "../common/documents.rs"]
mod documents;
#[path = "../live/support.rs"]
#[allow(dead_code, reason = "each binary of live tests uses its part")]
mod support;
