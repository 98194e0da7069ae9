//! What a report says of rules and inputs about which messages say nothing: never that they comply.

use cloudevents_nl_conformance::rules::RULES;

use super::{check, forms, run};

/// No message can break HTTP-BATCH-4, whatever is handed in.
const ACCEPTANCE: &str = "HTTP-BATCH-4";

#[test]
fn a_rule_that_no_message_can_break_gets_no_verdict() {
    let json = |language| -> serde_json::Value {
        serde_json::from_str(&forms::report("json", language)).unwrap()
    };
    let report = json("nl");
    let mut acceptance = 0;
    for row in report["rules"].as_array().unwrap() {
        let rule = RULES.iter().find(|rule| row["id"] == rule.id).unwrap();
        let is_not_shown = row["verdict"] == "not shown by messages";
        assert_eq!(rule.is_acceptance(), is_not_shown, "{row}");
        if is_not_shown {
            assert_eq!((&row["applied"], &row["broken"]), (&0.into(), &0.into()));
            acceptance += 1;
        }
    }
    assert!(acceptance > 30, "{acceptance}");
    for (language, state, why) in [
        (
            "nl",
            "blijkt niet uit berichten",
            "Geen bericht kan deze regel schenden",
        ),
        (
            "en",
            "not shown by messages",
            "No message can break this rule",
        ),
    ] {
        let html = forms::report("html", language);
        let row = html
            .lines()
            .rfind(|line| line.contains(ACCEPTANCE))
            .unwrap();
        assert!(row.contains(&format!(">{state}</span>")), "{row}");
        assert!(row.contains("<div>–</div>"), "{row}");

        let junit = forms::report("junit", language);
        let case = junit
            .split("<testcase")
            .find(|case| case.contains(ACCEPTANCE));
        let is_skipped = case.unwrap().contains(&format!("<skipped message=\"{why}"));
        assert!(is_skipped, "{case:?}");

        let sarif: serde_json::Value =
            serde_json::from_str(&forms::report("sarif", language)).unwrap();
        let not_shown = &sarif["runs"][0]["properties"]["rulesNotShown"];
        assert_eq!(not_shown.as_u64(), Some(acceptance));

        let table = forms::report("table", language);
        assert!(table.contains(&format!("{acceptance} r")), "{table}");

        let explained = run(&["explain", ACCEPTANCE, "--lang", language], b"").out;
        assert!(
            explained.contains(&format!(": {state}\n{why}")),
            "{explained}"
        );
        let listed = run(&["rules", "--lang", language], b"").out;
        let line = listed.lines().find(|line| line.starts_with(ACCEPTANCE));
        assert!(line.unwrap().contains(" accept "), "{line:?}");
    }
}

const EVENT: &str = r#"{"specversion":"1.0","id":"1","source":"urn:nld:oin:00000001823288444000:systeem:a","type":"nl.a.b"}"#;

#[test]
fn an_input_without_an_event_to_judge_is_not_checked() {
    let nothing = r#"{"protocol":"kafka","headers":[["trace","1"]],"body_base64":"e30="}"#;
    let avro = r#"{"protocol":"kafka","headers":[["content-type","application/cloudevents+avro"]],"body_base64":"AA=="}"#;
    for (input, expected) in [
        (
            nothing.to_owned(),
            "-: no event to judge (messages: 1): they are empty batches, or nothing in their headers",
        ),
        (
            format!("{nothing}\n{avro}\n{avro}"),
            "-: no event to judge (messages: 3): 2 hold one in a format that is not read, such as Avro",
        ),
        ("[]".to_owned(), "-: no event to judge (messages: 1)"),
        (
            "{\"asyncapi\":\"3.0.0\"}".to_owned(),
            "-: no event to judge: there is no example or exchange",
        ),
        (
            avro.replace("avro", "batch+json").replace("events+", "events-"),
            "or a batch where the protocol has none",
        ),
        // Nor does a warning make it one that was judged.
        (
            avro.replace("kafka", "http"),
            "-: no event to judge (messages: 1): 1 hold",
        ),
        (
            "POST https://a.example/hook HTTP/1.1\nAuthorization: Bearer a\nContent-Type: text/plain\n\nhallo\nHTTP/1.1 204 No Content\n"
                .to_owned(),
            "-: no event to judge (messages: 1)",
        ),
    ] {
        let said = run(
            &["check", "--lang", "en", "--fail-on", "none", "-"],
            input.as_bytes(),
        );
        assert_eq!(said.code, Some(2), "{}", said.out);
        assert!(said.out.contains(expected), "{}", said.out);
        let last = said.out.lines().last().unwrap();
        assert!(
            last.starts_with("No verdict: there is no event to judge in an input"),
            "{last}"
        );
        // What stands in another input does not hide it.
        let said = run(&["check", "good.json", "-"], input.as_bytes());
        assert_eq!(said.code, Some(2), "{}", said.out);
        // All was read.
        let said = run(&["check", "bad.json", "-", "--lang", "en"], input.as_bytes());
        let last = said.out.lines().last().unwrap();
        let told = "Does not comply; there is no event to judge in an input";
        assert!(last.starts_with(told), "{last}");
    }
    // A broken event was judged, and a handshake is no event but judged as well.
    assert_eq!(run(&["check", "-"], b"{").code, Some(1));
    assert_eq!(check(&["exchanges.jsonl"]).code, Some(1));
}

#[test]
fn a_mixed_input_says_how_much_was_not_judged() {
    let avro = r#"{"protocol":"nats","headers":[["content-type","application/cloudevents+avro"]],"body_base64":"AA=="}"#;
    let input = format!("{EVENT}\n{avro}\n");
    for (language, expected) in [
        ("nl", "1 bericht niet beoordeeld"),
        ("en", "1 message not judged"),
    ] {
        for format in ["table", "html"] {
            let words = ["check", "--lang", language, "--format", format, "-"];
            let said = run(&words, input.as_bytes());
            assert_eq!(said.code, Some(0), "{}", said.out);
            assert!(said.out.contains(expected), "{}", said.out);
        }
    }
    let said = run(&["check", "--format", "json", "-"], input.as_bytes());
    let report: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(report["counts"]["not_events"], 1);
    assert_eq!(report["counts"]["unread"], 1);
    assert_eq!(report["counts"]["passed"], 1);
}

#[test]
fn what_was_not_all_checked_does_not_pass() {
    let warned = EVENT.replace("urn:nld:oin:00000001823288444000:systeem:a", "/a");
    let waivers = ["--waivers", "waivers.toml"];
    for (words, input, expected) in [
        (&["good.json", "/no/such/file"][..], "", "not applicable"),
        (&["-", "/no/such/file"], &*warned, "not applicable"),
        (
            &["bad.json", "/no/such/file", waivers[0], waivers[1]],
            "",
            "not applicable",
        ),
        (
            &["good.json", "-", "--fail-on", "none"],
            "[]",
            "not applicable",
        ),
        // What fails, fails whatever else there may be.
        (&["bad.json", "/no/such/file"], "", "fail"),
    ] {
        let words = [
            &["check", "--today", "2026-11-21", "--format", "json"][..],
            words,
        ]
        .concat();
        let said = run(&words, input.as_bytes());
        let report: serde_json::Value = serde_json::from_str(&said.out).unwrap();
        assert_eq!(
            (said.code, &report["exit_code"]),
            (Some(2), &2.into()),
            "{words:?}"
        );
        assert_eq!(report["verdict"], expected, "{words:?}");
    }
}
