//! Nobody there, or only now and then.

use std::collections::BTreeSet;
use std::ops::Range;
use std::process::Output;

use cloudevents_nl_conformance_live::listener::server_config;
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};

use super::certificates::Certificates;
use super::fault::Fault;
use super::model::Receiver;
use super::{checked, command, named, ports, seen};

#[tokio::test]
async fn nobody_there_is_said_with_a_remedy() {
    let port = ports::reserved();
    let url = format!("http://{}/", port.local_addr().unwrap());
    for (language, remedy) in [
        ("en", "look whether the URL is right"),
        ("nl", "kijk of de URL klopt"),
    ] {
        let output = command(&[&*url, "--lang", language]).await;
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(
            told.contains(remedy) && told.contains("cannot connect"),
            "{told}"
        );
        assert!(output.stdout.is_empty());
    }
}

/// Lets connections through to a receiver over TLS, but for those of these numbers, and tries it out.
async fn interrupted(broken_off: Range<usize>, only: &str) -> Output {
    let certificates = Certificates::new();
    let (pem, key) = (
        certificates.path("server.pem"),
        certificates.path("server.key"),
    );
    let tls = server_config(&pem, &key).unwrap();
    let (receiver, serving) = Receiver::new(Fault::None).start(Some(tls)).await;
    let proxy = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://{}/hook", proxy.local_addr().unwrap());
    let passing = tokio::spawn(async move {
        for number in 1.. {
            let (mut stream, _) = proxy.accept().await.unwrap();
            if !broken_off.contains(&number) {
                let mut behind = TcpStream::connect(receiver).await.unwrap();
                tokio::spawn(async move { copy_bidirectional(&mut stream, &mut behind).await });
            }
        }
    });
    let root = certificates.path("root.pem");
    let arguments = [
        &*url,
        "--rate",
        "60000",
        "--token-env",
        "CENL_TOKEN",
        "--lang",
        "en",
        "--ca-file",
        root.to_str().unwrap(),
        "--only",
        only,
    ];
    let output = command(&arguments).await;
    passing.abort();
    serving.abort();
    output
}

/// The first four connections are for a handshake and plain events, and each rule takes one more, or two
/// where that fails.
#[tokio::test]
async fn a_rule_that_nobody_was_reached_for_is_not_shown() {
    let report = checked(&interrupted(5..7, "JSON-NULL-1,JSON-NULL-2").await);
    assert_eq!(named(&report), BTreeSet::new(), "{:?}", seen(&report));
    let why = report.why_not_tried("JSON-NULL-1").unwrap();
    assert!(why.en.contains("cannot connect"), "{}", why.en);
    assert!(report.why_not_tried("JSON-NULL-2").is_none());
    // One that fails once is sent again.
    let report = checked(&interrupted(5..6, "JSON-NULL-1").await);
    assert!(report.why_not_tried("JSON-NULL-1").is_none());
}

#[tokio::test]
async fn a_receiver_that_is_gone_ends_the_run() {
    let rules = "JSON-NULL-1,JSON-NULL-2,JSON-DATA-8,JSON-DATA-9";
    let output = interrupted(5..100, rules).await;
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(told.contains("look whether the URL is right"), "{told}");
}
