//! What the demo says before and after: the picture, the limits, the settings, the result, and what
//! to run next.

use super::broker::{Broker, MOCK_PARTITION_BYTES};
use super::check::Findings;
use super::display::Display;
use super::settings::Names;

/// Faults that are named one by one; the rest is counted.
const FAULTS_SHOWN: usize = 20;

pub(super) fn introduce(display: &mut Display, broker: &Broker, settings: &str) {
    display.say("application ─▶ Kafka topic ─▶ cenl-bridge ─▶ webhook");
    display.say("                                   └─▶ dead letters\n");
    if broker.is_mock() {
        let mebibytes = MOCK_PARTITION_BYTES >> 20;
        display.say(&format!(
            "The broker is librdkafka's mock at {}: in memory, {mebibytes} MiB per partition, gone at the end.\n\
             The first events arrive after three seconds: so long it waits for others to join the group.\n",
            broker.address
        ));
    }
    display.say("The bridge runs with these settings:\n");
    for line in settings.lines() {
        display.say(format!("    {line}").trim_end());
    }
    display.say("");
}

pub(super) fn conclude(display: &mut Display, findings: &Findings, sent: usize) {
    let Findings {
        delivered,
        dead_lettered,
        repeats,
        keys,
        faults,
    } = findings;
    display.say(&format!(
        "\n{sent} events sent: {delivered} delivered, {dead_lettered} dead-lettered, {repeats} repeats; \
         order checked on {keys} keys"
    ));
    if faults.is_empty() {
        display
            .say("Every id is exactly where it belongs, unchanged and in the order of its key.\n");
        return;
    }
    display.say(&format!(
        "THE PROMISE WAS BROKEN; please report it. Faults found: {}",
        faults.len()
    ));
    for fault in faults.iter().take(FAULTS_SHOWN) {
        display.say(&format!("  {fault}"));
    }
    if faults.len() > FAULTS_SHOWN {
        display.say(&format!("  … and {} more", faults.len() - FAULTS_SHOWN));
    }
}

pub(super) fn advise(display: &mut Display, broker: &Broker, names: &Names) {
    if broker.is_mock() {
        display.say("Next: the same on a real broker (scripts/brokers starts one):");
        display.say("    scripts/brokers up && cenl-bridge demo --kafka 127.0.0.1:19092");
    } else {
        let Names {
            topic,
            dead_letters,
            ..
        } = names;
        display.say(&format!(
            "The topics {topic} and {dead_letters} stay on the broker for you to look at."
        ));
    }
    display.say("Your own routes: start from config/bridge.toml, then");
    display.say("    cenl-bridge check-config --config FILE && cenl-bridge run --config FILE");
}
