//! What rules say: in both languages, short, and always in the same words.

use cloudevents_nl_conformance::catalogue::{self, Checkable, EntryText};
use cloudevents_nl_conformance::rules::RULES;
use cloudevents_nl_conformance::{Language, Text};

#[test]
fn every_text_is_there_in_both_languages() {
    fn check(id: &str, field: &str, most: usize, text: Text) {
        for one in [text.en, text.nl] {
            let length = one.chars().count();
            assert!(
                (8..=most).contains(&length),
                "{id}, {field}: {length} characters"
            );
            assert_eq!(one.trim(), one, "{id}, {field}");
        }
        assert_ne!(text.en, text.nl, "{id}, {field}");
        let is_title = field == "title";
        for one in [text.en, text.nl] {
            assert_ne!(one.ends_with('.'), is_title, "{id}, {field}: {one}");
        }
    }
    for rule in RULES.iter() {
        check(rule.id, "title", 90, rule.title);
        check(rule.id, "explanation", 400, rule.explanation);
        check(rule.id, "why", 400, rule.why);
        check(rule.id, "fix", 400, rule.fix);
    }
    for id in catalogue::with_texts() {
        let texts = catalogue::texts(id).unwrap();
        // A live rule is reported like others: as a fault, with a remedy.
        let is_live = catalogue::entry(id).unwrap().checkable == Checkable::Live;
        for text in [&texts.en, &texts.nl] {
            assert_eq!(!text.fault.is_empty(), is_live, "{id}, fault");
            assert_eq!(!text.fix.is_empty(), is_live, "{id}, fix");
        }
        if is_live {
            let [fault, fix] = [
                [&texts.en.fault, &texts.nl.fault],
                [&texts.en.fix, &texts.nl.fix],
            ]
            .map(|[en, nl]| Text { en, nl });
            check(id, "title", 90, fault);
            check(id, "fix", 400, fix);
        }
        for (field, most, en, nl) in [
            ("title", 120, &texts.en.title, &texts.nl.title),
            (
                "explanation",
                400,
                &texts.en.explanation,
                &texts.nl.explanation,
            ),
            ("evidence", 300, &texts.en.evidence, &texts.nl.evidence),
        ] {
            check(id, field, most, Text { en, nl });
        }
    }
}

/// Rows of reports are named after what is required: a line that says it by itself.
#[test]
fn a_requirement_says_by_itself_what_is_demanded() {
    for rule in RULES.iter() {
        for language in [Language::Dutch, Language::English] {
            let (required, _) = rule.requirement(language);
            let length = required.chars().count();
            assert!((20..=240).contains(&length), "{}: {length}", rule.id);
            assert!(!required.ends_with('.'), "{}: {required}", rule.id);
            assert_ne!(required, rule.title.told(language), "{}", rule.id);
        }
    }
}

/// Officials read one word for one thing.
#[test]
fn dutch_texts_do_not_change_their_words() {
    let others = [
        ("lezer", "ontvanger"),
        ("programmatuur", "software"),
        ("tussenstation", "intermediair"),
        ("tussenliggend", "intermediair"),
        ("mediatypes", "mediatypen"),
        ("extensie-attribu", "extensieattribuut"),
        ("`-header", "`ce-`header"),
        ("'s", "’s"),
        ("'n", "’n"),
        ("op http", "bij HTTP"),
    ];
    let check = |id: &str, text: &str| {
        let lower = text.to_lowercase();
        for (other, word) in others {
            assert!(!lower.contains(other), "{id}: {other} for {word}: {text}");
        }
    };
    for rule in RULES.iter() {
        for text in [rule.title, rule.explanation, rule.why, rule.fix] {
            check(rule.id, text.nl);
        }
    }
    for id in catalogue::with_texts() {
        let texts = &catalogue::texts(id).unwrap().nl;
        let EntryText {
            title,
            explanation,
            evidence,
            fault,
            fix,
            ..
        } = texts;
        for text in [title, explanation, evidence, fault, fix] {
            check(id, text);
        }
    }
}
