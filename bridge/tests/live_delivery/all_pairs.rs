//! All nine pairs of Kafka, JetStream and HTTP, in every mode that the far end has: attributes, types
//! of registered ones and data bytes are at the far end what they were. Nothing is written per pair
//! but settings: one bridge carries them all.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::net::SocketAddr;

use crate::support::bridge::Bridge;
use crate::support::brokers;
use crate::support::client::Client;
use crate::support::kafka::Topic;
use crate::support::receiver::{Answer, Receiver, always};
use crate::support::settings::{Settings, free_address};
use crate::support::specimens::{COUNT, FLAG, Specimen, specimens};
use crate::support::streams::Stream;
use crate::support::wait::{SOON, eventually};
use crate::support::wire::{self, Mode, Seen};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Protocol {
    Kafka,
    Nats,
    Http,
}

const PROTOCOLS: [Protocol; 3] = [Protocol::Kafka, Protocol::Nats, Protocol::Http];

impl Protocol {
    fn modes(self) -> &'static [&'static str] {
        match self {
            Self::Http => &["structured", "binary", "batched"],
            Self::Kafka | Self::Nats => &["structured", "binary"],
        }
    }

    /// Whether no body and an empty one are two things.
    fn has_null_body(self) -> bool {
        self == Self::Kafka
    }
}

/// Where events come from.
enum Near {
    Topic(Topic),
    Stream(Stream),
    Path(Client, String),
}

/// Where they arrive.
enum Far {
    Topic(Topic),
    Stream(Stream),
    Webhook(Receiver),
}

struct Way {
    from: Protocol,
    to: Protocol,
    mode: &'static str,
    near: Near,
    far: Far,
}

#[tokio::test]
async fn every_pair_carries_every_event_in_every_mode() {
    let broker = brokers::kafka();
    let ingress = free_address();
    let mut ways = Vec::new();
    for from in PROTOCOLS {
        for to in PROTOCOLS {
            for mode in to.modes() {
                ways.push(Way::open(&broker, ingress, from, to, mode).await);
            }
        }
    }
    let mut tables = format!(
        "[kafka.main]\nbrokers = \"{}\"\n[nats.main]\nservers = \"{}\"\n[http.in]\nlisten = \"{ingress}\"\n\
         [extensions]\n{COUNT} = \"integer\"\n{FLAG} = \"boolean\"\n",
        broker.plaintext(),
        brokers::nats(),
    );
    ways.iter().for_each(|way| way.describe(&mut tables));
    let bridge = Bridge::start(&Settings::written(tables)).await;
    for way in &ways {
        way.carry().await;
    }
    bridge.stop().await;
}

impl Way {
    async fn open(
        broker: &brokers::Broker,
        ingress: SocketAddr,
        from: Protocol,
        to: Protocol,
        mode: &'static str,
    ) -> Self {
        let server = brokers::nats();
        let near = match from {
            Protocol::Kafka => Near::Topic(Topic::create(broker, "near").await),
            Protocol::Nats => Near::Stream(Stream::create(&server, "near").await),
            Protocol::Http => Near::Path(Client::new(ingress), format!("/{to:?}-{mode}")),
        };
        let far = match to {
            Protocol::Kafka => Far::Topic(Topic::create(broker, "far").await),
            Protocol::Nats => Far::Stream(Stream::create(&server, "far").await),
            Protocol::Http => Far::Webhook(Receiver::start(always(Answer::Status(204)))),
        };
        Self {
            from,
            to,
            mode,
            near,
            far,
        }
    }

    fn name(&self) -> String {
        format!("{:?}-to-{:?}-{}", self.from, self.to, self.mode).to_lowercase()
    }

    /// Adds the route's tables.
    fn describe(&self, tables: &mut String) {
        let (source, error) = match &self.near {
            Near::Topic(topic) => (
                format!(
                    "kafka = \"main\"\ntopic = \"{0}\"\ngroup = \"{0}\"",
                    topic.name
                ),
                "on_error = \"hold\"",
            ),
            Near::Stream(stream) => (
                format!(
                    "nats = \"main\"\nstream = \"{0}\"\nsubject = \"{1}\"\ndurable = \"{0}\"",
                    stream.name, stream.subject
                ),
                "on_error = \"hold\"",
            ),
            Near::Path(_, path) => (format!("http = \"in\"\npath = \"{path}\""), ""),
        };
        let sink = match &self.far {
            Far::Topic(topic) => format!("kafka = \"main\"\ntopic = \"{}\"", topic.name),
            Far::Stream(stream) => {
                format!(
                    "nats = \"main\"\nstream = \"{}\"\nsubject = \"{}\"",
                    stream.name, stream.subject
                )
            }
            Far::Webhook(receiver) => format!("url = \"{}\"", receiver.url()),
        };
        let (name, mode) = (self.name(), self.mode);
        writeln!(
            tables,
            "[[route]]\nname = \"{name}\"\n{error}\n[route.source]\n{source}\n[route.sink]\n{sink}\nmode = \"{mode}\""
        )
        .unwrap();
    }

    /// Sends every specimen in both forms, waits for all, and compares each.
    async fn carry(&self) {
        let (structured, binary) = (specimens("structured"), specimens("binary"));
        self.send(&structured, &binary).await;
        let sent = structured.len() + binary.len();
        eventually(&format!("{}: all arrived", self.name()), SOON, async || {
            (self.far.len().await >= sent).then_some(())
        })
        .await;
        let arrived = self.far.read().await;
        let seen: BTreeMap<_, _> = arrived.iter().map(|seen| (seen.id(), seen)).collect();
        assert_eq!((seen.len(), arrived.len()), (sent, sent), "{}", self.name());
        for specimen in &structured {
            self.compare(specimen, seen[specimen.id()], false);
        }
        for specimen in &binary {
            self.compare(specimen, seen[specimen.id()], true);
        }
        println!(
            "{}: {sent} sent, {sent} arrived equal, 0 repeats",
            self.name()
        );
    }

    fn compare(&self, specimen: &Specimen, seen: &Seen, was_binary: bool) {
        let loses_emptiness =
            |protocol: Protocol, is_binary| is_binary && !protocol.has_null_body();
        let has_lost_emptiness = loses_emptiness(self.from, was_binary)
            || loses_emptiness(self.to, seen.mode == Mode::Binary);
        specimen.is_equal_but_for_emptiness(seen, has_lost_emptiness);
        // JSON tells an Integer from its text, also after headers, which cannot.
        let literals = [COUNT, FLAG]
            .into_iter()
            .filter(|name| seen.mode != Mode::Binary && specimen.attributes.contains_key(*name));
        for name in literals {
            assert!(seen.literals.contains(name), "{}: {name}", self.name());
        }
    }

    async fn send(&self, structured: &[Specimen], binary: &[Specimen]) {
        const JSON_EVENT: &str = "application/cloudevents+json";
        match &self.near {
            Near::Topic(topic) => {
                let records = structured.iter().map(Specimen::structured_record);
                let binary = binary.iter().map(Specimen::binary_record);
                topic.write(records.chain(binary)).await;
            }
            Near::Stream(stream) => {
                let headers = [("Content-Type".to_owned(), JSON_EVENT.to_owned())];
                for specimen in structured {
                    stream.write(&headers, specimen.json().into()).await;
                }
                for specimen in binary {
                    let body = specimen.bytes().unwrap_or_default();
                    stream.write(&specimen.nats_headers(), body).await;
                }
            }
            Near::Path(client, path) => {
                let headers = [("content-type".to_owned(), JSON_EVENT.to_owned())];
                for specimen in structured {
                    post(client, path, &headers, specimen.json().into()).await;
                }
                for specimen in binary {
                    let body = specimen.bytes().unwrap_or_default();
                    post(client, path, &specimen.http_headers(), body).await;
                }
            }
        }
    }
}

async fn post(client: &Client, path: &str, headers: &[(String, String)], body: Vec<u8>) {
    let headers: Vec<_> = headers
        .iter()
        .map(|(name, value)| (&**name, &**value))
        .collect();
    let reply = client.post(path, &headers, body).await.unwrap();
    assert!(reply.status.is_success(), "{path}: {}", reply.text());
}

impl Far {
    async fn len(&self) -> usize {
        match self {
            Self::Topic(topic) => topic.len().await,
            Self::Stream(stream) => stream.len().await,
            Self::Webhook(receiver) => receiver.accepted_count(),
        }
    }

    async fn read(&self) -> Vec<Seen> {
        match self {
            Self::Topic(topic) => topic.read().await.iter().map(wire::of_record).collect(),
            Self::Stream(stream) => {
                let stored = stream.read().await;
                let events = stored.iter();
                events
                    .map(|message| wire::of_nats(&message.headers, &message.payload))
                    .collect()
            }
            Self::Webhook(receiver) => receiver.events(),
        }
    }
}
