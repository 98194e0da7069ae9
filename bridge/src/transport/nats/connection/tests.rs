//! What is taken of a connection, and what is refused.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::*;
use crate::config::Problem;
use crate::config::tests::read;

/// `HUSH` is where a secret is kept.
fn cluster(json: &str) -> Result<NatsCluster, Vec<Problem>> {
    let secret = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(secret.path(), "hush").unwrap();
    let place = format!(r#"{{ "file": {:?} }}"#, secret.path());
    read(&json.replace("HUSH", &place), NatsCluster::read)
}

fn problems(json: &str) -> Vec<Problem> {
    let problems = cluster(json).err().unwrap_or_default();
    assert!(!format!("{problems:?}").contains("hush"), "{problems:?}");
    problems
}

fn keys(json: &str) -> Vec<String> {
    problems(json).into_iter().map(|p| p.key).collect()
}

#[test]
fn servers_are_a_list_without_user_information() {
    for servers in [
        "a",
        "a:4222",
        "a:1, b:2",
        "nats://a:4222",
        "tls://a",
        "[::1]:4222",
    ] {
        assert_eq!(
            keys(&format!(r#"{{ "servers": "{servers}" }}"#)),
            [""; 0],
            "{servers}"
        );
    }
    for servers in [
        "",
        "a,",
        "a:99999",
        "http://a",
        "ws://a",
        "a/b",
        "hush:hush@a",
        "nats://hush@a",
    ] {
        let found = keys(&format!(r#"{{ "servers": "{servers}" }}"#));
        assert_eq!(found, ["servers"], "{servers}");
    }
}

#[test]
fn a_password_does_not_leave_the_machine_unprotected_by_silence() {
    let with = |servers: &str, more: &str| {
        keys(&format!(
            r#"{{ "servers": "{servers}", "user": "u", "secrets": {{ "password": HUSH }} {more} }}"#
        ))
    };
    assert_eq!(with("nats.example", ""), ["tls"]);
    assert_eq!(with("127.0.0.1,nats.example", ""), ["tls"]);
    for (servers, more) in [
        ("127.0.0.1:4222,localhost", ""),
        ("[::1]", ""),
        ("tls://nats.example", ""),
        ("nats.example", r#", "tls": "required""#),
        ("nats.example", r#", "tls": "optional""#),
        ("nats.example", r#", "tls": "first""#),
    ] {
        assert_eq!(with(servers, more), [""; 0], "{servers} {more}");
    }
    assert_eq!(keys(r#"{ "servers": "nats.example" }"#), [""; 0]);
}

#[test]
fn tls_for_all_servers_is_tls_for_those_that_are_found() {
    let requires = |json: &str| {
        let cluster = cluster(json).unwrap();
        format!("{:?}", cluster.options).contains("\"tls_required\": true")
    };
    assert!(requires(r#"{ "servers": "tls://a,tls://b" }"#));
    assert!(!requires(r#"{ "servers": "a,b" }"#));
    assert!(!requires(r#"{ "servers": "tls://a", "tls": "optional" }"#));
    assert_eq!(keys(r#"{ "servers": "tls://a,b" }"#), ["servers"]);
    assert_eq!(
        keys(r#"{ "servers": "tls://a,b", "tls": "required" }"#),
        [""; 0]
    );
}

#[test]
fn every_problem_is_reported_at_once() {
    let json = r#"{ "servers": "a b", "user": "u", "certificate_file": "/nonexistent",
        "ca_file": "/nonexistent", "inbox_prefix": "a.*" }"#;
    let expected = ["ca_file", "inbox_prefix", "key_file", "secrets", "servers"];
    assert_eq!(keys(json), expected);
}

#[test]
fn nothing_secret_is_printed() {
    let json = r#"{ "servers": "127.0.0.1", "secrets": { "token": HUSH } }"#;
    let cluster = cluster(json).unwrap();
    assert!(!format!("{cluster:?} {:?}", cluster.options).contains("hush"));
}
