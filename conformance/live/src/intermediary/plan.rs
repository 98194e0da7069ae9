//! What a run would do, told beforehand.

use std::fmt::Write as _;

use super::message::{Message, Writer};
use super::{Options, load, specimens};
use crate::shown::why;

pub(crate) fn of(options: &Options) -> String {
    let mut out = format!("{} → {}\n", options.near, options.far);
    let mut tell = |en: String, nl: String| {
        let what = why(en, nl);
        writeln!(out, "{}", what.told(options.lang)).expect("a string takes all");
    };
    let run = load::run();
    let writers = options.writers(0);
    for writer in &writers {
        let word = writer.mode_word();
        tell(format!("in {word} mode:"), format!("in {word} mode:"));
        for message in specimens::specimens(&run, writer) {
            let told = told(writer, &message);
            tell(told.clone(), told);
        }
    }
    if let Some(writer) = writers.first() {
        let (events, word, keys) = (options.events, writer.mode_word(), options.keys);
        let rate = |unit: &str| options.rate.map(|rate| format!(", {rate} {unit}"));
        let [en, nl] = ["a second", "per seconde"].map(|unit| rate(unit).unwrap_or_default());
        tell(
            format!("then {events} events in {word} mode, of {keys} keys{en}"),
            format!("dan {events} gebeurtenissen in {word} mode, van {keys} sleutels{nl}"),
        );
    }
    for writer in writers.iter().filter(|_| options.odd) {
        for message in specimens::odd(&run, writer) {
            let told = told(writer, &message);
            tell(
                format!("{told}, which may be refused"),
                format!("{told}; weigeren mag"),
            );
        }
    }
    let commands = [("kill", &options.kill), ("restart", &options.restart)];
    for (name, command) in commands {
        if let Some(command) = command {
            tell(
                format!("when half of them are in, --{name}: {command}"),
                format!("als de helft verstuurd is, --{name}: {command}"),
            );
        }
    }
    if !options.receiver_fails.is_empty() {
        tell(
            "the receiver fails at one of five events".to_owned(),
            "de ontvanger faalt bij één op de vijf gebeurtenissen".to_owned(),
        );
    }
    out
}

fn told(writer: &Writer, message: &Message) -> String {
    let (names, bytes) = (message.names.join(", "), writer.size(message));
    format!("  {names}: {bytes} bytes")
}
