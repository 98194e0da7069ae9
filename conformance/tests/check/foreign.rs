//! What other tools write: kcat, HAR files, and documents with examples.

use serde_json::Value;

use super::{Said, run};

fn check(input: &str) -> (Said, Vec<(String, u64, Option<u64>)>) {
    let said = run(
        &["check", "--format", "json", "--no-config", "-"],
        input.as_bytes(),
    );
    let report: Value = serde_json::from_str(&said.out).unwrap();
    let findings = report["findings"].as_array().unwrap().iter();
    let findings = findings.map(|one| {
        let rule = one["rule"].as_str().unwrap().to_owned();
        (rule, one["line"].as_u64().unwrap(), one["column"].as_u64())
    });
    // The inputs are small and repeat themselves; these two are not what is looked for.
    let findings = findings.filter(|(rule, ..)| rule != "CE-ID-3" && rule != "NL-DCT-1");
    let findings = findings.collect();
    (said, findings)
}

#[test]
fn kcat_shows_records() {
    let record = |id: &str| {
        format!(
            r#"{{"topic":"zaken","partition":0,"offset":7,"tstype":"create","ts":1,"broker":0,"headers":["ce_specversion","1.0","ce_id","{id}","ce_source","urn:nld:kvknr:09220932.zaken","ce_type","nl.brp.a","x",null],"key":"k","payload":"{{}}"}}"#
        )
    };
    let structured = r#"{"topic":"zaken","partition":1,"offset":8,"headers":["content-type","application/cloudevents+json"],"key":null,"payload":"{\"specversion\":\"1.0\",\"id\":\"\",\"source\":\"urn:nld:kvknr:09220932.zaken\",\"type\":\"nl.brp.a\"}"}"#;
    let (said, findings) = check(&format!("{}\n{}\n{structured}\n", record("1"), record("")));
    let empty = |line| ("CE-ID-2".to_owned(), line, None);
    assert_eq!(findings, [empty(2), empty(3)], "{}", said.out);
    assert!(
        said.out.contains("\"position\": \"kafka:zaken/1/8\""),
        "{}",
        said.out
    );
    // A record without headers is no event, and says so.
    let (said, _) = check(r#"{"topic":"zaken","partition":0,"offset":7,"payload":"a"}"#);
    assert_eq!(said.code, Some(2));
    assert!(
        said.errors.contains("geen gebeurtenis om te beoordelen"),
        "{}",
        said.errors
    );
    // An event may have such members.
    let (_, findings) = check(
        r#"{"topic":"a","specversion":"1.0","id":"","source":"urn:nld:kvknr:09220932.zaken","type":"nl.brp.a"}"#,
    );
    assert!(
        findings.iter().any(|(rule, ..)| rule == "CE-ID-2"),
        "{findings:?}"
    );
}

#[test]
fn a_har_file_shows_exchanges() {
    let entry = |content_type: &str, status: u16| {
        format!(
            r#"{{"startedDateTime":"2026-11-21T16:00:00Z","request":{{"method":"POST","url":"https://a.example/hook",
"headers":[{{"name":":method","value":"POST"}},{{"name":"Content-Type","value":"{content_type}"}},{{"name":"Authorization","value":"Bearer abc"}}],
"postData":{{"mimeType":"x","text":"{{\"specversion\":\"1.0\",\"id\":\"1\",\"source\":\"urn:nld:kvknr:09220932.zaken\",\"type\":\"nl.brp.a\"}}"}}}},
"response":{{"status":{status},"headers":[{{"name":"Content-Type","value":"text/plain"}}],"content":{{"size":2,"mimeType":"x","text":"b2s=","encoding":"base64"}}}}}}"#
        )
    };
    let json = "application/cloudevents+json";
    let file = format!(
        "{{ \"log\": {{\"version\":\"1.2\",\n\"entries\":[{},\n {}]}}}}\n",
        entry(json, 200),
        entry(json, 429)
    );
    let (said, findings) = check(&file);
    assert_eq!(
        findings,
        [("HOOK-RESP-9".to_owned(), 6, None)],
        "{}",
        said.out
    );
    assert!(!said.out.contains("abc"));
}

#[test]
fn examples_of_documents_are_events() {
    let asyncapi = r#"{
  "asyncapi": "3.0.0",
  "components": { "messages": { "zaak": { "examples": [
    { "name": "good", "payload": { "specversion": "1.0", "id": "1", "source": "urn:nld:kvknr:09220932.zaken", "type": "nl.brp.a" } },
    { "payload": { "specversion": "1.0",
        "id": "", "source": "urn:nld:kvknr:09220932.zaken", "type": "nl.brp.a" } },
    { "headers": { "ce_specversion": "1.0", "ce_id": "", "ce_source": "urn:nld:kvknr:09220932.zaken", "ce_type": "nl.brp.a" }, "payload": {} },
    { "payload": { "no": "event" } }
  ] } } }
}"#;
    let (said, findings) = check(asyncapi);
    let empty = |line, column| ("CE-ID-2".to_owned(), line, column);
    assert_eq!(
        findings,
        [empty(6, Some(15)), empty(7, None)],
        "{}",
        said.out
    );
    // They are no stream, and one that lacks a required attribute is an event too.
    assert!(!said.out.contains("\"rule\": \"CE-ID-3\""), "{}", said.out);
    let (said, findings) = check(
        r#"{"asyncapi":"3.0.0","x":{"examples":[{"payload":{"id":"1","source":"urn:nld:kvknr:09220932.zaken","type":"nl.brp.a"}}]}}"#,
    );
    let is_found = findings.iter().any(|(rule, ..)| rule == "CE-SPECVERSION-1");
    assert!(is_found, "{}", said.out);
    let schema = r#"{"$schema":"https://json-schema.org/draft/2020-12/schema","examples":[{"specversion":"1.0","id":"","source":"urn:nld:kvknr:09220932.zaken","type":"nl.brp.a"}]}"#;
    let (said, findings) = check(schema);
    assert_eq!(findings, [empty(1, Some(97))], "{}", said.out);
    let yaml = "asyncapi: 3.0.0\ncomponents:\n  messages:\n    zaak:\n      examples:\n        - payload:\n            specversion: '1.0'\n            id: ''\n            source: urn:nld:kvknr:09220932.zaken\n            type: nl.brp.a\n        - name: leeg\n          headers: { ce_specversion: '1.0', ce_id: '', ce_source: urn:nld:kvknr:09220932.zaken, ce_type: nl.brp.a }\n";
    let (said, findings) = check(yaml);
    assert_eq!(findings, [empty(8, None), empty(11, None)], "{}", said.out);
    // As editors and generators begin.
    let begun = format!("# yaml-language-server: $schema=x\n\n---\n{yaml}");
    let (said, findings) = check(&begun);
    assert_eq!(findings, [empty(11, None), empty(14, None)], "{}", said.out);
    for broken in ["asyncapi: [3.0\n", "asyncapi: &a 3\nx: *a\n"] {
        let (said, _) = check(broken);
        assert_eq!(said.code, Some(2));
        assert!(
            said.out.contains("YAML die niet te lezen is"),
            "{}",
            said.out
        );
    }
    let (said, _) = check(r#"{"asyncapi":"3.0.0"}"#);
    assert_eq!(said.code, Some(2));
}
