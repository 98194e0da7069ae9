//! Realistic NL GOV events, generated from a seed: the same seed gives the same bytes.
//!
//! A small pool of events flatters every parser, because the branch predictor learns it by heart.
//! A [`Case`] therefore holds at least [`CASE_BYTES`] of events that all differ.

mod attributes;
mod kind;
mod payload;

use std::ops::Range;

use cloudevents_nl_codec::Header;
use fastrand::Rng;

pub use kind::Kind;

/// Structured text in one case, in bytes: at least this much, all of it distinct.
pub const CASE_BYTES: usize = 4 << 20;

/// Structured text in one case where only answers count: a few events of the largest size.
pub const SMOKE_BYTES: usize = 256 << 10;

/// An event in binary mode, as a client lends it.
#[derive(Clone, Copy, Debug)]
pub struct Message<'a> {
    /// All of them.
    pub headers: &'a [Header<'a>],
    /// The record's value.
    pub body: Option<&'a [u8]>,
}

/// The size class of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// The name in reports.
    pub name: &'static str,
    /// Bytes of one event in structured mode, hit within a few per cent.
    pub bytes: usize,
    /// Whether the events have all twelve attributes or only the six that fit 300 bytes.
    pub full: bool,
}

/// The size classes that are measured; 64 KiB is the limit of the NL GOV profile.
pub const SIZES: [Size; 5] = [
    Size {
        name: "300B",
        bytes: 300,
        full: false,
    },
    Size {
        name: "1KiB",
        bytes: 1 << 10,
        full: true,
    },
    Size {
        name: "4KiB",
        bytes: 4 << 10,
        full: true,
    },
    Size {
        name: "16KiB",
        bytes: 16 << 10,
        full: true,
    },
    Size {
        name: "64KiB",
        bytes: 64 << 10,
        full: true,
    },
];

/// One generated event in both modes.
///
/// Header values lie one after the other in memory, as they do in what a client has fetched.
#[derive(Debug)]
pub struct Sample {
    /// The data as binary mode carries it.
    pub body: Vec<u8>,
    values: String,
    headers: Vec<(&'static str, Range<usize>)>,
    text: Range<usize>,
}

impl Sample {
    /// Kafka headers in binary mode: name and value.
    pub fn headers(&self) -> impl ExactSizeIterator<Item = (&'static str, &str)> {
        let value = |range: &Range<usize>| self.values.get(range.clone()).expect("one of ours");
        self.headers
            .iter()
            .map(move |(name, range)| (*name, value(range)))
    }
}

/// The events of one size, in structured and in binary mode.
#[derive(Debug)]
pub struct Case {
    /// What the data is.
    pub kind: Kind,
    /// The size class.
    pub size: Size,
    /// The events.
    pub samples: Vec<Sample>,
    texts: Vec<u8>,
}

impl Case {
    /// Generates events until they come to `bytes` in structured mode.
    #[must_use]
    pub fn generate(kind: Kind, size: Size, bytes: usize, seed: u64) -> Self {
        let mut random = Rng::with_seed(seed ^ size.bytes as u64);
        let mut case = Self {
            kind,
            size,
            samples: Vec::new(),
            texts: Vec::with_capacity(bytes + size.bytes),
        };
        while case.texts.len() < bytes {
            let sample = sample(&mut random, kind, size, case.samples.len(), &mut case.texts);
            case.samples.push(sample);
        }
        case
    }

    /// The structured texts, one after the other in memory.
    pub fn texts(&self) -> impl Iterator<Item = &[u8]> {
        self.samples
            .iter()
            .map(|sample| &self.texts[sample.text.clone()])
    }

    /// The headers of every event as a protocol adapter would lend them.
    #[must_use]
    pub fn headers(&self) -> Vec<Vec<Header<'_>>> {
        fn lend(sample: &Sample) -> Vec<Header<'_>> {
            let pairs = sample.headers();
            pairs
                .map(|(name, value)| Header {
                    name,
                    value: Some(value.as_bytes()),
                })
                .collect()
        }
        self.samples.iter().map(lend).collect()
    }

    /// The binary messages, given what [`Case::headers`] returned.
    pub fn messages<'a>(
        &'a self,
        headers: &'a [Vec<Header<'a>>],
    ) -> impl Iterator<Item = Message<'a>> {
        self.samples
            .iter()
            .zip(headers)
            .map(|(sample, headers)| Message {
                headers,
                body: Some(&sample.body),
            })
    }

    /// Bytes of all structured texts.
    #[must_use]
    pub fn byte_len(&self) -> usize {
        self.texts.len()
    }
}

/// Writes one event to `texts` and returns its binary form.
fn sample(random: &mut Rng, kind: Kind, size: Size, number: usize, texts: &mut Vec<u8>) -> Sample {
    let attributes = attributes::generate(random, size.full, number, kind.content_type());
    let start = texts.len();
    texts.push(b'{');
    // Most writers put `data` last; some, those that sort names among them, do not.
    let data_at = if random.u8(..8) == 0 {
        random.usize(1..attributes.len())
    } else {
        attributes.len()
    };
    let around: usize = attributes
        .iter()
        .map(|(name, value)| name.len() + value.len() + 6)
        .sum();
    let body = kind.generate(random, size.bytes.saturating_sub(around + 9));
    for at in 0..=attributes.len() {
        if at == data_at {
            kind.write_member(&body, texts);
            texts.push(b',');
        }
        if let Some((header, value)) = attributes.get(at) {
            let name = attribute_name(header);
            texts.extend_from_slice(format!("\"{name}\":\"{value}\",").as_bytes());
        }
    }
    texts.pop();
    texts.push(b'}');
    let mut values = String::with_capacity(around);
    let mut keep = |(name, value): (&'static str, String)| {
        let start = values.len();
        values.push_str(&value);
        (name, start..values.len())
    };
    let headers = attributes.into_iter().map(&mut keep).collect();
    Sample {
        body,
        values,
        headers,
        text: start..texts.len(),
    }
}

/// The attribute that a Kafka header carries.
#[must_use]
pub fn attribute_name(header: &str) -> &str {
    header.strip_prefix("ce_").unwrap_or("datacontenttype")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_bytes() {
        let generate = |seed| Case::generate(Kind::Compact, SIZES[1], 1 << 16, seed).texts;
        assert_eq!(generate(7), generate(7));
        assert_ne!(generate(7), generate(8));
    }

    #[test]
    fn events_have_the_size_of_their_class() {
        for kind in Kind::ALL {
            // Escapes and indentation are not planned for to the byte.
            let tolerance = if kind == Kind::Compact { 20 } else { 4 };
            for size in SIZES {
                let case = Case::generate(kind, size, 1 << 20, 7);
                let mean = case.byte_len() / case.samples.len();
                assert!(
                    mean.abs_diff(size.bytes) * tolerance <= size.bytes,
                    "{} {}: {mean} bytes",
                    kind.name(),
                    size.name
                );
            }
        }
    }

    #[test]
    fn every_text_is_json_with_the_attributes_of_its_class() {
        for (kind, size) in Kind::ALL
            .into_iter()
            .flat_map(|kind| SIZES.map(|size| (kind, size)))
        {
            for text in Case::generate(kind, size, 1 << 18, 7).texts() {
                let value: serde_json::Value = serde_json::from_slice(text).expect("valid JSON");
                let members = value.as_object().expect("an object").len();
                assert_eq!(members, if size.full { 13 } else { 7 });
            }
        }
    }
}
