//! `cenl-bridge convert`: reads messages from files or standard input and writes them in another mode.
//! It opens no connection and keeps one document at a time in memory. `data` is kept verbatim, but a line of
//! output is one event, so line breaks between its tokens become spaces.

mod documents;

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, StdoutLock, Write};
use std::path::{Path, PathBuf};

use anyhow::{anyhow, bail};
use bytes::Bytes;
use clap::{Args, ValueEnum};
use cloudevents_nl_codec::{
    Binding, ContentMode, Decoded, Decoder, Event, HeaderList, Leniency, Limits, Register, encode,
    encode_structured,
};

use super::{DONE, ToolError, is_taken};
use crate::delivery::{Position, Received};
use crate::transport::file::{LINE_BYTES, capture};
use documents::Documents;

#[derive(Args, Clone, Debug)]
pub(crate) struct ConvertOptions {
    /// What to write: JSON events, or messages as lines of JSON
    #[arg(long, value_enum)]
    to: Mode,
    /// Whose binary mode to write
    #[arg(long, value_parser = ["kafka", "http", "nats"], required_if_eq("to", "binary"))]
    protocol: Option<String>,
    /// Refuse what the specifications refuse; without it, all is read that `run` carries
    #[arg(long)]
    strict: bool,
    /// Files to read; `-` or none is standard input
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Mode {
    /// One JSON event per line
    Structured,
    /// One message per line: {"protocol", "headers": [[name, value]], "body_base64"}
    Binary,
}

/// What is wrong with the input is told, one line each, and the next document is read. A reader who went away is no
/// error.
pub(crate) fn run(options: &ConvertOptions) -> Result<u8, ToolError> {
    if options.to == Mode::Structured && options.protocol.is_some() {
        let what = "--protocol has a meaning with --to binary only";
        return Err(ToolError::Usage(what.to_owned()));
    }
    let leniency = match options.strict {
        true => Leniency::STRICT,
        false => Leniency::INTERMEDIARY.with_opaque_data(options.to == Mode::Binary),
    };
    // Settings may raise each of them; what a line of dead letters may hold bounds them all.
    let mut limits = Limits::default();
    (limits.event_bytes, limits.batch_bytes) = (LINE_BYTES, LINE_BYTES);
    (limits.batch_events, limits.attributes) = (usize::MAX, usize::MAX);
    let mut conversion = Conversion {
        decoder: Decoder::new(limits, Register::default()).with_leniency(leniency),
        target: options.protocol.as_deref().and_then(capture::binding),
        out: BufWriter::with_capacity(64 << 10, io::stdout().lock()),
        scratch: Vec::new(),
        events: 0,
        failures: 0,
    };
    let result = match options.files.as_slice() {
        [] => conversion.file(Path::new("-")),
        files => files.iter().try_for_each(|file| conversion.file(file)),
    };
    let result = result.and_then(|()| conversion.out.flush());
    // Nobody reads what is still in the buffer; dropping it would write it again.
    let (_, _) = conversion.out.into_parts();
    is_taken(result)?;
    match (conversion.events, conversion.failures) {
        (_, 0) => Ok(DONE),
        (events, failures) => {
            let what = format!("{events} converted, {failures} failed");
            Err(ToolError::Failed(what))
        }
    }
}

struct Conversion {
    decoder: Decoder,
    /// `None` writes structured mode.
    target: Option<&'static Binding>,
    out: BufWriter<StdoutLock<'static>>,
    scratch: Vec<u8>,
    events: u64,
    /// Documents and files; each is reported.
    failures: u64,
}

impl Conversion {
    fn file(&mut self, path: &Path) -> io::Result<()> {
        if path == Path::new("-") {
            return self.read(io::stdin().lock(), "standard input");
        }
        let name = path.display().to_string();
        match File::open(path) {
            Ok(file) => self.read(BufReader::with_capacity(64 << 10, file), &name),
            Err(error) => self.report(format_args!("{name}: {error}")),
        }
    }

    fn read(&mut self, reader: impl BufRead, name: &str) -> io::Result<()> {
        let mut documents = Documents::new(reader, LINE_BYTES);
        loop {
            let (line, text) = match documents.next() {
                Ok(None) => return Ok(()),
                Ok(Some(document)) => document,
                Err(error) => return self.report(format_args!("{name}: {error}")),
            };
            let text = text.ok_or_else(|| anyhow!("longer than {LINE_BYTES} bytes"));
            self.scratch.clear();
            match text.and_then(|text| self.convert(text, name, line)) {
                Ok(events) => {
                    self.out.write_all(&self.scratch)?;
                    self.events += events;
                }
                Err(failure) => self.report(format_args!("{name}:{line}: {failure}"))?,
            }
        }
    }

    fn report(&mut self, line: std::fmt::Arguments<'_>) -> io::Result<()> {
        self.failures += 1;
        writeln!(io::stderr(), "{line}")
    }

    /// To `scratch`, so that nothing is written of a document at fault. The error holds a kind and a place, never a
    /// piece of the document.
    fn convert(&mut self, text: &[u8], name: &str, line: u64) -> anyhow::Result<u64> {
        let error = match self.decoder.decode_structured(text) {
            Ok(event) => return self.event(&event).map(|()| 1),
            Err(error) => error,
        };
        if !capture::is_meant(text) {
            return Err(error.into());
        }
        let position = Position::numbered(format!("file:{name}:"), line);
        let received = capture::read(text, position).map_err(anyhow::Error::msg)?;
        if received.defect.is_some() {
            bail!("the message could not be read whole when it was captured");
        }
        match received.decode(&self.decoder)? {
            Decoded::Structured(event) | Decoded::Binary(event) => self.event(&event).map(|()| 1),
            Decoded::Batch(elements) => {
                let mut elements = elements.iter();
                let count = elements.len() as u64;
                elements.try_for_each(|element| self.event(&element.event))?;
                Ok(count)
            }
        }
    }

    fn event(&mut self, event: &Event<'_>) -> anyhow::Result<()> {
        let out = &mut self.scratch;
        let Some(binding) = self.target else {
            let start = out.len();
            encode_structured(event, out);
            // Strings hold no raw line break in valid JSON, so only white space is touched.
            for byte in &mut out[start..] {
                if matches!(byte, b'\n' | b'\r') {
                    *byte = b' ';
                }
            }
            out.push(b'\n');
            return Ok(());
        };
        let mut headers = HeaderList::default();
        let body = encode(event, binding, ContentMode::Binary, headers.sink())?;
        let message = Received {
            binding,
            headers,
            key: None,
            body: body.map(|body| Bytes::from(body.into_owned())),
            timestamp_ms: None,
            position: Position::default(),
            defect: None,
        };
        out.extend(capture::line(&message));
        Ok(())
    }
}
