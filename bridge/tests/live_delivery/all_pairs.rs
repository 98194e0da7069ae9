//! All nine pairs of Kafka, JetStream and HTTP, in every mode that the far end has, each tried as an
//! intermediary of its own. Nothing is written per pair but settings: one bridge carries them all.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::net::SocketAddr;

use cloudevents_nl_conformance::{Capture, Exchange};
use futures_util::future::join_all;

use crate::support::bridge::Bridge;
use crate::support::brokers::{self, Broker};
use crate::support::kafka::Topic;
use crate::support::settings::{Settings, free_address};
use crate::support::streams::Stream;
use crate::support::tried::Tried;
use crate::support::wire;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Protocol {
    Kafka,
    Nats,
    Http,
}

const PROTOCOLS: [Protocol; 3] = [Protocol::Kafka, Protocol::Nats, Protocol::Http];

/// One end of a way: its keys in the settings of the bridge, and its address for who tries it.
struct End {
    keys: String,
    address: String,
}

struct Way {
    from: Protocol,
    to: Protocol,
    mode: &'static str,
    near: End,
    far: End,
}

#[tokio::test]
async fn every_pair_carries_every_event_in_every_mode() {
    let (broker, server) = (brokers::kafka(), brokers::nats());
    let ingress = free_address();
    let mut tables = format!(
        "[kafka.main]\nbrokers = \"{}\"\n[nats.main]\nservers = \"{server}\"\n\
         [http.in]\nlisten = \"{ingress}\"\n\
         [extensions]\naantal = \"integer\"\nvlag = \"boolean\"\n",
        broker.plaintext(),
    );
    let mut ways = Vec::new();
    for from in PROTOCOLS {
        for to in PROTOCOLS {
            for mode in to.modes() {
                let path = format!("/{from:?}-{to:?}-{mode}");
                let near = from.near(&broker, ingress, &path).await;
                let far = to.far(&broker).await;
                let way = Way {
                    from,
                    to,
                    mode,
                    near,
                    far,
                };
                way.describe(&mut tables);
                ways.push(way);
            }
        }
    }
    let bridge = Bridge::start(&Settings::written(tables)).await;
    let lanes = ways.chunks(7).map(async |ways| {
        for way in ways {
            way.carry().await;
        }
    });
    join_all(lanes).await;
    bridge.stop().await;
}

impl Protocol {
    fn modes(self) -> &'static [&'static str] {
        match self {
            Self::Http => &["structured", "binary", "batched"],
            Self::Kafka | Self::Nats => &["structured", "binary"],
        }
    }

    /// Where events come from.
    async fn near(self, broker: &Broker, ingress: SocketAddr, path: &str) -> End {
        if self == Self::Http {
            return End {
                keys: format!("http = \"in\"\npath = \"{path}\""),
                address: format!("http://{ingress}{path}"),
            };
        }
        let mut end = self.far(broker).await;
        let (_, name) = end.address.rsplit_once('/').unwrap();
        end.keys += &match self {
            Self::Kafka => format!("\ngroup = \"{name}\""),
            _ => "\ndurable = \"tried\"".to_owned(),
        };
        end
    }

    /// Where they arrive.
    async fn far(self, broker: &Broker) -> End {
        match self {
            Self::Kafka => {
                let topic = Topic::create(broker, "tried").await.name;
                End {
                    keys: format!("kafka = \"main\"\ntopic = \"{topic}\""),
                    address: format!("kafka://{}/{topic}", broker.plaintext()),
                }
            }
            Self::Nats => {
                let server = brokers::nats();
                let Stream { name, subject, .. } = Stream::create(&server, "tried").await;
                End {
                    keys: format!("nats = \"main\"\nstream = \"{name}\"\nsubject = \"{subject}\""),
                    address: format!("nats://{server}/{subject}"),
                }
            }
            Self::Http => {
                let url = format!("http://{}/hook", free_address());
                End {
                    keys: format!("url = \"{url}\""),
                    address: url,
                }
            }
        }
    }
}

impl Way {
    /// Adds the route's tables.
    fn describe(&self, tables: &mut String) {
        let Self { from, to, mode, .. } = self;
        // Who posts hears of an error itself.
        let on_error = match from {
            Protocol::Http => "",
            Protocol::Kafka | Protocol::Nats => "on_error = \"hold\"",
        };
        let (source, sink) = (&self.near.keys, &self.far.keys);
        let name = format!("{from:?}-to-{to:?}-{mode}").to_lowercase();
        writeln!(
            tables,
            "[[route]]\nname = \"{name}\"\n{on_error}\n[route.source]\n{source}\n[route.sink]\n{sink}\nmode = \"{mode}\""
        )
        .unwrap();
    }

    async fn carry(&self) {
        let mut arguments = vec!["--events", "40", "--keys", "4", "--alone"];
        let mut met = vec!["SIZE-1", "CE-INT-1", "CE-TYPES-2", "EXT-TRACE-3"];
        match self.from {
            Protocol::Kafka => met.extend(["KAFKA-MODE-4", "KAFKA-KEY-5"]),
            Protocol::Nats => met.push("NATS-MODE-1"),
            Protocol::Http => {
                met.push("HTTP-MODE-1");
                arguments.extend(["--in-mode", "structured,binary,batch"]);
            }
        }
        if self.to == Protocol::Kafka {
            met.push("KAFKA-KEY-4");
        }
        match self.mode {
            "batched" => arguments.push("--asked-for-batches"),
            "binary" if self.to != Protocol::Http => met.push("JSON-DATA-12"),
            _ => {}
        }
        let tried = Tried::between(&self.near.address, &self.far.address, &arguments).await;
        tried.is_good(&met);
        // JSON tells an Integer from its text, also after headers, which cannot.
        assert!(
            self.mode == "binary" || keeps_types(&tried.record),
            "{}",
            tried.said()
        );
    }
}

/// Whether a number and a Boolean came out as such, however they went in.
fn keeps_types(record: &str) -> bool {
    let messages = record.lines().filter_map(|line| {
        let exchange = Exchange::read(line.as_bytes()).map(|exchange| exchange.request);
        exchange.or_else(|_| Capture::read(line.as_bytes())).ok()
    });
    let events = messages.flat_map(|message| wire::events(&message));
    let typed = events.filter(|seen| seen.id().ends_with("/typed-extensions"));
    // What came out stands behind what went in.
    let last: BTreeMap<String, bool> = typed
        .map(|seen| {
            let is_typed = ["aantal", "vlag"].map(|name| seen.literals.contains(name));
            (seen.id().to_owned(), is_typed == [true; 2])
        })
        .collect();
    last.len() > 1 && last.into_values().all(|is_typed| is_typed)
}
