//! Settings of the bridge under test, as the text of its file.

use std::fmt::Write as _;
use std::net::{Ipv4Addr, SocketAddr};

use super::brokers::Broker;
use super::kafka::Topic;
use super::nats::Stream;
use super::ports::free_ports;
use super::receiver::Receiver;

/// The tables of a file; lines are added to them as a person would write them.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) admin: SocketAddr,
    /// `[kafka.main]`, and tables of their own.
    connections: String,
    routes: Vec<Route>,
}

/// One `[[route]]`.
#[derive(Clone, Debug)]
pub(crate) struct Route {
    own: String,
    source: String,
    sink: String,
    dead_letter: String,
    retry: String,
}

/// An address on which the bridge may listen.
pub(crate) fn free_address() -> SocketAddr {
    SocketAddr::from((Ipv4Addr::LOCALHOST, free_ports(1)))
}

impl Settings {
    /// A connection to the broker's plain listener, and a place for the bridge's own state.
    pub(crate) fn new(broker: &Broker) -> Self {
        Self::over(&broker.plaintext(), "")
    }

    /// A connection with nothing but the address: every default as it is shipped.
    pub(crate) fn with_defaults(broker: &Broker) -> Self {
        Self {
            admin: free_address(),
            connections: format!("[kafka.main]\nbrokers = \"{}\"\n", broker.plaintext()),
            routes: Vec::new(),
        }
    }

    /// A connection to `brokers` with librdkafka's `properties`, in TOML.
    pub(crate) fn over(brokers: &str, properties: &str) -> Self {
        let mut connections = String::new();
        writeln!(connections, "[kafka.main]\nbrokers = \"{brokers}\"").unwrap();
        // The shortest that a broker allows: a killed process is missed sooner.
        writeln!(
            connections,
            "[kafka.main.properties]\n\"session.timeout.ms\" = \"6000\"\n{properties}"
        )
        .unwrap();
        Self {
            admin: free_address(),
            connections,
            routes: Vec::new(),
        }
    }

    /// A connection `[nats.main]`.
    pub(crate) fn nats(mut self, servers: &str, lines: &str) -> Self {
        writeln!(
            self.connections,
            "[nats.main]\nservers = \"{servers}\"\n{lines}"
        )
        .unwrap();
        self
    }

    /// Tables as they stand, routes included.
    pub(crate) fn written(tables: String) -> Self {
        Self {
            admin: free_address(),
            connections: tables,
            routes: Vec::new(),
        }
    }

    /// An HTTP listener `[http.in]`.
    pub(crate) fn listen(mut self, address: SocketAddr) -> Self {
        writeln!(self.connections, "[http.in]\nlisten = \"{address}\"").unwrap();
        self
    }

    pub(crate) fn route(mut self, route: Route) -> Self {
        self.routes.push(route);
        self
    }

    /// The same settings for a second process.
    pub(crate) fn another(&self) -> Self {
        Self {
            admin: free_address(),
            ..self.clone()
        }
    }

    /// The same settings for a second process that posts to another path of the receiver.
    pub(crate) fn posting_to(&self, path: &str) -> Self {
        let mut another = self.another();
        for route in &mut another.routes {
            route.sink = route.sink.replace("/hook\"", &format!("{path}\""));
        }
        another
    }

    /// Adds tables of connections.
    pub(crate) fn connection(mut self, tables: &str) -> Self {
        self.connections += tables;
        self
    }

    /// Adds a line to `[admin]`.
    pub(crate) fn admin_line(mut self, line: &str) -> Self {
        self.connections.insert_str(0, line);
        self
    }

    /// Adds `[limits]` with a line.
    pub(crate) fn limits(mut self, line: &str) -> Self {
        writeln!(self.connections, "[limits]\n{line}").unwrap();
        self
    }

    /// The file.
    pub(crate) fn text(&self) -> String {
        let mut text = format!("[admin]\nlisten = \"{}\"\n{}", self.admin, self.connections);
        for route in &self.routes {
            writeln!(text, "[[route]]\n{}", route.own).unwrap();
            for (table, lines) in [
                ("source", &route.source),
                ("sink", &route.sink),
                ("dead_letter", &route.dead_letter),
                ("retry", &route.retry),
            ] {
                if !lines.is_empty() {
                    writeln!(text, "[route.{table}]\n{lines}").unwrap();
                }
            }
        }
        text
    }
}

impl Route {
    /// From a topic to a receiver, with dead letters in another topic.
    pub(crate) fn to_webhook(topic: &Topic, receiver: &Receiver, dead_letters: &Topic) -> Self {
        let name = &topic.name;
        Self {
            own: "name = \"to-webhook\"\n".to_owned(),
            source: format!("kafka = \"main\"\ntopic = \"{name}\"\ngroup = \"{name}\"\n"),
            sink: format!("url = \"{}\"\n", receiver.url()),
            dead_letter: format!("kafka = \"main\"\ntopic = \"{}\"\n", dead_letters.name),
            retry: "initial = \"100ms\"\nmaximum = \"500ms\"\n".to_owned(),
        }
    }

    /// From a stream to a receiver, with dead letters in a topic.
    pub(crate) fn from_stream(stream: &Stream, receiver: &Receiver, dead_letters: &Topic) -> Self {
        Self {
            source: format!(
                "nats = \"main\"\nstream = \"{}\"\ndurable = \"bridge\"\n",
                stream.name
            ),
            ..Self::to_webhook(dead_letters, receiver, dead_letters)
        }
    }

    /// From a core subject to a receiver; what cannot be delivered waits.
    pub(crate) fn from_subject(subject: &str, receiver: &Receiver, dead_letters: &Topic) -> Self {
        Self {
            source: format!(
                "nats = \"main\"\nsubject = \"{subject}\"\ndelivery = \"at-most-once\"\n"
            ),
            ..Self::to_webhook(dead_letters, receiver, dead_letters)
        }
    }

    /// From a topic to what the lines of the two tables say.
    pub(crate) fn from_topic(topic: &Topic, sink: &str, dead_letter: &str) -> Self {
        let name = &topic.name;
        Self {
            own: "name = \"from-topic\"\n".to_owned(),
            source: format!("kafka = \"main\"\ntopic = \"{name}\"\ngroup = \"{name}\"\n"),
            sink: sink.to_owned(),
            dead_letter: dead_letter.to_owned(),
            retry: "initial = \"100ms\"\nmaximum = \"500ms\"\n".to_owned(),
        }
    }

    /// From the listener `[http.in]` to what the lines of the sink say.
    pub(crate) fn from_webhook(path: &str, sink: &str) -> Self {
        Self {
            own: "name = \"from-webhook\"\n".to_owned(),
            source: format!("http = \"in\"\npath = \"{path}\"\n"),
            sink: sink.to_owned(),
            dead_letter: String::new(),
            retry: "initial = \"100ms\"\nmaximum = \"500ms\"\n".to_owned(),
        }
    }

    /// From a topic to another, with dead letters in a third.
    pub(crate) fn between_topics(from: &Topic, to: &Topic, dead_letters: &Topic) -> Self {
        let name = &from.name;
        Self {
            own: "name = \"between-topics\"\n".to_owned(),
            source: format!("kafka = \"main\"\ntopic = \"{name}\"\ngroup = \"{name}\"\n"),
            sink: format!("kafka = \"main\"\ntopic = \"{}\"\n", to.name),
            dead_letter: format!("kafka = \"main\"\ntopic = \"{}\"\n", dead_letters.name),
            retry: String::new(),
        }
    }

    /// From the listener `[http.in]` to a receiver.
    pub(crate) fn between_webhooks(path: &str, receiver: &Receiver) -> Self {
        Self {
            own: "name = \"between-webhooks\"\n".to_owned(),
            source: format!("http = \"in\"\npath = \"{path}\"\n"),
            sink: format!("url = \"{}\"\n", receiver.url()),
            dead_letter: String::new(),
            retry: "initial = \"100ms\"\nmaximum = \"500ms\"\n".to_owned(),
        }
    }

    /// From the listener `[http.in]` to a topic.
    pub(crate) fn to_topic(path: &str, topic: &Topic) -> Self {
        Self {
            own: "name = \"to-topic\"\n".to_owned(),
            source: format!("http = \"in\"\npath = \"{path}\"\n"),
            sink: format!("kafka = \"main\"\ntopic = \"{}\"\n", topic.name),
            dead_letter: String::new(),
            retry: String::new(),
        }
    }

    /// Takes the place of the dead letters away.
    pub(crate) fn without_dead_letter(mut self) -> Self {
        self.dead_letter.clear();
        self
    }

    /// Gives the route another name.
    pub(crate) fn named(mut self, name: &str) -> Self {
        self.own = format!("name = \"{name}\"\n");
        self
    }

    /// Adds a line to `[[route]]` itself.
    pub(crate) fn own(mut self, line: &str) -> Self {
        self.own += line;
        self.own.push('\n');
        self
    }

    /// Adds a line to `[route.retry]`.
    pub(crate) fn retry(mut self, line: &str) -> Self {
        self.retry += line;
        self.retry.push('\n');
        self
    }

    /// Retries as shipped.
    pub(crate) fn with_default_retry(mut self) -> Self {
        self.retry.clear();
        self
    }

    /// Reads for another consumer group.
    pub(crate) fn group(mut self, group: &str) -> Self {
        let (before, _) = self.source.split_once("group = ").unwrap();
        self.source = format!("{before}group = \"{group}\"\n");
        self
    }

    /// Adds a line to `[route.dead_letter]`.
    pub(crate) fn dead_letter(mut self, line: &str) -> Self {
        self.dead_letter += line;
        self.dead_letter.push('\n');
        self
    }

    /// Adds a line to `[route.source]`.
    pub(crate) fn source(mut self, line: &str) -> Self {
        self.source += line;
        self.source.push('\n');
        self
    }

    /// Adds a line to `[route.sink]`.
    pub(crate) fn sink(mut self, line: &str) -> Self {
        self.sink += line;
        self.sink.push('\n');
        self
    }
}
