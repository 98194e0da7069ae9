//! Reports on what was tried out, in every form and both languages.

use serde_json::Value;

use super::forms::snapshot;
use super::{check, run};

/// The rules that the record is about: broken, broken, met, and two that trying showed nothing of.
const TOLD: [&str; 5] = [
    "HOOK-RESP-11",
    "HOOK-ABUSE-1",
    "HOOK-AUTH-2",
    "HOOK-RESP-8",
    "JSON-NULL-2",
];

fn report(format: &str, language: &str) -> String {
    let said = check(&["--format", format, "--lang", language, "live.jsonl"]);
    assert_eq!(said.code, Some(1), "{}", said.errors);
    said.out
}

fn is_told(part: &str) -> bool {
    TOLD.iter().any(|id| part.contains(id))
}

#[test]
fn every_form_tells_what_was_tried() {
    for language in ["nl", "en"] {
        let name = |format: &str| format!("live_{format}_{language}");
        snapshot(&name("table"), &report("table", language));
        snapshot(&name("sarif"), &report("sarif", language));

        let mut json: Value = serde_json::from_str(&report("json", language)).unwrap();
        for list in ["rules", "declarations", "not_tested"] {
            let list = json[list].as_array_mut().unwrap();
            list.retain(|one| is_told(&one.to_string()));
        }
        let json = serde_json::to_string_pretty(&json).unwrap();
        snapshot(&name("json"), &json);

        let junit = report("junit", language);
        let cases = junit.split_inclusive("</testcase>");
        let cases = cases.filter(|case| is_told(case)).map(|case| {
            let at = case.rfind("<testcase").unwrap_or_default();
            case.get(at..).unwrap_or_default()
        });
        snapshot(&name("junit"), &cases.collect::<Vec<_>>().join("\n"));

        let html = report("html", language);
        let (head, rest) = html
            .split_once("<section aria-labelledby=\"declared\"")
            .unwrap();
        let rows = rest.split("<tr").filter(|row| is_told(row));
        let html = format!("{head}…\n{}", rows.collect::<String>());
        snapshot(&name("html"), html.split("</style>").last().unwrap());
    }
}

/// A wrong message of ours is not held against the side that is tried.
#[test]
fn only_the_side_under_test_is_judged() {
    let said = check(&["--format", "json", "live.jsonl"]);
    let report: Value = serde_json::from_str(&said.out).unwrap();
    let findings = report["findings"].as_array().unwrap();
    let found = findings.iter().map(|one| one["rule"].as_str().unwrap());
    assert_eq!(
        found.collect::<Vec<_>>(),
        ["HOOK-RESP-9", "HOOK-RESP-11", "HOOK-ABUSE-1"]
    );
    assert_eq!(report["counts"]["tried"], 3);
}

/// What the profile does not have counts for nothing, and is told all the same.
#[test]
fn what_is_broken_of_a_rule_of_another_profile_is_noticed() {
    let lines = br#"{"live":"HOOK-AUTH-2","shown":"met"}
{"live":"CE-ID-5","shown":"broken","evidence":[{"line":1,"seen":"a, then b"}]}
"#;
    for format in ["table", "sarif", "html"] {
        let said = run(&["check", "--lang", "en", "--format", format, "-"], lines);
        assert_eq!(said.code, Some(0), "{}", said.out);
        for part in ["CE-ID-5", "not in this profile", "a, then b"] {
            assert!(said.out.contains(part), "{format}, {part}: {}", said.out);
        }
    }
}

/// Whoever tries a sender may keep it from meeting a rule, and may send what breaks one: that is held
/// against nobody, and is not met.
#[test]
fn a_request_names_rules_that_it_is_not_judged_by() {
    const LINES: &str = r#"{"exchange":"delivery","under_test":"request","request":{"protocol":"http","method":"POST","target":"http://a.example/hook","headers":[["ce-id","1"],["ce-source","urn:nld:kvknr:09220932.zaken"],["ce-type","nl.brp.a"],["ce-specversion","1.0"]]MORE},"response":{"protocol":"http","status":204,"headers":[]}}
{"live":"HOOK-AUTH-1","shown":"nothing","why":{"en":"no token","nl":"geen token"}}
"#;
    let rules = |more: &str| {
        let lines = LINES.replace("MORE", more);
        let words = ["check", "--lang", "en", "--format", "json", "-"];
        let said = run(&words, lines.as_bytes());
        let report: Value = serde_json::from_str(&said.out).unwrap();
        let rules = report["rules"].as_array().unwrap();
        let find = |id: &str| rules.iter().find(|rule| rule["id"] == id).unwrap().clone();
        ["HOOK-AUTH-1", "HOOK-TLS-1", "NL-GL-HTTP-1"].map(find)
    };
    let verdicts = rules("").map(|rule| rule["verdict"].clone());
    assert_eq!(verdicts, ["fail", "fail", "warn"]);
    let rules = rules(r#","not_judged":["HOOK-TLS-1","HOOK-AUTH-1","NL-GL-HTTP-1"]"#);
    for rule in &rules {
        assert_eq!(rule["verdict"], "not applicable");
    }
    assert_eq!(rules[0]["why"], "no token");
}

/// Nor do the rules of streams see what is not judged by them.
#[test]
fn a_stream_is_not_judged_by_a_rule_that_none_of_its_events_is() {
    let lines = |more: &str| {
        let line = |id: u8, data: &str| {
            format!(
                r#"{{"protocol":"kafka","headers":[["ce_id","{id}"],["ce_source","urn:nld:kvknr:09220932.zaken"],["ce_type","nl.brp.a"],["ce_specversion","1.0"],["content-type","application/json"]],"body_base64":"{data}"{more}}}"#
            )
        };
        // {"a":1} and {"a":""}
        [line(1, "eyJhIjoxfQ=="), line(2, "eyJhIjoiIn0=")].join("\n")
    };
    let not = r#","not_judged":["NL-TYPE-5"]"#;
    for (more, expected) in [("", "warn"), (not, "not applicable")] {
        let words = ["check", "--format", "json", "-"];
        let said = run(&words, lines(more).as_bytes());
        let report: Value = serde_json::from_str(&said.out).unwrap();
        let mut rules = report["rules"].as_array().unwrap().iter();
        let rule = rules.find(|rule| rule["id"] == "NL-TYPE-5").unwrap();
        assert_eq!(rule["verdict"], expected, "{more}");
    }
}

#[test]
fn a_waiver_explains_a_rule_that_was_tried() {
    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().join("waivers.toml");
    let waiver = |rule: &str| {
        format!("[[waiver]]\nrule='{rule}'\nreason='r'\nowner='o'\nuntil=2027-01-31\n")
    };
    let rules = ["HOOK-RESP-9", "HOOK-RESP-11", "HOOK-ABUSE-1"];
    std::fs::write(&path, rules.map(waiver).concat()).unwrap();
    let waivers = ["--waivers", path.to_str().unwrap()];
    let said = check(&[&waivers[..], &["--lang", "en", "live.jsonl"]].concat());
    assert_eq!(said.code, Some(0), "{}", said.out);
    assert!(said.out.contains("explained HOOK-RESP-11"), "{}", said.out);
}

#[test]
fn a_live_rule_is_explained_with_its_remedy() {
    let said = run(&["explain", "HOOK-RESP-11", "--lang", "en"], b"");
    for part in [
        "Fix: Answer 415",
        "What has to show it: ",
        "cenl-conformance test",
    ] {
        assert!(said.out.contains(part), "{part}: {}", said.out);
    }
}
