//! What the unit tests of several modules need.

use std::sync::mpsc::sync_channel;
use std::thread;
use std::time::Duration;

/// Does `work`, which is to be linear in something that a sender chooses, and large: so large that
/// linear work takes seconds, in a debug build on a busy machine too, and work that grows as the
/// square takes hours. That one is not waited for.
pub(crate) fn linear<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, done) = sync_channel(1);
    thread::spawn(move || sender.send(work()));
    let done = done.recv_timeout(Duration::from_secs(120));
    done.expect("linear work is done by now, unless it panicked")
}
