//! Who may import what: the rules of `ARCHITECTURE.md`, read from the sources of every crate.
//!
//! Packages are fenced in `deny.toml`; this test fences modules. To add a rule, add a line to
//! [`RULES`]. Test code (`#[cfg(test)]`, `tests.rs`) may use what it likes.

#![allow(missing_docs, reason = "a test")]

#[path = "imports/mentions.rs"]
mod mentions;

use std::fs;
use std::path::{Path, PathBuf};

use mentions::mentions;

/// What may not be mentioned where. A place is a prefix of file paths: `bridge/src/route` is
/// `route.rs` and all of `route/`.
struct Rule<'a> {
    place: &'a str,
    except: &'a [&'a str],
    banned: &'a [&'a str],
    reason: &'a str,
}

const RULES: &[Rule<'static>] = &[
    Rule {
        place: "codec/src",
        except: &[],
        banned: &[
            "std::fs",
            "std::net",
            "std::env",
            "std::process",
            "Instant",
            "SystemTime",
        ],
        reason: "the codec never opens a file or a socket, nor looks at a clock or the environment",
    },
    Rule {
        place: "codec/src/event",
        except: &[],
        banned: &[
            "crate::wire",
            "crate::decoder",
            "crate::encoder",
            "serde_json",
            "simd_json",
        ],
        reason: "an event does not know how it is spelled",
    },
    Rule {
        place: "codec/src",
        except: &["codec/src/payload.rs"],
        banned: &["simd_json"],
        reason: "typed access to data is the only use of simd-json",
    },
    Rule {
        place: "conformance/src",
        except: &["conformance/src/main.rs", "conformance/src/cli"],
        banned: &["clap"],
        reason: "the command line belongs to the binary",
    },
    Rule {
        place: "bridge/src",
        except: &["bridge/src/transport/kafka", "bridge/src/demo"],
        banned: &["rdkafka", "rdkafka_sys"],
        reason: "one transport knows the Kafka client; the demo plays the broker",
    },
    Rule {
        place: "bridge/src",
        except: &[
            "bridge/src/transport/",
            "bridge/src/admin",
            "bridge/src/demo",
        ],
        banned: &[
            "hyper",
            "hyper_util",
            "hyper_rustls",
            "http_body_util",
            "tokio_rustls",
        ],
        reason: "transports and the admin endpoint know HTTP; the demo plays the receiver",
    },
    Rule {
        place: "bridge/src/route/",
        except: &[],
        banned: &["tokio", "futures_util", "figment", "SystemTime", "Instant"],
        reason: "the steps of a route are pure: no task, no clock, no settings file",
    },
    Rule {
        place: "bridge/src/route.rs",
        except: &[],
        banned: &["figment", "spawn", "spawn_local", "sleep", "sleep_until"],
        reason: "a route orders its steps; the runtime spawns and waits",
    },
    Rule {
        place: "bridge/src/config",
        except: &[],
        banned: &["tokio", "TcpListener", "TcpStream", "UdpSocket"],
        reason: "settings are read before a port opens or a task runs",
    },
    Rule {
        place: "bridge/src/plan",
        except: &[],
        banned: &["tokio", "TcpListener", "TcpStream", "UdpSocket"],
        reason: "settings are proven before a port opens or a task runs",
    },
];

/// Modules in `transport/` that several transports share. Every other one is a transport.
const SHARED: &[&str] = &["secret", "setting"];

#[test]
fn the_import_rules_hold() {
    let root = repository();
    let transports = transports(&root);
    let mut faults = Vec::new();
    for file in sources(&root) {
        let name = file
            .strip_prefix(&root)
            .expect("below the root")
            .to_str()
            .expect("UTF-8");
        let text = fs::read_to_string(&file).expect("readable");
        faults.extend(check(name, &text, RULES));
        faults.extend(check_transport(name, &text, &transports));
    }
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}

#[test]
fn nothing_depends_on_the_benchmarks() {
    let root = repository();
    for member in ["codec", "conformance", "bridge"] {
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
    let own = rest.split(['/', '.']).next().unwrap_or_default();
    let others: Vec<String> = transports
        .iter()
        .filter(|transport| *transport != own)
        .map(|transport| format!("crate::transport::{transport}"))
        .collect();
    let upstream = [
        "crate::route",
        "crate::runtime",
        "crate::config",
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
    let mut names: Vec<String> = sources(&root.join("bridge/src/transport"))
        .iter()
        .filter_map(|file| file.strip_prefix(root.join("bridge/src/transport")).ok())
        .filter_map(|file| {
            file.iter()
                .next()?
                .to_str()?
                .split('.')
                .next()
                .map(str::to_owned)
        })
        .filter(|name| !SHARED.contains(&name.as_str()))
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Every Rust file of the crates' libraries and binaries.
fn sources(place: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = if place == repository() {
        ["codec/src", "conformance/src", "bridge/src"]
            .map(|folder| place.join(folder))
            .to_vec()
    } else {
        vec![place.to_owned()]
    };
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten() {
            let path = entry.expect("readable").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs")
                && !path.ends_with("tests.rs")
            {
                found.push(path);
            }
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
    let transports = ["ingress", "kafka", "webhook"].map(str::to_owned);
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
    let webhook = "crate::transport::webhook";
    planted(
        "bridge/src/transport/kafka.rs",
        "use super::webhook;",
        &[(1, webhook)],
    );
    planted(
        "bridge/src/transport/kafka/sink.rs",
        "use super::super::webhook;",
        &[(1, webhook)],
    );
    planted(
        "bridge/src/transport/secret.rs",
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
        "use super::{offsets, super::secret};",
        &[],
    );
    planted(
        "bridge/src/transport/webhook.rs",
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
