//! `receiver`: sends a receiver what the specifications allow and forbid, and tells what its answers show.

mod arguments;
mod notes;
mod plan;
mod rules;
mod run;
mod scenario;
mod target;
mod wait;

use std::time::Duration;

use anyhow::bail;
use cloudevents_nl_conformance::{Live, Shown};
use tokio::time::Instant;

pub use arguments::Arguments;

use crate::client::Client;
use crate::record::Record;
use crate::shown::{say, why};
use run::{Runner, first};
use scenario::{Known, Scenario, Seen};
use target::{other_capitals, shorter};

/// Tries a receiver out, and writes what was exchanged and shown.
///
/// # Errors
/// When what was asked makes no sense, the receiver cannot be reached or takes no plain event, or
/// nothing can be written.
pub async fn run(arguments: Arguments) -> anyhow::Result<()> {
    let scenarios = chosen(&arguments)?;
    let mut known = Known {
        target: arguments.target()?,
        ..Known::default()
    };
    let spacing = Duration::from_secs(60) / arguments.rate.get();
    let client = Client::new(&known.target.url, &arguments.options())?;
    if arguments.dry_run {
        print!("{}", plan::told(&arguments, &scenarios, &known, spacing));
        return Ok(());
    }
    let record = Record::open(arguments.record.as_deref())?;
    let tokens = known.target.token.iter();
    let tokens = tokens.flat_map(|token| {
        let shorter = shorter(token).to_owned();
        [token.clone(), other_capitals(token), shorter]
    });
    let record = record.without(tokens);
    let mut runner = Runner {
        arguments: &arguments,
        client,
        record,
        all: scenarios.len(),
        spacing,
        next: Instant::now(),
        told_until: Instant::now(),
        unreached: None,
        cut_short: 0,
    };
    let [handshake, ..] = first(&known);
    known.handshake = Some(runner.settled(&handshake).await?);
    runner.keep_rate(&known);
    // Who consents by calling back refuses events before.
    runner.callback(&mut known).await?;
    runner.plain(&mut known).await?;
    let begun = begun(&known, &runner);
    eprintln!("{begun}");
    // Before the rate is tried, which is the last.
    if arguments.only.is_empty() {
        for note in notes::NOTES {
            runner.note(note, &known).await?;
        }
    }
    for scenario in &scenarios {
        runner.scenario(scenario, &mut known).await?;
    }
    if let count @ 1.. = runner.cut_short {
        let told = ["answers that were cut short", "afgebroken antwoorden"];
        let [en, nl] = told.map(|what| format!("{what}: {count}"));
        say(arguments.lang, en, nl);
    }
    // What was found is kept. That nothing else was is no verdict on who refuses everything.
    if arguments.only.is_empty() && !known.takes_events() {
        bail!(begun);
    }
    Ok(())
}

/// The rules that this tries out, in the order in which it does.
pub fn rules() -> impl Iterator<Item = &'static str> {
    rules::all().map(|scenario| scenario.rule)
}

/// Those that were asked for and that the profile has, and those that they are made of.
fn chosen(arguments: &Arguments) -> anyhow::Result<Vec<&'static Scenario>> {
    let only = &arguments.only;
    let of_receivers: Vec<_> = rules().collect();
    let stranger = only.iter().find(|rule| !of_receivers.contains(&&***rule));
    if let Some(stranger) = stranger {
        let known = of_receivers.join(", ");
        bail!("{stranger} is no rule that is tried out here; these are: {known}");
    }
    let repeats = only.iter().any(|rule| rule == rules::REPEATS);
    let is_asked = |rule: &str| {
        only.is_empty()
            || only.iter().any(|only| only == rule)
            || (repeats && rules::REPEATED.contains(&rule))
    };
    let is_in_profile = |rule: &str| {
        let live = Live::new(rule, Shown::Met);
        live.is_some_and(|live| live.rule.level.of(arguments.profile).is_some())
    };
    let chosen = rules::all().filter(|it| is_asked(it.rule) && is_in_profile(it.rule));
    Ok(chosen.collect())
}

fn begun(known: &Known, runner: &Runner<'_>) -> String {
    let events = [&known.structured, &known.binary, &known.batch];
    let first = known.handshake.iter().chain(events.into_iter().flatten());
    let told = first.map(Seen::told).collect::<Vec<_>>().join("; ");
    let per_minute = 60.0 / runner.spacing.as_secs_f64();
    let then = match known.takes_events() {
        true => why(
            format!("Going on with {per_minute:.0} requests per minute."),
            format!("Verder met {per_minute:.0} verzoeken per minuut."),
        ),
        false => why(
            "Plain events are refused, so that little can be shown: name a token with --token-file, \
             or a source and type that the receiver knows with --source and --type; or it wants another \
             form of `id`.",
            "Gewone gebeurtenissen worden geweigerd, zodat weinig kan blijken: noem een token met \
             --token-file, of een bron en type die de ontvanger kent met --source en --type; of hij wil een \
             andere vorm van `id`.",
        ),
    };
    format!("{told}. {}", then.told(runner.arguments.lang))
}
