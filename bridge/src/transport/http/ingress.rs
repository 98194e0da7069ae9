//! The HTTP source: a POST holds an event or a batch, and 2xx is written once all of it is settled.
//! One `Listener` per `[http.NAME]` and thread serves several routes, one per path.

mod answer;
mod body;
mod call_back;
mod certificate;
mod clients;
mod consent_requests;
mod handshake;
mod listener;
mod path;
mod rate;
mod refusals;
mod request;
mod settings;
#[cfg(test)]
mod tests;
mod tls;
mod token;

use std::cell::RefCell;
use std::collections::HashMap;
use std::net::SocketAddr;
use std::rc::{Rc, Weak};

use super::TRANSPORT;
use crate::server::Answers;
use crate::transport::Source;
use crate::transport::address::Address;
use crate::transport::contract::{OpenError, OpenSource, SourceOpening};
pub(super) use body::discard;
use listener::{Listener, bind};
pub(super) use settings::read_port;
pub use settings::{ListenerSettings, PathSettings};
pub(super) use tls::TlsSettings;

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
        let answers = opening.status.answers();
        let listener = shared_listener(&self.listener, answers).map_err(|error| OpenError {
            reason: "listen",
            detail: format!("{}: {error}", self.listener.listen),
        })?;
        listener.route(self.clone(), &opening)
    }
}

/// What there is exactly one of.
fn only<T>(mut all: impl Iterator<Item = T>) -> Option<T> {
    all.next().filter(|_| all.next().is_none())
}

/// The routes of one thread share the listener of an address.
fn shared_listener(
    settings: &ListenerSettings,
    answers: &Answers,
) -> std::io::Result<Rc<Listener>> {
    thread_local! {
        static LISTENERS: RefCell<HashMap<SocketAddr, Weak<Listener>>> = RefCell::default();
    }
    LISTENERS.with_borrow_mut(|listeners| {
        if let Some(listener) = listeners.get(&settings.listen).and_then(Weak::upgrade) {
            return Ok(listener);
        }
        let listener = Listener::serve(bind(settings.listen)?, settings, answers)?;
        listeners.insert(settings.listen, Rc::downgrade(&listener));
        Ok(listener)
    })
}
