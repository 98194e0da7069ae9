//! How settings are read: layers (defaults ← file ← environment), and tables read key by key. What they mean
//! together is the [plan](crate::plan).

pub(crate) mod describe;
mod document;
mod environment;
mod inputs;
mod interval;
mod key_path;
mod problem;
mod redact;
mod references;
mod secret;
mod sections;
mod setting;
mod start;
mod table;
#[cfg(test)]
pub(crate) mod tests;
pub(crate) mod url;
mod words;

pub use document::Document;
pub(crate) use inputs::{Files, Inputs, read_again};
pub use interval::Interval;
pub use problem::{Fault, Problem, Problems, Reported};
pub(crate) use redact::{HIDDEN, names_a_secret};
pub use secret::SecretPlace;
pub(crate) use secret::read_secret;
pub(crate) use sections::{AdminSettings, Limits, Log, LogFormat};
pub(crate) use setting::{FollowedFile, Setting, SettingValue};
pub use start::{OnOffsetLost, Start};
pub use table::Table;
pub(crate) use words::{Words, did_you_mean, list, nearest};
