//! HTTP: a source that webhooks are posted to, and a sink that posts to webhooks.

pub mod ingress;
pub mod secret;
pub mod webhook;

use std::cell::RefCell;
use std::collections::HashMap;
use std::net::SocketAddr;
use std::rc::{Rc, Weak};
use std::time::Duration;

use cloudevents_nl_codec::{Binding, HTTP};

use super::address::Address;
use super::contract::{
    Entry, OpenError, OpenSink, OpenSource, SinkOpening, SourceOpening, Transport,
};
use super::{Sink, Source};
use ingress::{Listener, ListenerSettings, PathSettings, bind};
use webhook::{WebhookSettings, WebhookSink};

/// `http` in `[route.source]`, `url` in `[route.sink]`.
pub const TRANSPORT: Transport = Transport {
    name: "http",
    connection: Some(|table| ListenerSettings::read(table).map(drop)),
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

impl OpenSource for PathSettings {
    fn address(&self) -> Address {
        Address {
            transport: TRANSPORT.name,
            server: self.listener.listen.to_string(),
            name: self.path.clone(),
        }
    }

    fn claim(&self) -> Option<String> {
        Some(OpenSource::address(self).to_string())
    }

    fn has_waiting_sender(&self) -> bool {
        true
    }

    fn open(&self, opening: SourceOpening) -> Result<Box<dyn Source>, OpenError> {
        let listener = shared_listener(self.listener).map_err(|error| OpenError {
            reason: "listen",
            detail: format!("{}: {error}", self.listener.listen),
        })?;
        listener.route(self.clone(), &opening)
    }
}

impl OpenSink for WebhookSettings {
    fn address(&self) -> Address {
        Address {
            transport: TRANSPORT.name,
            server: self.server(),
            name: self.path().to_owned(),
        }
    }

    fn binding(&self) -> &'static Binding {
        &HTTP
    }

    fn has_record_key(&self) -> bool {
        false
    }

    fn exchange_timeout(&self) -> Option<Duration> {
        Some(self.exchange_timeout)
    }

    fn keeps_dead_letters(&self) -> bool {
        false
    }

    fn refuses_header(&self, name: &str) -> bool {
        webhook::is_reserved(name)
    }

    fn open(&self, opening: SinkOpening) -> Result<Box<dyn Sink>, OpenError> {
        let sink = WebhookSink::open(self.clone(), opening.is_batched, opening.in_flight_max)?;
        Ok(Box::new(Rc::new(sink)))
    }
}

/// The routes of one thread share the listener of an address.
fn shared_listener(settings: ListenerSettings) -> std::io::Result<Rc<Listener>> {
    thread_local! {
        static LISTENERS: RefCell<HashMap<SocketAddr, Weak<Listener>>> = RefCell::default();
    }
    LISTENERS.with_borrow_mut(|listeners| {
        if let Some(listener) = listeners.get(&settings.listen).and_then(Weak::upgrade) {
            return Ok(listener);
        }
        let listener = Listener::serve(bind(settings.listen)?, settings.behind_proxy);
        listeners.insert(settings.listen, Rc::downgrade(&listener));
        Ok(listener)
    })
}
