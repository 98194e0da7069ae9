#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::*;

/// What differs in a case about an event whose type is no reverse domain name, and whose source is
/// relative.
fn differences(kind: &str, members: &str) -> Vec<String> {
    let event = r#"{\"specversion\":\"1.0\",\"id\":\"1\",\"source\":\"/a\",\"type\":\"b\"}"#;
    let case = format!(r#"{{"name":"a","event":"{event}",{members}}}"#);
    let case = RawValue::from_string(case).unwrap();
    match check(kind, &case).unwrap() {
        Verdict::Judged(differences) => differences.iter().map(|one| one.what.clone()).collect(),
        _ => vec!["not judged".to_owned()],
    }
}

#[test]
fn where_levels_are_allowed_nothing_else_is_compared() {
    let rules = r#""outcome":"violation","rules_match":"all","rules":{"nl-gov-1.1":["CE-ID-1"]},"level":{"nl-gov-1.1":"pass"}"#;
    let allowed = |levels: &str| format!(r#"{rules},"allowed_levels":{{"nl-gov-1.1":[{levels}]}}"#);
    let told = differences("events-invalid", &allowed(r#""warn","fail""#));
    assert_eq!(told, [""; 0]);
    let told = differences("events-invalid", &allowed(r#""warn""#));
    assert_eq!(told, ["level under nl-gov-1.1"]);
    // Without them, all of it is.
    let told = differences("events-invalid", rules);
    assert_eq!(told.len(), 3, "{told:?}");
    let verdict = |levels: &str| {
        format!(
            r#""verdict":{{"nl-gov-1.1":{{"level":"pass","rules":["CE-ID-1"],"allowed_levels":[{levels}]}}}}"#
        )
    };
    assert_eq!(differences("events-valid", &verdict(r#""fail""#)), [""; 0]);
    assert_eq!(differences("events-valid", &verdict(r#""warn""#)).len(), 1);
    // A level alone is enough to be judged by.
    let alone = r#""outcome":"violation","level":{"nl-gov-1.1":"pass"}"#;
    assert_eq!(
        differences("events-invalid", alone),
        ["level under nl-gov-1.1"]
    );
}

#[test]
fn another_outcome_is_one_that_the_case_allows() {
    let record = |allowed: &str| {
        let members = r#""headers":[["content-type","application/json"]],"value_base64":"e30=","outcome":"event","rules":[]"#;
        let case = format!(r#"{{"name":"a",{members},"allowed":[{allowed}]}}"#);
        check("binary-kafka", &RawValue::from_string(case).unwrap()).unwrap()
    };
    let allowed = record(r#""event","not-a-cloudevent""#);
    assert!(matches!(allowed, Verdict::NotJudged));
    let Verdict::Judged(differences) = record(r#""event""#) else {
        panic!("not judged");
    };
    assert!(differences.iter().all(|one| one.what == "outcome"));
    assert!(!differences.is_empty());
}

#[test]
fn what_is_optional_may_be_reported_or_not() {
    for (optional, expected) in [
        (r#"["CE-ID-1","NL-TYPE-1"]"#, 0),
        (r#"{"nl-gov-1.1":["CE-ID-1","NL-TYPE-1"]}"#, 0),
        (r#"["NL-TYPE-1"]"#, 1),
        (r#"["CE-ID-1"]"#, 1),
        ("[]", 2),
    ] {
        let members = format!(
            r#""outcome":"violation","rules_match":"all","rules":{{"nl-gov-1.1":["CE-ID-1","CE-SOURCE-3"]}},"optional_rules":{optional}"#
        );
        let told = differences("events-invalid", &members);
        assert_eq!(told.len(), expected, "{optional}: {told:?}");
    }
    let verdict = r#""verdict":{"nl-gov-1.1":{"rules":["CE-ID-1","CE-SOURCE-3"],"optional_rules":["CE-ID-1","NL-TYPE-1"]}}"#;
    assert_eq!(differences("events-valid", verdict), [""; 0]);
}
