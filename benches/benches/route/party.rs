//! What a process uses, from `/proc`: a contestant, a broker, or this program itself.

use std::fs;
use std::path::Path;
use std::time::Duration;

/// One process on this machine.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Party {
    process: u32,
}

impl Party {
    pub(crate) fn of(process: u32) -> Self {
        Self { process }
    }

    /// This program: it fills, receives or sends.
    pub(crate) fn load() -> Self {
        Self::of(std::process::id())
    }

    /// A broker that `scripts/brokers` runs as a process of this machine, `kafka` or `nats`.
    pub(crate) fn broker(name: &str) -> Option<Self> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let folder = std::env::var_os("CENL_BROKERS_DIR").map_or_else(
            || root.join("target/brokers/main"),
            |folder| root.join(folder),
        );
        let process = fs::read_to_string(folder.join(format!("{name}.pid"))).ok()?;
        process.trim().parse().ok().map(Self::of)
    }

    /// Processor time used so far, in steps of 10 ms.
    pub(crate) fn cpu(self) -> Duration {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.process));
        let stat = stat.expect("it still runs");
        let (_, after_name) = stat.rsplit_once(')').expect("a name in brackets");
        // Fields 14 and 15 of proc(5): user and system time in hundredths of a second.
        let ticks = after_name.split_whitespace().skip(11).take(2);
        let hundredths: u64 = ticks
            .map(|field| field.parse::<u64>().expect("a number"))
            .sum();
        Duration::from_millis(hundredths * 10)
    }

    /// Most memory it ever held, in bytes.
    pub(crate) fn peak_memory(self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.process));
        let status = status.expect("it still runs");
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = peak.and_then(|peak| peak.trim().strip_suffix(" kB"));
        let kilobytes = kilobytes.expect("Linux tells it in kB");
        kilobytes.parse::<u64>().expect("a number") * 1024
    }
}

/// Everybody whose processor time counts in one run.
#[derive(Clone, Debug)]
pub(crate) struct Parties {
    pub(crate) contestant: Party,
    pub(crate) brokers: Vec<Party>,
}

/// Processor time of each party so far, or in between.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Usage {
    pub(crate) contestant: Duration,
    pub(crate) brokers: Duration,
    pub(crate) load: Duration,
}

impl Parties {
    pub(crate) fn usage(&self) -> Usage {
        Usage {
            contestant: self.contestant.cpu(),
            brokers: self.brokers.iter().map(|broker| broker.cpu()).sum(),
            load: Party::load().cpu(),
        }
    }
}

impl Usage {
    pub(crate) fn since(self, start: Self) -> Self {
        Self {
            contestant: self.contestant - start.contestant,
            brokers: self.brokers - start.brokers,
            load: self.load - start.load,
        }
    }
}
