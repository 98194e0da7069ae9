//! Tests of one binary that would disturb each other's timing run one after another.

use tokio::sync::{Mutex, MutexGuard};

static TURN: Mutex<()> = Mutex::const_new(());

/// The right to run alone among the tests of this binary, until dropped.
pub(crate) async fn alone() -> MutexGuard<'static, ()> {
    TURN.lock().await
}
