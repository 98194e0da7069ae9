//! Tries out an intermediary: events go in by one end, and are awaited at the other.
//!
//! ```text
//! specimens, load ─▶ near end ─▶ (the intermediary) ─▶ far end ─▶ Story ─▶ rules   ─▶ lines of a record
//!                                                                       └▶ figures ─▶ a table, and the exit code
//! ```
//!
//! A `Story` is all that happened. Rules and figures are pure functions of it.

pub(crate) mod address;
mod compare;
pub(crate) mod ends;
mod figures;
pub(crate) mod load;
pub(crate) mod message;
pub(crate) mod plain;
mod plan;
mod rules;
mod specimens;
pub(crate) mod spelling;
pub(crate) mod story;
mod told;

use std::collections::HashSet;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, bail};
use clap::Args;
use cloudevents_nl_conformance::{Language, Mode, Protocol, Purpose};
use tokio::sync::Notify;
use tokio::time::{Instant, timeout_at};

pub use address::Address;
pub use compare::Tolerance;
pub use figures::Allowance;

use crate::command;
use crate::given::Given;
use crate::listener::Answer;
use crate::record::Record;
use crate::shown::{say, why};
use ends::{Far, Near, Security, failure};
use message::Writer;
use story::{Came, Index, Sent, Story};

/// How an intermediary is tried.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
An end is kafka://HOST:PORT/TOPIC, nats://HOST:PORT/SUBJECT (tls:// for TLS) or http(s)://HOST:PORT/PATH;
--out http://… is listened at, and the intermediary delivers there. Nothing secret stands on the command line.

Exit code 1 tells that events were lost, invented, refused, changed, out of order or repeated for no reason;
2 that an end could not be opened, that nobody was reached at --in http://… or nats://… within the time of
--wait, or that nothing is taken there and all comes in a content coding.
The rules stand in the record: `cenl-conformance check FILE` makes the report of it. Where --out is http://, those
that take TLS are not shown; nor is that of the token, where none came, unless --expect-token says that one was given.")]
pub struct Options {
    /// Where events go in
    #[arg(long = "in", value_name = "ADDRESS")]
    near: Address,
    /// Where they come out
    #[arg(long = "out", value_name = "ADDRESS")]
    far: Address,
    /// Content modes in which they go in; batch, of several events in a body, is for HTTP alone
    #[arg(long, value_delimiter = ',', default_values = ["structured", "binary"], value_parser = command::mode())]
    in_mode: Vec<Mode>,
    /// How long to wait after the last event that comes, twice as long after a delivery that fails
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = command::duration)]
    wait: Duration,
    /// Events beside the specimens, in an order per key
    #[arg(long, value_name = "NUMBER", default_value_t = 200)]
    events: usize,
    /// Keys that they have
    #[arg(long, value_name = "NUMBER", default_value_t = 8)]
    keys: usize,
    /// How many of them go in in a second; as fast as it goes without
    #[arg(long, value_name = "NUMBER", value_parser = command::rate)]
    rate: Option<f64>,
    /// Differences that do not matter
    #[arg(long, value_enum, value_delimiter = ',')]
    tolerate: Vec<Tolerance>,
    /// What does not make the exit code 1
    #[arg(long, value_enum, value_delimiter = ',')]
    allow: Vec<Allowance>,
    /// How the receiver at --out http://… fails, in turn, at one of five events, thrice at the first: 503, timeout, closed
    #[arg(long, value_delimiter = ',', value_parser = failure)]
    receiver_fails: Vec<Answer>,
    /// Run when half of the load is in
    #[arg(long, value_name = "COMMAND")]
    kill: Option<String>,
    /// Run after that
    #[arg(long, value_name = "COMMAND")]
    restart: Option<String>,
    /// Also send messages that an intermediary may refuse
    #[arg(long)]
    odd: bool,
    /// Batches were asked for
    #[arg(long)]
    asked_for_batches: bool,
    /// Nobody else's events come out at the far end, which goes without saying from HTTP to HTTP alone
    #[arg(long)]
    alone: bool,
    /// The intermediary was given a token for --out http://…, so that no delivery may come without
    #[arg(long)]
    expect_token: bool,
    /// The language of what is told
    #[arg(long, default_value = "nl", value_parser = command::language())]
    lang: Language,
    /// Tell what would go in, and do nothing
    #[arg(long)]
    dry_run: bool,
    /// Where the record is written; else to standard output
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    #[command(flatten)]
    security: Security,
}

/// How long repeats and inventions are waited for once everything is there.
const SETTLE: Duration = Duration::from_secs(1);

/// Tries it, writes the record, and tells the figures on standard error.
///
/// # Errors
/// When an end cannot be opened, a command cannot be run, or the record cannot be written.
pub async fn run(options: Options) -> anyhow::Result<ExitCode> {
    if options.near.protocol != Protocol::Http && options.in_mode.contains(&Mode::Batched) {
        bail!("batches exist over HTTP alone");
    }
    if options.dry_run {
        print!("{}", plan::of(&options));
        return Ok(ExitCode::SUCCESS);
    }
    let record = Record::open(options.record.as_deref())?;
    let record = record.without(options.security.token()?);
    let mut story = options.carry().await?;
    let shown = told::tell(&mut story, record)?;
    let figures = figures::Figures::of(&story);
    eprint!("{}", figures.table(&options, &shown));
    Ok(match figures.is_good(&options.allow) {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}

impl Options {
    /// Whether what comes out is of this run: behind a topic or a subject may lie what went in before.
    fn is_alone(&self) -> bool {
        self.alone || [&self.near, &self.far].map(|end| end.protocol) == [Protocol::Http; 2]
    }

    fn writers(&self) -> Vec<Writer> {
        let writers = self.in_mode.iter().map(|mode| Writer {
            protocol: self.near.protocol,
            mode: *mode,
        });
        writers.collect()
    }

    async fn carry(&self) -> anyhow::Result<Story> {
        let failures = self.receiver_fails.clone();
        let mut far = Far::open(&self.far, &self.security, failures, self.lang).await?;
        let near = Near::open(&self.near, &self.security).await?;
        let reached = near.reach(self.wait).await;
        reached.with_context(|| self.nobody())?;
        let mut story = Story {
            run: load::run(),
            from: self.near.protocol,
            to: self.far.protocol,
            sent: Vec::new(),
            came: Vec::new(),
            handshakes: Vec::new(),
            is_alone: self.is_alone(),
            tolerated: self.tolerate.clone(),
            has_asked_for_batches: self.asked_for_batches,
            incidents: Vec::new(),
            given: Given {
                tls: self.far.is_secure,
                token: self.expect_token,
            },
        };
        eprintln!("{} → {}: run {}", self.near, self.far, story.run);
        self.put_in(&near, &mut far, &mut story).await?;
        self.wait_for(&mut far, &mut story).await;
        Ok(story)
    }

    /// What to look at where nobody takes what goes in.
    fn nobody(&self) -> String {
        let nobody = why(
            "nobody is reached there: is the intermediary running, and is this its address? --wait waits longer",
            "daar is niemand te bereiken: draait de intermediair, en is dit zijn adres? --wait wacht langer",
        );
        format!("--in {}: {}", self.near, nobody.told(self.lang))
    }

    async fn put_in(&self, near: &Near, far: &mut Far, story: &mut Story) -> anyhow::Result<()> {
        let (run, half) = (story.run.clone(), Notify::new());
        let writers = self.writers();
        for writer in &writers {
            for message in specimens::specimens(&run, writer, near.framing()) {
                story.sent.extend(self.put(near, message).await);
                if near.is_unheard() {
                    bail!(self.nobody());
                }
                story.came.extend(far.already());
                let came = &story.came;
                let is_coded = came.iter().any(|came| came.message.is_coded())
                    && came.iter().all(|came| came.events.is_empty());
                if is_coded && !story.sent.iter().any(Sent::is_due) {
                    let coded = why(
                        "all that comes is in a content coding, which is not taken: have the intermediary deliver without",
                        "alles komt in een content coding, en dat wordt niet aangenomen: laat de intermediair zonder afleveren",
                    );
                    bail!("--out {}: {}", self.far, coded.told(self.lang));
                }
            }
        }
        self.tell_count(story, "specimens are in", "proefstukken zijn verstuurd");
        if let Some(writer) = writers.first() {
            let load = self.load(near, &run, writer, &half);
            let (sent, incidents) = tokio::join!(load, self.run_commands(&half));
            story.sent.extend(sent);
            story.incidents = incidents?;
            self.tell_count(story, "events are in", "gebeurtenissen zijn verstuurd");
        }
        for writer in writers.iter().filter(|_| self.odd) {
            for message in specimens::odd(&run, writer) {
                story.sent.extend(self.put(near, message).await);
            }
        }
        Ok(())
    }

    fn tell_count(&self, story: &Story, en: &str, nl: &str) {
        let count = story.sent.len();
        say(self.lang, format!("{count} {en}"), format!("{count} {nl}"));
    }

    /// Until all that was taken is there, or nothing new comes any more.
    async fn wait_for(&self, far: &mut Far, story: &mut Story) {
        let index = Index::of(&story.sent);
        let due = story.sent.iter().filter(|sent| !sent.is_odd());
        let due = due.filter(|sent| sent.is_due());
        let mut missing: HashSet<_> = due.map(|sent| sent.event.identity()).collect();
        let mut deadline = Instant::now() + self.wait;
        let mut came = std::mem::take(&mut story.came);
        loop {
            for came in &came {
                for sent in came.events.iter().filter_map(|event| index.find(event)) {
                    let id = sent.event.identity();
                    // Who failed to deliver it may wait longer each time.
                    let (is_awaited, wait) = match came.is_taken {
                        true => (missing.remove(&id), self.wait),
                        false => (missing.contains(&id), self.wait * 2),
                    };
                    if is_awaited {
                        deadline = deadline.max(Instant::now() + wait);
                    }
                }
            }
            story.came.append(&mut came);
            if missing.is_empty() {
                break;
            }
            match timeout_at(deadline, far.take()).await {
                Ok(more) => came = more,
                Err(_) => break,
            }
        }
        let deadline = Instant::now() + SETTLE;
        while let Ok(came) = timeout_at(deadline, far.take()).await {
            story.came.extend(came);
        }
        story.came.sort_by_key(|came: &Came| came.at);
        let is_handshake = |came: &mut Came| {
            let exchange = came.exchange.as_ref();
            exchange.is_some_and(|exchange| exchange.purpose == Purpose::Validation)
        };
        let handshakes = story.came.extract_if(.., is_handshake);
        story.handshakes = handshakes.filter_map(|came| came.exchange).collect();
    }
}

#[cfg(test)]
mod tests {
    use clap::FromArgMatches;

    use super::*;

    #[test]
    fn what_lay_in_a_topic_before_is_not_held_against_anybody() {
        for (words, expected) in [
            ("--in kafka://a:9092/b --out http://c/d", false),
            ("--in kafka://a:9092/b --out http://c/d --alone", true),
            ("--in http://a/b --out kafka://c:9092/d", false),
            ("--in http://a/b --out http://c/d", true),
        ] {
            let command = Options::augment_args(clap::Command::new("x").no_binary_name(true));
            let matches = command.try_get_matches_from(words.split(' ')).unwrap();
            let options = Options::from_arg_matches(&matches).unwrap();
            assert_eq!(options.is_alone(), expected, "{words}");
        }
    }
}
