//! The machine that measured.

use std::fs;

use serde::Serialize;

/// See the module.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Machine {
    pub(crate) processor: String,
    pub(crate) processors: usize,
    pub(crate) memory_gib: f64,
    pub(crate) kernel: String,
}

impl Machine {
    /// This one. What is not known is empty.
    pub(crate) fn this() -> Self {
        let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
        let (cpu, memory) = (read("/proc/cpuinfo"), read("/proc/meminfo"));
        let kib = value(&memory, "MemTotal")
            .trim_end_matches("kB")
            .trim()
            .parse::<f64>();
        Self {
            processor: value(&cpu, "model name").to_owned(),
            processors: std::thread::available_parallelism().map_or(0, usize::from),
            memory_gib: kib.unwrap_or_default() / f64::from(1 << 20),
            kernel: read("/proc/sys/kernel/osrelease").trim().to_owned(),
        }
    }
}

/// The value of the first line of a name.
fn value<'t>(text: &'t str, name: &str) -> &'t str {
    let mut lines = text.lines().filter_map(|line| line.split_once(':'));
    let found = lines.find(|(key, _)| key.trim() == name);
    found.map_or("", |(_, value)| value.trim())
}
