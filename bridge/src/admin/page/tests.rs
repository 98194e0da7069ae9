//! The pages as texts, and in `tests/seen.rs` as a browser shows them.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod seen;
mod specimens;

use super::*;
use crate::admin::overview::Handled;
use specimens::{at, bridge, letters, well};

#[test]
fn the_verdict_counts_routes_that_need_somebody() {
    let mut overview = bridge();
    let title = |overview: &Overview, language| {
        let page = super::overview(overview, &BTreeMap::new(), language);
        let (_, rest) = page.split_once("<title>").unwrap();
        rest.split_once(" – ").unwrap().0.to_owned()
    };
    assert_eq!(
        title(&overview, Language::Dutch),
        "5 van 7 routes vragen aandacht"
    );
    overview.routes = vec![well("a"), well("b")];
    assert_eq!(title(&overview, Language::Dutch), "Alle 2 routes lopen");
    assert_eq!(title(&overview, Language::English), "All 2 routes run");
    overview.routes[0].fault = Some("its source has not joined".into());
    assert_eq!(
        title(&overview, Language::English),
        "1 of 2 routes needs attention"
    );
    overview.routes.clear();
    assert_eq!(title(&overview, Language::English), "There is no route");
}

#[test]
fn what_is_worst_comes_first_and_what_is_well_last() {
    let page = overview(&bridge(), &BTreeMap::new(), Language::English);
    let at: Vec<_> = [
        "gone",
        "refused",
        "unreachable",
        "joining",
        "halted",
        "orders",
    ]
    .map(|name| page.find(&format!("id=\"route-{name}\"")).unwrap())
    .into();
    assert!(at.is_sorted(), "{at:?}");
}

#[test]
fn nothing_that_is_shown_is_read_as_html() {
    let hostile = "<b>\"'&é/?#";
    let mut route = well(hostile);
    for text in [&mut route.cause, &mut route.remedy, &mut route.fault] {
        *text = Some(hostile.to_owned());
    }
    (route.source, route.destination) = (hostile.to_owned(), hostile.to_owned());
    let mut letters = letters();
    letters[0].id = Some(hostile.to_owned());
    let notice = Ok(Done::DeadLetters(Handled {
        failed: 1,
        stopped: Some(hostile.to_owned()),
        ..Handled::default()
    }));
    let mut overview = bridge();
    overview.routes = vec![route.clone()];
    overview.ingress_refusals[0].path = hostile.to_owned();
    let language = Language::Dutch;
    for page in [
        super::overview(&overview, &BTreeMap::new(), language),
        super::route(&route, Ok(&letters), &[], language, true, Some(&notice)),
        super::route(&route, Err(hostile), &[], language, true, None),
        settings(hostile, language),
        problem(404, hostile, language),
    ] {
        assert!(!page.contains("<b>") && !page.contains("b>\"'"), "{page}");
        assert!(page.contains("&#60;b&#62;&#34;&#39;&#38;é/?#"), "{page}");
    }
    let page = super::overview(&overview, &BTreeMap::new(), language);
    assert!(
        page.contains("href=\"/routes/%3Cb%3E%22%27%26%C3%A9%2F%3F%23?lang=nl\""),
        "{page}"
    );
}

#[test]
fn numbers_and_times_are_those_of_the_language() {
    let (dutch, english) = (Language::Dutch, Language::English);
    assert_eq!(
        (dutch.number(&1_234_567), english.number(&12)),
        ("1.234.567".into(), "12".into())
    );
    assert_eq!(
        (dutch.rate(&0.0), dutch.rate(&0.01)),
        ("0".into(), "0,1".into())
    );
    assert_eq!(
        (english.rate(&12.34), english.rate(&1234.5)),
        ("12.3".into(), "1,235".into())
    );
    for (seconds, expected) in [
        (0, "0 s"),
        (119, "119 s"),
        (120, "2 min"),
        (7_200, "2 uur"),
        (172_800, "2 dagen"),
    ] {
        assert_eq!(dutch.span(seconds), expected);
    }
    assert!(english.moment(&at(-180), &at(0)).contains(">3 min ago<"));
    assert!(dutch.moment(&at(5), &at(0)).contains(">over 5 s<"));
}

#[test]
fn without_a_token_nothing_can_be_pressed() {
    let mut overview = bridge();
    overview.actions = false;
    let page = super::overview(&overview, &BTreeMap::new(), Language::English);
    assert!(
        !page.contains("<button") && page.contains("[admin] token"),
        "{page}"
    );
    let (route, letters) = (&overview.routes[0], letters());
    let page = super::route(route, Ok(&letters), &[], Language::English, false, None);
    assert!(
        !page.contains("<button") && !page.contains("name=\"position\""),
        "{page}"
    );
}

#[test]
fn every_remedy_is_there_in_dutch() {
    use crate::outcome::{Outcome, UntrustedReason};
    let statuses = (300..600).map(|code| Outcome::Status {
        code,
        retry_after: None,
        error_body: None,
    });
    let others = [
        Outcome::Unreachable("refused"),
        Outcome::Unanswered("silence"),
        Outcome::Untrusted(UntrustedReason::NotAuthenticated),
        Outcome::Untrusted(UntrustedReason::NotAuthorised),
        Outcome::Untrusted(UntrustedReason::UnknownCa),
        Outcome::Untrusted(UntrustedReason::WrongName),
        Outcome::Untrusted(UntrustedReason::Expired),
        Outcome::Untrusted(UntrustedReason::Other("tls")),
        Outcome::Delivered,
    ];
    for outcome in statuses.chain(others) {
        let remedy = outcome.remedy();
        assert!(dutch::in_dutch(remedy).is_some(), "{remedy}");
    }
}
