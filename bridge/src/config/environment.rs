//! The environment as layers of settings: `CENL__KAFKA__MAIN__BROKERS` is `kafka.main.brokers`.
//! In the name of a connection one underscore is a hyphen, and in the name of a property, behind `PROPERTIES`
//! or `SECRETS`, a full stop. Routes are a list and cannot be reached.

use std::ffi::OsString;

use figment::value::{Dict, Value};

use super::problem::Problem;

const PREFIX: &str = "CENL__";

/// A layer of its own.
pub(super) struct Variable {
    pub(super) name: String,
    pub(super) steps: Vec<String>,
    text: String,
}

/// `connections` are the tables whose second step is a name that the operator chose.
pub(super) fn read(
    variables: impl IntoIterator<Item = (OsString, OsString)>,
    connections: &[&str],
) -> (Vec<Variable>, Vec<Problem>) {
    let (mut read, mut refused) = (Vec::<Variable>::new(), Vec::new());
    let mut refuse = |name: &str, what, remedy| {
        let origin = format!("environment variable {name}");
        refused.push(Problem::of_all(origin, what, remedy));
    };
    for (name, value) in variables {
        let name = name.to_string_lossy().into_owned();
        let Some(rest) = name.strip_prefix(PREFIX) else {
            continue;
        };
        let steps = steps(rest, connections);
        let begins =
            |other: &Variable| steps.starts_with(&other.steps) || other.steps.starts_with(&steps);
        if steps.iter().any(String::is_empty) {
            let remedy = "put two underscores between steps, none at the end";
            refuse(&name, "has an empty step", remedy);
        } else if steps[0] == "route" {
            let remedy = "write routes in the file";
            refuse(&name, "reaches into [[route]]", remedy);
        } else if read.iter().any(begins) {
            let what = "is both a value and a table, because another variable begins with it";
            refuse(&name, what, "remove one of the two");
        } else if let Ok(text) = value.into_string() {
            read.push(Variable { name, steps, text });
        } else {
            let remedy = "give it text, or use a `_file` setting";
            refuse(&name, "is not UTF-8", remedy);
        }
    }
    (read, refused)
}

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

impl Variable {
    pub(super) fn tables(&self) -> Value {
        let text = Value::from(self.text.as_str());
        let steps = self.steps.iter().rev();
        steps.fold(text, |inner, step| {
            Dict::from([(step.clone(), inner)]).into()
        })
    }
}
