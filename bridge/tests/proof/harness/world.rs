//! Everything around the bridge: servers of this run alone, proxies, the receiver, and for each pair
//! its topics and streams, its books, its far end and its generator.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use async_nats::jetstream::{self, Context, stream};
use tempfile::NamedTempFile;

use super::clock::Clock;
use super::far_end::Tail;
use super::fault::Link;
use super::feed::Feed;
use super::ledger::Ledger;
use super::load::{Load, Rate};
use super::options::Options;
use super::pair::{From, Pair, Places, To};
use super::private_brokers::PrivateBrokers;
use super::proxy::Proxy;
use super::receiver::Receiver;
use super::script::Parties;
use super::tokens;
use crate::support::client::Client;
use crate::support::kafka::Topic;
use crate::support::ports::free_ports;
use crate::support::settings::{Settings, free_address};

/// See the module.
pub(crate) struct World {
    pub(crate) clock: Clock,
    pub(crate) servers: Arc<PrivateBrokers>,
    pub(crate) receiver: Receiver,
    pub(crate) sites: Vec<Site>,
    pub(crate) nats: Option<Context>,
    kafka_line: Proxy,
    nats_line: Option<Proxy>,
    receiver_line: Proxy,
    tokens_line: Proxy,
    client_secret: NamedTempFile,
    ingress_line: Proxy,
    ingress: SocketAddr,
    /// Lines of each `[[route]]`.
    route: String,
}

/// What belongs to one pair.
pub(crate) struct Site {
    pub(crate) pair: Pair,
    pub(crate) ledger: Arc<Ledger>,
    /// The source topic, or where the pair has none, a topic that stays empty; likewise the others.
    pub(crate) source: Topic,
    pub(crate) sink: Topic,
    pub(crate) dead_letters: Topic,
    pub(crate) tail: Option<Tail>,
}

fn local(port: u16) -> SocketAddr {
    SocketAddr::from((Ipv4Addr::LOCALHOST, port))
}

impl World {
    /// Starts it all but the generators.
    pub(crate) async fn build(name: &str, options: &Options) -> Self {
        let base = free_ports(8);
        let servers = Arc::new(PrivateBrokers::new(name, base));
        let has_nats = options.pairs.iter().any(Pair::uses_nats);
        let own = Arc::clone(&servers);
        let starting = tokio::task::spawn_blocking(move || {
            // What an interrupted run left behind.
            own.run(&["down"]);
            own.run(&["start", "kafka"]);
            if has_nats {
                own.run(&["start", "nats"]);
            }
        });
        starting.await.unwrap();
        let nats = match has_nats {
            true => Some(nats_client(base + 4).await),
            false => None,
        };
        let clock = Clock::start();
        let mut sites = Vec::new();
        for pair in &options.pairs {
            sites.push(Site::build(*pair, &servers.kafka(), nats.as_ref(), clock, options).await);
        }
        let ledgers: BTreeMap<_, _> = sites
            .iter()
            .map(|site| (site.pair.name, Arc::clone(&site.ledger)))
            .collect();
        let receiver = Receiver::start(options.seed, ledgers);
        let ingress = free_address();
        let client_secret = NamedTempFile::new().unwrap();
        std::fs::write(client_secret.path(), "secret").unwrap();
        let nats_line = match has_nats {
            true => Some(Proxy::start(free_ports(1), local(base + 4)).await),
            false => None,
        };
        Self {
            clock,
            servers,
            kafka_line: Proxy::start(base + 7, local(base + 6)).await,
            nats_line,
            receiver_line: Proxy::start(free_ports(1), receiver.address).await,
            tokens_line: Proxy::start(free_ports(1), tokens::start().await).await,
            client_secret,
            ingress_line: Proxy::start(free_ports(1), ingress).await,
            receiver,
            sites,
            nats,
            ingress,
            route: options.route.clone(),
        }
    }

    /// What takes part.
    pub(crate) fn parties(&self) -> Parties {
        let any = |is: fn(&Pair) -> bool| self.sites.iter().any(|site| is(&site.pair));
        Parties {
            nats: any(Pair::uses_nats),
            receiver: any(|pair| pair.to == To::Webhook),
            ingress: any(|pair| pair.from == From::Http),
            guests: any(|pair| pair.from != From::Http),
        }
    }

    /// Starts every generator.
    pub(crate) fn start_load(&self, options: &Options) -> Vec<Load> {
        let sites = self.sites.iter().enumerate();
        let loads = sites.map(|(number, site)| {
            let feed = site.feed(self.ingress_line.address, self.nats.as_ref());
            let rate = Rate {
                events_per_second: options.rate,
                keys: options.keys,
                padding: options.padding,
                seed: options.seed + number as u64,
            };
            Load::start(&feed, &site.ledger, rate)
        });
        loads.collect()
    }

    /// Puts `each` events of every key into every source, and waits until they are there.
    pub(crate) async fn fill(&self, options: &Options, each: u32) {
        for site in &self.sites {
            let feed = site.feed(self.ingress_line.address, self.nats.as_ref());
            Load::fill(&feed, &site.ledger, options, each).await;
        }
    }

    /// Settings of a bridge: with every default, and a path of its own at the receiver. The one that
    /// stays has a name in its groups; a guest comes without, and leaves the listener to it.
    pub(crate) fn settings(&self, life: usize, is_guest: bool) -> Settings {
        let mut tables = format!("[kafka.main]\nbrokers = \"{}\"\n", self.kafka_line.address);
        if !is_guest {
            tables += "instance = \"bridge-0\"\n";
        }
        if let Some(line) = &self.nats_line {
            writeln!(tables, "[nats.main]\nservers = \"{}\"", line.address).unwrap();
        }
        write!(
            tables,
            "[credentials.proof]\ntoken_url = \"http://{}/token\"\nclient_id = \"proof\"\n\
             client_authentication = \"client_secret_basic\"\nclient_secret = {{ file = {:?} }}\n",
            self.tokens_line.address,
            self.client_secret.path()
        )
        .unwrap();
        if !is_guest {
            writeln!(tables, "[http.in]\nlisten = \"{}\"", self.ingress).unwrap();
        }
        let takes_part = |site: &&Site| !is_guest || site.pair.from != From::Http;
        for site in self.sites.iter().filter(takes_part) {
            let name = site.pair.name;
            tables += &site.pair.route(&Places {
                source: &site.source.name,
                sink: &site.sink.name,
                dead_letters: &site.dead_letters.name,
                own: &self.route,
                url: &format!("https://{}/{name}/{life}", self.receiver_line.address),
            });
        }
        Settings::written(tables)
    }

    /// The proxy before a party.
    pub(crate) fn line(&self, link: Link) -> Option<&Proxy> {
        match link {
            Link::Kafka => Some(&self.kafka_line),
            Link::Nats => self.nats_line.as_ref(),
            Link::Receiver => Some(&self.receiver_line),
            Link::Tokens => Some(&self.tokens_line),
            Link::Ingress => Some(&self.ingress_line),
        }
    }

    /// Runs `scripts/brokers` without standing in the way of anything else.
    pub(crate) async fn brokers(&self, arguments: &'static [&'static str]) {
        let servers = Arc::clone(&self.servers);
        let done = tokio::task::spawn_blocking(move || servers.run(arguments));
        done.await.unwrap();
    }
}

impl Site {
    /// The way into the source of the pair.
    fn feed(&self, ingress: SocketAddr, nats: Option<&Context>) -> Feed {
        match self.pair.from {
            From::Kafka => Feed::kafka(&self.source),
            From::Http => Feed::Http {
                client: Client::new(ingress),
                path: self.pair.path(),
            },
            From::JetStream => Feed::JetStream {
                context: nats.expect("NATS takes part").clone(),
                subject: Pair::subject(&self.source.name),
            },
        }
    }

    async fn build(
        pair: Pair,
        kafka: &str,
        nats: Option<&Context>,
        clock: Clock,
        options: &Options,
    ) -> Self {
        let create = |word| Topic::create_at(kafka.to_owned(), word);
        let (source, sink, dead_letters) = (
            create("source").await,
            create("sink").await,
            create("dead").await,
        );
        if let Some(context) = nats {
            let ends = [
                (pair.from == From::JetStream, &source),
                (pair.to == To::JetStream, &sink),
            ];
            for (_, topic) in ends.into_iter().filter(|(is_used, _)| *is_used) {
                let made = context.create_stream(stream::Config {
                    name: topic.name.clone(),
                    subjects: vec![Pair::subject(&topic.name)],
                    ..stream::Config::default()
                });
                made.await.unwrap();
            }
        }
        let ledger = Arc::new(Ledger::new(clock, options.keys));
        let tail = match pair.to {
            To::Webhook => None,
            To::Kafka => Some(Tail::of_topic(&sink, &ledger)),
            To::JetStream => {
                let context = nats.expect("NATS takes part");
                Some(Tail::of_stream(context, &sink.name, &ledger))
            }
        };
        Self {
            pair,
            ledger,
            source,
            sink,
            dead_letters,
            tail,
        }
    }
}

/// A client of the harness's own, past the proxy, that never gives up.
async fn nats_client(port: u16) -> Context {
    let options = async_nats::ConnectOptions::new()
        .max_reconnects(None)
        .reconnect_delay_callback(|_| std::time::Duration::from_millis(200));
    let client = options.connect(format!("nats://127.0.0.1:{port}")).await;
    jetstream::new(client.unwrap())
}
