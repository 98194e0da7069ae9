//! The HTTP source: a POST holds one event or a batch, and its answer is the settlement.
//!
//! One [`Listener`] per `[http.NAME]` and worker serves several routes, one per path. A request is
//! its own window: 2xx is written only after every event of it was settled, and a sender that hears
//! anything else repeats the whole request. The OPTIONS handshake is not here.

mod answer;
mod body;
mod listener;
mod path;
mod request;
mod settings;
#[cfg(test)]
mod tests;
mod token;

pub(super) use listener::{Listener, bind};
pub use settings::{ListenerSettings, PathSettings};
