//! What was answered, counted by listener, path and class of status.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use http::StatusCode;

const CLASSES: [&str; 5] = ["1xx", "2xx", "3xx", "4xx", "5xx"];

/// Clones share the counts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Answers(Arc<Mutex<ByPath>>);

/// By the address of the listener and the path.
pub(crate) type ByPath = BTreeMap<(String, String), Arc<AnswerCounts>>;

#[derive(Debug, Default)]
pub(crate) struct AnswerCounts([AtomicU64; CLASSES.len()]);

impl Answers {
    pub(crate) fn of(&self, listener: &str, path: &str) -> Arc<AnswerCounts> {
        let mut paths = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let path = (listener.to_owned(), path.to_owned());
        Arc::clone(paths.entry(path).or_default())
    }

    pub(crate) fn by_path(&self) -> ByPath {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

impl AnswerCounts {
    pub(crate) fn by_class(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let counts = self.0.iter().map(|count| count.load(Ordering::Relaxed));
        CLASSES.into_iter().zip(counts)
    }

    pub(crate) fn count(&self, status: StatusCode) {
        let class = usize::from(status.as_u16() / 100).clamp(1, CLASSES.len());
        self.0[class - 1].fetch_add(1, Ordering::Relaxed);
    }
}
