//! Cases, and what was found in them: a count and the smallest example of each kind.

use std::fmt::Debug;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use super::{Found, Options};
use crate::capture::Capture;
use crate::generate::Defect;
use crate::grammar::name::CORE;
use crate::vectors::{Difference, Fault};

/// Steps towards a smaller example; each halves something.
const MOST_STEPS: usize = 400;

#[derive(Default)]
pub(super) struct Cases {
    pub(super) tried: u32,
    pub(super) not_supported: Option<(u32, String)>,
    pub(super) faults: Vec<Found>,
}

impl Cases {
    /// Tries so many messages of a strategy, with what they are made of. Each has a generator of its own,
    /// so that it can be made again. What is not so is told, [`Fault::NotSupported`] among it.
    pub(super) fn try_all<E: Debug>(
        &mut self,
        strategy: &impl Strategy<Value = (E, Capture)>,
        options: Options,
        defect: Option<&'static Defect>,
        try_one: &dyn Fn(&E, &Capture) -> Vec<Difference>,
    ) {
        for case in 0..options.cases {
            let tree = || {
                strategy
                    .new_tree(&mut runner(options.seed, case))
                    .expect("no strategy of this crate rejects a value")
            };
            self.tried += 1;
            let mut counted = Vec::new();
            let (event, message) = tree().current();
            for difference in try_one(&event, &message) {
                if difference.fault == Fault::NotSupported {
                    let (count, _) = self.not_supported.get_or_insert((0, difference.got));
                    *count += 1;
                    continue;
                }
                let kind = kind(&difference);
                if counted.contains(&kind) {
                    continue;
                }
                match self.faults.iter_mut().find(|found| found.is(&kind, defect)) {
                    Some(found) => found.count += 1,
                    None => {
                        let (message, difference) = smallest(&mut tree(), &kind, try_one);
                        self.faults.push(Found {
                            defect,
                            count: 1,
                            message,
                            difference,
                            topic: kind.1.clone(),
                        });
                    }
                }
                counted.push(kind);
            }
        }
    }
}

impl Found {
    /// Whether a difference of a kind, in a message with a defect or none, is one more of this.
    fn is(&self, kind: &Kind, defect: Option<&Defect>) -> bool {
        let name = |defect: Option<&Defect>| defect.map(|defect| defect.name);
        (self.difference.fault, &self.topic) == (kind.0, &kind.1)
            && name(self.defect) == name(defect)
    }
}

fn runner(seed: u64, case: u32) -> TestRunner {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    bytes[8..12].copy_from_slice(&case.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    TestRunner::new_with_rng(Config::default(), rng)
}

/// What makes two differences one of a kind: the fault and what was compared, where every extension
/// is like the next, or what the codec said without the place.
type Kind = (Fault, String);

fn kind(difference: &Difference) -> Kind {
    let topic = match (difference.fault, difference.what.strip_prefix("attribute ")) {
        (Fault::Refuses | Fault::Panics, _) => {
            let said = difference.got.split(" at line ").next();
            said.unwrap_or_default()
        }
        (_, Some(name)) if !CORE.contains(&name) => "an extension",
        _ => &difference.what,
    };
    (difference.fault, topic.to_owned())
}

/// The smallest case that shows a difference of this kind, which the tree's current one does.
fn smallest<E: Debug>(
    tree: &mut impl ValueTree<Value = (E, Capture)>,
    wanted: &Kind,
    try_one: &dyn Fn(&E, &Capture) -> Vec<Difference>,
) -> (Capture, Difference) {
    let shown = |(event, message): (E, Capture)| {
        let mut differences = try_one(&event, &message).into_iter();
        let difference = differences.find(|difference| kind(difference) == *wanted);
        difference.map(|difference| (message, difference))
    };
    let mut best = shown(tree.current());
    let mut goes_on = tree.simplify();
    for _ in 0..MOST_STEPS {
        if !goes_on {
            break;
        }
        goes_on = match shown(tree.current()) {
            Some(smaller) => {
                best = Some(smaller);
                tree.simplify()
            }
            None => tree.complicate(),
        };
    }
    best.unwrap_or_else(|| {
        // A codec that answers the same message differently has not shown it again.
        let what = "the codec answers the same message in two ways";
        let difference = Difference::new(what, "one answer", "another");
        (Capture::event(""), difference.of(wanted.0))
    })
}
