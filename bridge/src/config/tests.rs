//! Settings at hand for the tests of those who read them, and how they are read at all.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::Path;
use std::time::Duration;

use serde_json::{Map, Value as Json};

use super::document::Document;
use super::environment;
use super::key_path::KeyPath;
use super::problem::{Problem, Problems, Reported};
use super::setting::Setting;
use super::table::Table;

/// The document that is written in JSON, with each entry on a line of TOML.
fn document(json: &str) -> Document {
    let json: Map<String, Json> = serde_json::from_str(json).unwrap();
    let lines = json
        .iter()
        .map(|(key, value)| format!("{key:?} = {}\n", inline(value)));
    Document::parse(Path::new("test"), &lines.collect::<String>(), [], &[]).unwrap()
}

fn inline(json: &Json) -> String {
    match json {
        Json::Object(entries) => {
            let entries = entries.iter();
            let entries = entries.map(|(key, value)| format!("{key:?} = {}", inline(value)));
            format!("{{ {} }}", entries.collect::<Vec<_>>().join(", "))
        }
        Json::Array(list) => {
            let elements = list.iter().map(inline);
            format!("[{}]", elements.collect::<Vec<_>>().join(", "))
        }
        single => single.to_string(),
    }
}

/// Reads a table that is written in JSON, or says all that is wrong with it, by its keys.
pub(crate) fn read<T>(
    json: &str,
    read: impl FnOnce(&Table<'_>) -> Result<T, Reported>,
) -> Result<T, Vec<Problem>> {
    read_from(&document(json), read).map_err(|mut problems| {
        problems.sort_by_key(|problem| problem.key.replace('"', ""));
        problems
    })
}

/// As [`read`], of TOML.
pub(crate) fn toml<T>(
    text: &str,
    read: impl FnOnce(&Table<'_>) -> Result<T, Reported>,
) -> Result<T, Vec<Problem>> {
    read_from(
        &Document::parse(Path::new("test"), text, [], &[]).unwrap(),
        read,
    )
}

fn read_from<T>(
    document: &Document,
    read: impl FnOnce(&Table<'_>) -> Result<T, Reported>,
) -> Result<T, Vec<Problem>> {
    let findings = document.findings();
    let table = document.table(&findings);
    let value = read(&table);
    table.finish();
    drop(table);
    let problems = |problems: Problems| problems.iter().cloned().collect();
    let concluded = findings.conclude(value);
    concluded.map(|(value, _)| value).map_err(problems)
}

/// The keys of all that is wrong with a table.
pub(crate) fn faults<T>(
    json: &str,
    reader: impl FnOnce(&Table<'_>) -> Result<T, Reported>,
) -> Vec<String> {
    let problems = read(json, reader).err().unwrap_or_default();
    problems.into_iter().map(|problem| problem.key).collect()
}

/// Reads one value.
pub(crate) fn value<T: Setting>(text: &str) -> Option<T> {
    let json = serde_json::json!({ "key": text }).to_string();
    read(&json, |table| table.key("key", "").required()).ok()
}

#[test]
fn every_fault_within_a_list_or_a_table_is_told_where_it_is() {
    let json =
        r#"{ "list": ["1s", "x", 3], "table": { "a.b": 0, "c": 1, "d": "two" }, "more": 1 }"#;
    let keys = faults(json, |table| {
        let list = table.key::<Vec<Duration>>("list", "").required();
        let numbers = table.key::<BTreeMap<String, NonZeroUsize>>("table", "");
        let numbers = numbers.required();
        list.and(numbers)
    });
    let expected = ["list[1]", "list[2]", "more", "table.\"a.b\"", "table.d"];
    assert_eq!(keys, expected);
}

#[test]
fn a_text_means_what_the_type_that_is_asked_for_says() {
    let read_all = |table: &Table<'_>| {
        let size: Result<usize, _> = table.key("size", "").required();
        let is_on: Result<bool, _> = table.key("is_on", "").required();
        let names: Result<Vec<String>, _> = table.key("names", "").required();
        let name: Result<String, _> = table.key("name", "").required();
        Ok((size?, is_on?, names?, name?))
    };
    let expected = (
        7,
        true,
        vec!["a".to_owned(), "b".to_owned()],
        "3".to_owned(),
    );
    for json in [
        r#"{ "size": 7, "is_on": true, "names": ["a", "b"], "name": "3" }"#,
        r#"{ "size": " 7", "is_on": "true", "names": "a, b,", "name": 3 }"#,
    ] {
        assert_eq!(read(json, read_all), Ok(expected.clone()), "{json}");
    }
    for value in ["7.0", "-7", "[7]", r#""7 or 8""#] {
        let json = format!(r#"{{ "size": {value} }}"#);
        let keys = faults(&json, |table| table.key::<usize>("size", "").required());
        assert_eq!(keys, ["size"], "{value}");
    }
}

#[test]
fn what_is_left_out_is_a_fault_or_its_default_or_nothing() {
    let read_all = |table: &Table<'_>| {
        let waits: Result<Vec<Duration>, _> = table.key("waits", "").or("1s, 2s");
        let size: Result<usize, _> = table.key("size", "").or("7");
        let name: Result<Option<String>, _> = table.key("name", "").optional("none");
        let is_on: Result<bool, _> = table.key("is_on", "").required();
        Ok((waits?, size?, name?, is_on?))
    };
    let seconds = [1, 2].map(Duration::from_secs).to_vec();
    let sound = read(r#"{ "is_on": true }"#, read_all);
    assert_eq!(sound, Ok((seconds, 7, None, true)));
    let problems = read("{}", read_all).unwrap_err();
    assert_eq!(problems.len(), 1);
    assert_eq!(problems[0].key, "is_on");
    assert_eq!(problems[0].remedy, "add `is_on = …` above the first table");
}

#[test]
fn variables_that_contradict_one_another_are_told_how() {
    for (one, other) in [
        ("CENL__LOG__LEVEL", "CENL__log__level"),
        ("CENL__KAFKA__A-B__X", "CENL__KAFKA__A_B__X"),
        ("CENL__LOG", "CENL__LOG__LEVEL"),
    ] {
        let variables = [one, other].map(|name| (name.to_owned(), "x".into()));
        let (read, refused) = environment::read(&BTreeMap::from(variables), &["kafka"]);
        assert_eq!((read.len(), refused.len()), (1, 1), "{other}");
        assert!(refused[0].origin.ends_with(other), "{}", refused[0]);
        let expected = format!("sets what {one} sets too");
        assert_eq!(refused[0].what, expected);
    }
}

#[test]
fn a_variable_stands_in_place_of_what_the_file_has() {
    let text = "list = [\"a\"]\nsingle = 1\n[tables]\ninline = { a = 1 }";
    let variables = [
        ("CENL__LIST__X", "1"),
        ("CENL__SINGLE", "2"),
        ("CENL__TABLES__INLINE__B", "3"),
    ];
    let variables = variables.map(|(name, value)| (name.into(), value.into()));
    let document = Document::parse(Path::new("test"), text, variables, &[]).unwrap();
    for (keys, line, origin) in [
        (&["list"][..], 0, "environment variable CENL__LIST__X"),
        (&["list", "x", "y"], 0, "environment variable CENL__LIST__X"),
        (&["single"], 0, "environment variable CENL__SINGLE"),
        (&["tables", "inline"], 4, "test:4"),
        (&["tables", "inline", "a"], 4, "test:4"),
        (
            &["tables", "inline", "b"],
            0,
            "environment variable CENL__TABLES__INLINE__B",
        ),
    ] {
        let top = KeyPath::default();
        let path = keys.iter().fold(top, |path, key| path.key(key));
        let (found_line, found_origin, _) = document.find(&path);
        assert_eq!((found_line, &*found_origin), (line, origin), "{path}");
    }
}
