//! Where the streams of a connection of HTTP/2 run: on the thread of the connection.

use hyper::rt::Executor;
use tracing::Instrument;

#[derive(Clone)]
pub(crate) struct LocalExecutor;

impl<F: Future<Output = ()> + 'static> Executor<F> for LocalExecutor {
    fn execute(&self, stream: F) {
        drop(tokio::task::spawn_local(stream.in_current_span()));
    }
}
