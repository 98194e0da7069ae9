//! `config/README.md` and the JSON Schema against what is read.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use super::*;
use crate::config::describe::Absence;
use crate::transport::registry::TRANSPORTS;

fn readme() -> PathBuf {
    let mut around = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let readmes = around.find_map(|folder| {
        let readme = folder.join("config/README.md");
        readme.exists().then_some(readme)
    });
    readmes.unwrap()
}

/// The tables of the README, each below its heading.
fn documented() -> Vec<(String, Vec<Key>)> {
    let with = |kind: &'static str| move |(key, keys)| (format!("[route.{kind}] with {key}"), keys);
    let once = once().into_iter();
    let connections = connections(TRANSPORTS).into_iter();
    let mut documented: Vec<_> = once
        .map(|(name, keys)| (format!("[{name}]"), keys))
        .chain(connections.map(|(name, keys)| (format!("[{name}.NAME]"), keys)))
        .chain(
            credentials()
                .into_iter()
                .map(|(key, keys)| (format!("[credentials.NAME] with {key}"), keys)),
        )
        .chain([("[[route]]".to_owned(), route_keys(TRANSPORTS))])
        .chain(sources(TRANSPORTS).into_iter().map(with("source")))
        .collect();
    let common = keys(|table| encoding(table, Err(&Reported)));
    documented.push(("[route.sink]".to_owned(), common));
    let common = keys(dead_letters);
    documented.push(("[route.dead_letter]".to_owned(), common));
    for (key, keys) in sinks(TRANSPORTS, |_| Ok(())) {
        let heading = match key {
            "file" => "[route.dead_letter] with file".to_owned(),
            _ => format!("[route.sink] with {key}"),
        };
        documented.push((heading, keys));
    }
    documented.push(("[route.retry]".to_owned(), retry_keys()));
    documented
}

/// Key, meaning and default, in Markdown.
fn rows(keys: &[Key]) -> String {
    let mut rows = String::new();
    for key in keys.iter().filter(|key| key.schema.is_some()) {
        let (name, meaning) = (&key.name, &key.meaning);
        let absence = match key.absence {
            Absence::Required => "required".to_owned(),
            Absence::Default(text) => format!("`{text}`"),
            Absence::Means(words) => words.to_owned(),
        };
        writeln!(rows, "| `{name}` | {meaning} | {absence} |").unwrap();
    }
    rows
}

/// `INSTA_UPDATE=always` writes the tables.
#[test]
fn the_readme_says_of_every_key_what_the_reader_says() {
    const HEAD: &str = "| key | meaning | default |\n| --- | --- | --- |\n";
    let file = readme();
    let mut readme = fs::read_to_string(&file).unwrap();
    let documented = documented();
    assert_eq!(readme.matches(HEAD).count(), documented.len());
    for (heading, keys) in documented {
        let title = format!("# {heading}\n");
        let (before, section) = readme.split_once(&title).expect(&heading);
        let (text, table) = section.split_once(HEAD).unwrap();
        let (found, after) = table.split_once("\n\n").unwrap();
        let rows = rows(&keys);
        if env::var("INSTA_UPDATE").as_deref() == Ok("always") {
            readme = format!("{before}{title}{text}{HEAD}{rows}\n{after}");
            fs::write(&file, &readme).unwrap();
        } else {
            assert_eq!(found, rows.trim_end(), "{heading}");
        }
    }
}
