//! The log of what was not accepted: the first few of a path and status at once, then a summary a minute, so
//! that no sender floods it.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::time::Duration;

use http::StatusCode;
use http::request::Parts;
use jiff::Timestamp;
use tokio::time::sleep;
use tracing::Span;

use crate::server::{Answers, IngressRefusal};

/// Stands for every path without a route.
pub(super) const OTHER: &str = "other";
const AT_ONCE: u64 = 3;
const MINUTE: Duration = Duration::from_secs(60);
/// Addresses in a summary.
const PEERS_MAX: usize = 5;

pub(super) struct Refusals {
    listener: String,
    behind_proxy: bool,
    answers: Answers,
    /// By path and status. Those that are quiet for a minute begin anew.
    kinds: RefCell<BTreeMap<(String, u16), Refused>>,
}

struct Refused {
    /// Names the route, or the connection.
    span: Span,
    /// With those that were logged at once.
    count: u64,
    /// Of those to sum up, with the reason of the last one.
    peers: Vec<IpAddr>,
    reason: String,
}

impl Refusals {
    pub(super) fn new(listener: String, behind_proxy: bool, answers: Answers) -> Self {
        Self {
            listener,
            behind_proxy,
            answers,
            kinds: RefCell::default(),
        }
    }

    /// Behind a proxy the address that it has added last.
    pub(super) fn sender(&self, head: &Parts, peer: IpAddr) -> IpAddr {
        let forwarded = head.headers.get_all("x-forwarded-for").iter().next_back();
        let forwarded = forwarded.filter(|_| self.behind_proxy);
        let last = forwarded.and_then(|value| value.to_str().ok()?.rsplit(',').next());
        last.and_then(|address| address.trim().parse().ok())
            .unwrap_or(peer)
    }

    /// `reason` never holds any of the content.
    pub(super) fn add(&self, path: &str, status: StatusCode, peer: IpAddr, reason: &str) {
        self.answers.refuse(IngressRefusal {
            at: Timestamp::now(),
            listener: self.listener.clone(),
            path: path.to_owned(),
            peer: peer.to_string(),
            status: status.as_u16(),
            reason: reason.to_owned(),
        });
        let mut kinds = self.kinds.borrow_mut();
        let kind = (path.to_owned(), status.as_u16());
        let refused = kinds.entry(kind).or_insert_with(|| Refused {
            span: Span::current(),
            count: 0,
            peers: Vec::new(),
            reason: String::new(),
        });
        refused.count += 1;
        if refused.count <= AT_ONCE {
            let (listener, status) = (&self.listener, status.as_u16());
            tracing::warn!(listener, path, status, %peer, reason, "ingress did not accept events");
            return;
        }
        reason.clone_into(&mut refused.reason);
        if refused.peers.len() < PEERS_MAX && !refused.peers.contains(&peer) {
            refused.peers.push(peer);
        }
    }

    /// A summary a minute, while there is something to sum up. May be dropped.
    pub(super) async fn tell(&self) {
        loop {
            sleep(MINUTE).await;
            self.tell_now();
        }
    }

    pub(super) fn tell_now(&self) {
        self.kinds.borrow_mut().retain(|(path, status), refused| {
            let (listener, count) = (&self.listener, refused.count.saturating_sub(AT_ONCE));
            if count == 0 {
                return false;
            }
            let peers: Vec<_> = refused.peers.iter().map(ToString::to_string).collect();
            let (peers, reason) = (peers.join(", "), &refused.reason);
            let _span = refused.span.enter();
            tracing::warn!(
                listener,
                path,
                status,
                count,
                peers,
                reason,
                "ingress did not accept events, the sum of the last minute"
            );
            refused.count = AT_ONCE;
            refused.peers.clear();
            true
        });
    }
}

#[cfg(test)]
mod tests;
