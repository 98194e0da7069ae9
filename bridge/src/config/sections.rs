//! The tables that stand once in a file: `[admin]`, `[log]`, `[limits]`.

use std::net::SocketAddr;
use std::time::Duration;

use tracing_subscriber::filter::LevelFilter;

use super::problem::{Fault, Reported};
use super::secret::{SecretPlace, read_secret};
use super::table::Table;
use super::words::Words;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AdminSettings {
    pub(crate) listen: SocketAddr,
    /// Without it nothing can be changed there.
    pub(crate) token: Option<SecretPlace>,
    pub(crate) hosts: Vec<String>,
    /// Between two countings of the dead letters that are open.
    pub(crate) count_dead_letters_every: Option<Duration>,
}

impl AdminSettings {
    pub(crate) fn listen(table: &Table<'_>) -> Result<SocketAddr, Reported> {
        let meaning = "IP address and port of the operations page, `/v1`, `/livez`, `/readyz` and \
                       `/metrics`";
        table.key("listen", meaning).or("127.0.0.1:9464")
    }

    pub(crate) fn read(table: &Table<'_>) -> Result<Self, Reported> {
        let listen = Self::listen(table);
        let meaning = "`true` says that other machines may reach them, the page and `/v1` with the \
                       token alone; without it only loopback can be listened on";
        let outside_loopback = table.key::<bool>("outside_loopback", meaning).or("false");
        let meaning = "secret that lets its bearer pause, resume and retry routes, replay and dismiss \
                       dead letters, reload, and read from other machines: `{ file = \"…\" }`, read \
                       each time, or `{ env = \"…\" }`";
        let without =
            "none: nothing can be changed at the admin port, nor read from other machines";
        let token = table.key::<SecretPlace>("token", meaning).must(is_readable);
        let token = token.optional(without);
        let meaning = "host names, without port, under which the page and `/v1` are asked, beside \
                       `localhost` and IP addresses";
        let hosts = table.key::<Vec<String>>("hosts", meaning);
        let hosts = hosts.must(are_names).optional("none");
        let meaning = "how often the dead letters of each route that are open are counted, for \
                       `cenl_dead_letters_open`: each place is read whole for it";
        let count = table.wait("count_dead_letters_every", meaning);
        let count = count.optional("none: they are not counted");
        let (listen, outside_loopback) = (listen?, outside_loopback?);
        if !listen.ip().is_loopback() && !outside_loopback {
            let remedy = "listen on loopback, or set outside_loopback = true";
            let what = "other machines reach the page, health and metrics there";
            return Err(table.report(&["listen"], what, remedy));
        }
        Ok(Self {
            listen,
            token: token?,
            hosts: hosts?.unwrap_or_default(),
            count_dead_letters_every: count?,
        })
    }
}

fn are_names(hosts: &[String]) -> Result<(), Fault> {
    let is_name = |host: &String| !host.contains([':', '/']);
    let what = "has more than a name: a port, a scheme or a path";
    Fault::unless(hosts.iter().all(is_name), what, "write bare host names")
}

fn is_readable(place: &SecretPlace) -> Result<(), Fault> {
    let is_there = read_secret(place).is_ok_and(|token| !token.trim().is_empty());
    let remedy = "name a readable file, or a variable that is set";
    Fault::unless(is_there, "has nothing in it, or cannot be read", remedy)
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Log {
    pub(crate) format: LogFormat,
    pub(crate) level: LevelFilter,
    pub(crate) deliveries: bool,
}

impl Log {
    pub(crate) fn read(table: &Table<'_>) -> Result<Self, Reported> {
        let meaning = "`text` or `json`, on standard error";
        let format = table.key("format", meaning).or("text");
        let meaning = "`error`, `warn`, `info`, `debug` or `trace`; the libraries below the bridge \
                       write warnings at most";
        let level = table.key("level", meaning).or("info");
        let meaning = "`true` writes a line for each attempt to deliver an event, at the level `info`: `route`, `id`, \
                       `position`, `status` and `ms`";
        let deliveries = table.key::<bool>("deliveries", meaning).or("false");
        Ok(Self {
            format: format?,
            level: level?,
            deliveries: deliveries?,
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LogFormat {
    Text,
    Json,
}

impl Words for LogFormat {
    const WORDS: &'static [(&'static str, Self)] = &[("text", Self::Text), ("json", Self::Json)];
}

impl Words for LevelFilter {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("error", Self::ERROR),
        ("warn", Self::WARN),
        ("info", Self::INFO),
        ("debug", Self::DEBUG),
        ("trace", Self::TRACE),
    ];
}

#[derive(Clone, Debug)]
pub(crate) struct Limits {
    pub(crate) codec: cloudevents_nl_codec::Limits,
    pub(crate) buffered_bytes: usize,
    pub(crate) shutdown_deadline: Duration,
}

impl Limits {
    pub(crate) fn read(table: &Table<'_>) -> Result<Self, Reported> {
        let meaning = "largest event, headers and body, in bytes; a larger one cannot be delivered";
        let event_bytes = table.key("event_bytes", meaning).or("1048576");
        let meaning = "largest batch, in bytes; a larger one is answered 413";
        let batch_bytes = table.key("batch_bytes", meaning).or("4194304");
        let meaning = "most events of one batch; one that holds more is answered 413";
        let batch_events = table.key("batch_events", meaning).or("1000");
        let meaning = "most attributes of one event";
        let attributes = table.key("attributes", meaning).or("256");
        let meaning = "deepest nesting of a JSON text";
        let depth = table.key("depth", meaning).or("127");
        let meaning = "most bytes of memory for events of all routes together, those that clients \
                       fetch ahead included, see below";
        let buffered_bytes = table.key("buffered_bytes", meaning).or("268435456");
        let meaning = "longest wait for what is in flight when the bridge stops; the rest is \
                       delivered after the next start. Below `exchange_timeout` of a webhook, \
                       `check-config` and the start warn: what its receiver takes later is sent \
                       again";
        let shutdown_deadline = table.key("shutdown_deadline", meaning).or("20s");
        let mut codec = cloudevents_nl_codec::Limits::default();
        codec.event_bytes = event_bytes?;
        codec.batch_bytes = batch_bytes?;
        codec.batch_events = batch_events?;
        codec.attributes = attributes?;
        codec.depth = depth?;
        Ok(Self {
            codec,
            buffered_bytes: buffered_bytes?,
            shutdown_deadline: shutdown_deadline?,
        })
    }
}
