//! The listener with a certificate of its own.

use rustls::version::{TLS12, TLS13};

use super::certificates::Certificates;
use super::sender::Sender;
use super::*;

/// With these further keys.
fn listener_json(certificates: &Certificates, keys: &str) -> String {
    let at = |file: &str| certificates.path(file).display().to_string();
    let (certificate, key) = (at("server.pem"), at("server.key"));
    format!(r#"{{"certificate_file": "{certificate}", "key_file": "{key}"{keys}}}"#)
}

pub(super) fn listener_settings(certificates: &Certificates, keys: &str) -> ListenerSettings {
    read(&listener_json(certificates, keys), ListenerSettings::read).unwrap()
}

/// A path that settles as delivered.
pub(super) fn serve_as(listener: ListenerSettings) -> Running {
    let settings = PathSettings {
        listener: listener.clone(),
        ..settings()
    };
    serve_on(&listen_as(listener), &settings, delivers)
}

#[test]
fn http_1_and_2_are_spoken_over_tls_and_plain_http_is_not() {
    run(async {
        let certificates = Certificates::new();
        let route = serve_as(listener_settings(&certificates, ""));
        for protocol in ["http/1.1", "h2"] {
            let sender = Sender::new(&certificates, None, protocol, &TLS13);
            let mut opened = sender.open(route.address).await.unwrap();
            for _ in 0..3 {
                let answer = opened.post(&[], EVENT).await;
                assert_eq!(answer, Ok((202, String::new())), "{protocol}");
            }
            let large = "x".repeat(2 << 20);
            let status = opened.post(&[], &large).await.map(|(status, _)| status);
            assert!(matches!(status, Ok(413) | Err(_)), "{protocol}: {status:?}");
        }
        let mut plain = Client::connect(route.address).await;
        plain
            .write("POST /events HTTP/1.1\r\nhost: x\r\n\r\n")
            .await;
        plain.closed().await;
        assert_eq!(route.taken.get(), 6);
    });
}

#[test]
fn tls_1_2_is_spoken_only_where_sufficient_will_do() {
    run(async {
        let certificates = Certificates::new();
        for (keys, speaks) in [("", false), (r#", "tls": "ncsc-sufficient""#, true)] {
            let route = serve_as(listener_settings(&certificates, keys));
            let sender = Sender::new(&certificates, None, "h2", &TLS12);
            let answer = sender.post(route.address, &[], EVENT).await;
            assert_eq!(answer.is_ok(), speaks, "{keys}: {answer:?}");
        }
    });
}

#[test]
fn many_requests_of_one_http_2_connection_are_under_way_together() {
    run(async {
        let certificates = Certificates::new();
        let route = serve_as(listener_settings(&certificates, ""));
        let sender = Sender::new(&certificates, None, "h2", &TLS13);
        let opened = sender.open(route.address).await.unwrap();
        let posts = (0..300).map(|_| {
            let mut opened = opened.shared();
            async move { opened.post(&[], EVENT).await }
        });
        for answer in futures_util::future::join_all(posts).await {
            assert_eq!(answer, Ok((202, String::new())));
        }
        assert_eq!(route.taken.get(), 300);
    });
}

#[test]
fn http_2_is_bounded_in_headers_and_in_idle_time() {
    run_within(Duration::from_secs(120), async {
        let certificates = Certificates::new();
        let route = serve_as(listener_settings(&certificates, ""));
        let sender = Sender::new(&certificates, None, "h2", &TLS13);
        let mut opened = sender.open(route.address).await.unwrap();
        let large = "x".repeat(70 << 10);
        let answer = opened.post(&[("x-large", &large)], EVENT).await;
        assert!(!matches!(answer, Ok((202, _))), "{answer:?}");
        let mut idle = sender.open(route.address).await.unwrap();
        assert_eq!(idle.post(&[], EVENT).await, Ok((202, String::new())));
        // Its client answers pings and asks for nothing.
        tokio::time::pause();
        let begun = Instant::now();
        idle.closed().await;
        let waited = begun.elapsed().as_secs();
        assert!((29..=62).contains(&waited), "{waited} s");
    });
}

#[test]
fn only_clients_with_a_valid_certificate_get_in_where_it_is_required() {
    run(async {
        let (certificates, others) = (Certificates::new(), Certificates::new());
        certificates.issue("client", "/CN=zaken");
        certificates.issue_expired("expired", "/CN=zaken");
        others.issue("client", "/CN=zaken");
        let root = certificates.path("root.pem").display().to_string();
        let required = format!(r#", "client_ca_file": "{root}""#);
        let optional = format!(r#"{required}, "client_certificates": "optional""#);
        for (keys, without) in [(required, false), (optional, true)] {
            let route = serve_as(listener_settings(&certificates, &keys));
            for (own, gets_in) in [
                (Some((&certificates, "client")), true),
                (Some((&certificates, "expired")), false),
                (Some((&others, "client")), false),
                (None, without),
            ] {
                for protocol in ["http/1.1", "h2"] {
                    let sender = Sender::new(&certificates, own, protocol, &TLS13);
                    let answer = sender.post(route.address, &[], EVENT).await;
                    let name = own.map(|(_, name)| name);
                    assert_eq!(answer.is_ok(), gets_in, "{name:?} {protocol}: {answer:?}");
                }
            }
        }
    });
}

#[test]
fn a_revoked_client_is_kept_out_and_a_new_list_is_taken_over() {
    run_within(Duration::from_secs(60), async {
        let (certificates, others) = (Certificates::new(), Certificates::of_root("other"));
        for name in ["good", "revoked", "later"] {
            certificates.issue(name, "/CN=zaken");
        }
        certificates.revoke(&["revoked"]);
        others.revoke(&[]);
        let at = |file: &str| certificates.path(file).display().to_string();
        let foreign = others.path("root.crl").display().to_string();
        let keys = |list: &str, unknown: &str| {
            let root = at("root.pem");
            format!(
                r#", "client_ca_file": "{root}", "crl_files": ["{list}"], "crl_unknown": "{unknown}""#
            )
        };
        let gets_in = async |route: &Running, name: &str| {
            let sender = Sender::new(&certificates, Some((&certificates, name)), "h2", &TLS13);
            sender.post(route.address, &[], EVENT).await.is_ok()
        };
        for (unknown, without_list) in [("refuse", false), ("accept", true)] {
            let keys = keys(&foreign, unknown);
            let route = serve_as(listener_settings(&certificates, &keys));
            assert_eq!(gets_in(&route, "good").await, without_list, "{unknown}");
        }
        let keys = keys(&at("root.crl"), "refuse");
        let route = serve_as(listener_settings(&certificates, &keys));
        assert!(gets_in(&route, "good").await);
        assert!(!gets_in(&route, "revoked").await);
        certificates.revoke(&["later"]);
        assert!(gets_in(&route, "later").await);
        // As the process does once it has seen that a file is another.
        listener_settings(&certificates, &keys);
        assert!(!gets_in(&route, "later").await);
        assert!(gets_in(&route, "good").await);
    });
}

#[test]
fn a_renewed_certificate_is_taken_over_under_load_and_drops_nothing() {
    run_within(Duration::from_secs(60), async {
        let certificates = Certificates::new();
        certificates.issue("next", "/CN=renewed");
        let route = serve_as(listener_settings(&certificates, ""));
        let sender = Sender::new(&certificates, None, "h2", &TLS13);
        let mut kept = sender.open(route.address).await.unwrap();
        let before = kept.certificate.clone();
        for kind in ["pem", "key"] {
            let (from, to) = (format!("next.{kind}"), format!("server.{kind}"));
            std::fs::rename(certificates.path(&from), certificates.path(&to)).unwrap();
        }
        for round in 0..20 {
            if round == 10 {
                listener_settings(&certificates, "");
            }
            let mut opened = sender.open(route.address).await.unwrap();
            assert_eq!(opened.post(&[], EVENT).await, Ok((202, String::new())));
            assert_eq!(kept.post(&[], EVENT).await, Ok((202, String::new())));
            assert_eq!(opened.certificate != before, round >= 10, "{round}");
        }
        // What cannot be used is a fault, and changes nothing.
        std::fs::write(certificates.path("server.key"), "").unwrap();
        let json = listener_json(&certificates, "");
        let found = crate::config::tests::faults(&json, ListenerSettings::read);
        assert_eq!(found, ["key_file"]);
        assert_eq!(sender.post(route.address, &[], EVENT).await, Ok(202));
    });
}

#[test]
fn a_key_in_the_place_of_its_file_is_not_shown() {
    let certificates = Certificates::new();
    let certificate = certificates.path("server.pem").display().to_string();
    let key = "-----BEGIN PRIVATE KEY-----hunter2";
    let json = format!(r#"{{"certificate_file": "{certificate}", "key_file": "{key}"}}"#);
    let problems = read(&json, ListenerSettings::read).unwrap_err();
    let shown = format!("{problems:?}");
    assert!(
        shown.contains("key_file") && !shown.contains("hunter2"),
        "{shown}"
    );
}

#[test]
fn what_cannot_be_used_or_means_nothing_is_told_by_its_key() {
    let (certificates, others) = (Certificates::new(), Certificates::new());
    let at = |file: &str| certificates.path(file).display().to_string();
    let (certificate, key) = (at("server.pem"), at("server.key"));
    let foreign = others.path("server.key").display().to_string();
    let both = format!(r#""certificate_file": "{certificate}", "key_file": "{key}""#);
    let broken = at("broken.crl");
    let list = "-----BEGIN X509 CRL-----\nAAAA\n-----END X509 CRL-----\n";
    std::fs::write(&broken, list).unwrap();
    for (json, fault) in [
        (
            format!(r#"{{"certificate_file": "{certificate}"}}"#),
            "key_file",
        ),
        (format!(r#"{{"key_file": "{key}"}}"#), "certificate_file"),
        (
            format!(r#"{{"certificate_file": "{certificate}", "key_file": "{foreign}"}}"#),
            "key_file",
        ),
        (
            format!(r#"{{"certificate_file": "{key}", "key_file": "{key}"}}"#),
            "certificate_file",
        ),
        (
            format!(r#"{{{both}, "client_ca_file": "/nonexistent"}}"#),
            "client_ca_file",
        ),
        (format!(r#"{{{both}, "tls": "ncsc"}}"#), "tls"),
        (
            format!(r#"{{{both}, "crl_files": ["{certificate}"]}}"#),
            "crl_files",
        ),
        (
            format!(r#"{{{both}, "client_ca_file": "{certificate}", "crl_files": ["{key}"]}}"#),
            "crl_files",
        ),
        (
            format!(r#"{{{both}, "client_ca_file": "{certificate}", "crl_files": ["{broken}"]}}"#),
            "crl_files",
        ),
        (r#"{"tls": "ncsc-good"}"#.to_owned(), "tls"),
        (
            format!(r#"{{"client_ca_file": "{certificate}"}}"#),
            "client_ca_file",
        ),
        (r#"{"listen": ":443"}"#.to_owned(), "listen"),
        (
            r#"{"client_certificate_header": "x-cert"}"#.to_owned(),
            "client_certificate_header",
        ),
    ] {
        let found = crate::config::tests::faults(&json, ListenerSettings::read);
        assert_eq!(found, [fault], "{json}");
    }
    let json = format!(r#"{{"certificate_file": "{certificate}", "key_file": "{foreign}"}}"#);
    let problems = read(&json, ListenerSettings::read).unwrap_err();
    let told = format!("it is not the key of certificate_file {certificate}");
    assert!(problems[0].what.ends_with(&told), "{problems:?}");
    let json = format!(r#"{{"listen": ":443", {both}}}"#);
    assert!(read(&json, ListenerSettings::read).is_ok());
}
