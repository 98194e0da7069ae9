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

use super::registry::{
    self, ConnectionSettings, OpenError, OpenSink, OpenSource, SinkEntry, SinkOpening,
    SinkSettings, SourceEntry, SourceOpening, SourceSettings, Transport, check_connection,
    read_sink, read_source,
};
use super::setting::SettingProblem;
use super::{Sink, Source};
use ingress::{Address, Listener, ListenerSettings, PathPlan, PathSettings};
use webhook::{Settings, Target, Webhook};

/// `http` in `[route.source]`, `url` in `[route.sink]`.
pub const TRANSPORT: Transport = Transport {
    name: "http",
    connection: Some(check_connection::<ListenerSettings>),
    source: Some(SourceEntry {
        key: "http",
        read: read_source::<PathSettings>,
    }),
    sink: Some(SinkEntry {
        key: "url",
        read: read_sink::<Settings>,
    }),
    view: None,
};

impl ConnectionSettings for ListenerSettings {
    fn problems(&self) -> Vec<SettingProblem> {
        self.check().err().into_iter().collect()
    }
}

impl SourceSettings for PathSettings {
    type Connection = ListenerSettings;

    fn prove(self, listener: ListenerSettings) -> Result<Box<dyn OpenSource>, Vec<SettingProblem>> {
        let path = self.check()?;
        if let Some(problem) = path.file_problem() {
            return Err(vec![problem]);
        }
        // A listener with problems of its own has reported them.
        let listener = listener.check().map_err(|_| Vec::new())?;
        Ok(Box::new(ProvenPath { listener, path }))
    }
}

impl SinkSettings for Settings {
    type Connection = ListenerSettings;

    fn prove(self, _: ListenerSettings) -> Result<Box<dyn OpenSink>, Vec<SettingProblem>> {
        let target = self.check()?;
        let problems = target.file_problems();
        if problems.is_empty() {
            Ok(Box::new(target))
        } else {
            Err(problems)
        }
    }
}

/// A path of a listener, ready to be opened.
#[derive(Debug)]
struct ProvenPath {
    listener: Address,
    path: PathPlan,
}

impl OpenSource for ProvenPath {
    fn address(&self) -> registry::Address {
        registry::Address {
            transport: TRANSPORT.name,
            server: self.listener.socket().to_string(),
            name: self.path.path().to_owned(),
        }
    }

    fn claim(&self) -> Option<String> {
        Some(self.address().to_string())
    }

    fn reads(&self, place: &registry::Address) -> bool {
        let address = self.address();
        address.name == place.name && address.shares_server(place, 80)
    }

    fn has_waiting_sender(&self) -> bool {
        true
    }

    fn open(&self, opening: SourceOpening) -> Result<Box<dyn Source>, OpenError> {
        let listener = shared_listener(self.listener).map_err(|error| OpenError {
            reason: "listen",
            detail: format!("{}: {error}", self.listener.socket()),
        })?;
        let source = listener.route(self.path.clone(), &opening);
        source.map_err(|error| OpenError {
            reason: "path",
            detail: error.to_string(),
        })
    }
}

impl OpenSink for Target {
    fn address(&self) -> registry::Address {
        registry::Address {
            transport: TRANSPORT.name,
            server: self.authority().to_owned(),
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
        let webhook = Webhook::open(self.clone(), opening.is_batched, opening.in_flight_max);
        let webhook = webhook.map_err(|error| OpenError {
            reason: "webhook",
            detail: error.to_string(),
        })?;
        Ok(Box::new(webhook))
    }
}

/// The listener of an address: the routes of one thread share it.
fn shared_listener(address: Address) -> std::io::Result<Rc<Listener>> {
    thread_local! {
        static LISTENERS: RefCell<HashMap<SocketAddr, Weak<Listener>>> = RefCell::default();
    }
    LISTENERS.with_borrow_mut(|listeners| {
        if let Some(listener) = listeners.get(&address.socket()).and_then(Weak::upgrade) {
            return Ok(listener);
        }
        let listener = Listener::bind(address)?;
        listeners.insert(address.socket(), Rc::downgrade(&listener));
        Ok(listener)
    })
}
