//! What a run would do, told beforehand.

use std::fmt::Write as _;

use super::message::{Message, Writer};
use super::{Options, load, odd, specimens};

/// See the module.
pub(crate) fn of(options: &Options) -> String {
    let mut out = format!("{} → {}\n", options.near, options.far);
    let mut tell = |what: String| writeln!(out, "{what}").expect("a string takes all");
    let run = load::run();
    let writers = options.writers(0);
    for writer in &writers {
        tell(format!("in {} mode:", writer.mode_word()));
        for message in specimens::specimens(&run, writer) {
            tell(told(writer, &message));
        }
    }
    if let Some(writer) = writers.first() {
        let rate = options.rate.map(|rate| format!(", {rate} a second"));
        tell(format!(
            "then {} events in {} mode, of {} keys{}",
            options.events,
            writer.mode_word(),
            options.keys,
            rate.unwrap_or_default()
        ));
    }
    for writer in writers.iter().filter(|_| options.odd) {
        for message in odd::odd(&run, writer) {
            tell(format!("{}, which may be refused", told(writer, &message)));
        }
    }
    let commands = [("kill", &options.kill), ("restart", &options.restart)];
    for (name, command) in commands {
        if let Some(command) = command {
            tell(format!("when half of them are in, --{name}: {command}"));
        }
    }
    if !options.receiver_fails.is_empty() {
        tell("the receiver fails at one of five events".to_owned());
    }
    out
}

fn told(writer: &Writer, message: &Message) -> String {
    let (names, bytes) = (message.names.join(", "), writer.size(message));
    format!("  {names}: {bytes} bytes")
}
