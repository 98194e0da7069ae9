//! Numbered events of the corpus: the number is in the id, and gives key and partition.

use bytes::Bytes;
use cloudevents_nl_benches::corpus::{CASE_BYTES, Case, Kind, SIZES, Sample, attribute_name};

/// Keys of every run. Each has its events in the order of their numbers.
pub(crate) const KEYS: usize = 1000;

const FEW: usize = 32;

/// Which event has which key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keys {
    /// One after another, so that no event waits for its key.
    InTurn,
    /// Each as often as any other.
    Random,
    /// The most frequent one twice as often as the second, three times as often as the third.
    Zipf,
    /// One after another, and few of them.
    Few,
    /// One after another, those of the first partition alone.
    OnePartition,
}

impl Keys {
    /// The key of an event, below [`KEYS`].
    pub(crate) fn of(self, number: usize) -> usize {
        let mut random = fastrand::Rng::with_seed(number as u64);
        match self {
            Self::InTurn => number % KEYS,
            Self::Random => random.usize(..KEYS),
            // The inverse of the sum of 1/key, which is close to a logarithm.
            Self::Zipf => (KEYS as f64 + 1.0).powf(random.f64()) as usize - 1,
            Self::Few => number % FEW,
            Self::OnePartition => number % (KEYS / PARTITIONS) * PARTITIONS,
        }
    }

    /// What is said of them behind the name of a path.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::InTurn => "",
            Self::Random => ", random keys",
            Self::Zipf => ", Zipf keys",
            Self::Few => ", 32 keys in turn",
            Self::OnePartition => ", all events in one partition",
        }
    }

    /// The record key of an event.
    pub(crate) fn name(self, number: usize) -> String {
        format!("key-{:04}", self.of(number))
    }
}

/// Partitions of every topic. Key K goes to partition K modulo this, which spreads keys evenly.
pub(crate) const PARTITIONS: usize = 4;

const ID_PREFIX: &str = "cenl-bench-";
const ID_DIGITS: usize = 8;

/// A supply of numbered events of one size.
pub(crate) struct Traffic {
    case: Case,
    keys: Keys,
}

impl Traffic {
    pub(crate) fn new(size: &str, keys: Keys) -> Self {
        let size = SIZES
            .into_iter()
            .find(|candidate| candidate.name == size)
            .expect("a size class");
        Self {
            case: Case::generate(Kind::Compact, size, CASE_BYTES, 1),
            keys,
        }
    }

    /// The event in Kafka's binary mode: headers and body.
    pub(crate) fn binary(&self, number: usize) -> (Vec<(&str, String)>, &str) {
        let sample = self.sample(number);
        let value = |name: &str, value: &str| match name {
            "ce_id" => id(number),
            _ => value.to_owned(),
        };
        let headers = sample
            .headers()
            .map(|(name, text)| (name, value(name, text)));
        let body = str::from_utf8(&sample.body).expect("JSON is text");
        (headers.collect(), body)
    }

    /// The event in structured mode, with its key as `partitionkey`.
    pub(crate) fn structured(&self, number: usize) -> Bytes {
        let (headers, body) = self.binary(number);
        let mut text = format!("{{\"partitionkey\":\"{}\"", self.key(number));
        for (name, value) in headers {
            let name = attribute_name(name);
            text.push_str(&format!(",\"{name}\":\"{value}\""));
        }
        text.push_str(&format!(",\"data\":{body}}}"));
        text.into()
    }

    pub(crate) fn key(&self, number: usize) -> String {
        self.keys.name(number)
    }

    pub(crate) fn partition(&self, number: usize) -> i32 {
        i32::try_from(self.keys.of(number) % PARTITIONS).expect("a few partitions")
    }

    fn sample(&self, number: usize) -> &Sample {
        &self.case.samples[number % self.case.samples.len()]
    }
}

fn id(number: usize) -> String {
    format!("{ID_PREFIX}{number:0ID_DIGITS$}")
}

/// Finds the number in an id, or in a text that begins with the attributes.
pub(crate) fn number(text: &[u8]) -> Option<usize> {
    let prefix = ID_PREFIX.as_bytes();
    let at = text
        .windows(prefix.len())
        .position(|window| window == prefix)?
        + prefix.len();
    str::from_utf8(text.get(at..at + ID_DIGITS)?)
        .ok()?
        .parse()
        .ok()
}
