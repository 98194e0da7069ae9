//! `test`: has `cenl-conformance-live` try somebody out, and reports on what it wrote.

use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::{env, io};

use anyhow::Context;
use clap::{Args, Subcommand};
use cloudevents_nl_conformance::{Form, InputError, Language};

use super::check::read_file;
use super::reporting::Reporting;

/// The program that opens connections; who only checks files need not have it.
const PROGRAM: &str = "cenl-conformance-live";

#[derive(Args, Debug)]
#[command(
    subcommand_value_name = "ROLE",
    subcommand_help_heading = "Roles",
    disable_help_subcommand = true,
    override_usage = "cenl-conformance test [OPTIONS] <ROLE> …",
    after_long_help = "\
The role is who is tried, and what follows it is for cenl-conformance-live, which does the work: \
`receiver URL`, `sender --listen ADDRESS`, `intermediary --in … --out …`. Options of the report come \
before the role. `cenl-conformance test receiver --help` tells what a role takes; with `--dry-run` among \
those words nothing is sent, and what would be is shown. `bench` measures, and prints a table of its own.

cenl-conformance-live is a program of its own. It is looked for beside cenl-conformance, and then on PATH.

The report is that of `check`, on the exchanges and on the rules that were tried out. With --evidence \
they are kept, with secrets masked, and `cenl-conformance check FILE` makes the same report again, but for \
figures of events that are lost, invented, changed, repeated or out of order, which are on standard error alone.

Exit codes: those of `check`; 1 also where an intermediary loses, invents, changes or reorders events, and the report \
then says so; 2 also where cenl-conformance-live could not run to its end.

Examples:
  cenl-conformance test receiver https://test.example.nl/hook --dry-run
  cenl-conformance test --format html --evidence evidence.jsonl \\
      receiver https://test.example.nl/hook --token-file token > report.html
  cenl-conformance test --lang en sender --listen 127.0.0.1:8443"
)]
pub(crate) struct Arguments {
    #[command(flatten)]
    reporting: Reporting,
    /// Keep what was exchanged and shown in a file
    #[arg(long, value_name = "FILE")]
    evidence: Option<PathBuf>,
    #[command(subcommand)]
    role: Role,
}

#[derive(Debug, Subcommand)]
enum Role {
    /// The words for the program, the first of which is the role.
    #[command(external_subcommand)]
    Words(Vec<OsString>),
}

/// The exit code.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<u8> {
    let Role::Words(words) = &arguments.role;
    let language = arguments.reporting.language();
    let role = words.first().map(|role| role.to_string_lossy());
    let role = role.unwrap_or_default();
    let mut command = Command::new(program(language)?);
    command.args(words).stdin(Stdio::null());
    // What is told on the way is in the language of the report, and by its profile.
    let is_judged = matches!(&*role, "receiver" | "sender");
    if (is_judged || role == "intermediary") && !has_option(words, "--lang") {
        command.args(["--lang", language.tag()]);
    }
    if is_judged
        && !has_option(words, "--profile")
        && let [profile] = arguments.reporting.profiles()
    {
        command.args(["--profile", profile.name()]);
    }
    let is_shown = |word: &OsString| matches!(word.to_str(), Some("--dry-run" | "--help" | "-h"));
    if role == "bench" || words.iter().any(is_shown) {
        let status = command.status().with_context(|| failed(language))?;
        return Ok(if status.success() { 0 } else { 2 });
    }
    if has_option(words, "--record") {
        anyhow::bail!(match language {
            Language::English => "--record: write --evidence FILE before the role instead",
            Language::Dutch => "--record: schrijf in plaats daarvan --evidence BESTAND vóór de rol",
        });
    }
    let mut reports = arguments.reporting.reports()?;
    let mut child = started(&mut command, arguments.evidence.as_deref(), language)?;
    let mut record = Vec::new();
    if let Some(mut written) = child.stdout.take() {
        written.read_to_end(&mut record)?;
    }
    let status = child.wait().with_context(|| failed(language))?;
    let name = arguments.evidence.as_deref();
    let name = name.unwrap_or_else(|| Path::new(&*role));
    // 1 says that events were lost, or what the role tells by itself.
    let has_failed = status.code() == Some(1);
    reports.each(name, |assessment| {
        match &arguments.evidence {
            Some(evidence) => read_file(assessment, evidence, Form::Captures),
            None => assessment.read(&role, &*record, Form::Captures),
        }
        if has_failed {
            assessment.trial_failed();
        } else if !status.success() {
            let told = format!("{} ({status})", failed(language));
            assessment.problem(PROGRAM, InputError::Io(io::Error::other(told)));
        }
    });
    let code = reports.finish()?;
    Ok(code.max(u8::from(!status.success())))
}

fn has_option(words: &[OsString], option: &str) -> bool {
    let is_option = |word: &OsString| {
        let rest = word.as_encoded_bytes().strip_prefix(option.as_bytes());
        rest.is_some_and(|rest| matches!(rest.first(), None | Some(b'=')))
    };
    words.iter().any(is_option)
}

/// Starts it, with a file or a pipe for what it writes.
fn started(
    command: &mut Command,
    evidence: Option<&Path>,
    language: Language,
) -> anyhow::Result<Child> {
    let out = match evidence {
        None => Stdio::piped(),
        Some(path) => File::create(path)
            .with_context(|| path.display().to_string())?
            .into(),
    };
    let child = command.stdout(out).spawn();
    child.with_context(|| failed(language))
}

/// Where the program is: beside this one, or on PATH.
fn program(language: Language) -> anyhow::Result<PathBuf> {
    let name = format!("{PROGRAM}{}", env::consts::EXE_SUFFIX);
    let beside = env::current_exe().ok();
    let beside = beside.as_deref().and_then(Path::parent).map(Path::to_owned);
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = beside.into_iter().chain(env::split_paths(&path));
    let mut files = folders.map(|folder| folder.join(&name));
    let found = files.find(|file| file.is_file());
    found.with_context(|| match language {
        Language::English => format!("{name} is neither beside cenl-conformance nor on PATH: install it there (cargo install --locked --path conformance/live)"),
        Language::Dutch => format!("{name} staat niet naast cenl-conformance en niet op PATH: installeer het daar (cargo install --locked --path conformance/live)"),
    })
}

fn failed(language: Language) -> &'static str {
    match language {
        Language::English => "cenl-conformance-live did not run to its end",
        Language::Dutch => "cenl-conformance-live is niet helemaal uitgevoerd",
    }
}
