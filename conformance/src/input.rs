//! Cuts what a file or a pipe holds into messages, one at a time.
//!
//! ```text
//! bytes ─▶ documents (lines, or texts over several lines) ─▶ events, batches, captures, exchanges
//!      └─▶ raw HTTP, read whole ────────────────────────────▶ requests, responses, exchanges
//! ```
//!
//! It exists so that a message keeps its place in the file. It judges nothing: a document that is no
//! JSON is still an event to the rules, which say what is wrong with it. Only what keeps a message
//! from being read at all is an [`InputError`]. At most [`MOST_BYTES`] are held at once.

mod beginning;
mod documents;
mod error;
mod foreign;
mod http;

use std::io::BufRead;

use crate::capture::{Capture, Exchange, Purpose};
use crate::live::Live;
use crate::report::{Finding, Part, Place, shorten};
use documents::Documents;

pub use beginning::is_like_messages;
pub use error::{InputError, LineFault};

/// What one message, and a whole file of raw HTTP or of one event, may take: 64 MiB.
pub const MOST_BYTES: usize = 64 << 20;

/// The form of an input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Form {
    /// What the content looks like, document by document.
    #[default]
    Recognised,
    /// One event in the JSON format, over as many lines as it likes.
    Event,
    /// One batch in the JSON format.
    Batch,
    /// One event, batch or capture per line.
    Lines,
    /// HTTP as `curl -i`, `curl -v` or a `.http` file shows it, one message or more.
    Http,
    /// One capture or exchange per document, the form of `cenl-bridge tail --show capture`.
    Captures,
}

/// A message of an input, with its places.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Item {
    /// The message.
    pub content: Content,
    /// Where it stands.
    pub lines: Lines,
    /// Where the response of an exchange stands.
    pub response_lines: Option<Lines>,
    /// Whether its head announces chunks or a content coding that its body is not in: what recorded it,
    /// such as `curl -i`, is taken to have undone them.
    pub is_taken_as_decoded: bool,
    /// Whether it is an example in a document, which has nothing to do with what is beside it.
    pub is_example: bool,
}

/// What an item is.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant, reason = "one is read at a time")]
pub enum Content {
    /// A message.
    Message(Capture),
    /// An exchange.
    Exchange(Box<Exchange>),
    /// What trying out showed of a rule.
    Live(Box<Live>),
}

/// Where a message stands in a file; lines count from 1.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Lines {
    /// The line it begins on.
    pub first: u64,
    /// The line its body begins on, where the body stands in the file as it is.
    pub body: Option<u64>,
    /// The line of each header, where headers have lines.
    pub headers: Vec<(String, u64)>,
    /// Whether what is looked at has the lines of the file, and columns of its own: it was YAML.
    pub has_no_columns: bool,
}

impl Lines {
    fn new(first: u64, body: Option<u64>) -> Self {
        Self {
            first,
            body,
            ..Self::default()
        }
    }
}

impl Item {
    fn new(content: Content, lines: Lines) -> Self {
        Self {
            content,
            lines,
            response_lines: None,
            is_taken_as_decoded: false,
            is_example: false,
        }
    }

    /// The message, or the request of an exchange.
    #[must_use]
    pub fn message(&self) -> Option<&Capture> {
        match &self.content {
            Content::Message(capture) => Some(capture),
            Content::Exchange(exchange) => Some(&exchange.request),
            Content::Live(_) => None,
        }
    }

    /// Whether it asks for consent.
    pub(crate) fn is_handshake(&self) -> bool {
        matches!(&self.content, Content::Exchange(it) if it.purpose == Purpose::Validation)
    }

    /// The line and the column of a finding in the file, from 1.
    #[must_use]
    pub fn place(&self, finding: &Finding) -> (u64, Option<usize>) {
        let lines = match finding.part {
            Part::Message => &self.lines,
            Part::Response => self.response_lines.as_ref().unwrap_or(&self.lines),
        };
        match (&finding.place, finding.position, lines.body) {
            (_, Some(position), Some(body)) => {
                let line = body + position.line.saturating_sub(1) as u64;
                let column = (!lines.has_no_columns).then_some(position.column);
                (line, column)
            }
            (Place::Header(name), ..) => {
                let same = |(header, _): &&(String, u64)| {
                    header.eq_ignore_ascii_case(name)
                        || name.ends_with('…') && shorten(header) == *name
                };
                let line = lines.headers.iter().find(same).map(|(_, line)| *line);
                (line.unwrap_or(lines.first), None)
            }
            _ => (lines.first, None),
        }
    }
}

/// The messages of an input.
#[derive(Debug)]
pub struct Items<R> {
    documents: Documents<R>,
    form: Form,
    /// Those of a text that holds several, such as raw HTTP, which is read whole.
    queue: std::vec::IntoIter<Result<Item, InputError>>,
    is_ended: bool,
    is_empty: bool,
}

impl<R: BufRead> Items<R> {
    /// The messages in a reader.
    pub fn new(reader: R, form: Form) -> Self {
        Self::with_limit(reader, form, MOST_BYTES)
    }

    fn with_limit(reader: R, form: Form, limit: usize) -> Self {
        Self {
            documents: Documents::new(reader, limit),
            form,
            queue: Vec::new().into_iter(),
            is_ended: false,
            is_empty: true,
        }
    }

    /// Whether the input began with a byte order mark, which is left out. Known once the first
    /// message was read.
    #[must_use]
    pub fn has_byte_order_mark(&self) -> bool {
        self.documents.has_byte_order_mark
    }

    fn read(&mut self) -> Result<Option<Item>, InputError> {
        if let Some(item) = self.queue.next() {
            return item.map(Some);
        }
        let document = match self.form {
            Form::Lines => self.documents.line()?,
            Form::Event | Form::Batch | Form::Http => self.documents.all()?,
            Form::Recognised | Form::Captures => self.documents.next()?,
        };
        let Some(documents::Document { line, text }) = document else {
            return Ok(None);
        };
        if self.is_empty
            && let Some(error) = beginning::not_text(text)
        {
            return Err(error);
        }
        let is_http = match self.form {
            Form::Http => true,
            Form::Recognised => self.is_empty && http::is_meant(text),
            _ => false,
        };
        let may_be_yaml = self.form == Form::Recognised
            && self.is_empty
            && (foreign::is_yaml(text) || foreign::may_precede_yaml(text));
        if is_http || may_be_yaml {
            // White space at the end may be what a length counts.
            let (line, text) = self.documents.rest()?;
            let items = match may_be_yaml && foreign::is_yaml(text) {
                true => foreign::read_yaml(text, line),
                false if is_http => http::read(text, line),
                false => return item(self.form, line, text).map(Some),
            };
            self.queue = items.into_iter();
            return self.queue.next().transpose();
        }
        if self.form == Form::Recognised
            && let Some(items) = foreign::read(text, line)
        {
            self.queue = items.into_iter();
            self.is_empty = false;
            return self.read();
        }
        item(self.form, line, text).map(Some)
    }
}

impl<R: BufRead> Iterator for Items<R> {
    type Item = Result<Item, InputError>;

    /// The next message. After an error that leaves nothing to go on with, there is none.
    fn next(&mut self) -> Option<Self::Item> {
        if self.is_ended {
            return None;
        }
        let next = self.read();
        self.is_ended = match &next {
            Ok(item) => item.is_none(),
            Err(error) => !error.is_local(),
        };
        match next {
            Ok(None) if self.is_empty => Some(Err(InputError::Empty)),
            next => {
                self.is_empty = false;
                next.transpose()
            }
        }
    }
}

fn item(form: Form, line: u64, text: &[u8]) -> Result<Item, InputError> {
    let is_array = text.trim_ascii_start().starts_with(b"[");
    let is_capture = |error| InputError::NotACapture { line, error };
    let content = match (form, meaning(form, text)) {
        (_, Meaning::Capture) => {
            let capture = Capture::read(text).map_err(is_capture)?;
            if capture.defect.is_some() {
                return Err(LineFault::Defective.at(line));
            }
            Content::Message(capture)
        }
        (_, Meaning::Exchange) => {
            let exchange = Exchange::read(text).map_err(is_capture)?;
            Content::Exchange(Box::new(exchange))
        }
        (_, Meaning::Live) => {
            let live = Live::read(text).map_err(is_capture)?;
            Content::Live(Box::new(live))
        }
        (Form::Captures, Meaning::Event) => return Err(LineFault::NoCapture.at(line)),
        (_, Meaning::Event) => {
            let is_batch = form == Form::Batch || is_array && form != Form::Event;
            let capture = match is_batch {
                true => Capture::batch(text),
                false => Capture::event(text),
            };
            let lines = Lines::new(line, Some(line));
            return Ok(Item::new(Content::Message(capture), lines));
        }
    };
    Ok(Item::new(content, Lines::new(line, None)))
}

/// What a JSON document is meant to be.
enum Meaning {
    Event,
    Capture,
    Exchange,
    Live,
}

fn meaning(form: Form, text: &[u8]) -> Meaning {
    #[derive(serde::Deserialize)]
    struct Members {
        specversion: Option<serde::de::IgnoredAny>,
        id: Option<serde::de::IgnoredAny>,
        protocol: Option<serde::de::IgnoredAny>,
        headers: Option<serde::de::IgnoredAny>,
        exchange: Option<serde::de::IgnoredAny>,
        live: Option<serde::de::IgnoredAny>,
        shown: Option<serde::de::IgnoredAny>,
        request: Option<serde::de::IgnoredAny>,
    }
    if matches!(form, Form::Event | Form::Batch) {
        return Meaning::Event;
    }
    // Every capture and every exchange has headers; most events have no such word, and parsing
    // each twice is half of the work.
    let is_plain = !holds(text, b"\"headers\"") && !text.starts_with(b"{\"live\"");
    if form != Form::Captures && is_plain {
        return Meaning::Event;
    }
    match serde_json::from_slice::<Members>(text) {
        Ok(members) if members.specversion.is_some() => Meaning::Event,
        Ok(members) if members.exchange.is_some() || members.request.is_some() => Meaning::Exchange,
        Ok(members) if members.live.is_some() && members.shown.is_some() => Meaning::Live,
        Ok(members) if members.protocol.is_some() => Meaning::Capture,
        Ok(members) if members.headers.is_some() && members.id.is_none() => Meaning::Capture,
        Err(_) if form == Form::Captures => Meaning::Capture,
        _ => Meaning::Event,
    }
}

fn holds(text: &[u8], word: &[u8]) -> bool {
    let mut quotes = text.iter().enumerate().filter(|(_, byte)| **byte == b'"');
    quotes.any(|(at, _)| text.get(at..).is_some_and(|rest| rest.starts_with(word)))
}

#[cfg(test)]
mod tests;
