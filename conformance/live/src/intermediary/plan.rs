//! What a run would do, told beforehand.

use super::message::Message;
use super::{Options, load, specimens};
use crate::command::mode_word;
use crate::shown::why;

pub(crate) fn of(options: &Options) -> String {
    let mut out = format!("{} → {}\n", options.near, options.far);
    let told = |en: &str, nl: &str| format!("{}\n", why(en, nl).told(options.lang));
    let run = load::run();
    let writers = options.writers();
    for writer in &writers {
        out += &format!("in {} mode:\n", mode_word(writer.mode));
        for message in specimens::specimens(&run, writer, 0) {
            out += &format!("{}\n", sized(&message));
        }
    }
    if let Some(writer) = writers.first() {
        let (events, word, keys) = (options.events, mode_word(writer.mode), options.keys);
        let rate = |unit: &str| options.rate.map(|rate| format!(", {rate} {unit}"));
        let [en, nl] = ["a second", "per seconde"].map(|unit| rate(unit).unwrap_or_default());
        out += &told(
            &format!("then {events} events in {word} mode, of {keys} keys{en}"),
            &format!("dan {events} gebeurtenissen in {word} mode, van {keys} sleutels{nl}"),
        );
    }
    for writer in writers.iter().filter(|_| options.odd) {
        for message in specimens::odd(&run, writer) {
            out += &sized(&message);
            out += &told(", which may be refused", "; weigeren mag");
        }
    }
    let commands = [("kill", &options.kill), ("restart", &options.restart)];
    for (name, command) in commands {
        if let Some(command) = command {
            out += &told(
                &format!("when half of them are in, --{name}: {command}"),
                &format!("als de helft verstuurd is, --{name}: {command}"),
            );
        }
    }
    if !options.receiver_fails.is_empty() {
        out += &told(
            "the receiver fails at one of five events, three times at the first of them",
            "de ontvanger faalt bij één op de vijf gebeurtenissen, drie keer bij de eerste daarvan",
        );
    }
    out
}

fn sized(message: &Message) -> String {
    let (names, bytes) = (message.names.join(", "), message.size());
    format!("  {names}: {bytes} bytes")
}
