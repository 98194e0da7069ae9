//! The README of the settings against the types that read them, and values from the environment.

use std::cell::RefCell;
use std::collections::BTreeSet;

use figment::value::Dict;
use serde::de::DeserializeOwned;

use super::route::{RetrySettings, RouteSettings, SinkSettings};
use super::*;

const README: &str = include_str!("../../../config/README.md");

/// The keys that a type reads.
fn keys_of<T: DeserializeOwned>() -> BTreeSet<String> {
    let (root, origins, known) = (Dict::new(), Origins::default(), RefCell::default());
    let findings = Findings::new(&root, &origins);
    drop(value::read::<T>(
        &findings,
        &path::Path::default(),
        &root,
        &known,
    ));
    known.into_inner()
}

/// The keys in the table below a heading.
fn documented(heading: &str) -> BTreeSet<String> {
    let section = README
        .split(&format!("# {heading}\n"))
        .nth(1)
        .expect("the heading is there");
    section
        .lines()
        .take_while(|line| !line.starts_with('#'))
        .filter_map(|line| line.strip_prefix("| `")?.split_once('`'))
        .map(|(key, _)| key.to_owned())
        .collect()
}

#[test]
fn the_readme_names_every_key_and_no_other() {
    let mut route = keys_of::<RouteSettings>();
    // Read by itself, because it is an enum.
    route.insert("filter".to_owned());
    for (heading, keys) in [
        ("[admin]", keys_of::<Admin>()),
        ("[log]", keys_of::<Log>()),
        ("[limits]", keys_of::<Limits>()),
        ("[[route]]", route),
        ("[route.sink]", keys_of::<SinkSettings>()),
        ("[route.retry]", keys_of::<RetrySettings>()),
    ] {
        assert_eq!(documented(heading), keys, "{heading}");
    }
}
