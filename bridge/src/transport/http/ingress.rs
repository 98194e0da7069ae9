//! The HTTP source: a POST holds an event or a batch, and 2xx is written once all of it is settled.
//! One [`Listener`] per `[http.NAME]` and thread serves several routes, one per path.

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
