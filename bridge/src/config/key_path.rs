//! Where a value stands in the settings: `route[0].sink.url`.

use std::fmt;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Step {
    Key(String),
    Index(usize),
}

#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct KeyPath(pub(super) Vec<Step>);

impl KeyPath {
    pub(super) fn key(&self, key: &str) -> Self {
        self.then(Step::Key(key.to_owned()))
    }

    pub(super) fn index(&self, index: usize) -> Self {
        self.then(Step::Index(index))
    }

    fn then(&self, step: Step) -> Self {
        Self([&self.0[..], &[step]].concat())
    }

    /// Of the `[[route]]` that this lies in.
    pub(super) fn route(&self) -> Option<usize> {
        match self.0.as_slice() {
            [Step::Key(key), Step::Index(index), ..] if key == "route" => Some(*index),
            _ => None,
        }
    }

    pub(super) fn keys(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.0.iter().filter_map(|step| match step {
            Step::Key(key) => Some(key.as_str()),
            Step::Index(_) => None,
        })
    }
}

impl fmt::Display for KeyPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_bare = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        for (position, step) in self.0.iter().enumerate() {
            let dot = if position > 0 { "." } else { "" };
            match step {
                Step::Index(index) => write!(f, "[{index}]")?,
                Step::Key(key) if !key.is_empty() && key.chars().all(is_bare) => {
                    write!(f, "{dot}{key}")?;
                }
                Step::Key(key) => write!(f, "{dot}{key:?}")?,
            }
        }
        Ok(())
    }
}
