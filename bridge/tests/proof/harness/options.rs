//! What a run is asked for, by environment variables.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use super::pair::{ALL, Pair};

/// See the module. A run lasts until each of the three least values is reached.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    /// `CENL_SEED`: of the script of faults, the receiver's moods and the choice of keys.
    pub(crate) seed: u64,
    /// `CENL_PROOF_MINUTES`: the least time in which faults are dealt out.
    pub(crate) least: Duration,
    /// `CENL_PROOF_FAULTS`: the fewest faults.
    pub(crate) faults: usize,
    /// `CENL_PROOF_KILLS`: the fewest `kill -9` of the bridge.
    pub(crate) kills: usize,
    /// `CENL_PROOF_RATE`: events per second and pair.
    pub(crate) rate: u32,
    /// `CENL_PROOF_KEYS`: keys per pair.
    pub(crate) keys: usize,
    /// `CENL_PROOF_PADDING`: bytes of data of an event, about.
    pub(crate) padding: usize,
    /// `CENL_PROOF_PAIRS`: names of pairs with commas between them; all of them run at once.
    pub(crate) pairs: Vec<Pair>,
    /// `CENL_PROOF_ONLY`: words in the names of the only faults that are dealt out; all by default.
    pub(crate) only: String,
    /// Lines of each `[[route]]`; none unless a test says so: every default is kept.
    pub(crate) route: String,
    /// `CENL_PROOF_SUMMARY`: where the report goes, beside standard output.
    pub(crate) summary: Option<PathBuf>,
}

/// The seed of a run that names none: CI repeats the same script.
const SEED: u64 = 4;

impl Options {
    pub(crate) fn from_environment() -> Self {
        let pairs: Option<String> = variable("CENL_PROOF_PAIRS");
        let is_wanted = |pair: &Pair| {
            let names = pairs.as_deref();
            names.is_none_or(|names| names.split(',').any(|name| name == pair.name))
        };
        let minutes = variable("CENL_PROOF_MINUTES").unwrap_or(2.0);
        Self {
            seed: variable("CENL_SEED").unwrap_or(SEED),
            least: Duration::from_secs_f64(minutes * 60.0),
            faults: variable("CENL_PROOF_FAULTS").unwrap_or(0),
            kills: variable("CENL_PROOF_KILLS").unwrap_or(0),
            rate: variable("CENL_PROOF_RATE").unwrap_or(150),
            keys: variable("CENL_PROOF_KEYS").unwrap_or(50),
            padding: variable("CENL_PROOF_PADDING").unwrap_or(300),
            pairs: ALL.into_iter().filter(is_wanted).collect(),
            only: variable("CENL_PROOF_ONLY").unwrap_or_default(),
            route: String::new(),
            summary: variable("CENL_PROOF_SUMMARY"),
        }
    }

    /// The variables that repeat this run; `CENL_TEST_BRIDGE` may name another build beside them.
    pub(crate) fn command(&self) -> String {
        let names: Vec<_> = self.pairs.iter().map(|pair| pair.name).collect();
        format!(
            "CENL_SEED={} CENL_PROOF_MINUTES={} CENL_PROOF_FAULTS={} CENL_PROOF_KILLS={} \
             CENL_PROOF_RATE={} CENL_PROOF_KEYS={} CENL_PROOF_PADDING={} CENL_PROOF_PAIRS={} \
             cargo test -p cloudevents-nl-bridge --test proof every_pair -- --nocapture",
            self.seed,
            self.least.as_secs_f64() / 60.0,
            self.faults,
            self.kills,
            self.rate,
            self.keys,
            self.padding,
            names.join(",")
        )
    }
}

pub(crate) fn variable<T: FromStr>(name: &str) -> Option<T> {
    let text = std::env::var(name).ok()?;
    match text.parse() {
        Ok(value) => Some(value),
        Err(_) => panic!("{name}={text} makes no sense"),
    }
}
