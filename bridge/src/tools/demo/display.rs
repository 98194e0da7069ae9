//! What the demo shows: the picture and the settings, a line each second, the result, and what to run
//! next.

use std::fmt;
use std::io::{self, Write};
use std::time::Duration;

use tokio::time::Instant;

use super::check::{Findings, Seen};
use super::kafka::{Broker, MOCK_PARTITION_BYTES};

const PICTURE: &str = "\
application ─▶ Kafka topic ─▶ cenl-bridge ─▶ webhook
                                   └─▶ dead letters
";
/// How often there is something new to see.
pub(super) const REFRESH: Duration = Duration::from_secs(1);
/// Faults that are named one by one; the rest is counted.
const FAULTS_SHOWN: usize = 20;

/// Writes a line. A reader who went away does not end the demo, whose result is its exit code.
pub(super) fn say(text: impl fmt::Display) {
    writeln!(io::stdout(), "{text}").ok();
}

pub(super) fn introduce(broker: &Broker, settings: &str) {
    say(PICTURE);
    if broker.is_mock() {
        let (address, mebibytes) = (&broker.address, MOCK_PARTITION_BYTES >> 20);
        say(format_args!(
            "The broker is librdkafka's mock at {address}: in memory, {mebibytes} MiB per partition, gone at the end.\n\
             The first events arrive after three seconds: so long it waits for others to join the group.\n",
        ));
    }
    let settings = settings.replace('\n', "\n    ").replace("    \n", "\n");
    let settings = settings.trim_end();
    say(format_args!(
        "The bridge runs with these settings:\n\n    {settings}\n"
    ));
}

/// Says how far the run is.
pub(super) fn progress(started: Instant, seen: &Seen) {
    say(format_args!(
        "{:4.1} s  written {}  delivered {}  dead letters {}  503 ×{} 429 ×{} 400 ×{}",
        started.elapsed().as_secs_f64(),
        seen.written,
        seen.accepted.len(),
        seen.dead_letters.len(),
        seen.unavailable,
        seen.too_many,
        seen.refused,
    ));
}

pub(super) fn conclude(findings: &Findings, sent: usize) {
    let Findings {
        delivered,
        dead_lettered,
        ..
    } = findings;
    let Findings {
        repeats,
        keys,
        faults,
        ..
    } = findings;
    say(format_args!(
        "\n{sent} events sent: {delivered} delivered, {dead_lettered} dead-lettered, {repeats} repeats; \
         order checked on {keys} keys"
    ));
    if faults.is_empty() {
        return say(
            "Every id is exactly where it belongs, unchanged and in the order of its key.\n",
        );
    }
    let count = faults.len();
    say(format_args!(
        "THE PROMISE WAS BROKEN; please report it. Faults found: {count}, among them:"
    ));
    for fault in faults.iter().take(FAULTS_SHOWN) {
        say(format_args!("  {fault}"));
    }
}

pub(super) fn advise(broker: &Broker, [topic, dead_letters]: &[String; 2]) {
    match broker.is_mock() {
        true => say(
            "Next: the same on a real broker (scripts/brokers starts one):\n    \
             scripts/brokers up && cenl-bridge demo --kafka 127.0.0.1:19092",
        ),
        false => say(format_args!(
            "The topics {topic} and {dead_letters} stay on the broker for you to look at."
        )),
    }
    say("Your own routes: start from config/bridge.toml, then");
    say("    cenl-bridge check-config --config FILE && cenl-bridge run --config FILE");
}
