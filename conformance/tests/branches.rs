//! What a rule does beside its examples: one row for each way through a check that decides something.

#![allow(clippy::unwrap_used, reason = "a test may fail this way")]

use cloudevents_nl_conformance::{
    Capture, Checker, Exchange, Profile, Protocol, Purpose, Severity, StreamFacts,
};

/// How much the breaches of a rule count in a message, and whether each leaves no event.
fn breaches(rule: &str, capture: &Capture) -> Vec<(Severity, bool)> {
    let checked = Checker::new(Profile::NlGov11).check(capture);
    let of_rule = checked
        .findings
        .iter()
        .filter(|finding| finding.rule.id == rule);
    of_rule
        .map(|finding| (finding.severity, finding.refuses))
        .collect()
}

#[test]
fn ce_data_1_data_that_is_not_what_its_type_says() {
    const REFUSED: &[(Severity, bool)] = &[(Severity::Error, true)];
    const TOLERATED: &[(Severity, bool)] = &[(Severity::Error, false)];
    let event = |members: &str| {
        Capture::event(format!(
            r#"{{"specversion":"1.0","id":"1","source":"/a","type":"b",{members}}}"#
        ))
    };
    let message = |content_type: &str, body: &[u8]| {
        let mut capture = Capture::new(Protocol::Kafka);
        for (name, value) in [
            ("specversion", "1.0"),
            ("id", "1"),
            ("source", "/a"),
            ("type", "b"),
        ] {
            capture = capture.with_header(&format!("ce_{name}"), value);
        }
        capture = capture.with_header("content-type", content_type);
        capture.body = Some(body.to_vec());
        capture
    };
    for (capture, expected) in [
        // Text that is no Unicode is in no charset; in JSON, it is another rule's.
        (
            event(r#""datacontenttype":"text/plain","data":"\ud83d""#),
            REFUSED,
        ),
        (
            event(r#""datacontenttype":"text/plain","data":"\ud83d\ude00""#),
            &[],
        ),
        (
            event(r#""datacontenttype":"application/json","data":"\ud83d""#),
            &[],
        ),
        // `{a:1}` and `{"a":1}`: bytes stay bytes, whatever they are called.
        (
            event(r#""datacontenttype":"application/json","data_base64":"e2E6MX0=""#),
            TOLERATED,
        ),
        (
            event(r#""datacontenttype":"application/json","data_base64":"eyJhIjoxfQ==""#),
            &[],
        ),
        (
            event(r#""datacontenttype":"text/plain","data_base64":"e2E6MX0=""#),
            &[],
        ),
        (message("application/json", b"{a:1}"), REFUSED),
        (message("application/json", b"{\"a\":1}"), &[]),
        (message("text/plain; charset=UTF-8", b"\xff"), TOLERATED),
        (message("text/plain", b"\xff"), &[]),
        // XML, whose charset is known or does not matter for how it begins.
        (message("application/xml", b" {}"), TOLERATED),
        (
            message("application/soap+xml; charset=utf-8", b"\"<a/>\""),
            TOLERATED,
        ),
        (
            event(r#""datacontenttype":"text/xml","data":"{}""#),
            TOLERATED,
        ),
        (message("application/xml", b"\xEF\xBB\xBF\n<a/>"), &[]),
        (message("application/xml", b"\xFF\xFE<\0"), &[]),
        (message("application/xml; charset=cp037", b"Lo"), &[]),
    ] {
        assert_eq!(breaches("CE-DATA-1", &capture), expected, "{capture:#?}");
    }
}

#[test]
fn http_str_1_and_kafka_bin_1_a_body_that_is_the_event_of_the_headers() {
    for (rule, protocol) in [
        ("HTTP-STR-1", Protocol::Http),
        ("KAFKA-BIN-1", Protocol::Kafka),
    ] {
        for (id, source, expected) in [("1", "/a", 1), ("2", "/a", 0), ("1", "/c", 0)] {
            let mut capture =
                Capture::new(protocol).with_header("content-type", "application/json");
            for (name, value) in [
                ("specversion", "1.0"),
                ("id", "1"),
                ("source", "/a"),
                ("type", "b"),
            ] {
                capture = capture.with_header(&format!("{}{name}", protocol.prefix()), value);
            }
            let body =
                format!(r#"{{"specversion":"1.0","id":"{id}","source":"{source}","type":"b"}}"#);
            capture.body = Some(body.into());
            assert_eq!(breaches(rule, &capture).len(), expected, "{capture:#?}");
        }
    }
}

#[test]
fn json_env_2_and_http_str_1_an_event_behind_no_media_type() {
    for (content_type, expected) in [
        ("application/cloudevents+json, application/json", 1),
        ("application/cloudevents+json charset=utf-8", 1),
        ("application/cloudevents+avro", 0),
    ] {
        let mut capture = Capture::new(Protocol::Http).with_header("content-type", content_type);
        let event = r#"{"specversion":"1.0","id":"1","source":"/a","type":"b"}"#;
        capture.body = Some(event.into());
        for rule in ["JSON-ENV-2", "HTTP-STR-1"] {
            let found = breaches(rule, &capture).len();
            assert_eq!(found, expected, "{rule}: {content_type}");
        }
    }
}

/// An event may be data, and a member may have an `id`.
#[test]
fn json_env_4_an_event_in_a_member() {
    const EVENT: &str = r#"{"specversion":"1.0","id":"1","source":"/a","type":"b"}"#;
    for (members, expected) in [
        (format!(r#""schema":"c","payload":{EVENT}"#), 1),
        (r#""payload":{"id":"1"}"#.to_owned(), 0),
        (format!(r#""data":{EVENT}"#), 0),
    ] {
        let capture = Capture::event(format!("{{{members}}}"));
        assert_eq!(
            breaches("JSON-ENV-4", &capture).len(),
            expected,
            "{members}"
        );
    }
}

#[test]
fn kafka_str_1_names_the_header_that_was_meant() {
    for name in ["content_type", "Content-Type"] {
        let capture = Capture::new(Protocol::Kafka);
        let mut capture = capture.with_header(name, "application/cloudevents+json");
        let event = r#"{"specversion":"1.0","id":"1","source":"/a","type":"b"}"#;
        capture.body = Some(event.into());
        let checked = Checker::new(Profile::NlGov11).check(&capture);
        let mut findings = checked.findings.iter();
        let found = findings.find(|finding| finding.rule.id == "KAFKA-STR-1");
        let found = found.map(|found| (found.severity, &*found.seen));
        let expected = (Severity::Notice, "application/cloudevents+json");
        assert_eq!(found, Some(expected), "{name}");
    }
}

/// What the codec takes for no event is told, and leaves none to refuse; an answer may list events.
#[test]
fn http_batch_3_an_array_of_events_that_is_not_announced() {
    const EVENT: &str = r#"{"specversion":"1.0","id":"1","source":"/a","type":"b"}"#;
    let told = |body: String, status| {
        let mut capture =
            Capture::new(Protocol::Http).with_header("content-type", "application/json");
        (capture.body, capture.status) = (Some(body.into()), status);
        breaches("HTTP-BATCH-3", &capture)
    };
    assert_eq!(
        told(format!("[{EVENT},{EVENT}]"), None),
        [(Severity::Error, false)]
    );
    for body in [format!("[{EVENT},{{}}]"), "[]".to_owned(), EVENT.to_owned()] {
        assert!(told(body, None).is_empty());
    }
    assert!(told(format!("[{EVENT}]"), Some(200)).is_empty());
}

/// Data has no attributes to complain about.
#[test]
fn nats_str_1_bare_data_breaks_nothing_else() {
    for (body, expected) in [
        (r#"{"a":1.5,"b":[]}"#, &["NATS-STR-1"][..]),
        (" {} ", &["NATS-STR-1"]),
        ("[1]", &[]),
        ("tekst", &[]),
    ] {
        let mut capture = Capture::new(Protocol::Nats);
        capture.body = Some(body.into());
        let checked = Checker::new(Profile::NlGov11).check(&capture);
        let found = checked.findings.iter().map(|finding| finding.rule.id);
        assert_eq!(found.collect::<Vec<_>>(), expected, "{body}");
    }
}

#[test]
fn nl_gl_http_2_a_content_coding_hides_what_it_codes() {
    let coded = |content_type: &str, coding: &str| {
        let capture = Capture::new(Protocol::Http).with_header("content-type", content_type);
        let mut capture = capture.with_header("content-encoding", coding);
        capture.body = Some(b"\x1F\x8B\x08".to_vec());
        breaches("NL-GL-HTTP-2", &capture).len()
    };
    assert_eq!(coded("application/cloudevents+json", "gzip"), 0);
    assert_eq!(coded("application/cloudevents+avro", "identity"), 1);
}

/// The events of a stream, from 0, that break a rule; each is an id and a `sequence`.
fn broken(rule: &str, is_complete: bool, events: &[(&str, &str)]) -> Vec<usize> {
    let mut stream = Checker::new(Profile::NlGov11).stream(StreamFacts::new(is_complete));
    let mut broken = Vec::new();
    for (at, (id, sequence)) in events.iter().enumerate() {
        let event = format!(
            r#"{{"specversion":"1.0","id":"{id}","source":"/a","type":"b","sequencetype":"Integer","sequence":"{sequence}"}}"#
        );
        if stream.see(&Capture::event(event)).count_of(rule) > 0 {
            broken.push(at);
        }
    }
    assert_eq!(stream.end().count_of(rule), 0);
    broken
}

#[test]
fn ext_seq_5_counting() {
    for (events, in_excerpt, in_whole) in [
        // What is left out of an excerpt is not the sender's gap.
        (&[("a", "1"), ("b", "2"), ("c", "3")][..], &[][..], &[][..]),
        (&[("a", "5"), ("b", "6")], &[], &[0]),
        (&[("a", "1"), ("b", "3"), ("c", "4")], &[], &[1]),
        // Neither goes back.
        (&[("a", "1"), ("b", "2"), ("c", "2")], &[2], &[2]),
        (&[("a", "1"), ("b", "2"), ("c", "1")], &[2], &[2]),
        // An event that is delivered again is passed over, whatever came between.
        (
            &[("a", "1"), ("a", "1"), ("b", "2"), ("a", "1"), ("c", "3")],
            &[],
            &[],
        ),
        (
            &[
                ("a", "2147483647"),
                ("b", "-2147483648"),
                ("c", "-2147483647"),
            ],
            &[],
            &[0],
        ),
        // A value that is no Integer is another rule's, and the count goes on behind it.
        (&[("a", "1"), ("b", "x"), ("c", "2")], &[], &[]),
    ] {
        assert_eq!(
            broken("EXT-SEQ-5", false, events),
            in_excerpt,
            "excerpt of {events:?}"
        );
        assert_eq!(broken("EXT-SEQ-5", true, events), in_whole, "{events:?}");
    }
}

#[test]
fn hook_auth_5_what_is_no_token() {
    for (values, expected) in [
        (&["Bearer abc"][..], 0),
        (&["Bearer  1|a:b"], 0),
        // Masks, and a variable of a .http file.
        (&["Bearer •••"], 0),
        (&["Bearer [left out]"], 0),
        (&["Bearer {{token}}"], 0),
        (&["Bearer {\"access_token\":\"x\"}"], 1),
        (&["Bearer gehéim"], 1),
        (&["Bearer undefined"], 1),
        (&["Bearer [object Object]"], 1),
        (&["Bearer abc", "Basic YTpi"], 1),
    ] {
        let mut request = Capture::new(Protocol::Http);
        for value in values {
            request = request.with_header("Authorization", *value);
        }
        let response = Capture::new(Protocol::Http);
        let exchange = Exchange::new(Purpose::Delivery, request, response);
        let checked = Checker::new(Profile::NlGov11).check_exchange(&exchange);
        assert_eq!(checked.count_of("HOOK-AUTH-5"), expected, "{values:?}");
    }
}

#[test]
fn hook_vres_1_and_7_a_header_that_is_misspelt() {
    for (name, expected) in [
        ("WebHook-Allow-Origin", "HOOK-VRES-1"),
        ("WebHook-Allow-Rate", "HOOK-VRES-1"),
        // What is neither of them is not meant as one.
        ("WebHook-Allow", ""),
        ("WebHook-Allow-Methods", ""),
        ("X-Allow-Origin", "HOOK-VRES-7"),
    ] {
        let request = Capture::new(Protocol::Http);
        let mut request = request.with_header("WebHook-Request-Origin", "a.example");
        request.method = Some("OPTIONS".to_owned());
        let response = Capture::new(Protocol::Http).with_header("Allow", "POST");
        let mut response = response.with_header(name, "*");
        response.status = Some(200);
        let exchange = Exchange::new(Purpose::Validation, request, response);
        let checked = Checker::new(Profile::NlGov11).check_exchange(&exchange);
        let found = ["HOOK-VRES-1", "HOOK-VRES-7"].map(|rule| checked.count_of(rule));
        let expected = ["HOOK-VRES-1", "HOOK-VRES-7"].map(|rule| usize::from(rule == expected));
        assert_eq!(found, expected, "{name}");
    }
}

#[test]
fn hook_resp_3_and_4_divide_the_answers() {
    for (status, with_body, without_body) in [
        (200, None, Some("HOOK-RESP-4")),
        (201, None, None),
        // Not processed yet: these two are about what is.
        (202, None, None),
        (203, Some("HOOK-RESP-3"), Some("HOOK-RESP-4")),
        (204, Some("HOOK-RESP-3"), None),
        (205, Some("HOOK-RESP-3"), Some("HOOK-RESP-4")),
        (299, Some("HOOK-RESP-3"), Some("HOOK-RESP-4")),
        (400, None, None),
    ] {
        for (body, expected) in [("{}", with_body), ("", without_body)] {
            let mut request = Capture::new(Protocol::Http);
            request.method = Some("POST".to_owned());
            let mut response =
                Capture::new(Protocol::Http).with_header("Content-Type", "text/plain");
            response.status = Some(status);
            response.body = Some(body.into());
            let exchange = Exchange::new(Purpose::Delivery, request, response);
            let checked = Checker::new(Profile::NlGov11).check_exchange(&exchange);
            let found = checked.findings.iter().map(|finding| finding.rule.id);
            let found: Vec<_> = found
                .filter(|rule| matches!(*rule, "HOOK-RESP-3" | "HOOK-RESP-4"))
                .collect();
            assert_eq!(found, Vec::from_iter(expected), "{status} {body:?}");
        }
    }
}
