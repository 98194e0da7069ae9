//! An intermediary from HTTP to HTTP: it reads events with our codec, and writes them anew.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use cloudevents_nl_codec::Event;
use cloudevents_nl_conformance::codec::{Codec, Decoded, Ours};
use cloudevents_nl_conformance::{Capture, Mode, Protocol};
use cloudevents_nl_conformance_live::listener::{Answer, Arrival, Listener};
use http_body_util::Full;
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use tokio::time::{sleep, timeout};

use super::faults::{Does, Fault};

/// Takes what comes, and delivers it.
pub(crate) async fn serve(mut listener: Listener, to: String, fault: Fault) {
    let peer = Arc::new(Peer {
        to,
        fault,
        held: Mutex::default(),
    });
    let mut asks = matches!(peer.fault.does, Does::Ask);
    loop {
        let Arrival::Request(received) = listener.next().await else {
            continue;
        };
        if std::mem::take(&mut asks) {
            peer.ask().await;
        }
        let peer = Arc::clone(&peer);
        tokio::spawn(async move {
            let status = peer.take(&received.capture()).await;
            received.answer(Answer::status(status));
        });
    }
}

struct Peer {
    to: String,
    fault: Fault,
    /// What is to come later than it should.
    held: Mutex<Option<Capture>>,
}

impl Peer {
    async fn take(&self, message: &Capture) -> u16 {
        if let Some(status) = (self.fault.refuses)(message) {
            return status;
        }
        if matches!(self.fault.does, Does::PassOn) {
            let mut message = message.clone();
            let is_of_hop = |name: &str| ["host", "content-length"].contains(&name);
            message.headers.retain(|header| !is_of_hop(&header.name));
            self.deliver(&message).await;
            return 202;
        }
        let events = match Ours.decode(message) {
            Ok(Decoded::Event(event)) => vec![event],
            Ok(Decoded::Batch(events)) => events,
            Err(_) => return self.take_odd(message).await,
        };
        let has_third = || events.iter().any(|event| event.id().ends_with("/load/0/3"));
        if matches!(self.fault.does, Does::Stall) && has_third() {
            sleep(STALL).await;
        }
        for message in self.write(message, events) {
            self.deliver(&message).await;
        }
        202
    }

    /// What is no event to it is passed on as it is, or refused.
    async fn take_odd(&self, message: &Capture) -> u16 {
        match (self.fault.odd)(message) {
            Some(message) => self.deliver(&message).await,
            None => return 415,
        }
        202
    }

    fn write(&self, from: &Capture, events: Vec<Event<'static>>) -> Vec<Capture> {
        let mut messages = Vec::new();
        for event in events {
            let id = event.id().to_owned();
            for event in (self.fault.event)(event, from) {
                let mut message = Ours
                    .encode(&event, Protocol::Http, self.fault.mode)
                    .unwrap();
                if let Some(value) = from.header("x-cenl-proef") {
                    message = message.with_header("x-cenl-proef", value);
                }
                (self.fault.message)(&mut message);
                messages.push(message);
            }
            match self.fault.does {
                Does::Nothing | Does::Stall | Does::Ask | Does::PassOn => {}
                Does::HoldBack if id.ends_with("/load/1/2") => {
                    *self.held.lock().unwrap() = messages.pop();
                }
                Does::HoldBack if id.ends_with("/load/1/3") => {
                    messages.extend(self.held.lock().unwrap().take());
                }
                Does::HoldBack => {}
                Does::Twice => messages.extend(messages.clone()),
            }
        }
        messages
    }

    async fn ask(&self) {
        let client = Client::builder(TokioExecutor::new()).build_http::<Full<Bytes>>();
        let asking = http::Request::options(&self.to);
        let asking = asking.header("webhook-request-origin", "https://hop.example");
        // A probe is no handshake, and does not undo one.
        for request in [asking, http::Request::options(&self.to)] {
            let asked = client.request(request.body(Full::default()).unwrap()).await;
            assert!(asked.unwrap().status().is_success());
        }
    }

    async fn deliver(&self, message: &Capture) {
        let client = Client::builder(TokioExecutor::new()).build_http::<Full<Bytes>>();
        for _ in 0..self.fault.tries {
            let body = Bytes::from(message.body().to_vec());
            let mut request = http::Request::post(&self.to).body(Full::new(body)).unwrap();
            for header in &message.headers {
                let name: http::HeaderName = header.name.parse().unwrap();
                let value =
                    http::HeaderValue::from_bytes(header.value.as_deref().unwrap()).unwrap();
                request.headers_mut().append(name, value);
            }
            let answer = timeout(PATIENCE, client.request(request)).await;
            if answer.is_ok_and(|answer| answer.is_ok_and(|answer| answer.status().is_success())) {
                return;
            }
            sleep(Duration::from_millis(50)).await;
        }
    }
}

/// How long it waits for an answer. One that is late is delivered again, and nothing explains that.
const PATIENCE: Duration = Duration::from_secs(3);
/// How long it takes nothing.
pub(crate) const STALL: Duration = Duration::from_millis(1500);
/// The mode of what it writes.
pub(crate) const STRUCTURED: Mode = Mode::Structured;
