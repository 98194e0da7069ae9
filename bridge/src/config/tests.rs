//! The README of the settings against the types that read them, and values from the environment.

use std::cell::RefCell;
use std::collections::BTreeSet;

use figment::value::Dict;
use serde::de::DeserializeOwned;

use super::route::{RetrySettings, RouteSettings, SinkSettings};
use super::*;
use crate::transport::http::ingress::{ListenerSettings, PathSettings};
use crate::transport::http::webhook;
use crate::transport::{file, kafka, nats};

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

/// As [`keys_of`], with the keys that the type does not read itself.
fn keys_of_and<T: DeserializeOwned>(more: &[&str]) -> BTreeSet<String> {
    let mut keys = keys_of::<T>();
    keys.extend(more.iter().map(|&key| key.to_owned()));
    keys
}

#[test]
fn the_readme_names_every_key_and_no_other() {
    let sections = [
        ("[admin]", keys_of::<Admin>()),
        ("[log]", keys_of::<Log>()),
        ("[limits]", keys_of::<Limits>()),
        ("[kafka.NAME]", keys_of::<kafka::Connection>()),
        ("[nats.NAME]", keys_of::<nats::Connection>()),
        ("[http.NAME]", keys_of::<ListenerSettings>()),
        // Read by itself, because it is an enum.
        ("[[route]]", keys_of_and::<RouteSettings>(&["filter"])),
        // The name of a connection is read before it is known which transport there is.
        (
            "[route.source] with kafka",
            keys_of_and::<kafka::SourceSettings>(&["kafka"]),
        ),
        (
            "[route.source] with nats",
            keys_of_and::<nats::SourceSettings>(&["nats"]),
        ),
        (
            "[route.source] with http",
            keys_of_and::<PathSettings>(&["http"]),
        ),
        ("[route.sink]", keys_of::<SinkSettings>()),
        (
            "[route.sink] with kafka",
            keys_of_and::<kafka::SinkSettings>(&["kafka"]),
        ),
        (
            "[route.sink] with nats",
            keys_of_and::<nats::SinkSettings>(&["nats"]),
        ),
        ("[route.sink] with url", keys_of::<webhook::Settings>()),
        ("[route.dead_letter]", keys_of::<file::FileSettings>()),
        ("[route.retry]", keys_of::<RetrySettings>()),
    ];
    let mut tables = 0;
    for (heading, keys) in sections {
        assert_eq!(documented(heading), keys, "{heading}");
        tables += 1;
    }
    assert_eq!(
        README.matches("\n| key |").count(),
        tables,
        "a table is not held"
    );
}
