//! What a view yields, as a stream: a question to the place goes on while something else is looked
//! after, and ends when no answer comes.

use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::{LocalBoxStream, try_unfold};
use tokio::time::timeout;

use crate::transport::view::{View, ViewError, Viewed};

/// The messages of a view. Waiting for the next one may be given up and taken up again at will.
pub(super) type Views = LocalBoxStream<'static, Result<Viewed, ViewError>>;

/// The messages of a view, of which each comes within `patience`.
pub(super) fn views(view: Box<dyn View>, patience: Duration) -> Views {
    // The stream owns the question that is under way: one that was begun anew whenever something
    // else happened would never be answered by a place that takes longer than that.
    try_unfold(view, move |mut view| async move {
        let answer = timeout(patience, view.next()).await;
        let viewed = answer.unwrap_or_else(|_| Err(silent(patience)))?;
        Ok(viewed.map(|viewed| (viewed, view)))
    })
    .boxed_local()
}

fn silent(patience: Duration) -> ViewError {
    ViewError {
        reason: "no answer",
        detail: format!("within {} s", patience.as_secs_f32()),
    }
}
