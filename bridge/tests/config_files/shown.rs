//! The settings that the README and the site show are sound: as they stand where they have a route, else as additions to one.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use cloudevents_nl_bridge::config::Document;
use cloudevents_nl_bridge::plan::Plan;
use cloudevents_nl_bridge::transport::registry::{TRANSPORTS, connection_names};
use cloudevents_nl_conformance::{Config, Declarations, Overlay, Waivers};

use crate::documents::{Block, Chapter, blocks, chapters};
use crate::{against_schema, brokers};

/// The route that an addition is added to: each table stands for itself unless the addition has it.
const TABLES: [&str; 4] = [
    "[kafka.main]\nbrokers = \"127.0.0.1:1\"\n",
    "[route.source]\nkafka = \"main\"\ntopic = \"zaken\"\ngroup = \"g\"\n",
    "[route.sink]\nurl = \"https://receiver.example/hook\"\n",
    "[route.dead_letter]\nkafka = \"main\"\ntopic = \"zaken.dead\"\n",
];

fn whole(addition: &str) -> String {
    if addition.contains("[[route]]") {
        return addition.to_owned();
    }
    let (keys, tables) = match addition.starts_with('[') {
        true => ("", addition),
        false => (addition, ""),
    };
    let [connection, source, sink, dead_letter] = TABLES.map(|table| {
        let (name, _) = table.split_once('\n').unwrap();
        if tables.lines().any(|line| line == name) {
            ""
        } else {
            table
        }
    });
    format!("{connection}[[route]]\nname = \"r\"\n{keys}{source}{sink}{dead_letter}{tables}")
}

/// Puts files of the test where the text names files of an operator.
fn with_files(text: &str, folder: &Path) -> String {
    let at = |name: &str| folder.join(name).display().to_string();
    let mut text = text.to_owned();
    let named: Vec<_> = text
        .split('"')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect();
    for name in named {
        let ours = match name.rsplit('/').next().unwrap() {
            file if file.ends_with(".pem") => "pem",
            file if file.ends_with(".key") => "key",
            "waivers.toml" => "waivers",
            _ if name.starts_with("/etc/cenl/") || name.starts_with("/run/secrets/") => "secret",
            _ => continue,
        };
        text = text.replace(&format!("\"{name}\""), &format!("\"{}\"", at(ours)));
    }
    text
}

fn make_files(folder: &Path) {
    let at = |name: &str| folder.join(name).display().to_string();
    let (key, pem) = (at("key"), at("pem"));
    let made = Command::new("openssl")
        .args(["req", "-x509", "-nodes", "-newkey", "rsa:2048"])
        .args(["-subj", "/CN=brug", "-keyout", &key, "-out", &pem])
        .output()
        .unwrap();
    assert!(made.status.success(), "{made:?}");
    fs::write(at("secret"), "a-secret-of-more-than-thirty-two-characters").unwrap();
    fs::write(at("waivers"), "").unwrap();
}

fn hold(block: &Block, folder: &Path) -> Result<(), String> {
    let text = &block.text;
    match text.trim_start().lines().next().unwrap_or_default() {
        // Those of the checker; its own tests look at what they mean.
        first if first.starts_with("profile = ") => Config::read(text)
            .map(drop)
            .map_err(|why| format!("{why:?}")),
        first if first.starts_with("overlay = ") => Overlay::read(text)
            .map(drop)
            .map_err(|why| format!("{why:?}")),
        "[[waiver]]" => Waivers::read(text)
            .map(drop)
            .map_err(|why| format!("{why:?}")),
        "[[declaration]]" => Declarations::read(text)
            .map(drop)
            .map_err(|why| format!("{why:?}")),
        "[dependencies]" => {
            let version = env!("CARGO_PKG_VERSION").rsplit_once('.').unwrap().0;
            let dependency = format!("cloudevents-nl-codec = \"{version}\"");
            text.contains(&dependency).then_some(()).ok_or(dependency)
        }
        _ => {
            let text = with_files(&whole(text), folder);
            let names: Vec<_> = connection_names(TRANSPORTS).collect();
            let file = folder.join("bridge.toml");
            let document = Document::parse(&file, &text, [], &names);
            let plan = document.and_then(|document| Plan::prove(&document, TRANSPORTS));
            plan.map_err(|problems| problems.to_string())?;
            match against_schema(&text).join("; ") {
                errors if errors.is_empty() => Ok(()),
                errors => Err(errors),
            }
        }
    }
}

/// Files that a page builds from several blocks stand as they are in the end.
fn settings(text: &str) -> Vec<Block> {
    let mut files: BTreeMap<String, Block> = BTreeMap::new();
    let mut settings = Vec::new();
    for block in blocks(text)
        .into_iter()
        .filter(|block| block.language == "toml")
    {
        match block.file().map(str::to_owned) {
            Some(file) if block.adds() => {
                let before = files
                    .get_mut(&file)
                    .expect("the file is there before it grows");
                before.text.push('\n');
                before.text.push_str(&block.text);
                settings.push(before.clone());
            }
            Some(file) => {
                files.insert(file, block.clone());
                settings.push(block);
            }
            None => settings.push(block),
        }
    }
    settings
}

#[test]
fn the_settings_that_documents_show_are_sound() {
    let folder = tempfile::tempdir().unwrap();
    make_files(folder.path());
    let repository = brokers::repository();
    let readme = Chapter {
        path: "the README of the repository".to_owned(),
        text: fs::read_to_string(repository.join("README.md")).unwrap(),
    };
    let (mut held, mut faults) = (0, Vec::new());
    for chapter in chapters(&repository).iter().chain([&readme]) {
        for block in settings(&chapter.text) {
            held += 1;
            if let Err(fault) = hold(&block, folder.path()) {
                faults.push(format!("{}:{}: {fault}", chapter.path, block.line));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(held > 20, "{held}");
}

/// What would show that the test above holds nothing.
#[test]
fn an_addition_is_judged_with_its_route() {
    let folder = tempfile::tempdir().unwrap();
    make_files(folder.path());
    let fault = |text: &str| hold(&blocks(&format!("```toml\n{text}\n```"))[0], folder.path());
    assert_eq!(fault("filter = { prefix = { type = \"nl.\" } }"), Ok(()));
    let refused = |text: &str, word: &str| assert!(fault(text).unwrap_err().contains(word));
    refused("filtr = { prefix = { type = \"nl.\" } }", "filtr");
    refused(
        "[route.sink]\nurl = \"https://a.example\"\nmod = \"binary\"",
        "mod",
    );
    refused("[credentials.a]\ntoken_url = 1", "token_url");
}
