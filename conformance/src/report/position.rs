//! Lines and columns.

/// A place in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub struct Position {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, in characters.
    pub column: usize,
    /// The offset, in bytes.
    pub offset: usize,
}

impl Position {
    pub(crate) fn of(text: &[u8], offset: usize) -> Self {
        let offset = offset.min(text.len());
        let before = text.get(..offset).unwrap_or_default();
        let line_start = before
            .iter()
            .rposition(|&byte| byte == b'\n')
            .map_or(0, |at| at + 1);
        let line = before.get(line_start..).unwrap_or_default();
        Self {
            line: 1 + before.iter().filter(|&&byte| byte == b'\n').count(),
            column: 1 + String::from_utf8_lossy(line).chars().count(),
            offset,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_lines_and_characters() {
        let text = "a\né\u{1F600}x".as_bytes();
        let position = |offset| {
            let Position { line, column, .. } = Position::of(text, offset);
            (line, column)
        };
        assert_eq!(position(0), (1, 1));
        assert_eq!(position(2), (2, 1));
        assert_eq!(position(8), (2, 3));
        assert_eq!(position(99), (2, 4));
    }
}
