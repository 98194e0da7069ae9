//! Cuts input into documents, one at a time.
//! A document is a line. A line of only `{` begins a longer one, as pretty printers write it, which ends
//! where its braces are closed; or, unclosed, before the next line that begins one where JSON allows no object.

use std::io::{self, BufRead};
use std::mem::take;

use crate::transport::file::lines::Lines;

/// Its first line, and its text unless that is longer than the limit.
type Document<'t> = (u64, Option<&'t [u8]>);

/// Of at most `limit` bytes each.
pub(super) struct Documents<R> {
    lines: Lines<R>,
    limit: usize,
    text: Vec<u8>,
    /// The line that was read last begins the next document.
    is_next_begun: bool,
}

impl<R: BufRead> Documents<R> {
    pub(super) fn new(reader: R, limit: usize) -> Self {
        Self {
            lines: Lines::new(reader, limit),
            limit,
            text: Vec::new(),
            is_next_begun: false,
        }
    }

    /// Blank lines are no documents.
    pub(super) fn next(&mut self) -> io::Result<Option<Document<'_>>> {
        while take(&mut self.is_next_begun) || self.lines.read_or_rest(|_| {})? {
            let line = self.lines.number() + 1;
            let text = match self.lines.line().map(<[u8]>::trim_ascii) {
                Some(b"") => continue,
                Some(b"{") => self.object()?,
                _ => self.lines.line(),
            };
            return Ok(Some((line, text.map(<[u8]>::trim_ascii))));
        }
        Ok(None)
    }

    /// Begins with the lone brace that was read.
    fn object(&mut self) -> io::Result<Option<&[u8]>> {
        let (mut braces, mut is_too_long) = (Braces::default(), false);
        braces.follow(b"{");
        self.text.clear();
        loop {
            let line = self.lines.line().unwrap_or_default();
            self.text.extend_from_slice(line);
            is_too_long |= self.lines.line().is_none() || self.text.len() > self.limit;
            if is_too_long {
                self.text.clear();
            }
            let before = braces;
            if before.depth == 0 || !self.lines.read_or_rest(|piece| braces.follow(piece))? {
                break;
            }
            let line = self.lines.line().map(<[u8]>::trim_ascii);
            if !before.takes_object() && matches!(line, Some([b'{'] | [b'{', .., b'}'])) {
                self.is_next_begun = true;
                break;
            }
        }
        Ok((!is_too_long).then_some(&self.text))
    }
}

#[derive(Clone, Copy, Default)]
struct Braces {
    depth: u64,
    /// Of what is open, the innermost in the last bit: 1 is an object, 0 an array or more than 128 levels out.
    objects: u128,
    /// The last byte that is no white space.
    last: u8,
    is_in_string: bool,
    is_escaped: bool,
}

impl Braces {
    /// Whether JSON allows an object as what comes next.
    fn takes_object(&self) -> bool {
        match self.last {
            b':' | b'[' => true,
            b',' => self.objects & 1 == 0,
            _ => false,
        }
    }

    fn follow(&mut self, piece: &[u8]) {
        for &byte in piece {
            match byte {
                // JSON escapes line breaks: no string goes on behind its line.
                b'\n' => (self.is_in_string, self.is_escaped) = (false, false),
                _ if self.is_escaped => self.is_escaped = false,
                b'\\' if self.is_in_string => self.is_escaped = true,
                b'"' => self.is_in_string = !self.is_in_string,
                _ if self.is_in_string => {}
                b'{' => {
                    self.depth += 1;
                    self.objects = (self.objects << 1) | 1;
                }
                b'}' => {
                    self.depth = self.depth.saturating_sub(1);
                    self.objects >>= 1;
                }
                b'[' => self.objects <<= 1,
                b']' => self.objects >>= 1,
                _ => {}
            }
            if !byte.is_ascii_whitespace() {
                self.last = byte;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    fn check(input: &str, limit: usize, expected: &[(u64, Option<&str>)]) {
        let mut documents = Documents::new(input.as_bytes(), limit);
        let mut found = Vec::new();
        while let Some((line, text)) = documents.next().unwrap() {
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
    fn a_document_that_is_not_closed_ends_before_the_next_one() {
        let pretty = "{\n\"a\": [\n{\n\"b\": {\n}\n},\n{\"c\": 2}\n],\n\"d\":\n{\n\"e\": 1\n}\n}";
        for broken in [
            "{",
            "{\n\"a\": 1",
            "{\n\"a\": 1,",
            "{\n\"a\": \"b",
            "{\n\"a\": {\n\"b\": [1],",
            "{\n\"a\": [\n{\n\"b\": 1\n}",
            "{\n\"a\": {\n\"b\": 1\n}",
        ] {
            for next in [pretty, "{\"a\": 1}"] {
                let second = broken.lines().count() as u64 + 1;
                let third = second + next.lines().count() as u64;
                check(
                    &format!("{broken}\n{next}\n1\n"),
                    99,
                    &[(1, Some(broken)), (second, Some(next)), (third, Some("1"))],
                );
            }
        }
        // Where it may be a value, it is one.
        check(
            "{\n\"a\":\n{}\n{\n}\n",
            99,
            &[(1, Some("{\n\"a\":\n{}")), (4, Some("{\n}"))],
        );
        // Of one that is too long it is the same.
        check(
            "{\n\"a\": 12345678,\n\"b\": 1\n{\n}\n",
            8,
            &[(1, None), (4, Some("{\n}"))],
        );
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
    fn a_line_over_the_limit_inside_a_document_is_still_a_part_of_it() {
        for line in [
            "\"a\": { \"b\": \"1234567890\",",
            "\"a\": [{\"b\": {}}, {}, {",
            "\"a\": \"{{{{{{{{{{{{\", \"b\": {",
        ] {
            let input = ["{\n", line, "\n\"c\": 1\n}\n}\n1\n{}\n"].concat();
            check(&input, 9, &[(1, None), (6, Some("1")), (7, Some("{}"))]);
        }
        check("{\n\"a\": {}}}}}}}}}\n1\n", 9, &[(1, None), (3, Some("1"))]);
    }
}
