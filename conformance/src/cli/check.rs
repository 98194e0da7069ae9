//! `check`: opens what is to be read, and prints the report.

use std::fs::{self, File};
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Args, ValueEnum};
use cloudevents_nl_conformance::report::{FailOn, Report};
use cloudevents_nl_conformance::{
    Assessment, Declarations, Fault, Form, InputError, Language, Options, Stream, Waivers, render,
};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::directory;
use super::progress::Progress;
use super::{LanguageName, ProfileName};
use crate::print;

const BUFFER: usize = 256 << 10;

#[derive(Args, Debug)]
#[command(after_long_help = "\
What is read is recognised by its content: an event or a batch in the JSON format, over as many lines as \
it likes; JSON lines; raw HTTP as curl -i, curl -v or a .http file shows it, one message or more; \
captures, which are lines such as `cenl-bridge tail --show capture` prints. Lines are read one at a \
time, so files may be larger than memory; one message may take 64 MiB.

All inputs together are taken for an excerpt of a stream in the order it was sent, and judged by the \
stream rules too when they hold more than one event. --stream complete says that they are a whole stream, \
from its first event on; --stream unordered that the events have nothing to do with each other.

Of a directory, and of those in it, all files are read in the order of their names that end in .json, \
.jsonl, .ndjson or .http, or begin like JSON or HTTP. Every other file is named in the report as skipped, \
as are hidden ones and links to directories.

Exit codes: 0 nothing at or above --fail-on; 1 findings at or above it, or a waiver that has expired; \
2 an input, or a file with waivers or declarations, could not be read; or an input holds no event to \
judge, such as a wrong folder or topic, or one with events in Avro or Protobuf.

The same input gives the same bytes. A report has a date only when --date or SOURCE_DATE_EPOCH gives one.

Examples:
  cenl-conformance check event.json
  cenl-conformance check --fail-on warn --format junit events.jsonl > junit.xml
  cenl-conformance check --waivers waivers.toml --declarations declarations.toml \\
      --format html --date 2026-11-21 events > report.html
  curl -si https://example.nl/events/1 | cenl-conformance check -
  cenl-bridge tail --config bridge.toml --route zaken --show capture | cenl-conformance check -")]
pub(crate) struct Arguments {
    /// The profile to judge by
    #[arg(long, value_enum, default_value_t = ProfileName::NlGov11)]
    profile: ProfileName,
    /// The form of the report
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
    /// From where on a finding fails
    #[arg(long, value_enum, value_name = "LEVEL", default_value_t = Threshold::Error)]
    fail_on: Threshold,
    /// The language of the report
    #[arg(long, value_enum, default_value_t = LanguageName::Nl)]
    lang: LanguageName,
    /// Explained deviations: TOML, a table `waiver` for each, of rule, reason, owner, until, and
    /// perhaps source and type
    #[arg(long, value_name = "FILE")]
    waivers: Option<PathBuf>,
    /// What is declared: TOML, a table `declaration` for each, of rule, reference, owner, date
    #[arg(long, value_name = "FILE")]
    declarations: Option<PathBuf>,
    /// The form of the input
    #[arg(long, value_enum, value_name = "FORM", default_value_t = Input::Auto)]
    input: Input,
    /// What the messages of all inputs, in their order, are to each other
    #[arg(long, value_enum, default_value_t = StreamName::Excerpt)]
    stream: StreamName,
    /// How many findings of each rule are listed; all are counted
    #[arg(long, value_name = "N", default_value_t = 100)]
    most_per_rule: usize,
    /// The day that waivers are held against; today (UTC) if not given
    #[arg(long, value_name = "DATE")]
    today: Option<Date>,
    /// The date that the report bears; else that of SOURCE_DATE_EPOCH, else none
    #[arg(long, value_name = "DATE")]
    date: Option<Date>,
    /// Mask citizen service numbers (BSN) in the report
    #[arg(long)]
    redact: bool,
    /// Files and directories to check; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    /// For a terminal
    Table,
    /// JSON (cenl-report/1)
    Json,
    /// JUnit XML, a case per rule
    Junit,
    /// SARIF 2.1.0
    Sarif,
    /// One HTML file, for people who do not write software
    Html,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Threshold {
    /// Never fail
    None,
    /// Fail on broken SHOULD rules too
    Warn,
    /// Fail on broken MUST rules
    Error,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Input {
    /// Recognised by content
    Auto,
    /// One event in the JSON format
    Event,
    /// One batch in the JSON format
    Batch,
    /// One event, batch or capture per line
    Lines,
    /// Raw HTTP
    Http,
    /// Captures and exchanges
    Capture,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum StreamName {
    /// Nothing: no stream rules
    Unordered,
    /// Part of a stream, in order
    Excerpt,
    /// A stream from its first event on
    Complete,
}

/// The exit code.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<u8> {
    let mut assessment = Assessment::new(options(arguments)?);
    let form = match arguments.input {
        Input::Auto => Form::Recognised,
        Input::Event => Form::Event,
        Input::Batch => Form::Batch,
        Input::Lines => Form::Lines,
        Input::Http => Form::Http,
        Input::Capture => Form::Captures,
    };
    for file in &arguments.files {
        read(&mut assessment, file, form);
    }
    let report = assessment.finish();
    show(&report, arguments.format, arguments.lang.into())?;
    if !matches!(arguments.format, Format::Table) {
        for problem in &report.problems {
            eprintln!(
                "cenl-conformance: {}",
                render::problem(problem, arguments.lang.into())
            );
        }
    }
    Ok(report.outcome().exit_code())
}

fn options(arguments: &Arguments) -> anyhow::Result<Options> {
    let language = arguments.lang.into();
    let today = || Timestamp::now().to_zoned(TimeZone::UTC).date();
    let today = arguments.today.unwrap_or_else(today);
    let mut options = Options::new(arguments.profile.into(), today);
    options.date = match arguments.date {
        Some(date) => Some(date),
        None => source_date(language)?,
    };
    options.fail_on = match arguments.fail_on {
        Threshold::None => FailOn::None,
        Threshold::Warn => FailOn::Warn,
        Threshold::Error => FailOn::Error,
    };
    options.stream = match arguments.stream {
        StreamName::Unordered => Stream::Unordered,
        StreamName::Excerpt => Stream::Excerpt,
        StreamName::Complete => Stream::Complete,
    };
    options.most_per_rule = arguments.most_per_rule;
    options.redact = arguments.redact;
    let waivers = arguments.waivers.as_deref();
    let waivers = waivers.map(|path| written(path, language, Waivers::read));
    let declarations = arguments.declarations.as_deref();
    let declarations = declarations.map(|path| written(path, language, Declarations::read));
    let (waivers, declarations) = (waivers.transpose(), declarations.transpose());
    if let (Err(one), Err(other)) = (&waivers, &declarations) {
        anyhow::bail!("{one:#}\ncenl-conformance: {other:#}");
    }
    options.waivers = waivers?.unwrap_or_default();
    options.declarations = declarations?.unwrap_or_default();
    Ok(options)
}

/// The date that reproducible builds agree on: seconds since 1970.
fn source_date(language: Language) -> anyhow::Result<Option<Date>> {
    let Some(seconds) = std::env::var_os("SOURCE_DATE_EPOCH") else {
        return Ok(None);
    };
    let time = seconds.to_str().and_then(|seconds| seconds.parse().ok());
    let time = time.and_then(|seconds| Timestamp::from_second(seconds).ok());
    let why = match language {
        Language::English => "no number of seconds",
        Language::Dutch => "geen aantal seconden",
    };
    let time = time.with_context(|| format!("SOURCE_DATE_EPOCH = {seconds:?}: {why}"))?;
    Ok(Some(time.to_zoned(TimeZone::UTC).date()))
}

/// A file that people write; all that is wrong with it is told at once.
fn written<T>(
    path: &Path,
    language: Language,
    parse: impl FnOnce(&str) -> Result<T, Vec<Fault>>,
) -> anyhow::Result<T> {
    let name = path.display();
    let text = fs::read_to_string(path).map_err(|error| {
        let why = render::fault(&InputError::Io(error), language);
        anyhow::anyhow!("{name}: {why}")
    })?;
    parse(&text).map_err(|faults| {
        let faults = faults.iter();
        let told: Vec<_> = faults
            .map(|fault| format!("{name}:{}", fault.told(language)))
            .collect();
        anyhow::anyhow!(told.join("\ncenl-conformance: "))
    })
}

fn read(assessment: &mut Assessment, path: &Path, form: Form) {
    let name = path.display().to_string();
    if name == "-" {
        let reader = BufReader::with_capacity(BUFFER, io::stdin().lock());
        return assessment.read(&name, Progress::new(reader, &name, None), form);
    }
    if path.is_dir() {
        for file in directory::files(assessment, path) {
            read_file(assessment, &file, form);
        }
    } else {
        read_file(assessment, path, form);
    }
}

fn read_file(assessment: &mut Assessment, path: &Path, form: Form) {
    let name = path.display().to_string();
    match File::open(path).and_then(|file| Ok((file.metadata()?.len(), file))) {
        Ok((length, file)) => {
            let reader = BufReader::with_capacity(BUFFER, file);
            assessment.read(&name, Progress::new(reader, &name, Some(length)), form);
        }
        Err(error) => assessment.problem(&name, InputError::Io(error)),
    }
}

fn show(report: &Report, format: Format, language: Language) -> io::Result<()> {
    let text = match format {
        Format::Table => {
            let mut out = anstream::stdout().lock();
            return print(&mut out, &render::table(report, language));
        }
        Format::Json => render::json(report, language),
        Format::Junit => render::junit(report, language),
        Format::Sarif => render::sarif(report, language),
        Format::Html => render::html(report, language),
    };
    print(&mut io::stdout().lock(), &text)
}
