//! What a process costs, as `/proc` tells.

use std::fs;
use std::time::Duration;

use anyhow::{Context, bail};
use serde::Serialize;
use tokio::time::Instant;

/// What it had used at a moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Look {
    at: Instant,
    cpu: Duration,
    peak_kib: u64,
}

#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Cost {
    /// Seconds of processors, of all its threads.
    pub(crate) cpu_seconds: f64,
    /// The same, of each second: 1 is a whole processor.
    pub(crate) processors: f64,
    /// The most memory that it ever held.
    pub(crate) peak_mib: f64,
}

/// Linux counts the time of processes in hundredths of a second, whatever the kernel does.
const TICKS: u64 = 100;

/// The number of the process that runs the program of a name.
pub(crate) fn named(name: &str) -> anyhow::Result<u32> {
    let entries = fs::read_dir("/proc")?;
    let pids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    let is_named = |pid: &u32| {
        let program = fs::read_link(format!("/proc/{pid}/exe")).unwrap_or_default();
        program.file_name().is_some_and(|program| program == name)
    };
    let found: Vec<u32> = pids.filter(is_named).collect();
    match *found {
        [pid] => Ok(pid),
        [] => bail!("no process is called {name}"),
        ref all => bail!(
            "{} processes are called {name}: name one by --pid",
            all.len()
        ),
    }
}

impl Look {
    pub(crate) fn at(pid: u32) -> anyhow::Result<Self> {
        let read = |file: &str| {
            let path = format!("/proc/{pid}/{file}");
            fs::read_to_string(&path).with_context(|| path.clone())
        };
        let (stat, status) = (read("stat")?, read("status")?);
        let read = ticks(&stat).zip(peak(&status));
        let (cpu, peak_kib) = read.context("/proc is not as expected")?;
        Ok(Self {
            at: Instant::now(),
            cpu: Duration::from_millis(cpu * 1000 / TICKS),
            peak_kib,
        })
    }

    pub(crate) fn since(&self, before: &Self) -> Cost {
        let cpu = self.cpu.saturating_sub(before.cpu).as_secs_f64();
        Cost {
            cpu_seconds: cpu,
            processors: cpu / (self.at - before.at).as_secs_f64(),
            peak_mib: self.peak_kib as f64 / 1024.0,
        }
    }
}

/// Those of `utime` and `stime`: the 14th and 15th field. The second may hold anything, in brackets.
fn ticks(stat: &str) -> Option<u64> {
    let (_, rest) = stat.rsplit_once(')')?;
    let mut fields = rest.split_ascii_whitespace().skip(11);
    let (user, system): (u64, u64) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    Some(user + system)
}

fn peak(status: &str) -> Option<u64> {
    let mut lines = status.lines();
    let line = lines.find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn the_lines_of_proc_are_read() {
        let stat = "7 (a b) c) S 1 7 7 0 -1 4194304 100 0 0 0 250 50 0 0 20 0 4 0 100 1 2";
        assert_eq!(ticks(stat), Some(300));
        assert_eq!(
            peak("Name:\ta\nVmHWM:\t   2048 kB\nVmRSS:\t 1 kB\n"),
            Some(2048)
        );
    }

    #[test]
    fn this_process_is_found() {
        let own = Look::at(std::process::id()).unwrap();
        assert!(own.peak_kib > 1024);
        assert!(named("no such program").is_err());
    }
}
