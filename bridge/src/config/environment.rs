//! The environment as a layer of settings: `CENL__KAFKA__MAIN__BROKERS` is `kafka.main.brokers`.
//!
//! Two underscores part the steps. In the name of a connection one underscore stands for a hyphen,
//! and in the name of a property, behind `PROPERTIES` or `SECRETS`, for a full stop. Values stay text: the setting decides what a
//! text means. Routes are a list and cannot be reached.

use std::collections::BTreeMap;
use std::ffi::OsString;

use figment::value::{Dict, Map, Value};
use figment::{Metadata, Profile, Provider};

use super::path::Path;

/// What every variable that is a setting begins with.
pub(super) const PREFIX: &str = "CENL__";

/// The settings found in the environment.
#[derive(Default)]
pub(super) struct Environment {
    root: Dict,
    /// The variable behind every value.
    pub(super) variables: BTreeMap<Path, String>,
    /// Variables that cannot be a setting, with the reason and the remedy.
    pub(super) refused: Vec<(String, &'static str, &'static str)>,
}

impl Environment {
    /// Reads the variables that begin with [`PREFIX`]. `connections` names the tables whose second
    /// step is a name that the operator chose.
    pub(super) fn read(
        variables: impl IntoIterator<Item = (OsString, OsString)>,
        connections: &[&str],
    ) -> Self {
        let mut environment = Self::default();
        for (name, value) in variables {
            let name = name.to_string_lossy().into_owned();
            let Some(rest) = name.strip_prefix(PREFIX) else {
                continue;
            };
            let steps = steps(rest, connections);
            let refusal = if steps.iter().any(String::is_empty) {
                Some((
                    "has an empty step",
                    "put two underscores between steps, none at the end",
                ))
            } else if steps.first().is_some_and(|first| first == "route") {
                Some(("reaches into [[route]]", "write routes in the file"))
            } else if value.to_str().is_none() {
                Some(("is not UTF-8", "give it text, or use a `_file` setting"))
            } else {
                None
            };
            match (refusal, value.into_string()) {
                (None, Ok(value)) => environment.insert(name, &steps, value),
                (refusal, _) => {
                    let (what, remedy) = refusal.unwrap_or(("is not UTF-8", "give it text"));
                    environment.refused.push((name, what, remedy));
                }
            }
        }
        environment
    }

    fn insert(&mut self, name: String, steps: &[String], value: String) {
        let path = steps
            .iter()
            .fold(Path::default(), |path, step| path.key(step));
        if insert(&mut self.root, steps, value) {
            self.variables.insert(path, name);
        } else {
            self.refused.push((
                name,
                "is both a value and a table, because another variable begins with it",
                "remove one of the two",
            ));
        }
    }
}

/// The steps of a variable's name, spelt as in the file.
fn steps(name: &str, connections: &[&str]) -> Vec<String> {
    let mut steps: Vec<_> = name.split("__").map(str::to_ascii_lowercase).collect();
    if connections.contains(&steps[0].as_str()) {
        if let Some(connection) = steps.get_mut(1) {
            *connection = connection.replace('_', "-");
        }
        let names_property = |step: &String| step == "properties" || step == "secrets";
        if steps.get(2).is_some_and(names_property)
            && let Some(property) = steps.get_mut(3)
        {
            *property = property.replace('_', ".");
        }
    }
    steps
}

fn insert(table: &mut Dict, steps: &[String], text: String) -> bool {
    match steps {
        [] => false,
        [last] => table.insert(last.clone(), Value::from(text)).is_none(),
        [first, rest @ ..] => {
            let inner = table
                .entry(first.clone())
                .or_insert_with(|| Value::from(Dict::new()));
            match inner {
                Value::Dict(_, inner) => insert(inner, rest, text),
                _ => false,
            }
        }
    }
}

impl Provider for Environment {
    fn metadata(&self) -> Metadata {
        Metadata::named("environment")
    }

    fn data(&self) -> Result<Map<Profile, Dict>, figment::Error> {
        Ok(Map::from([(Profile::Default, self.root.clone())]))
    }
}
