//! The environment as layers of settings: `CENL__KAFKA__MAIN__BROKERS` is `kafka.main.brokers`.
//! In the name of a connection one underscore is a hyphen, and in the name of a property, behind `PROPERTIES`
//! or `SECRETS`, a full stop. Routes are a list and cannot be reached.

use std::collections::BTreeMap;
use std::ffi::OsString;

use figment::value::{Dict, Map, Value};
use figment::{Metadata, Profile, Provider};

use super::problem::Problem;

pub(super) const PREFIX: &str = "CENL__";

/// A layer of its own, by the name of the variable.
pub(super) struct Variable {
    name: String,
    steps: Vec<String>,
    text: String,
}

impl Provider for Variable {
    fn metadata(&self) -> Metadata {
        Metadata::named(self.name.clone())
    }

    fn data(&self) -> figment::Result<Map<Profile, Dict>> {
        let steps = self.steps.iter().rev();
        let tables = steps.fold(Value::from(self.text.as_str()), |inner, step| {
            Dict::from([(step.clone(), inner)]).into()
        });
        let tables = tables.into_dict().unwrap_or_default();
        Ok(Profile::Default.collect(tables))
    }
}

/// `connections` are the tables whose second step is a name that the operator chose.
pub(super) fn read(
    variables: &BTreeMap<String, OsString>,
    connections: &[&str],
) -> (Vec<Variable>, Vec<Problem>) {
    let (mut read, mut refused) = (Vec::<Variable>::new(), Vec::new());
    for (name, value) in variables {
        let Some(rest) = name.strip_prefix(PREFIX) else {
            continue;
        };
        let steps = steps(rest, connections);
        let other = read
            .iter()
            .find(|it| steps.starts_with(&it.steps) || it.steps.starts_with(&steps));
        let other = other.map(|other| format!("sets what {} sets too", other.name));
        let (what, remedy) = if steps.iter().any(String::is_empty) {
            let remedy = "put two underscores between steps, none at the end";
            ("has an empty step", remedy)
        } else if steps[0] == "route" {
            let remedy = "write routes in the file, and ${VARIABLE} in their values";
            ("reaches into [[route]]", remedy)
        } else if let Some(what) = &other {
            (what.as_str(), "remove one of the two")
        } else if let Some(text) = value.to_str() {
            let (name, text) = (name.clone(), text.to_owned());
            read.push(Variable { name, steps, text });
            continue;
        } else {
            ("is not UTF-8", "give it text, or use a `_file` setting")
        };
        let origin = format!("environment variable {name}");
        refused.push(Problem::of_all(origin, what, remedy));
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
