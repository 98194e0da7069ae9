//! What Linux says of this process. Elsewhere nothing is known.

use std::fs;

/// The unit of times in `/proc`, which is the same on every processor that the bridge runs on.
const TICKS_PER_SECOND: f64 = 100.0;

#[derive(Debug, Default)]
pub(super) struct Process {
    pub(super) cpu_seconds: Option<f64>,
    /// Since 1970.
    pub(super) started_at_seconds: Option<f64>,
    pub(super) resident_bytes: Option<u64>,
    pub(super) threads: Option<u64>,
    pub(super) open_fds: Option<u64>,
    pub(super) max_fds: Option<u64>,
}

impl Process {
    pub(super) fn look() -> Self {
        let read = |file: &str| fs::read_to_string(file).unwrap_or_default();
        let (stat, status) = (read("/proc/self/stat"), read("/proc/self/status"));
        let (limits, system) = (read("/proc/self/limits"), read("/proc/stat"));
        // Behind the name of the program, which may hold anything, begins field 3.
        let fields = stat.rsplit_once(") ").map_or("", |(_, fields)| fields);
        let field = |number: usize| -> Option<f64> {
            let field = fields.split_ascii_whitespace().nth(number - 3);
            Some(field?.parse::<f64>().ok()? / TICKS_PER_SECOND)
        };
        let booted = number(&system, "btime ").map(|seconds| seconds as f64);
        let open = fs::read_dir("/proc/self/fd").map(Iterator::count).ok();
        Self {
            cpu_seconds: field(14).zip(field(15)).map(|(user, system)| user + system),
            started_at_seconds: booted.zip(field(22)).map(|(booted, since)| booted + since),
            resident_bytes: number(&status, "VmRSS:").map(|kilobytes| kilobytes * 1024),
            threads: number(&status, "Threads:"),
            // The folder itself is open while it is read.
            open_fds: open.map(|count| count.saturating_sub(1) as u64),
            max_fds: number(&limits, "Max open files"),
        }
    }
}

/// The number behind the name that a line begins with.
fn number(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_ascii_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use std::process::Command;
    use std::time::SystemTime;

    use super::*;

    #[test]
    fn it_is_told_as_others_tell_it() {
        // Other tests run beside this one: only what it holds itself is certain.
        let held: Vec<_> = (0..300)
            .map(|_| fs::File::open("/dev/null").unwrap())
            .collect();
        let memory = vec![1_u8; 64 << 20];
        let now = Process::look();
        let (open, most) = (now.open_fds.unwrap(), now.max_fds.unwrap());
        assert!((held.len() as u64..most).contains(&open), "{open} {most}");
        assert!(now.resident_bytes.unwrap() >= memory.len() as u64);
        assert!(now.threads.unwrap() >= 2);
        let id = std::process::id().to_string();
        let ps = Command::new("ps")
            .args(["-o", "etimes=", "-p", &id])
            .output();
        let since_1970 = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let age = since_1970.unwrap().as_secs_f64() - now.started_at_seconds.unwrap();
        if let Ok(ps) = ps {
            let seconds: f64 = String::from_utf8(ps.stdout)
                .unwrap()
                .trim()
                .parse()
                .unwrap();
            assert!((age - seconds).abs() < 3.0, "{age} {seconds}");
        }
        let begun = SystemTime::now();
        while begun.elapsed().unwrap().as_millis() < 100 {
            std::hint::black_box(fs::metadata("/dev/null").unwrap());
        }
        assert!(Process::look().cpu_seconds.unwrap() > now.cpu_seconds.unwrap());
    }
}
