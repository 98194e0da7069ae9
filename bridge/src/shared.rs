//! What several tasks or threads hold together, and a runtime for tasks, here or in a thread of its own.

use std::convert::Infallible;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak, mpsc};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use tokio::runtime::Builder;
use tokio::task::LocalSet;

/// At the end, for look-ups of names and requests to brokers that never answer.
const UNANSWERED_MAX: Duration = Duration::from_secs(1);

/// On a runtime of its own, outside any other: no runtime may end within another one.
pub(crate) fn block_on<T>(work: impl Future<Output = T>) -> io::Result<T> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let done = LocalSet::new().block_on(&runtime, work);
    runtime.shutdown_timeout(UNANSWERED_MAX);
    Ok(done)
}

/// With such a runtime, for tasks that stay on it. An error says that none of the work has begun.
pub(crate) fn spawn_thread<F: Future<Output = ()> + 'static>(
    name: String,
    work: impl FnOnce() -> F + Send + 'static,
) -> io::Result<JoinHandle<()>> {
    let (built, is_built) = mpsc::sync_channel(1);
    let thread = thread::Builder::new().name(name).spawn(move || {
        let done = block_on(async {
            built.send(Ok(())).ok();
            work().await;
        });
        if done.is_err() {
            built.send(done).ok();
        }
    })?;
    is_built.recv().map_err(io::Error::other)??;
    Ok(thread)
}

/// Also after a panic of somebody who held it.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// All who ask with equal keys get the same value, which lives as long as one of them holds it.
pub(crate) struct Shared<K, V>(Mutex<Vec<(K, Weak<V>)>>);

impl<K: PartialEq, V> Shared<K, V> {
    pub(crate) const fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }

    pub(crate) fn get(&self, key: K, make: impl FnOnce() -> V) -> Arc<V> {
        let Ok(value) = self.try_get(key, || Ok::<_, Infallible>(Arc::new(make())));
        value
    }

    pub(crate) fn try_get<E>(
        &self,
        key: K,
        make: impl FnOnce() -> Result<Arc<V>, E>,
    ) -> Result<Arc<V>, E> {
        let mut all = lock(&self.0);
        all.retain(|(_, value)| value.strong_count() > 0);
        if let Some(value) = held(&all, &key) {
            return Ok(value);
        }
        let value = make()?;
        all.push((key, Arc::downgrade(&value)));
        Ok(value)
    }

    /// Where somebody holds it.
    pub(crate) fn held(&self, key: &K) -> Option<Arc<V>> {
        held(&lock(&self.0), key)
    }
}

fn held<K: PartialEq, V>(all: &[(K, Weak<V>)], key: &K) -> Option<Arc<V>> {
    let (_, value) = all.iter().find(|(other, _)| other == key)?;
    value.upgrade()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_keys_share_a_value_as_long_as_somebody_holds_it() {
        let shared = Shared::new();
        let first = shared.get("a", || 1);
        assert!(Arc::ptr_eq(&first, &shared.get("a", || 2)));
        assert_eq!(*shared.get("b", || 3), 3);
        assert!(shared.held(&"a").is_some() && shared.held(&"b").is_none());
        drop(first);
        assert!(shared.held(&"a").is_none());
        assert_eq!(shared.try_get("a", || Err(4)), Err(4));
        assert_eq!(*shared.get("a", || 5), 5);
    }
}
