//! `cenl-conformance`: see `cenl-conformance --help`.

#![forbid(unsafe_code)]

mod cli;

use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

use anyhow::Context;
use clap::{CommandFactory, Parser};
use cloudevents_nl_conformance::codec::Ours;
use cloudevents_nl_conformance::render;
use cloudevents_nl_conformance::vectors::{self, NotMet};

use cli::{Cli, Command, check, show, test, usage};

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage::tell(&error),
    };
    ExitCode::from(run(cli.command).unwrap_or_else(|error| {
        eprintln!("cenl-conformance: {error:#}");
        2
    }))
}

/// The exit code.
fn run(command: Command) -> anyhow::Result<u8> {
    match command {
        Command::Check(arguments) => check::run(&arguments),
        Command::Test(arguments) => test::run(&arguments),
        Command::Rules {
            profile,
            lang,
            format,
        } => show::rules(profile, lang, format),
        Command::ReportSchema => {
            print(&mut io::stdout().lock(), render::JSON_SCHEMA)?;
            Ok(0)
        }
        Command::Explain { rule, lang } => show::explain(&rule, lang),
        Command::Vectors { dir, not_met } => {
            let not_met =
                not_met.map_or_else(|| Ok(NotMet::default()), |path| NotMet::read(&path))?;
            let codec = vectors::run(&Ours, &dir, &not_met)?;
            let rules = vectors::run_rules(&dir, &NotMet::default())?;
            let passed = codec.passed() + rules.passed();
            let failed = codec.failed() + rules.failed();
            let told =
                format!("Codec\n{codec}\n\nRules\n{rules}\n\n{passed} passed, {failed} failed\n");
            print(&mut io::stdout().lock(), &told)?;
            Ok(u8::from(failed > 0))
        }
        Command::Completions { shell } => {
            let mut text = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "cenl-conformance", &mut text);
            print(&mut io::stdout().lock(), &String::from_utf8_lossy(&text))?;
            Ok(0)
        }
        Command::Man { directory } => {
            clap_mangen::generate_to(Cli::command(), &directory).with_context(|| {
                format!("{}: manual pages cannot be written", directory.display())
            })?;
            Ok(0)
        }
    }
}

/// Writes all of a text. A reader who goes away is no error: the rest is left out.
fn print(out: &mut impl Write, text: &str) -> io::Result<()> {
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}
