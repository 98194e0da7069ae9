//! Lines and columns, counted in one pass over a text.

use super::Finding;

/// A place in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub struct Position {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, in characters.
    pub column: usize,
}

/// Gives findings their line and column in a body, which is read once.
pub(crate) fn locate<'f>(body: &[u8], findings: impl IntoIterator<Item = &'f mut Finding>) {
    let findings = findings.into_iter();
    let mut placed: Vec<_> = findings
        .filter_map(|finding| Some((finding.offset?, finding)))
        .collect();
    placed.sort_by_key(|(offset, _)| *offset);
    let mut way = Way::along(body);
    for (offset, finding) in placed {
        finding.position = Some(way.to(offset));
    }
}

/// How far a text has been counted.
#[derive(Debug)]
struct Way<'t> {
    ahead: &'t [u8],
    passed: usize,
    here: Position,
}

impl<'t> Way<'t> {
    fn along(text: &'t [u8]) -> Self {
        Self {
            ahead: text,
            passed: 0,
            here: Position { line: 1, column: 1 },
        }
    }

    /// The position of an offset, which does not lie before the last one. What lies behind the text
    /// is at its end.
    fn to(&mut self, offset: usize) -> Position {
        let step = offset.saturating_sub(self.passed).min(self.ahead.len());
        let (passed, ahead) = self.ahead.split_at(step);
        self.ahead = ahead;
        self.passed += step;
        let lines = passed.iter().filter(|byte| **byte == b'\n').count();
        let last_line = passed.rsplit(|byte| *byte == b'\n').next();
        if lines > 0 {
            self.here.line += lines;
            self.here.column = 1;
        }
        self.here.column += characters(last_line.unwrap_or_default());
        self.here
    }
}

/// How many characters begin in UTF-8.
fn characters(text: &[u8]) -> usize {
    let begins = |byte: &&u8| **byte & 0b1100_0000 != 0b1000_0000;
    text.iter().filter(begins).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_lines_and_characters() {
        let text = "a\né\u{1F600}x\n\ny".as_bytes();
        let expected = [
            (0, (1, 1)),
            (1, (1, 2)),
            (2, (2, 1)),
            (4, (2, 2)),
            (8, (2, 3)),
            (8, (2, 3)),
            (11, (4, 1)),
            (99, (4, 2)),
        ];
        // In one go, and each from the beginning.
        let mut way = Way::along(text);
        for (offset, expected) in expected {
            for Position { line, column } in [way.to(offset), Way::along(text).to(offset)] {
                assert_eq!((line, column), expected, "{offset}");
            }
        }
    }
}
