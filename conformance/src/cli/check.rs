//! `check`: opens what is to be read.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

use clap::Args;
use cloudevents_nl_conformance::{Assessment, Form, InputError, Stream};

use super::progress::Progress;
use super::reporting::Reporting;
use super::reports::{Reports, again};
use super::{directory, glob, one_of};

const BUFFER: usize = 256 << 10;

#[derive(Args, Debug)]
#[command(after_long_help = "\
What is read is recognised by its content: an event or a batch in the JSON format, over as many lines as \
it likes; JSON lines; AsyncAPI and JSON Schema documents whose examples are events; \
raw HTTP as curl -i, curl -v or a .http file shows it, one message or more; HAR files; captures, which are \
lines such as `cenl-bridge tail --show capture` or `kcat -J` prints. Lines are read one at a time, so files \
may be larger than memory; one message may take 64 MiB.

All inputs together are taken for an excerpt of a stream in the order it was sent, and judged by the \
stream rules too when they hold more than one event. --stream complete says that they are a whole stream, \
from its first event on; --stream unordered that the events have nothing to do with each other.

Of a directory, and of those in it, all files are read in the order of their names that end in .json, \
.jsonl, .ndjson or .http, or begin like JSON or HTTP. Every other file is named in the report as skipped, \
as are hidden ones, links to directories, and reports and baselines that the run names. A pattern such as \
'events/**/*.json' names files too.

Settings are read from cenl-conformance.toml: profile, language, fail-on, select, ignore, waivers, declarations, \
baseline, overlay, and tables [severity], [output] and [[path]], which the README tells of. What the command \
line says comes first. With several profiles each has a report of its own.

--write-baseline keeps what is found now; with --baseline only what is new counts.

Exit codes: 0 nothing at or above --fail-on; 1 findings at or above it, or a waiver that has expired; \
2 an input, or a file with waivers or declarations, could not be read; or an input holds no event to \
judge, such as a wrong folder or topic, or one with events in Avro or Protobuf.

The same input gives the same bytes. A report has a date only when --date or SOURCE_DATE_EPOCH gives one.

Examples:
  cenl-conformance check event.json
  cenl-conformance check --fail-on warn --format junit events.jsonl > junit.xml
  cenl-conformance check --waivers waivers.toml --declarations declarations.toml \\
      --format html --date 2026-11-21 events > report.html
  cenl-conformance check --profile nl-gov-1.1,cloudevents-1.0 'events/**/*.json'
  cenl-conformance check --baseline baseline.json --format github events
  curl -si https://example.nl/events/1 | cenl-conformance check -
  cenl-bridge tail --config bridge.toml --route zaken --show capture | cenl-conformance check -")]
pub(crate) struct Arguments {
    #[command(flatten)]
    reporting: Reporting,
    /// The form of the input
    #[arg(long, value_parser = one_of(&FORMS), value_name = "FORM", default_value = "auto")]
    input: Form,
    /// What the messages of all inputs, in their order, are to each other
    #[arg(long, value_parser = one_of(&STREAMS), default_value = "excerpt")]
    stream: Stream,
    /// Files and directories to check; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

const FORMS: [(&str, &str, Form); 6] = [
    ("auto", "Recognised by content", Form::Recognised),
    ("event", "One event in the JSON format", Form::Event),
    ("batch", "One batch in the JSON format", Form::Batch),
    ("lines", "One event, batch or capture per line", Form::Lines),
    ("http", "Raw HTTP", Form::Http),
    ("capture", "Captures and exchanges", Form::Captures),
];

const STREAMS: [(&str, &str, Stream); 3] = [
    ("unordered", "Nothing: no stream rules", Stream::Unordered),
    ("excerpt", "Part of a stream, in order", Stream::Excerpt),
    (
        "complete",
        "A stream from its first event on",
        Stream::Complete,
    ),
];

/// The exit code.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<u8> {
    let mut reports = arguments.reporting.reports()?;
    reports.options.stream = arguments.stream;
    for file in &arguments.files {
        read(&mut reports, file, arguments.input);
    }
    reports.finish()
}

fn read(reports: &mut Reports, path: &Path, form: Form) {
    if path.as_os_str() == "-" {
        return read_input(reports, form);
    }
    let files = match glob::root(path) {
        Some(root) => directory::files(reports, &root, Some(path)),
        None if path.is_dir() => directory::files(reports, path, None),
        None => vec![path.to_owned()],
    };
    for file in files {
        reports.each(&file, |assessment| read_file(assessment, &file, form));
    }
}

/// Standard input can be read once: for several profiles it is held in memory.
fn read_input(reports: &mut Reports, form: Form) {
    let path = Path::new("-");
    let reader = Progress::new(io::stdin().lock(), "-", None);
    let mut reader = BufReader::with_capacity(BUFFER, reader);
    if reports.profiles_of(path).len() < 2 {
        return reports.each(path, |assessment| assessment.read("-", &mut reader, form));
    }
    let mut text = Vec::new();
    let read = reader.read_to_end(&mut text);
    reports.each(path, |assessment| {
        assessment.read("-", &*text, form);
        if let Err(error) = &read {
            assessment.problem("-", InputError::Io(again(error)));
        }
    });
}

pub(super) fn read_file(assessment: &mut Assessment, path: &Path, form: Form) {
    let name = path.display().to_string();
    match File::open(path).and_then(|file| Ok((file.metadata()?.len(), file))) {
        Ok((length, file)) => {
            let reader = Progress::new(file, &name, Some(length));
            assessment.read(&name, BufReader::with_capacity(BUFFER, reader), form);
        }
        Err(error) => assessment.problem(&name, InputError::Io(error)),
    }
}
