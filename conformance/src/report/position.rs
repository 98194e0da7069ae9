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
    let placed = findings.into_iter();
    let placed = placed.filter_map(|finding| Some((finding.offset?, finding)));
    let mut placed: Vec<_> = placed.collect();
    placed.sort_by_key(|(offset, _)| *offset);
    let positions = positions(body, placed.iter().map(|(offset, _)| *offset));
    for ((_, finding), position) in placed.into_iter().zip(positions) {
        finding.position = Some(position);
    }
}

/// Of offsets that rise; one behind the text is at its end.
fn positions(text: &[u8], offsets: impl Iterator<Item = usize>) -> Vec<Position> {
    let (mut ahead, mut passed, mut here) = (text, 0, Position { line: 1, column: 1 });
    let positions = offsets.map(|offset| {
        let (step, rest) = ahead.split_at((offset - passed).min(ahead.len()));
        passed += step.len();
        (ahead, here) = (rest, here.after(step));
        here
    });
    positions.collect()
}

impl Position {
    /// The position behind a text that begins here.
    fn after(self, text: &[u8]) -> Self {
        let lines = text.iter().filter(|byte| **byte == b'\n').count();
        let last_line = text.rsplit(|byte| *byte == b'\n').next();
        let begin = if lines > 0 { 1 } else { self.column };
        let column = begin + characters(last_line.unwrap_or_default());
        let line = self.line + lines;
        Self { line, column }
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
        let together = positions(text, expected.iter().map(|(offset, _)| *offset));
        for ((offset, expected), together) in expected.into_iter().zip(together) {
            let alone = positions(text, [offset].into_iter());
            for Position { line, column } in [together, alone[0]] {
                assert_eq!((line, column), expected, "{offset}");
            }
        }
    }
}
