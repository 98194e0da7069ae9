//! The command line.

pub(crate) mod check;
mod directory;
mod glob;
mod progress;
mod reporting;
mod reports;
pub(crate) mod show;
pub(crate) mod test;
pub(crate) mod usage;

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Parser, Subcommand};
use clap_complete::Shell;
use cloudevents_nl_conformance::Language;
use cloudevents_nl_conformance::Profile::{self, CloudEvents10, NlGov10, NlGov11};

/// Checks CloudEvents against the specification and the NL GOV profile.
#[derive(Debug, Parser)]
#[command(
    version,
    after_help = "\
Exit codes: 0 nothing at or above the threshold, 1 findings (or cases not met), 2 not everything could be checked.

Examples:
  cenl-conformance check event.json
  cenl-conformance check --format html --lang nl events.jsonl > report.html
  cenl-conformance explain NL-TYPE-1
  cenl-conformance test --lang en receiver https://test.example.nl/hook --dry-run
`cenl-conformance check --help` tells the rest."
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Check messages in files, or in standard input
    Check(Box<check::Arguments>),
    /// Try out a receiver, a sender or an intermediary, and report what it showed
    Test(Box<test::Arguments>),
    /// List the rules of a profile: name, level, how it is checked, title
    #[command(after_long_help = "\
How a rule is checked: `checked` by looking at messages; `accept`: no message can break it, and readers \
have to accept its good example; `declared` by a document that somebody names \
(check --declarations); `live` by trying it out (cenl-conformance test).

Examples:
  cenl-conformance rules
  cenl-conformance rules --profile cloudevents-1.0 --lang en | grep KAFKA
  cenl-conformance rules --format json > rules.json")]
    Rules {
        /// The profile
        #[arg(long, value_parser = one_of(&PROFILES), default_value = "nl-gov-1.1")]
        profile: Profile,
        /// The language of titles
        #[arg(long, value_parser = one_of(&LANGUAGES), default_value = "nl")]
        lang: Language,
        /// A line for each rule, or JSON with all that is said of it
        #[arg(long, value_enum, default_value_t = show::Form::Table)]
        format: show::Form,
    },
    /// Print the JSON Schema of reports in JSON
    ReportSchema,
    /// Tell what a rule demands, why, how to fix a breach, with examples
    #[command(after_long_help = "\
Examples:
  cenl-conformance explain CE-ID-2
  cenl-conformance explain NL-TYPE-1 --lang en")]
    Explain {
        /// The name of the rule
        rule: String,
        /// The language
        #[arg(long, value_parser = one_of(&LANGUAGES), default_value = "nl")]
        lang: Language,
    },
    /// Run the codec and the rules against a folder of vector files and print what differs
    #[command(after_long_help = "\
Every *.json file in DIR is one vector file (format cloudevents-nl-vectors/1, told in the README \
beside the vectors). First the codec is held against them, then the rules. Each difference is printed \
with its file, its case, what the case expects and what it got; cases that say nothing about the one or \
the other are counted as not judged. The last line is \"N passed, M failed\", of both together.

Examples:
  cenl-conformance vectors conformance/vectors
  cenl-conformance vectors conformance/vectors --not-met conformance/vectors-not-met.json")]
    Vectors {
        /// Folder with vector files
        dir: PathBuf,
        /// File that lists cases known not to be met, each with a reason; a listed case that is met
        /// is a failure
        #[arg(long, value_name = "FILE")]
        not_met: Option<PathBuf>,
    },
    /// Print what completes these commands in a shell
    Completions { shell: Shell },
    /// Write a manual page for each command
    Man {
        /// The directory, which must exist
        directory: PathBuf,
    },
}

const PROFILES: [(&str, &str, Profile); 3] = [
    ("cloudevents-1.0", "CloudEvents 1.0.x", CloudEvents10),
    ("nl-gov-1.0", "NL GOV profile for CloudEvents 1.0", NlGov10),
    ("nl-gov-1.1", "NL GOV profile for CloudEvents 1.1", NlGov11),
];

const LANGUAGES: [(&str, &str, Language); 2] = [
    ("nl", "Dutch", Language::Dutch),
    ("en", "English", Language::English),
];

/// Reads one of several values, each with its name and the help on it.
fn one_of<T: Clone + Send + Sync + 'static>(
    all: &'static [(&'static str, &'static str, T)],
) -> impl TypedValueParser<Value = T> {
    let names = all.iter();
    let names = names.map(|(name, help, _)| PossibleValue::new(*name).help(*help));
    PossibleValuesParser::new(names).map(move |given| {
        let found = all.iter().find(|(name, ..)| *name == given);
        let (.., value) = found.expect("the parser takes these alone");
        value.clone()
    })
}
