//! Events for several processes: a topic that a consumer group divides, or a stream with a subject for
//! each process.

use tokio::time::Instant;

use crate::Contest;
use crate::end::{Near, Table};
use crate::paced::Pace;
use crate::path::End;
use crate::traffic::{Keys, PARTITIONS, Traffic};

/// Where events come from, and how processes divide them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// A consumer group.
    Group,
    /// A consumer group in which each process has a name of its own (`instance`).
    NamedGroup,
    /// A durable for each process, with a subject of its own.
    Durables,
}

impl Source {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Group => "Kafka",
            Self::NamedGroup => "Kafka, with `instance`",
            Self::Durables => "JetStream",
        }
    }
}

/// See the module.
pub(super) struct Supply<'a> {
    pub(super) source: Source,
    traffic: Traffic,
    near: Near<'a>,
    /// The consumer group, and what the names of durables begin with.
    reader: String,
    /// Subjects of the stream that are used.
    parts: usize,
}

impl<'a> Supply<'a> {
    /// An empty one, for so many processes.
    pub(super) fn create(contest: &'a Contest, source: Source, keys: Keys, parts: usize) -> Self {
        let end = match source {
            Source::Group | Source::NamedGroup => End::Kafka,
            Source::Durables => End::JetStream,
        };
        Self {
            source,
            traffic: Traffic::new("1KiB", keys),
            near: Near::create(end, &contest.brokers),
            reader: format!("bench-{:012x}", fastrand::u64(..1 << 48)),
            parts,
        }
    }

    /// Writes the events of these numbers, at so many a second or as fast as it goes, and counts them.
    pub(super) fn write(&self, numbers: impl Iterator<Item = usize>, rate: Option<f64>) -> usize {
        let start = Instant::now();
        let pace = rate.map(|rate| Pace { start, rate });
        let written = match &self.near {
            Near::Topic(kafka, topic) => kafka.write(topic, &self.traffic, numbers, pace),
            Near::Stream(nats, stream) => {
                let subject = |number| part(stream, self.partition(number) % self.parts);
                nats.write(subject, &self.traffic, numbers, pace)
            }
        };
        written.len()
    }

    /// The quarter of the keys to which an event belongs; those of a topic are its partitions.
    pub(super) fn partition(&self, number: usize) -> usize {
        usize::try_from(self.traffic.partition(number)).expect("a few partitions")
    }

    /// What a process is told. Beyond the first ones each stands by for one that has its part already.
    pub(super) fn table(&self, process: usize) -> Table {
        let (table, mut keys) = self.near.table(&self.reader);
        for (key, value) in &mut keys {
            if ["subject", "durable"].contains(key) {
                *value = part(value, process % self.parts);
            }
        }
        (table, keys)
    }

    /// Whether the broker divides it evenly, among so many processes.
    pub(super) fn is_divided(&self, processes: usize) -> bool {
        let Near::Topic(kafka, topic) = &self.near else {
            return true;
        };
        let Some(shares) = kafka.shares(&self.reader, topic) else {
            return false;
        };
        let fair = PARTITIONS / processes..=PARTITIONS.div_ceil(processes);
        shares.len() == processes
            && shares.iter().sum::<usize>() == PARTITIONS
            && shares.iter().all(|share| fair.contains(share))
    }

    pub(super) fn delete(self) {
        self.near.delete();
    }
}

fn part(name: &str, part: usize) -> String {
    format!("{name}-{part}")
}
