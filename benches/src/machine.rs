//! What a record must say about where it was made.

use std::fmt::Write;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Machine, toolchain and commit, as lines of Markdown.
#[must_use]
pub fn description() -> String {
    let mut text = String::new();
    let mut line = |name: &str, value: &str| {
        writeln!(text, "- {name}: {}", value.trim()).expect("a String takes all text");
    };
    let cpus = std::thread::available_parallelism().map_or(0, usize::from);
    line("machine", &format!("{}, {cpus} cores", processor()));
    line("system", &output("uname", &["-sr"]));
    line("toolchain", &output("rustc", &["--version"]));
    line(
        "commit",
        &output("git", &["describe", "--always", "--dirty", "--abbrev=12"]),
    );
    line(
        "load at the end (1, 5, 15 min)",
        &fs::read_to_string("/proc/loadavg").unwrap_or_default(),
    );
    text
}

/// Writes `records/DATE-NAME.md` and returns its path.
///
/// # Errors
/// When the file cannot be written.
pub fn record(name: &str, text: &str) -> io::Result<PathBuf> {
    let date = output("date", &["-u", "+%F"]);
    let file = format!("{}-{name}.md", date.trim());
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("records")
        .join(file);
    fs::write(&path, text)?;
    Ok(path)
}

fn processor() -> String {
    let cpu = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpu
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    model.map_or_else(
        || std::env::consts::ARCH.to_owned(),
        |(_, name)| name.to_owned(),
    )
}

fn output(program: &str, arguments: &[&str]) -> String {
    match Command::new(program).args(arguments).output() {
        Ok(output) if output.status.success() => {
            String::from_utf8_lossy(&output.stdout).into_owned()
        }
        _ => "unknown".to_owned(),
    }
}
