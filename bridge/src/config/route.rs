//! The shape of one `[[route]]`, its transports' own keys left out.

use std::num::{NonZeroU32, NonZeroUsize};

use serde::Deserialize;

use crate::interval::Interval;

/// The keys of `[[route]]` itself; its tables are read one by one.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RouteSettings {
    /// What logs, metrics and dead letters call it.
    pub(crate) name: String,
    pub(crate) order: Option<OrderSetting>,
    pub(crate) on_error: Option<OnErrorSetting>,
    /// Whether it may be in a ring of routes, because it ends it.
    #[serde(default)]
    pub(crate) allow_ring: bool,
    /// Most exchanges under way to the sink; how many are worth it is the sink's to say.
    pub(crate) in_flight: Option<NonZeroUsize>,
    /// Most unsettled events of one source partition.
    #[serde(default = "window_events")]
    pub(crate) window_events: NonZeroUsize,
    /// Most unsettled bytes of one source partition.
    #[serde(default = "window_bytes")]
    pub(crate) window_bytes: NonZeroUsize,
}

fn window_events() -> NonZeroUsize {
    NonZeroUsize::new(1000).expect("above 0")
}

fn window_bytes() -> NonZeroUsize {
    NonZeroUsize::new(8 << 20).expect("above 0")
}

/// `order`
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum OrderSetting {
    Key,
    Partition,
    None,
}

/// `on_error`
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum OnErrorSetting {
    DeadLetter,
    Discard,
    Hold,
}

/// The keys of `[route.sink]` that every transport shares.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SinkSettings {
    pub(crate) mode: Option<ModeSetting>,
    pub(crate) key: Option<KeySetting>,
    #[serde(default)]
    pub(crate) forward_headers: Vec<String>,
    pub(crate) batch_events: Option<NonZeroUsize>,
    pub(crate) batch_bytes: Option<NonZeroUsize>,
}

/// `mode`
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ModeSetting {
    Structured,
    Binary,
    Batched,
    AsReceived,
}

/// `key`
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum KeySetting {
    Source,
    PartitionKey,
    Subject,
    None,
}

/// `[route.retry]`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RetrySettings {
    pub(crate) initial: Option<Interval>,
    pub(crate) maximum: Option<Interval>,
    pub(crate) retry_after_max: Option<Interval>,
    pub(crate) attempts_max: Option<NonZeroU32>,
    pub(crate) age_max: Option<Interval>,
    pub(crate) refused_alone_max: Option<NonZeroU32>,
}
