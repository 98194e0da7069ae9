//! The pairs that are put to the proof. A new one is one more line in [`ALL`].

use std::fmt::Write as _;

use async_nats::jetstream::{Context, consumer};

use crate::support::brokers::certificate;

/// A way through the bridge: how events go in, and where they come out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair {
    /// Also the name of its route, and the first step of its receiver's path.
    pub(crate) name: &'static str,
    pub(crate) from: From,
    pub(crate) to: To,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum From {
    Kafka,
    Http,
    JetStream,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum To {
    Webhook,
    Kafka,
    JetStream,
}

const fn pair(name: &'static str, from: From, to: To) -> Pair {
    Pair { name, from, to }
}

pub(crate) const ALL: [Pair; 4] = [
    pair("kafka-to-webhook", From::Kafka, To::Webhook),
    pair("webhook-to-kafka", From::Http, To::Kafka),
    pair("jetstream-to-webhook", From::JetStream, To::Webhook),
    pair("kafka-to-jetstream", From::Kafka, To::JetStream),
];

/// The name of every durable consumer.
const DURABLE: &str = "proof";

/// What a route is told, apart from the pair.
#[derive(Clone, Debug)]
pub(crate) struct Places<'a> {
    /// Topic or stream at either end, and the topic of dead letters.
    pub(crate) source: &'a str,
    pub(crate) sink: &'a str,
    pub(crate) dead_letters: &'a str,
    /// Where to post.
    pub(crate) url: &'a str,
    /// Lines of `[[route]]` itself.
    pub(crate) own: &'a str,
}

impl Pair {
    pub(crate) fn uses_nats(&self) -> bool {
        self.from == From::JetStream || self.to == To::JetStream
    }

    /// The path on which the bridge takes events of this pair.
    pub(crate) fn path(&self) -> String {
        format!("/{}", self.name)
    }

    /// The subject of a stream.
    pub(crate) fn subject(stream: &str) -> String {
        format!("{stream}.events")
    }

    /// Messages of a stream.
    pub(crate) async fn len(context: &Context, stream: &str) -> usize {
        let stream = context.get_stream(stream).await.unwrap();
        let info = stream.get_info().await.unwrap();
        usize::try_from(info.state.messages).unwrap()
    }

    /// Messages of a stream that the bridge has not acknowledged.
    pub(crate) async fn unacknowledged(context: &Context, stream: &str) -> u64 {
        let stream = context.get_stream(stream).await.unwrap();
        let consumer = stream.get_consumer::<consumer::pull::Config>(DURABLE).await;
        let info = consumer.unwrap().get_info().await.unwrap();
        info.num_pending + info.num_ack_pending as u64
    }

    /// `[[route]]` and its tables: every setting that has a default keeps it.
    pub(crate) fn route(&self, places: &Places<'_>) -> String {
        let Places {
            source,
            sink,
            dead_letters,
            url,
            own,
        } = places;
        let mut text = format!(
            "[[route]]\nname = \"{}\"\n{own}\n[route.source]\n",
            self.name
        );
        match self.from {
            From::Kafka => write!(text, "kafka = \"main\"\ntopic = \"{source}\"\ngroup = \"{source}\"\n"),
            From::Http => write!(text, "http = \"in\"\npath = \"{}\"\n", self.path()),
            From::JetStream => {
                let subject = Self::subject(source);
                write!(text, "nats = \"main\"\nstream = \"{source}\"\ndurable = \"{DURABLE}\"\nsubject = \"{subject}\"\n")
            }
        }
        .unwrap();
        text += "[route.sink]\n";
        match self.to {
            To::Webhook => {
                let ca_file = certificate("ca.pem");
                write!(
                    text,
                    "url = \"{url}\"\ncredentials = \"proof\"\nca_file = {ca_file:?}\n"
                )
            }
            To::Kafka => write!(text, "kafka = \"main\"\ntopic = \"{sink}\"\n"),
            To::JetStream => {
                let subject = Self::subject(sink);
                write!(
                    text,
                    "nats = \"main\"\nstream = \"{sink}\"\nsubject = \"{subject}\"\n"
                )
            }
        }
        .unwrap();
        if self.from != From::Http {
            write!(
                text,
                "[route.dead_letter]\nkafka = \"main\"\ntopic = \"{dead_letters}\"\n"
            )
            .unwrap();
        }
        text
    }
}
