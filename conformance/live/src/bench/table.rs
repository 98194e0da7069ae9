//! The figures, as a table that can be published and as JSON.

use jiff::Timestamp;
use serde::Serialize;

use super::Options;
use super::figures::Figures;
use super::machine::Machine;

#[derive(Serialize)]
struct Report<'r> {
    at: String,
    note: &'r str,
    from: String,
    to: String,
    harness: &'static str,
    machine: Machine,
    figures: &'r [Figures],
}

const HARNESS: &str = concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION"));

/// As JSON.
pub(crate) fn json(options: &Options, figures: &[Figures]) -> serde_json::Result<String> {
    let report = Report {
        at: Timestamp::now().to_string(),
        note: &options.note,
        from: options.near.to_string(),
        to: options.far.to_string(),
        harness: HARNESS,
        machine: Machine::this(),
        figures,
    };
    serde_json::to_string_pretty(&report)
}

/// As Markdown.
pub(crate) fn markdown(options: &Options, figures: &[Figures]) -> String {
    let machine = Machine::this();
    let mut out = format!(
        "{} → {}{}. {}, {} processors, {:.0} GiB, Linux {}; {HARNESS}; {}.\n\n",
        options.near,
        options.far,
        if options.note.is_empty() {
            String::new()
        } else {
            format!(", {}", options.note)
        },
        machine.processor,
        machine.processors,
        machine.memory_gib,
        machine.kernel,
        Timestamp::now().strftime("%Y-%m-%d"),
    );
    out += "| what | bytes | keys | asked/s | out/s | p50 ms | p99 ms | p99.9 ms | most ms | processors | peak MiB | repeats | lost | refused |\n";
    out +=
        "| --- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: |\n";
    for one in figures {
        out += &line(one);
        out.push('\n');
    }
    out += "\nLatency is counted from the moment at which an event was to go in, so that none is left out that an\n\
            intermediary kept waiting; as fast as it goes (`–`), that is when the one before it was taken.\n";
    out
}

/// One row.
pub(crate) fn line(one: &Figures) -> String {
    let asked = one
        .rate
        .map_or_else(|| "–".to_owned(), |rate| format!("{rate:.0}"));
    let cost = one.cost.map_or_else(
        || "– | –".to_owned(),
        |cost| format!("{:.2} | {:.0}", cost.processors, cost.peak_mib),
    );
    format!(
        "| {} | {} | {} | {asked} | {:.0} | {:.2} | {:.2} | {:.2} | {:.2} | {cost} | {} | {} | {} |",
        one.what,
        one.bytes,
        one.keys,
        one.throughput,
        one.p50_ms,
        one.p99_ms,
        one.p999_ms,
        one.most_ms,
        one.repeats,
        one.lost,
        one.refused,
    )
}
