//! What holds for a codec whatever the event, tried on generated ones. Behind feature `generate`.
//!
//! The codec of this project writes the messages and says what is in them; the rules say whether what
//! the other one writes is right. Five things are tried, in every way in which an event can travel:
//!
//! - **reads**: a valid message is read, and every attribute and the data are in it;
//! - **judges**: a message with one defect is refused where its rules leave no event, and read where
//!   they do;
//! - **writes**: what was read is written as a message that breaks no rule and holds the same event;
//! - **returns**: what the codec has written, it reads as what it had;
//! - **types**: Integers and Booleans are that after reading, where the mode or the documentation of an
//!   extension tells.
//!
//! An event that the codec does not read is a case of `reads` alone, and counts as nothing in the others.
//! The same options give the same cases, and the same answers of a codec the same report.

mod tally;
mod tries;

use crate::capture::{Capture, Protocol};
use crate::codec::{Codec, Guarded};
use crate::generate::{self, Defect, WAYS};
use crate::reading::Mode;
use crate::vectors::Difference;

use tally::{Case, Cases};

/// How much is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(
    clippy::exhaustive_structs,
    reason = "options are written as a literal"
)]
pub struct Options {
    /// Cases of each property in each way; of each defect an eighth of that.
    pub cases: u32,
    /// What the cases are made from.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            cases: 256,
            seed: 1,
        }
    }
}

/// A property, tried in one way.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Tried {
    /// Which property: `reads`, `judges`, `writes`, `returns` or `types`.
    pub property: &'static str,
    /// How the event travelled.
    pub protocol: Protocol,
    /// In which mode.
    pub mode: Mode,
    /// How many cases were tried.
    pub cases: u32,
    /// In how many of them the codec said that it has no such thing, and what.
    pub not_supported: Option<(u32, String)>,
    /// What was not so, by kind.
    pub faults: Vec<Found>,
}

/// What was not so, in several cases.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Found {
    /// The defect that the message had.
    pub defect: Option<&'static Defect>,
    /// In how many cases.
    pub count: u32,
    /// The message of the smallest of them.
    pub message: Capture,
    /// What differed there.
    pub difference: Difference,
    /// What makes it one of a kind.
    pub(crate) topic: String,
}

/// Tries all properties.
///
/// ```
/// use cloudevents_nl_conformance::codec::Ours;
/// use cloudevents_nl_conformance::properties::{self, Options};
///
/// let tried = properties::run(&Ours, Options { cases: 8, seed: 7 });
/// assert!(tried.iter().all(|tried| tried.faults.is_empty()));
/// ```
#[must_use]
pub fn run(codec: &impl Codec, options: Options) -> Vec<Tried> {
    let codec = &Guarded(codec);
    let mut all = Vec::new();
    for (protocol, mode) in WAYS {
        let way = (protocol, mode);
        let tried = |property, cases: Cases| Tried {
            property,
            protocol,
            mode,
            cases: cases.tried,
            not_supported: cases.not_supported,
            faults: cases.faults,
        };
        let events = |try_one: &dyn Fn(&_) -> Case| {
            let mut cases = Cases::default();
            cases.try_all(&generate::event(), options, None, try_one);
            cases
        };
        all.push(tried(
            "reads",
            events(&|event| tries::reads(codec, event, way)),
        ));
        let mut judged = Cases::default();
        let few = Options {
            cases: (options.cases / 8).max(1),
            ..options
        };
        for defect in generate::defects() {
            if defect.applies_to(protocol, mode) {
                let messages = defect.messages(protocol, mode);
                judged.try_all(&messages, few, Some(defect), &|case| {
                    tries::judges(codec, case)
                });
            }
        }
        all.push(tried("judges", judged));
        all.push(tried(
            "writes",
            events(&|event| tries::writes(codec, event, way)),
        ));
        all.push(tried(
            "returns",
            events(&|event| tries::returns(codec, event, way)),
        ));
        let mut typed = Cases::default();
        typed.try_all(&generate::typed(), few, None, &|event| {
            tries::types(codec, event, way)
        });
        all.push(tried("types", typed));
    }
    all
}
