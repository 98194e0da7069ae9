//! The validation handshake, the rate and the end of a path; `HOOK-…` are the rules that bind a receiver.

use cloudevents_nl_conformance::{Capture, Checker, Exchange, Profile, Protocol, Purpose};

use super::client::Answer;
use super::*;

const HOST: &str = "https://receiver.example";

fn path_settings(keys: &str) -> PathSettings {
    let listener = read("{}", ListenerSettings::read).unwrap();
    let json = format!(r#"{{"path": "/events", {keys}}}"#);
    read(&json, |table| PathSettings::read(table, Ok(listener))).unwrap()
}

/// What the checker, which knows nothing of the bridge, finds wrong with the answer.
fn faults(
    purpose: Purpose,
    line: &str,
    lines: &[&str],
    body: &str,
    answer: &Answer,
) -> Vec<String> {
    let with = |capture: Capture, line: &&str| {
        let (name, value) = line.split_once(": ").unwrap();
        // The client here reads heads in lower case, and methods are in capitals.
        match name {
            "allow" => capture.with_header(name, value.to_uppercase()),
            _ => capture.with_header(name, value),
        }
    };
    let (method, target) = line.split_once(' ').unwrap();
    let mut request = lines.iter().fold(Capture::new(Protocol::Http), with);
    (request.method, request.target) = (Some(method.into()), Some(format!("{HOST}{target}")));
    request.body = Some(body.into());
    let answered: Vec<_> = answer
        .head
        .lines()
        .skip(1)
        .filter(|line| !line.is_empty())
        .collect();
    let mut response = answered.iter().fold(Capture::new(Protocol::Http), with);
    (response.status, response.body) = (Some(answer.status), Some(answer.body.clone().into()));
    let checker = Checker::new(Profile::CloudEvents10);
    let checked = checker.check_exchange(&Exchange::new(purpose, request, response));
    let binds_us = |id: &&str| {
        id.starts_with("HOOK-RESP") || id.starts_with("HOOK-VRES") || *id == "HOOK-AUTH-8"
    };
    let found = checked.findings.iter().map(|finding| finding.rule.id);
    found.filter(binds_us).map(str::to_owned).collect()
}

fn header<'a>(answer: &'a Answer, name: &str) -> Option<&'a str> {
    let mut lines = answer.head.lines().filter_map(|line| line.split_once(": "));
    lines.find_map(|(found, value)| (found == name).then_some(value))
}

/// Settings of the path, header lines, the origin and the rate that are granted.
type Case<'c> = (&'c str, &'c [&'c str], Option<(&'c str, &'c str)>);

/// HOOK-ABUSE-1, HOOK-VRES-1 to 6 and 8.
#[test]
fn consent_is_two_headers_and_only_for_origins_that_are_allowed() {
    const NAMED: &str = r#""allowed_origins": ["sender.example"], "allowed_rate": 120"#;
    const ANY: &str = r#""allowed_origins": ["*"]"#;
    let origin = "webhook-request-origin: sender.example";
    let rate = "webhook-request-rate: 500";
    let callback = "webhook-request-callback: https://sender.example/consent?id=1";
    let cases: [Case<'_>; 11] = [
        (NAMED, &[origin], Some(("sender.example", "120"))),
        (NAMED, &[origin, rate], Some(("sender.example", "120"))),
        (NAMED, &[origin, callback], Some(("sender.example", "120"))),
        (
            NAMED,
            &["webhook-request-origin: Sender.Example"],
            Some(("sender.example", "120")),
        ),
        (ANY, &[origin, rate], Some(("sender.example", "*"))),
        (NAMED, &["webhook-request-origin: other.example"], None),
        (
            NAMED,
            &["webhook-request-origin: sender.example.evil"],
            None,
        ),
        (NAMED, &["webhook-request-origin: *"], None),
        (
            ANY,
            &["webhook-request-origin: https://sender.example"],
            None,
        ),
        (
            NAMED,
            &[origin, "webhook-request-origin: other.example"],
            None,
        ),
        (NAMED, &[rate], None),
    ];
    run(async move {
        for (keys, lines, granted) in cases {
            let route = serve(&path_settings(keys), delivers);
            let mut client = Client::connect(route.address).await;
            let answer = client.request("OPTIONS /events", lines, "").await;
            let (origin, allowed) = granted.unzip();
            assert_eq!(
                header(&answer, "webhook-allowed-origin"),
                origin,
                "{lines:?}"
            );
            assert_eq!(
                header(&answer, "webhook-allowed-rate"),
                allowed,
                "{lines:?}"
            );
            assert_eq!(header(&answer, "allow"), Some("post, options"), "{lines:?}");
            let refuses = granted.is_none() && lines != [rate];
            assert_eq!(answer.status, if refuses { 403 } else { 200 }, "{lines:?}");
            let found = faults(Purpose::Validation, "OPTIONS /events", lines, "", &answer);
            assert_eq!(found, [""; 0], "{lines:?}: {answer:?}");
        }
    });
}

/// HOOK-VRES-7.
#[test]
fn other_methods_are_not_allowed_and_options_only_with_allowed_origins() {
    run(async {
        let with = path_settings(r#""allowed_origins": ["*"]"#);
        for (settings, methods, allow) in [
            (settings(), &["OPTIONS", "GET", "HEAD", "PUT"][..], "post"),
            (with, &["GET", "HEAD", "PUT"], "post, options"),
        ] {
            let route = serve(&settings, delivers);
            for method in methods {
                let mut client = Client::connect(route.address).await;
                let request =
                    format!("{method} /events HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
                client.write(&request).await;
                let mut answer = String::new();
                let read = tokio::io::AsyncReadExt::read_to_string(&mut client.0, &mut answer);
                read.await.unwrap();
                let (head, body) = answer.split_once("\r\n\r\n").unwrap();
                assert!(head.starts_with("HTTP/1.1 405 "), "{method}: {head}");
                assert!(
                    head.to_lowercase()
                        .contains(&format!("\r\nallow: {allow}\r\n")),
                    "{method}: {head}"
                );
                assert_eq!(body.is_empty(), *method == "HEAD", "{method}");
            }
        }
    });
}

/// HOOK-RESP-1, 3, 4, 5, 8 and 9; HOOK-RATE-1 is what the sender does then.
#[test]
fn above_the_rate_a_sender_waits_and_others_do_not() {
    run(async {
        let keys = r#""allowed_origins": ["a.example", "b.example"], "allowed_rate": 2"#;
        let route = serve(&path_settings(keys), delivers);
        let mut client = Client::connect(route.address).await;
        let (a, b) = (
            "webhook-request-origin: a.example",
            "webhook-request-origin: b.example",
        );
        for (origin, status) in [
            (a, 202),
            (a, 202),
            (a, 429),
            (b, 202),
            (a, 429),
            (b, 202),
            (b, 429),
        ] {
            let lines = [STRUCTURED, origin];
            let answer = client.post(&lines, EVENT).await;
            assert_eq!(answer.status, status, "{origin}");
            let wait = header(&answer, "retry-after").map(|wait| wait.parse::<u64>().unwrap());
            assert_eq!(wait.is_some(), status == 429);
            assert!(wait.is_none_or(|wait| (1..=31).contains(&wait)), "{wait:?}");
            let found = faults(Purpose::Delivery, "POST /events", &lines, EVENT, &answer);
            assert_eq!(found, [""; 0], "{answer:?}");
        }
        // Origins that nobody allowed share what is left to strangers.
        for (origin, status) in [("c", 202), ("d", 202), ("e", 429)] {
            let line = format!("webhook-request-origin: {origin}.example");
            assert_eq!(
                client.post(&[STRUCTURED, &line], EVENT).await.status,
                status
            );
        }
        assert_eq!(route.taken.get(), 6);
    });
}

/// HOOK-RESP-6.
#[test]
fn a_retired_path_is_gone() {
    run(async {
        let route = serve(
            &path_settings(r#""retired": true, "allowed_origins": ["*"]"#),
            delivers,
        );
        let mut client = Client::connect(route.address).await;
        for line in ["POST /events", "OPTIONS /events", "GET /events"] {
            let lines = [STRUCTURED, "webhook-request-origin: a.example"];
            let answer = client.request(line, &lines, EVENT).await;
            assert_eq!(answer.status, 410, "{line}");
            assert_eq!(header(&answer, "webhook-allowed-origin"), None);
            answer.problem();
        }
        assert_eq!(route.taken.get(), 0);
    });
}

#[test]
fn origins_are_names_and_rates_are_above_zero() {
    let listener = read("{}", ListenerSettings::read).unwrap();
    for (keys, fault) in [
        (r#""allowed_origins": []"#, "allowed_origins"),
        (
            r#""allowed_origins": ["https://a.example"]"#,
            "allowed_origins",
        ),
        (r#""allowed_origins": ["a.example:443"]"#, "allowed_origins"),
        (
            r#""allowed_origins": ["*", "a.example"]"#,
            "allowed_origins",
        ),
        (r#""allowed_origins": ["*.example"]"#, "allowed_origins"),
        (r#""allowed_rate": 0"#, "allowed_rate"),
        (r#""allowed_rate": "many""#, "allowed_rate"),
    ] {
        let json = format!(r#"{{"path": "/events", {keys}}}"#);
        let listener = Ok(listener.clone());
        let found =
            crate::config::tests::faults(&json, |table| PathSettings::read(table, listener));
        assert_eq!(found, [fault], "{keys}");
    }
}
