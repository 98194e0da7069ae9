//! Every form of a report in both languages.

use std::fs;

use cloudevents_nl_conformance::rules::RULES;
use cloudevents_nl_conformance::{Language, Profile, Rule};

use super::check;

pub(super) const INPUTS: [&str; 4] = ["events.jsonl", "good.json", "batch.json", "requests.http"];
pub(super) const BESIDE: [&str; 4] = [
    "--waivers",
    "waivers.toml",
    "--declarations",
    "declarations.toml",
];

pub(super) fn report(format: &str, language: &str) -> String {
    let words = [
        "--format",
        format,
        "--lang",
        language,
        "--date",
        "2026-11-21",
    ];
    let said = check(&[&words[..], &BESIDE, &INPUTS].concat());
    assert_eq!(said.code, Some(1), "{}", said.errors);
    said.out
}

/// What changes with every rule that is added is not part of a snapshot.
pub(super) fn snapshot(name: &str, text: &str) {
    let catalogue = cloudevents_nl_conformance::catalogue::sha256();
    let counts_rules = |line: &&str| {
        let words = ["niet getest", "not tested"];
        words.iter().any(|word| line.ends_with(word)) || line.contains("\"rulesNotShown\"")
    };
    let lines: Vec<_> = text.lines().filter(|line| !counts_rules(line)).collect();
    insta::assert_snapshot!(name, lines.join("\n").replace(&catalogue, "[catalogue]"));
}

#[test]
fn table() {
    for language in ["nl", "en"] {
        snapshot(&format!("table_{language}"), &report("table", language));
    }
}

#[test]
fn json() {
    for language in ["nl", "en"] {
        let text = report("json", language);
        let mut report: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(report["format"], "cenl-report/1");
        // Every rule has its row.
        let rules = report["rules"].as_array_mut().unwrap();
        assert!(rules.len() > 20);
        rules.retain(|rule| rule["broken"] != 0 || rule["explained"] != 0);
        report["declarations"]
            .as_array_mut()
            .unwrap()
            .retain(|rule| rule["state"] == "declared");
        report["not_tested"].as_array_mut().unwrap().truncate(0);
        snapshot(
            &format!("json_{language}"),
            &serde_json::to_string_pretty(&report).unwrap(),
        );
    }
}

#[test]
fn html_is_one_file_with_everything_escaped() {
    for language in ["nl", "en"] {
        let text = report("html", language);
        assert!(text.starts_with(&format!("<!DOCTYPE html>\n<html lang=\"{language}\">")));
        for banned in [
            "<script",
            "src=",
            "url(",
            "<link",
            "javascript:",
            "<gisteren",
            "@import",
        ] {
            assert!(!text.contains(banned), "{banned}");
        }
        assert!(text.contains("&lt;gisteren &amp; &quot;vroeg&quot;&gt;"));
        // A heading of every part, and each element that begins ends.
        assert_eq!(text.matches("<h2").count(), 7 + 1);
        for element in [
            "section", "article", "table", "tr", "td", "th", "div", "p", "code", "dl", "span",
            "details", "summary",
        ] {
            let begins = text.matches(&format!("<{element}>")).count()
                + text.matches(&format!("<{element} ")).count();
            assert_eq!(
                begins,
                text.matches(&format!("</{element}>")).count(),
                "{element}"
            );
        }
        let findings = text.split("<h2 id=\"waivers\"").next().unwrap();
        snapshot(
            &format!("html_{language}"),
            findings.split("</style>").last().unwrap(),
        );
    }
}

/// The first thing that a reader sees is not all there is to it.
#[test]
fn the_verdict_counts_what_remains_to_be_declared() {
    let box_of = |language: &str, words: &[&str]| {
        let said = check(&[&["--format", "html", "--lang", language], words].concat());
        let heading = said.out.split("<h2 id=\"verdict\">").nth(1);
        heading
            .and_then(|rest| rest.split("</h2>").next())
            .unwrap_or_default()
            .to_owned()
    };
    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().join("declarations.toml");
    let path = path.to_str().unwrap();
    let declared = |rules: &[&str]| {
        let table = |rule: &&str| {
            format!("[[declaration]]\nrule='{rule}'\nreference='r'\nowner='o'\ndate=2026-11-02\n")
        };
        fs::write(path, rules.iter().map(table).collect::<String>()).unwrap();
    };
    // A rule of a draft obliges nobody (EXT-AUTH-2), nor does one that is recommended (CE-NAME-3).
    let mandatory = [
        "CE-TIME-2",
        "JSON-EXT-1",
        "JSON-DATA-10",
        "KAFKA-MODE-2",
        "NL-ID-1",
        "NL-ID-5",
        "NL-TYPE-3",
        "NL-TYPE-12",
        "NL-TIME-2",
    ];
    for (rules, open) in [
        (&[][..], 9),
        (&mandatory[..3], 6),
        (&mandatory[..8], 1),
        (&["CE-NAME-3"], 9),
    ] {
        declared(rules);
        let words = ["good.json", "--declarations", path];
        let (dutch, english) = match open {
            1 => (
                "1 verplichte verklaring".to_owned(),
                "1 mandatory declaration".to_owned(),
            ),
            _ => (
                format!("{open} verplichte verklaringen"),
                format!("{open} mandatory declarations"),
            ),
        };
        assert_eq!(
            box_of("nl", &words),
            format!("Berichten voldoen; {dutch} open")
        );
        assert_eq!(
            box_of("en", &words),
            format!("Messages comply; {english} open")
        );
    }
    declared(&mandatory);
    assert_eq!(
        box_of("nl", &["good.json", "--declarations", path]),
        "Berichten voldoen"
    );
    for (words, expected) in [
        (&["bad.json"][..], "Berichten voldoen niet; 9 "),
        (
            &["bad.json", "--waivers", "waivers.toml"],
            "Berichten voldoen, met uitgelegde afwijkingen; 9 ",
        ),
        (
            &["good.json", "--waivers", "expired.toml"],
            "Voldoet niet: een uitgelegde afwijking is verlopen; 9 ",
        ),
        (
            &["/no/such/file"],
            "Geen oordeel: niet alles kon worden gelezen; 9 ",
        ),
    ] {
        let told = box_of("nl", words);
        assert!(told.starts_with(expected), "{told}");
    }
}

#[test]
fn rules_come_last_and_folded_and_are_named_after_what_they_demand() {
    for (language, of) in [("nl", Language::Dutch), ("en", Language::English)] {
        let (html, junit) = (report("html", language), report("junit", language));
        let at = |part: &str| html.find(part).unwrap();
        assert!(at("<h2 id=\"findings\"") < at("<h2 id=\"declared\""));
        assert!(at("<h2 id=\"declared\"") < at("<details>\n<summary><h2 id=\"rules\""));
        let folded = html.split("<details>").nth(1).unwrap();
        let folded = folded.split("</details>").next().unwrap();
        let shown = |text: &str| {
            let text = text
                .replace('&', "&amp;")
                .replace('<', "&lt;")
                .replace('>', "&gt;");
            text.replace('"', "&quot;").replace('\'', "&#39;")
        };
        let in_profile = |rule: &&&Rule| rule.level.of(Profile::NlGov11).is_some();
        for rule in RULES
            .iter()
            .filter(in_profile)
            .filter(|rule| rule.id != "CE-SEC-1")
        {
            let (required, _) = rule.requirement(of);
            let case = format!("name=\"{} {}\"", rule.id, shown(required));
            assert!(junit.contains(&case), "{case}");
            let required = shown(required);
            let row = required
                .split('`')
                .enumerate()
                .map(|(at, part)| match at % 2 {
                    0 => part.to_owned(),
                    _ => format!("<code>{part}</code>"),
                });
            let row = format!(
                "<code class=\"id\">{}</code> {}<br>",
                rule.id,
                row.collect::<String>()
            );
            assert!(folded.contains(&row), "{row}");
        }
    }
}

#[test]
fn a_verdict_says_what_it_is_about() {
    for (words, expected) in [
        (&["good.json"][..], "Voldoet:"),
        (&["bad.json"], "Voldoet niet:"),
        (
            &["bad.json", "--waivers", "waivers.toml"],
            "Voldoet, met uitgelegde afwijkingen:",
        ),
        (
            &["good.json", "--waivers", "expired.toml"],
            "Voldoet niet: een uitgelegde afwijking is verlopen:",
        ),
        (
            &["good.json", "/no/such/file"],
            "Geen oordeel: niet alles kon worden gelezen:",
        ),
        (
            &["bad.json", "/no/such/file"],
            "Voldoet niet; niet alles kon worden gelezen:",
        ),
    ] {
        let said = check(words);
        let last = said.out.lines().last().unwrap();
        assert!(last.starts_with(expected), "{words:?}: {}", said.out);
    }
}
