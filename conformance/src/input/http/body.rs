//! Where the body of a message ends: where its length or its chunks say so (RFC 9112, 6.3), or else
//! before the next start line.
//!
//! curl shows a body without its chunks, and with `--compressed` without its coding, behind a head that
//! announces them. What does not begin with a chunk, or not like the coding, is taken for that, and
//! the message says so.

use super::head;
use super::text::{Line, Text, block};
use super::{InputError, LineFault, Message};

/// How a head says where its body ends.
enum Framing {
    /// There is none.
    Empty,
    /// It has so many bytes.
    Length(usize),
    /// It is in chunks.
    Chunked,
    /// It does not say.
    Open,
}

/// Beginning of a body that shows whether it is in a content coding. Other messages may follow it,
/// which are not looked at each time.
const LOOKED_AT: usize = 4096;

impl Message {
    /// Takes the body from a text. The answer to `HEAD` has none.
    pub(super) fn take_body(
        &mut self,
        text: &mut Text<'_>,
        answers_head: bool,
    ) -> Result<(), InputError> {
        self.lines.body = text.peek().map(|line| line.number);
        let body = match self.framing(*text, answers_head)? {
            Framing::Empty => Vec::new(),
            Framing::Length(length) => text.take(length).to_vec(),
            Framing::Chunked => {
                // What is told of a place in it would not hold for the file.
                self.lines.body = None;
                chunks(text)?
            }
            Framing::Open => {
                let start = text.line;
                let body = text.take(head::next_start(*text));
                self.is_here(body, start)?;
                // Line breaks behind it are the file's.
                let end = body.iter().rposition(|byte| !matches!(byte, b'\r' | b'\n'));
                let end = end.map_or(0, |at| at + 1);
                body.get(..end).unwrap_or_default().to_vec()
            }
        };
        self.capture.body = Some(body);
        Ok(())
    }

    pub(super) fn announces_body(&self) -> bool {
        let length = self.capture.header("content-length");
        length.is_some_and(|length| length != "0") || self.capture.has("transfer-encoding")
    }

    fn framing(&mut self, text: Text<'_>, answers_head: bool) -> Result<Framing, InputError> {
        let capture = &self.capture;
        if answers_head || matches!(capture.status, Some(100..=199 | 204 | 304)) {
            return Ok(Framing::Empty);
        }
        let is_chunked = |coding: &str| coding.eq_ignore_ascii_case("chunked");
        if capture.list("transfer-encoding").any(is_chunked) {
            let is_chunked = is_in_chunks(text);
            self.is_taken_as_decoded = !is_chunked && !text.bytes.trim_ascii_start().is_empty();
            return Ok(match is_chunked {
                true => Framing::Chunked,
                false => Framing::Open,
            });
        }
        let Some(length) = self.length()? else {
            return Ok(Framing::Open);
        };
        if self.is_decoded(text.bytes, length) {
            self.is_taken_as_decoded = true;
            return Ok(Framing::Open);
        }
        let left = text.bytes.len();
        if length > left {
            let fault = LineFault::BodyCutShort { length, left };
            return Err(fault.at(self.line_of("content-length")));
        }
        Ok(Framing::Length(length))
    }

    /// Whether a body of so many bytes is not in the content coding that the head names.
    fn is_decoded(&mut self, text: &[u8], length: usize) -> bool {
        if length == 0 || self.capture.codings().next().is_none() {
            return false;
        }
        let begin = text.get(..length.min(LOOKED_AT)).unwrap_or(text);
        // A character that the cut divides says nothing.
        let end = match str::from_utf8(begin) {
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            _ => begin.len(),
        };
        self.capture.body = begin.get(..end).map(<[u8]>::to_vec);
        !self.capture.is_coded()
    }

    /// What `Content-Length` says, which may say the same more than once.
    fn length(&self) -> Result<Option<usize>, InputError> {
        let fault = || LineFault::NotALength.at(self.line_of("content-length"));
        let mut lengths = self.capture.list("content-length");
        let Some(told) = lengths.next() else {
            return Ok(None);
        };
        let is_number = !told.is_empty() && told.bytes().all(|byte| byte.is_ascii_digit());
        if !is_number || lengths.any(|other| other != told) {
            return Err(fault());
        }
        told.parse().map(Some).map_err(|_| fault())
    }

    /// Whether what stands in the place of a request's body is not the name of a file with it.
    fn is_here(&self, body: &[u8], line: u64) -> Result<(), InputError> {
        let names_a_file =
            |line: &Line<'_>| line.raw.starts_with(b"< ") || line.raw.starts_with(b"<@ ");
        let named = Text { bytes: body, line }.find(names_a_file);
        match named.filter(|_| self.capture.status.is_none()) {
            Some(line) => Err(LineFault::BodyElsewhere.at(line.number)),
            None => Ok(()),
        }
    }

    fn line_of(&self, header: &str) -> u64 {
        let mut headers = self.lines.headers.iter();
        let found = headers.find(|(name, _)| name.eq_ignore_ascii_case(header));
        found.map_or(self.lines.first, |(_, line)| *line)
    }
}

/// Takes chunks and the trailers behind them (RFC 9112, 7.1), which are no headers.
fn chunks(text: &mut Text<'_>) -> Result<Vec<u8>, InputError> {
    let mut body = Vec::new();
    loop {
        let line = text.line;
        match chunk(text).ok_or_else(|| LineFault::NotAChunk.at(line))? {
            [] => break,
            chunk => body.extend_from_slice(chunk),
        }
    }
    for line in block(text) {
        let number = line.number;
        head::header(line).ok_or_else(|| LineFault::NotAHeader.at(number))?;
    }
    Ok(body)
}

/// Takes a chunk whole, or nothing. The last one is empty.
fn chunk<'t>(text: &mut Text<'t>) -> Option<&'t [u8]> {
    let mut rest = *text;
    let (size, line_break) = size(rest.next()?.raw)?;
    let is_whole = size == 0 || rest.bytes.get(size..)?.starts_with(line_break);
    let chunk = is_whole.then(|| Text::take(&mut rest, size))?;
    if size > 0 {
        rest.next();
    }
    *text = rest;
    Some(chunk)
}

/// Whether a body begins with the size of a chunk. A line that is all of it, and announces what is
/// not there, is a text of such digits: `42` is JSON too.
fn is_in_chunks(text: Text<'_>) -> bool {
    let mut line = text;
    let has_size = line.next().is_some_and(|line| size(line.raw).is_some());
    let is_all = |mut body: Text<'_>| {
        let end = head::next_start(body);
        !Text::take(&mut body, end).trim_ascii().contains(&b'\n')
    };
    has_size && (chunk(&mut { text }).is_some() || !is_all(text))
}

/// The size of a chunk and the line break behind it, where a line is one.
fn size(line: &[u8]) -> Option<(usize, &[u8])> {
    let digits = line.iter().take_while(|byte| byte.is_ascii_hexdigit());
    let (digits, rest) = line.split_at(digits.count());
    let text = rest.trim_ascii_end();
    let (_, line_break) = line.split_at(line.len() - if line.ends_with(b"\r\n") { 2 } else { 1 });
    let is_end = line_break.ends_with(b"\n");
    let is_extended = text.is_empty() || text.trim_ascii_start().starts_with(b";");
    let digits = str::from_utf8(digits).ok()?;
    let size = usize::from_str_radix(digits, 16).ok()?;
    (is_end && is_extended).then_some((size, line_break))
}
