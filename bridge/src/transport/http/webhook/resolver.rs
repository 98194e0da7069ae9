//! Name resolution as hyper does it, with an error type of its own.

use std::io;
use std::task::{Context, Poll};

use futures_util::future::BoxFuture;
use futures_util::{FutureExt, TryFutureExt};
use hyper_util::client::legacy::connect::dns::{GaiAddrs, GaiResolver, Name};
use tower_service::Service;

#[derive(Debug, thiserror::Error)]
#[error("name resolution")]
pub(super) struct NotResolved(#[source] io::Error);

#[derive(Clone)]
pub(super) struct Resolver;

impl Service<Name> for Resolver {
    type Response = GaiAddrs;
    type Error = NotResolved;
    type Future = BoxFuture<'static, Result<GaiAddrs, NotResolved>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), NotResolved>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, name: Name) -> Self::Future {
        GaiResolver::new().call(name).map_err(NotResolved).boxed()
    }
}
