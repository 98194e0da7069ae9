//! Who may import what: the rules of `ARCHITECTURE.md`, read from the sources of every crate.
//!
//! Packages are fenced in `deny.toml`; this test fences modules. Test code (`#[cfg(test)]`, `tests.rs`
//! and `tests/`) may use what it likes.

#[path = "imports/mentions.rs"]
mod mentions;
#[path = "imports/rules.rs"]
mod rules;

use std::fs;
use std::path::{Path, PathBuf};

use mentions::mentions;
use rules::{REGISTRY, RULES, Rule, SHARED};

#[test]
fn the_import_rules_hold() {
    let root = repository();
    let transports = transports(&root);
    let mut faults = Vec::new();
    let files: Vec<PathBuf> = [
        "codec/src",
        "conformance/src",
        "conformance/live/src",
        "bridge/src",
    ]
    .iter()
    .flat_map(|folder| sources(&root.join(folder)))
    .collect();
    assert!(
        files.len() > 10,
        "the sources are not where this test looks"
    );
    for file in files {
        let name = file.strip_prefix(&root).expect("below the root");
        let name = name.to_str().expect("UTF-8");
        let text = fs::read_to_string(&file).expect("readable");
        faults.extend(check(name, &text, RULES));
        faults.extend(check_transport(name, &text, &transports));
    }
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}

#[test]
fn nothing_depends_on_the_benchmarks() {
    let root = repository();
    for member in ["codec", "conformance", "conformance/live", "bridge"] {
        let manifest = fs::read_to_string(root.join(member).join("Cargo.toml")).expect("readable");
        assert!(
            !manifest.contains("cloudevents-nl-benches"),
            "{member}/Cargo.toml"
        );
    }
}

/// A source that breaks no rule: what it mentions is compared with what each rule bans.
fn check(file: &str, text: &str, rules: &[Rule<'_>]) -> Vec<String> {
    let rules: Vec<_> = rules
        .iter()
        .filter(|rule| file.starts_with(rule.place))
        .filter(|rule| !rule.except.iter().any(|place| file.starts_with(place)))
        .collect();
    if rules.is_empty() {
        return Vec::new();
    }
    let mut faults = Vec::new();
    for mention in mentions(file, text) {
        for rule in &rules {
            if let Some(banned) = rule.banned.iter().find(|banned| mention.names(banned)) {
                let (line, reason) = (mention.line, rule.reason);
                faults.push(format!("{file}:{line}: {banned}: {reason}"));
            }
        }
    }
    faults
}

/// The rule of each transport, which names all the others.
fn check_transport(file: &str, text: &str, transports: &[String]) -> Vec<String> {
    let Some(rest) = file.strip_prefix("bridge/src/transport/") else {
        return Vec::new();
    };
    if file == REGISTRY {
        return Vec::new();
    }
    let own = rest.split(['/', '.']).next().unwrap_or_default();
    let others: Vec<String> = transports
        .iter()
        .filter(|transport| *transport != own)
        .map(|transport| format!("crate::transport::{transport}"))
        .collect();
    let upstream = [
        "crate::route",
        "crate::runtime",
        "crate::config::Document",
        "crate::plan",
    ];
    let banned: Vec<&str> = others.iter().map(String::as_str).chain(upstream).collect();
    let rule = Rule {
        place: "bridge/src/transport/",
        except: &[],
        banned: &banned,
        reason: "a transport knows its own client and `Delivery`: no other transport, no route",
    };
    check(file, text, &[rule])
}

/// Names of the modules in `transport/`, without the shared ones.
fn transports(root: &Path) -> Vec<String> {
    let folder = root.join("bridge/src/transport");
    let mut names: Vec<String> = sources(&folder)
        .iter()
        .filter_map(|file| file.strip_prefix(&folder).ok()?.iter().next()?.to_str())
        .map(|name| name.trim_end_matches(".rs").to_owned())
        .filter(|name| !SHARED.contains(&name.as_str()))
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Every Rust file below a folder, test code left out.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.expect("readable").path();
        if path.file_stem().is_some_and(|name| name == "tests") {
            continue;
        }
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|kind| kind == "rs") {
            found.push(path);
        }
    }
    found
}

fn repository() -> PathBuf {
    let bridge = Path::new(env!("CARGO_MANIFEST_DIR"));
    bridge
        .parent()
        .expect("the crate lies in the repository")
        .to_owned()
}

/// Holds the checker against planted violations: `expected` is line and banned words.
#[track_caller]
fn planted(file: &str, text: &str, expected: &[(usize, &str)]) {
    let transports = ["http", "kafka", "memory"].map(str::to_owned);
    let mut found = check(file, text, RULES);
    found.extend(check_transport(file, text, &transports));
    let expected: Vec<String> = expected
        .iter()
        .map(|(line, banned)| format!("{file}:{line}: {banned}: "))
        .collect();
    assert_eq!(found.len(), expected.len(), "{found:#?}");
    for (found, expected) in found.iter().zip(expected) {
        assert!(found.starts_with(&expected), "{found} is not {expected}");
    }
}

#[test]
fn finds_a_planted_violation_in_every_spelling() {
    planted(
        "bridge/src/route/retry.rs",
        "use tokio::time;",
        &[(1, "tokio")],
    );
    planted(
        "bridge/src/route/retry.rs",
        "\nfn f() { tokio::spawn(g()) }",
        &[(2, "tokio")],
    );
    planted(
        "bridge/src/route.rs",
        "fn f() { tokio::spawn(g()) }",
        &[(1, "spawn")],
    );
    planted(
        "bridge/src/route.rs",
        "use hyper::{Request, body};",
        &[(1, "hyper"), (1, "hyper")],
    );
    planted(
        "bridge/src/route/item.rs",
        "use opentelemetry_proto::tonic::trace::v1::Span;",
        &[(1, "opentelemetry_proto")],
    );
    planted(
        "bridge/src/runtime.rs",
        "macro!(rdkafka::Offset)",
        &[(1, "rdkafka")],
    );
    planted(
        "bridge/src/plan/x.rs",
        "use std::net;\n\nnet::TcpStream;",
        &[(3, "TcpStream")],
    );
    planted(
        "codec/src/event.rs",
        "use crate::{limits, wire::binding};",
        &[(1, "crate::wire")],
    );
    planted(
        "codec/src/event/data.rs",
        "use super::super::wire;",
        &[(1, "crate::wire")],
    );
    planted(
        "bridge/src/tools/replay.rs",
        "use crate::cli::INTERRUPTED;",
        &[(1, "crate::cli")],
    );
    planted(
        "bridge/src/runtime.rs",
        "use crate::tools::demo;",
        &[(1, "crate::tools")],
    );
    let http = "crate::transport::http";
    planted(
        "bridge/src/transport/kafka.rs",
        "use super::http;",
        &[(1, http)],
    );
    planted(
        "bridge/src/transport/kafka/sink.rs",
        "use super::super::http::webhook;",
        &[(1, http)],
    );
    planted(
        "bridge/src/transport/contract.rs",
        "crate::route::f()",
        &[(1, "crate::route")],
    );
}

#[test]
fn leaves_the_innocent_alone() {
    planted(
        "bridge/src/transport/kafka.rs",
        "use rdkafka::{self, Message};",
        &[],
    );
    planted(
        "bridge/src/transport/kafka/sink.rs",
        "use super::{offsets, super::contract};",
        &[],
    );
    planted(
        "bridge/src/transport/http.rs",
        "let config = kafka; self.route()",
        &[],
    );
    planted(
        "bridge/src/route/retry.rs",
        "// tokio\nlet a = \"tokio\"; let b = 'a';",
        &[],
    );
    planted(
        "bridge/src/route/x.rs",
        "#[cfg(test)]\nmod tests { use tokio::time; }",
        &[],
    );
    planted(
        "bridge/src/runtime.rs",
        "use tokio::task::spawn_local;",
        &[],
    );
}
