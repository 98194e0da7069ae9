//! What was answered, counted by listener, path and class of status.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};

use http::StatusCode;
use jiff::Timestamp;
use prometheus_client::metrics::counter::Counter;
use serde::{Deserialize, Serialize};

use crate::shared::lock;

const CLASSES: [&str; 5] = ["1xx", "2xx", "3xx", "4xx", "5xx"];

/// Newest ones that are remembered.
const REFUSALS_MAX: usize = 50;

/// Clones share the counts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Answers {
    by_path: Arc<Mutex<ByPath>>,
    refusals: Arc<Mutex<VecDeque<IngressRefusal>>>,
}

/// A request whose events were not accepted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct IngressRefusal {
    pub at: Timestamp,
    pub listener: String,
    pub path: String,
    pub peer: String,
    pub status: u16,
    pub reason: String,
}

/// By the address of the listener and the path.
pub(crate) type ByPath = BTreeMap<(String, String), Arc<AnswerCounts>>;

#[derive(Debug, Default)]
pub(crate) struct AnswerCounts([Counter; CLASSES.len()]);

impl Answers {
    pub(crate) fn of(&self, listener: &str, path: &str) -> Arc<AnswerCounts> {
        let path = (listener.to_owned(), path.to_owned());
        Arc::clone(lock(&self.by_path).entry(path).or_default())
    }

    pub(crate) fn by_path(&self) -> ByPath {
        lock(&self.by_path).clone()
    }

    pub(crate) fn refuse(&self, refusal: IngressRefusal) {
        let mut refusals = lock(&self.refusals);
        refusals.truncate(REFUSALS_MAX - 1);
        refusals.push_front(refusal);
    }

    /// The newest first.
    pub(crate) fn refusals(&self) -> Vec<IngressRefusal> {
        lock(&self.refusals).iter().cloned().collect()
    }
}

impl AnswerCounts {
    pub(crate) fn by_class(&self) -> impl Iterator<Item = (&'static str, u64)> {
        CLASSES.into_iter().zip(self.0.iter().map(Counter::get))
    }

    pub(crate) fn count(&self, status: StatusCode) {
        let class = usize::from(status.as_u16() / 100).clamp(1, CLASSES.len());
        self.0[class - 1].inc();
    }
}
