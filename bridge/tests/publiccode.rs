//! `publiccode.yml` has what its standard (<https://yml.publiccode.tools>) demands, and tells this version.

use saphyr::{LoadableYamlNode, Yaml};

const FILE: &str = include_str!("../../publiccode.yml");

/// Each with the words that it may hold, or any text where there are none.
const MANDATORY: &[(&[&str], &[&str])] = &[
    (&["publiccodeYmlVersion"], &["0.5"]),
    (&["name"], &[]),
    (&["url"], &[]),
    (&["softwareVersion"], &[env!("CARGO_PKG_VERSION")]),
    (
        &["developmentStatus"],
        &["concept", "development", "beta", "stable", "obsolete"],
    ),
    (
        &["softwareType"],
        &["standalone/backend", "library", "standalone/other"],
    ),
    (&["legal", "license"], &["MIT OR Apache-2.0"]),
    (
        &["maintenance", "type"],
        &["internal", "contract", "community", "none"],
    ),
];

#[test]
fn it_has_what_the_standard_demands() {
    let documents = Yaml::load_from_str(FILE).expect("YAML");
    let root = &documents[0];
    for (path, words) in MANDATORY {
        let found = path.iter().fold(root, |node, key| &node[*key]);
        let text = found.as_str().unwrap_or_else(|| panic!("{path:?}"));
        assert!(!text.is_empty(), "{path:?}");
        assert!(
            words.is_empty() || words.contains(&text),
            "{path:?}: {text}"
        );
    }
    for (section, key) in [
        (root, "platforms"),
        (&root["maintenance"], "contacts"),
        (&root["localisation"], "availableLanguages"),
    ] {
        let list = section[key].as_sequence();
        assert!(list.is_some_and(|list| !list.is_empty()), "{key}");
    }
    let ready = root["localisation"]["localisationReady"].as_bool();
    assert_eq!(ready, Some(true));
    for language in ["en", "nl"] {
        let description = &root["description"][language];
        let short = description["shortDescription"].as_str().expect("a text");
        let long = description["longDescription"].as_str().expect("a text");
        assert!(short.chars().count() <= 150, "{language}");
        let length = long.chars().count();
        assert!((150..=10_000).contains(&length), "{language}: {length}");
        let features = description["features"].as_sequence();
        assert!(features.is_some_and(|it| !it.is_empty()), "{language}");
    }
}
