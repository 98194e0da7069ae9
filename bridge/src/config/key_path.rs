//! Where a value stands in the settings: `route[0].sink.url`.

use std::fmt;

use figment::value::{Dict, Value};

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Step {
    Key(String),
    Index(usize),
}

#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct KeyPath(Vec<Step>);

impl KeyPath {
    pub(super) fn key(&self, key: &str) -> Self {
        self.then(Step::Key(key.to_owned()))
    }

    pub(super) fn index(&self, index: usize) -> Self {
        self.then(Step::Index(index))
    }

    pub(super) fn steps(&self) -> &[Step] {
        &self.0
    }

    /// Of the top-level list `name` that this lies in.
    pub(super) fn element_of(&self, name: &str) -> Option<usize> {
        match self.0.as_slice() {
            [Step::Key(key), Step::Index(index), ..] if key == name => Some(*index),
            _ => None,
        }
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|step| match step {
            Step::Key(key) => Some(key.as_str()),
            Step::Index(_) => None,
        })
    }

    pub(super) fn find<'v>(&self, root: &'v Dict) -> Option<&'v Value> {
        let (Step::Key(first), rest) = self.0.split_first()? else {
            return None;
        };
        rest.iter()
            .try_fold(root.get(first)?, |value, step| match (step, value) {
                (Step::Key(key), Value::Dict(_, dict)) => dict.get(key),
                (Step::Index(index), Value::Array(_, list)) => list.get(*index),
                _ => None,
            })
    }

    fn then(&self, step: Step) -> Self {
        let mut steps = self.0.clone();
        steps.push(step);
        Self(steps)
    }
}

impl fmt::Display for KeyPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, step) in self.0.iter().enumerate() {
            match step {
                Step::Index(index) => write!(f, "[{index}]")?,
                Step::Key(key) => {
                    if position > 0 {
                        f.write_str(".")?;
                    }
                    let is_bare = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
                    if key.is_empty() || !key.chars().all(is_bare) {
                        write!(f, "{key:?}")?;
                    } else {
                        f.write_str(key)?;
                    }
                }
            }
        }
        Ok(())
    }
}
