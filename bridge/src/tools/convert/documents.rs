//! Cuts input into documents, one at a time, in constant memory.
//!
//! A document is a line. Only a line that holds nothing but `{` begins a longer one, as pretty
//! printers write it: it ends with the line on which its braces are closed.

use std::io::{self, BufRead, Read};

/// What is read at once of a line that may be too long.
const PIECE: u64 = 64 << 10;

/// One document of the input.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Document<'r> {
    /// The line it begins on, from 1.
    pub(super) line: u64,
    /// Its text, without the line break behind it; `None` when it is longer than the limit.
    pub(super) text: Option<&'r [u8]>,
}

/// Reads documents of at most `limit` bytes.
pub(super) struct Documents<R> {
    reader: R,
    limit: usize,
    lines: u64,
    text: Vec<u8>,
}

impl<R: BufRead> Documents<R> {
    pub(super) fn new(reader: R, limit: usize) -> Self {
        Self {
            reader,
            limit,
            lines: 0,
            text: Vec::new(),
        }
    }

    /// The next document that is not blank, or `None` at the end.
    pub(super) fn next(&mut self) -> io::Result<Option<Document<'_>>> {
        loop {
            let line = self.lines + 1;
            let text = match self.read_document()? {
                None => return Ok(None),
                Some(true) => None,
                Some(false) if self.text.trim_ascii().is_empty() => continue,
                Some(false) => Some(self.text.trim_ascii()),
            };
            return Ok(Some(Document { line, text }));
        }
    }

    /// Reads one document into `text` and says whether it is too long to be kept.
    fn read_document(&mut self) -> io::Result<Option<bool>> {
        let mut is_too_long = false;
        let mut nesting = None;
        let mut is_begun = false;
        self.text.clear();
        loop {
            let start = self.text.len();
            let mut piece = Read::take(&mut self.reader, PIECE);
            if piece.read_until(b'\n', &mut self.text)? == 0 {
                self.lines += u64::from(is_begun && nesting.is_none());
                return Ok(is_begun.then_some(is_too_long));
            }
            is_begun = true;
            let is_line_end = self.text.ends_with(b"\n");
            self.lines += u64::from(is_line_end);
            if let Some(nesting) = &mut nesting {
                Nesting::read(nesting, &self.text[start..]);
            } else if is_line_end && !is_too_long && self.text.trim_ascii() == b"{" {
                nesting = Some(Nesting::OPEN);
            }
            if self.text.len() > self.limit {
                is_too_long = true;
            }
            if is_too_long {
                self.text.clear();
            }
            if is_line_end && nesting.as_ref().is_none_or(Nesting::is_closed) {
                return Ok(Some(is_too_long));
            }
        }
    }
}

/// How many braces are open, strings left out.
struct Nesting {
    depth: u64,
    is_in_string: bool,
    is_escaped: bool,
}

impl Nesting {
    /// Behind the first brace.
    const OPEN: Self = Self {
        depth: 1,
        is_in_string: false,
        is_escaped: false,
    };

    fn read(&mut self, text: &[u8]) {
        for byte in text {
            match byte {
                _ if self.is_escaped => self.is_escaped = false,
                b'\\' if self.is_in_string => self.is_escaped = true,
                b'"' => self.is_in_string = !self.is_in_string,
                _ if self.is_in_string => {}
                b'{' => self.depth += 1,
                b'}' => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
        }
    }

    fn is_closed(&self) -> bool {
        self.depth == 0
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    fn check(input: &str, limit: usize, expected: &[(u64, Option<&str>)]) {
        let mut documents = Documents::new(input.as_bytes(), limit);
        let mut found = Vec::new();
        while let Some(Document { line, text }) = documents.next().unwrap() {
            found.push((
                line,
                text.map(|text| String::from_utf8(text.to_vec()).unwrap()),
            ));
        }
        let found: Vec<_> = found
            .iter()
            .map(|(line, text)| (*line, text.as_deref()))
            .collect();
        assert_eq!(found, expected, "{input:?}");
    }

    #[test]
    fn a_line_is_a_document_and_blank_ones_are_none() {
        check("", 9, &[]);
        check("\n \r\n", 9, &[]);
        check(
            "a\n\n b \r\nc",
            9,
            &[(1, Some("a")), (3, Some("b")), (4, Some("c"))],
        );
    }

    #[test]
    fn a_lone_brace_begins_a_document_that_ends_where_it_is_closed() {
        let pretty = "{\n \"a\": {\"}\": \"\\\"{\"}\n}";
        check(
            &format!("x\n{pretty}\n{pretty}\ny\n"),
            99,
            &[
                (1, Some("x")),
                (2, Some(pretty)),
                (5, Some(pretty)),
                (8, Some("y")),
            ],
        );
        check("{\n\"a\"", 99, &[(1, Some("{\n\"a\""))]);
    }

    #[test]
    fn a_broken_line_does_not_swallow_the_next() {
        check("{\"a\":\n{}\n", 9, &[(1, Some("{\"a\":")), (2, Some("{}"))]);
    }

    #[test]
    fn a_document_over_the_limit_is_reported_once_and_skipped() {
        check(
            "12345\n123456\n1\n",
            6,
            &[(1, Some("12345")), (2, None), (3, Some("1"))],
        );
        check(
            "{\n\"a\": 1,\n\"b\": 2\n}\n1\n",
            8,
            &[(1, None), (5, Some("1"))],
        );
    }

    #[test]
    fn memory_stays_bounded_whatever_the_length_of_a_line() {
        let endless = io::repeat(b'x').take(32 << 20).chain(&b"\nend"[..]);
        let mut documents = Documents::new(io::BufReader::new(endless), 1 << 20);
        assert_eq!(
            documents.next().unwrap(),
            Some(Document {
                line: 1,
                text: None
            })
        );
        let end = documents.next().unwrap().unwrap();
        assert_eq!((end.line, end.text), (2, Some(&b"end"[..])));
        assert!(
            documents.text.capacity() < 4 << 20,
            "{}",
            documents.text.capacity()
        );
    }
}
