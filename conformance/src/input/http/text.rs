//! A text that is read from the front, by lines and by bytes.

/// What is left of a text, and the number of its first line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Text<'t> {
    pub(super) bytes: &'t [u8],
    pub(super) line: u64,
}

/// A line, with its line break.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'t> {
    pub(super) raw: &'t [u8],
    pub(super) number: u64,
}

impl<'t> Text<'t> {
    /// Cuts off so many bytes, or all there are.
    pub(super) fn take(&mut self, length: usize) -> &'t [u8] {
        let (taken, rest) = self.bytes.split_at(length.min(self.bytes.len()));
        let breaks = taken.iter().filter(|byte| **byte == b'\n').count();
        self.bytes = rest;
        self.line += breaks as u64;
        taken
    }

    /// The next line, which stays.
    pub(super) fn peek(mut self) -> Option<Line<'t>> {
        self.next()
    }

    pub(super) fn skip_lines(&mut self, are: impl Fn(&Line<'t>) -> bool) {
        while self.peek().is_some_and(|line| are(&line)) {
            self.next();
        }
    }

    /// The lines before the next `###`.
    pub(super) fn section(self) -> impl Iterator<Item = Line<'t>> {
        self.take_while(|line| !line.is_separator())
    }
}

/// The lines before a blank one, which is taken too, or before `###`, which is not.
pub(super) fn block<'t>(
    lines: &mut (impl Iterator<Item = Line<'t>> + Clone),
) -> impl Iterator<Item = Line<'t>> {
    std::iter::from_fn(|| {
        let is_separator = lines.clone().next()?.is_separator();
        let line = (!is_separator).then(|| lines.next())?;
        line.filter(|line| !line.is_blank())
    })
}

impl<'t> Iterator for Text<'t> {
    type Item = Line<'t>;

    fn next(&mut self) -> Option<Line<'t>> {
        let number = self.line;
        let length = self.bytes.iter().position(|byte| *byte == b'\n');
        let raw = self.take(length.map_or(self.bytes.len(), |at| at + 1));
        (!raw.is_empty()).then_some(Line { raw, number })
    }
}

impl<'t> Line<'t> {
    /// Without its line break.
    pub(super) fn text(&self) -> &'t [u8] {
        let text = self.raw.strip_suffix(b"\n").unwrap_or(self.raw);
        text.strip_suffix(b"\r").unwrap_or(text)
    }

    pub(super) fn is_blank(&self) -> bool {
        self.raw.trim_ascii().is_empty()
    }

    /// Whether it stands between two messages of a `.http` file.
    pub(super) fn is_separator(&self) -> bool {
        self.raw.starts_with(b"###")
    }
}
