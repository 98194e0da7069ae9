//! `[route.sink]` and `[route.dead_letter]` where they name a NATS connection.

use std::rc::Rc;
use std::time::Duration;

use cloudevents_nl_codec::{Binding, NATS};
use futures_util::FutureExt;
use futures_util::future::LocalBoxFuture;
use tokio::task::spawn_local;
use tokio_util::task::AbortOnDropHandle;
use tracing::Instrument;

use super::publisher::Publisher;
use super::{NatsSink, header_encoding};
use crate::config::{Reported, Table, Words};
use crate::transport::Sink;
use crate::transport::address::Address;
use crate::transport::contract::{CheckAnswers, OpenError, OpenSink, SinkOpening};
use crate::transport::nats::check;
use crate::transport::nats::connection::NatsCluster;
use crate::transport::nats::settings::{AtMostOnce, is_name};
use crate::transport::nats::subject;
use crate::transport::nats::view::NatsView;
use crate::transport::view::OpenView;

#[derive(Clone, Debug)]
pub(in crate::transport::nats) struct NatsSinkSettings {
    cluster: NatsCluster,
    pub(in crate::transport::nats) subject: String,
    /// Without one an event counts as delivered when the server has it.
    pub(in crate::transport::nats) stream: Option<String>,
    /// Takes a stream that loses what it stored when its servers stop. Dead letters never go there.
    pub(in crate::transport::nats) accepts_memory: bool,
    /// The wait for a connection included.
    pub(super) ack_timeout: Duration,
}

#[derive(Clone)]
struct MemoryAccepted;

impl Words for MemoryAccepted {
    const WORDS: &'static [(&'static str, Self)] = &[("accepted", Self)];
}

impl NatsSinkSettings {
    pub(in crate::transport::nats) fn read(
        table: &Table<'_>,
        cluster: Result<NatsCluster, Reported>,
    ) -> Result<Self, Reported> {
        let meaning = "subject to write, without wildcards";
        let subject = table.key("subject", meaning).must(subject::is_concrete);
        let subject = subject.required();
        let meaning = "stream that must take the event; another one that listens on the subject is \
                       refused";
        let stream = table.key("stream", meaning).must(is_name);
        let stream = stream.optional("required, or `delivery`");
        let meaning = "instead of `stream`, `at-most-once`, written to show that it is known";
        let delivery = table.key::<AtMostOnce>("delivery", meaning);
        let delivery = delivery.optional("none");
        let meaning = "`accepted`, written to show that it is known: an event counts as delivered \
                       also when the stream holds it in memory only. Not for dead letters";
        let memory_storage = table.key::<MemoryAccepted>("memory_storage", meaning);
        let memory_storage = memory_storage.optional("none: such a stream is refused");
        let meaning = "longest wait for the answer, that for a connection included; then the event \
                       counts as not delivered and is retried";
        let ack_timeout = table.wait("ack_timeout", meaning).or("10s");
        let (stream, memory_storage) = (stream?, memory_storage?);
        if stream.is_some() {
            let what = "contradicts `stream`: what a stream stores is delivered at least once";
            table.refuse(&["delivery"], what, "keep one of the two");
        } else {
            let what = "has no meaning without `stream`";
            table.refuse(&["memory_storage"], what, "remove it");
        }
        if stream.is_none() && delivery?.is_none() {
            let what = "is missing: a subject alone stores nothing";
            let remedy =
                "name the stream that keeps the events, or write delivery = \"at-most-once\"";
            table.report(&["stream"], what, remedy);
        }
        table.sound()?;
        Ok(Self {
            cluster: cluster?,
            subject: subject?,
            stream,
            accepts_memory: memory_storage.is_some(),
            ack_timeout: ack_timeout?,
        })
    }
}

impl OpenSink for NatsSinkSettings {
    fn address(&self) -> Address {
        self.cluster.address(self.subject.clone())
    }

    fn store(&self) -> Option<Address> {
        let name = format!("stream {}", self.stream.as_ref()?);
        Some(self.cluster.address(name))
    }

    fn binding(&self) -> &'static Binding {
        &NATS
    }

    fn keeps_dead_letters(&self) -> bool {
        self.stream.is_some() && !self.accepts_memory
    }

    fn message_id_scope(&self) -> Option<&str> {
        self.stream.as_ref().map(|_| self.subject.as_str())
    }

    fn in_flight_default(&self) -> usize {
        // As many as a window holds: a stream takes them as they come.
        1000
    }

    fn refuses_header(&self, name: &str) -> bool {
        header_encoding::is_reserved(name)
    }

    fn view(&self) -> Option<Box<dyn OpenView>> {
        Some(Box::new(NatsView {
            cluster: self.cluster.clone(),
            stream: self.stream.clone(),
            subjects: vec![self.subject.clone()],
            is_dead_letters: true,
        }))
    }

    fn check(&self, keeps_dead_letters: bool) -> LocalBoxFuture<'_, CheckAnswers> {
        check::sink(&self.cluster, self, keeps_dead_letters).boxed_local()
    }

    fn open(&self, opening: SinkOpening) -> Result<Box<dyn Sink>, OpenError> {
        let publisher = Rc::new(Publisher::new(self, opening));
        let task = Rc::clone(&publisher).run(self.cluster.clone());
        let task = spawn_local(task.in_current_span());
        Ok(Box::new(NatsSink {
            publisher,
            _task: AbortOnDropHandle::new(task),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Problem;
    use crate::config::tests::read;

    fn stream(json: &str) -> Result<Option<String>, Vec<String>> {
        let keys = |problems: Vec<Problem>| problems.into_iter().map(|p| p.key).collect();
        let cluster = || read(r#"{ "servers": "127.0.0.1:4222" }"#, NatsCluster::read);
        let cluster = || cluster().map_err(|_| Reported);
        let settings = read(json, |table| NatsSinkSettings::read(table, cluster()));
        settings.map(|settings| settings.stream).map_err(keys)
    }

    #[test]
    fn the_promise_is_written_by_the_operator() {
        assert_eq!(
            stream(r#"{ "subject": "zaken.new", "stream": "ZAKEN" }"#),
            Ok(Some("ZAKEN".into()))
        );
        assert_eq!(
            stream(r#"{ "subject": "zaken", "delivery": "at-most-once" }"#),
            Ok(None)
        );
        for (json, keys) in [
            (r#"{ "subject": "zaken" }"#, &["stream"][..]),
            (r#"{ "subject": "zaken", "stream": "a.b" }"#, &["stream"]),
            (
                r#"{ "subject": "zaken", "stream": "a", "delivery": "at-most-once" }"#,
                &["delivery"],
            ),
            (
                r#"{ "subject": "zaken.*", "ack_timeout": "0s" }"#,
                &["ack_timeout", "stream", "subject"],
            ),
            (
                r#"{ "subject": "a", "delivery": "at-most-once", "memory_storage": "accepted" }"#,
                &["memory_storage"],
            ),
        ] {
            let keys = keys.iter().map(ToString::to_string).collect();
            assert_eq!(stream(json), Err(keys), "{json}");
        }
    }
}
