//! What the demo shows: the picture and the settings, one line that is refreshed on a terminal (a line
//! now and then elsewhere), the result, and what to run next.

use std::io::{self, IsTerminal, Stdout, Write};
use std::time::Duration;

use tokio::time::Instant;

use super::check::{Findings, Seen};
use super::kafka::{Broker, MOCK_PARTITION_BYTES};

const PICTURE: &str = "\
application ─▶ Kafka topic ─▶ cenl-bridge ─▶ webhook
                                   └─▶ dead letters
";
/// How often there is something new to see.
pub(super) const REFRESH: Duration = Duration::from_millis(250);
/// How often a line is written where lines stay.
const LINE_EVERY: Duration = Duration::from_secs(3);
/// Dead letters that are shown one by one; the rest is counted.
const DEAD_LETTERS_SHOWN: usize = 5;
/// Faults that are named one by one; the rest is counted.
const FAULTS_SHOWN: usize = 20;

/// Standard output. A reader who went away does not end the demo, whose result is its exit code.
pub(super) struct Display {
    out: Stdout,
    is_terminal: bool,
    started: Instant,
    last_line: Option<Instant>,
    dead_letters_shown: usize,
}

impl Display {
    pub(super) fn new() -> Self {
        let out = io::stdout();
        Self {
            is_terminal: out.is_terminal(),
            out,
            started: Instant::now(),
            last_line: None,
            dead_letters_shown: 0,
        }
    }

    /// Writes a line that stays.
    pub(super) fn say(&mut self, text: &str) {
        let clear = if self.is_terminal { "\r\x1b[2K" } else { "" };
        writeln!(self.out, "{clear}{text}").ok();
    }

    pub(super) fn introduce(&mut self, broker: &Broker, settings: &str) {
        self.say(PICTURE);
        if broker.is_mock() {
            let (address, mebibytes) = (&broker.address, MOCK_PARTITION_BYTES >> 20);
            self.say(&format!(
                "The broker is librdkafka's mock at {address}: in memory, {mebibytes} MiB per partition, gone at the end.\n\
                 The first events arrive after three seconds: so long it waits for others to join the group.\n",
            ));
        }
        let settings = settings.replace('\n', "\n    ").replace("    \n", "\n");
        self.say(&format!(
            "The bridge runs with these settings:\n\n    {}\n",
            settings.trim_end()
        ));
    }

    /// Shows how far the run is.
    pub(super) fn refresh(&mut self, seen: &Seen) {
        let letters = seen.dead_letters.iter().take(DEAD_LETTERS_SHOWN);
        for letter in letters.skip(self.dead_letters_shown) {
            self.dead_letters_shown += 1;
            self.say(&format!(
                "        dead letter: {}  {}",
                letter.id, letter.why
            ));
        }
        // At most 80 columns: a line that wraps cannot be refreshed.
        let line = format!(
            "{:4.1} s  written {}  delivered {}  dead letters {}  503 ×{} 429 ×{} 400 ×{}",
            self.started.elapsed().as_secs_f64(),
            seen.written,
            seen.arrivals.len(),
            seen.dead_letters.len(),
            seen.unavailable,
            seen.too_many,
            seen.refused,
        );
        let is_due = |last: Instant| last.elapsed() >= LINE_EVERY;
        if self.is_terminal {
            write!(self.out, "\r\x1b[2K{line}").ok();
            self.out.flush().ok();
        } else if self.last_line.is_none_or(is_due) {
            self.last_line = Some(Instant::now());
            self.say(&line);
        }
    }

    /// The last state of the run, on a line that stays.
    pub(super) fn finish(&mut self, seen: &Seen) {
        self.last_line = None;
        self.refresh(seen);
        if self.is_terminal {
            writeln!(self.out).ok();
        }
    }

    pub(super) fn conclude(&mut self, findings: &Findings, sent: usize) {
        let Findings {
            delivered,
            dead_lettered,
            repeats,
            keys,
            faults,
        } = findings;
        self.say(&format!(
            "\n{sent} events sent: {delivered} delivered, {dead_lettered} dead-lettered, {repeats} repeats; \
             order checked on {keys} keys"
        ));
        if faults.is_empty() {
            let whole =
                "Every id is exactly where it belongs, unchanged and in the order of its key.";
            return self.say(&format!("{whole}\n"));
        }
        let count = faults.len();
        self.say(&format!(
            "THE PROMISE WAS BROKEN; please report it. Faults found: {count}, among them:"
        ));
        for fault in faults.iter().take(FAULTS_SHOWN) {
            self.say(&format!("  {fault}"));
        }
    }

    pub(super) fn advise(&mut self, broker: &Broker, [topic, dead_letters]: &[String; 2]) {
        let next = match broker.is_mock() {
            true => "Next: the same on a real broker (scripts/brokers starts one):\n    \
                scripts/brokers up && cenl-bridge demo --kafka 127.0.0.1:19092"
                .to_owned(),
            false => format!(
                "The topics {topic} and {dead_letters} stay on the broker for you to look at."
            ),
        };
        self.say(&next);
        self.say("Your own routes: start from config/bridge.toml, then");
        self.say("    cenl-bridge check-config --config FILE && cenl-bridge run --config FILE");
    }
}
