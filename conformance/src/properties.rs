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

use cloudevents_nl_codec::Event;
use proptest::strategy::Strategy;

use crate::capture::{Capture, Protocol};
use crate::codec::{Codec, Guarded};
use crate::generate::{self, Defect, WAYS};
use crate::reading::Mode;
use crate::vectors::Difference;

use tally::Cases;

/// How much is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Cases of each property in each way; of each defect an eighth of that.
    pub cases: u32,
    /// What the cases are made from.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Self {
        let (cases, seed) = (256, 1);
        Self { cases, seed }
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
    let few = Options {
        cases: (options.cases / 8).max(1),
        ..options
    };
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
        let events = |from: Way, try_one: &dyn Fn(&Event<'static>, &Capture) -> Vec<Difference>| {
            let mut cases = Cases::default();
            cases.try_all(&carried(generate::event(), from), options, None, try_one);
            cases
        };
        let mut judged = Cases::default();
        for defect in generate::defects() {
            if defect.applies_to(protocol, mode) {
                let messages = defect.messages(protocol, mode);
                let messages = messages.prop_map(|case| ((), case.message));
                let judges = |(): &(), message: &Capture| tries::judges(codec, defect, message);
                judged.try_all(&messages, few, Some(defect), &judges);
            }
        }
        let mut typed = Cases::default();
        let types = |_: &Event<'static>, message: &Capture| tries::types(codec, message, mode);
        typed.try_all(&carried(generate::typed(), way), few, None, &types);
        let reads = events(way, &|_, message| tries::reads(codec, message));
        let writes = events(FILE, &|event, message| {
            tries::writes(codec, event, message, way)
        });
        let returns = events(FILE, &|_, message| tries::returns(codec, message, way));
        all.extend([
            tried("reads", reads),
            tried("judges", judged),
            tried("writes", writes),
            tried("returns", returns),
            tried("types", typed),
        ]);
    }
    all
}

type Way = (Protocol, Mode);

/// The way of the messages that a codec is to write anew.
const FILE: Way = (Protocol::File, Mode::Structured);

/// Events, each with the message that carries it.
fn carried(
    events: impl Strategy<Value = Event<'static>>,
    (protocol, mode): Way,
) -> impl Strategy<Value = (Event<'static>, Capture)> {
    events.prop_map(move |event| {
        let message = generate::written(&event, protocol, mode);
        (event, message)
    })
}
