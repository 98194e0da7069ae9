//! Cuts bytes into documents, one at a time, in constant memory.
//!
//! A document is a line, unless its brackets are open at the end of the line: then it goes on until
//! they are closed, as pretty printers write it. So that a line that is cut short takes no others
//! with it, an object also ends before a line that begins with `{`.

use std::io::{BufRead, Read};

use super::{InputError, LineFault};

/// One document of the input.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Document<'r> {
    /// The line it begins on, from 1.
    pub(super) line: u64,
    /// Its text, without white space behind it.
    pub(super) text: &'r [u8],
}

/// Reads documents of at most `limit` bytes.
#[derive(Debug)]
pub(super) struct Documents<R> {
    reader: R,
    limit: usize,
    lines: u64,
    /// The line of the document in `text`.
    line: u64,
    text: Vec<u8>,
    /// Whether one was left out. That at the beginning of the input is the file's; any other stays where it
    /// is, for the rules to judge.
    pub(super) has_byte_order_mark: bool,
}

/// What editors and shells of Windows put before UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

impl<R: BufRead> Documents<R> {
    pub(super) fn new(reader: R, limit: usize) -> Self {
        Self {
            reader,
            limit,
            lines: 0,
            line: 0,
            text: Vec::new(),
            has_byte_order_mark: false,
        }
    }

    /// The next document that is not blank, `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<Document<'_>>, InputError> {
        if !self.begin()? {
            return Ok(None);
        }
        let text = self.text.strip_prefix(BYTE_ORDER_MARK);
        let text = text.unwrap_or(&self.text).trim_ascii_start();
        let begin = text.first().copied();
        if matches!(begin, Some(b'{' | b'[')) {
            let mut nesting = Nesting::default();
            nesting.read(&self.text);
            while nesting.depth > 0 {
                let next = self.reader.fill_buf()?.first();
                if begin == Some(b'{') && next == Some(&b'{') {
                    break;
                }
                let start = self.text.len();
                if !self.append_line()? {
                    break;
                }
                nesting.read(self.text.get(start..).unwrap_or_default());
            }
        }
        Ok(Some(self.document()))
    }

    /// The next line that is not blank, `None` at the end.
    pub(super) fn line(&mut self) -> Result<Option<Document<'_>>, InputError> {
        Ok(self.begin()?.then(|| self.document()))
    }

    /// All that is left as one document, `None` when that is blank.
    pub(super) fn all(&mut self) -> Result<Option<Document<'_>>, InputError> {
        if !self.begin()? {
            return Ok(None);
        }
        self.rest()?;
        Ok(Some(self.document()))
    }

    /// The current document with everything behind it, and its line. White space at the end stays.
    pub(super) fn rest(&mut self) -> Result<(u64, &[u8]), InputError> {
        while self.append_line()? {}
        Ok((self.line, &self.text))
    }

    /// Reads the next line that is not blank, and says whether there was one.
    fn begin(&mut self) -> Result<bool, InputError> {
        loop {
            self.text.clear();
            self.line = self.lines + 1;
            if !self.append_line()? {
                return Ok(false);
            }
            if self.lines == 1 && self.text.starts_with(BYTE_ORDER_MARK) {
                self.has_byte_order_mark = true;
                self.text.drain(..BYTE_ORDER_MARK.len());
            }
            if !self.text.trim_ascii().is_empty() {
                return Ok(true);
            }
        }
    }

    fn append_line(&mut self) -> Result<bool, InputError> {
        let room = self.limit.saturating_sub(self.text.len());
        let read =
            Read::take(&mut self.reader, room as u64 + 1).read_until(b'\n', &mut self.text)?;
        if read > room {
            return Err(LineFault::TooLong(self.limit).at(self.line));
        }
        self.lines += u64::from(read > 0);
        Ok(read > 0)
    }

    fn document(&self) -> Document<'_> {
        // A form feed is no white space of JSON.
        let is_text = |byte: &u8| !matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
        let end = self.text.iter().rposition(is_text).map_or(0, |at| at + 1);
        let text = self.text.get(..end).unwrap_or_default();
        Document {
            line: self.line,
            text,
        }
    }
}

/// How many brackets are open, strings left out. A string ends with its line, since JSON has no line
/// breaks in strings.
#[derive(Default)]
struct Nesting {
    depth: i64,
    is_in_string: bool,
}

impl Nesting {
    fn read(&mut self, mut text: &[u8]) {
        while let Some(at) = match self.is_in_string {
            true => text
                .iter()
                .position(|byte| matches!(byte, b'"' | b'\\' | b'\n')),
            false => text
                .iter()
                .position(|byte| matches!(byte, b'"' | b'{' | b'[' | b'}' | b']')),
        } {
            let mut passed = at + 1;
            match text.get(at) {
                Some(b'\\') => passed += 1,
                Some(b'\n') => self.is_in_string = false,
                Some(b'{' | b'[') => self.depth += 1,
                Some(b'}' | b']') => self.depth -= 1,
                _ => self.is_in_string = !self.is_in_string,
            }
            text = text.get(passed..).unwrap_or_default();
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    fn check(input: &str, expected: &[(u64, &str)]) {
        let mut documents = Documents::new(input.as_bytes(), 100);
        let mut found = Vec::new();
        while let Some(Document { line, text }) = documents.next().unwrap() {
            found.push((line, String::from_utf8(text.to_vec()).unwrap()));
        }
        let found: Vec<_> = found.iter().map(|(line, text)| (*line, &**text)).collect();
        assert_eq!(found, expected, "{input:?}");
    }

    #[test]
    fn a_line_is_a_document_and_blank_ones_are_none() {
        check("", &[]);
        check("\n \r\n", &[]);
        check("a\n\n b \r\nc", &[(1, "a"), (3, " b"), (4, "c")]);
        check("{}\n[]", &[(1, "{}"), (2, "[]")]);
        check("{} \x0C\t\n", &[(1, "{} \x0C")]);
    }

    #[test]
    fn an_open_bracket_goes_on() {
        check(
            "{\n \"a\": [\n 1 ]\n}\n{}",
            &[(1, "{\n \"a\": [\n 1 ]\n}"), (5, "{}")],
        );
        check(
            "[\n{\"a\":1},\n{\"a\":\"}\"}\n]",
            &[(1, "[\n{\"a\":1},\n{\"a\":\"}\"}\n]")],
        );
    }

    #[test]
    fn a_line_cut_short_takes_no_others_with_it() {
        check("{\"a\":\n{\"b\":1}\n", &[(1, "{\"a\":"), (2, "{\"b\":1}")]);
        check(
            "{\"a\":\"{\n{\"b\":1}",
            &[(1, "{\"a\":\"{"), (2, "{\"b\":1}")],
        );
        check("}\n{}", &[(1, "}"), (2, "{}")]);
    }

    #[test]
    fn what_is_too_long_is_not_held() {
        let mut documents = Documents::new(std::io::BufReader::new(std::io::repeat(b'a')), 100);
        let error = documents.next().unwrap_err();
        assert!(matches!(
            error,
            InputError::At {
                line: 1,
                fault: LineFault::TooLong(100)
            }
        ));
        assert!(documents.text.capacity() < 1_000);
    }
}
