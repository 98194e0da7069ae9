//! The pages as texts, and in `tests/seen.rs` as a browser shows them.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod seen;
mod specimens;

use super::*;
use crate::admin::overview::{Circuit, Handled, RouteOverview, RouteState};
use specimens::{at, bridge, letters, outage, well};

/// As a text.
fn route_page(
    route: &RouteOverview,
    letters: Result<&[DeadLetterLine], &str>,
    waiting: Result<&WaitingEvents, &str>,
    language: Language,
    actions: bool,
    notice: Option<&Notice>,
) -> String {
    let page = RoutePage {
        language,
        at: Timestamp::now(),
        card: Card::new(route, language, actions),
        letters,
        waiting,
        notice,
    };
    rendered(&page).0
}

fn settings_page(
    settings: &str,
    language: Language,
    actions: bool,
    notice: Option<&Notice>,
) -> String {
    rendered(&SettingsPage {
        language,
        settings,
        actions,
        notice,
    })
    .0
}

fn problem_page(status: u16, detail: &str, language: Language) -> String {
    rendered(&ProblemPage {
        language,
        status,
        detail,
    })
    .0
}

#[test]
fn the_verdict_counts_routes_that_need_somebody() {
    let mut overview = bridge();
    let title = |overview: &Overview, language| {
        let page = super::overview(overview, &BTreeMap::new(), language).0;
        let (_, rest) = page.split_once("<title>").unwrap();
        rest.split_once(" – ").unwrap().0.to_owned()
    };
    assert_eq!(
        title(&overview, Language::Dutch),
        "5 van 7 routes vragen aandacht"
    );
    overview.routes = vec![well("a"), well("b")];
    assert_eq!(
        title(&overview, Language::English),
        "The settings need attention"
    );
    overview.settings_fault = None;
    assert_eq!(title(&overview, Language::Dutch), "Alle 2 routes lopen");
    assert_eq!(title(&overview, Language::English), "All 2 routes run");
    overview.routes[0].faults = vec!["its source has no connection".into()];
    assert_eq!(
        title(&overview, Language::English),
        "1 of 2 routes needs attention"
    );
    overview.routes.clear();
    assert_eq!(title(&overview, Language::English), "There is no route");
}

#[test]
fn what_is_worst_comes_first_and_what_is_well_last() {
    let page = overview(&bridge(), &BTreeMap::new(), Language::English).0;
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

/// On the page of the route, in English.
fn told(of: &RouteOverview) -> String {
    let none = WaitingEvents::default();
    route_page(of, Ok(&[]), Ok(&none), Language::English, true, None)
}

#[test]
fn what_is_wrong_at_the_source_and_at_both_ends_is_told_together() {
    let outages = vec![
        outage(Stage::Sink, "status 503", "wait"),
        outage(Stage::DeadLetter, "queue-full", "look"),
    ];
    let fault = "3 partitions are read no further, see the log";
    let page = told(&RouteOverview {
        state: RouteState::HeldAtSource,
        faults: vec![fault.to_owned()],
        outages: outages.clone(),
        ..well("a")
    });
    for words in ["until somebody acts", fault, "status 503", "queue-full"] {
        assert!(page.contains(words), "{words} in {page}");
    }
    assert!(!page.contains("goes on by itself"), "{page}");
    // Dead letters alone, although the circuit of the destination is open for a single event.
    let page = told(&RouteOverview {
        circuit: Circuit::Open,
        outages: outages[1..].to_vec(),
        ..well("a")
    });
    assert!(page.contains("cannot be kept as a dead letter"), "{page}");
    assert!(page.contains("<dt>Dead letters</dt>"), "{page}");
}

#[test]
fn a_pause_has_a_tone_of_its_own_and_counts_say_since_when() {
    let mut route = well("a");
    assert!(!told(&route).contains("Discarded") && !told(&route).contains("Lost"));
    (route.state, route.discarded, route.lost) = (RouteState::Paused, 2, 3);
    let page = told(&route);
    assert!(page.contains("class=\"alone paused\""), "{page}");
    let since = "<small>since the start</small>";
    for figure in [
        format!("Discarded</dt><dd>2{since}"),
        format!("Lost</dt><dd>3{since}"),
        format!("New dead letters</dt><dd>0{since}"),
    ] {
        assert!(page.contains(&figure), "{figure} in {page}");
    }
}

#[test]
fn nothing_that_is_shown_is_read_as_html() {
    let hostile = "<b>\"'&é/?#";
    let mut route = well(hostile);
    route.faults = vec![hostile.to_owned()];
    route.outages = vec![outage(Stage::Sink, hostile, hostile)];
    (route.source, route.destination) = (hostile.to_owned(), hostile.to_owned());
    let none = WaitingEvents::default();
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
        super::overview(&overview, &BTreeMap::new(), language).0,
        route_page(
            &route,
            Ok(&letters),
            Ok(&none),
            language,
            true,
            Some(&notice),
        ),
        route_page(&route, Err(hostile), Err(hostile), language, true, None),
        settings_page(hostile, language, true, Some(&Err(hostile.to_owned()))),
        problem_page(404, hostile, language),
    ] {
        assert!(!page.contains("<b>") && !page.contains("b>\"'"), "{page}");
        assert!(page.contains("&#60;b&#62;&#34;&#39;&#38;é/?#"), "{page}");
    }
    let page = super::overview(&overview, &BTreeMap::new(), language).0;
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
    let page = super::overview(&overview, &BTreeMap::new(), Language::English).0;
    assert!(
        !page.contains("<button") && page.contains("[admin] token"),
        "{page}"
    );
    let page = settings_page("a = 1", Language::English, false, None);
    assert!(!page.contains("<button"), "{page}");
    let (route, letters) = (&overview.routes[0], letters());
    let none = WaitingEvents::default();
    let page = route_page(
        route,
        Ok(&letters),
        Ok(&none),
        Language::English,
        false,
        None,
    );
    assert!(
        !page.contains("<button") && !page.contains("name=\"position\""),
        "{page}"
    );
}

#[test]
fn what_the_bridge_says_is_there_in_dutch() {
    use crate::outcome::{CONSENT_PENDING, Outcome, RefusedReason, UntrustedReason};
    use crate::route::dead_letter::Kind;
    use crate::route::report::{EVENTS_HELD, REFUSES_ALL};
    let held = format!("3 events are held until somebody acts: {EVENTS_HELD}");
    let statuses = (300..600).map(|code| Outcome::Status {
        code,
        retry_after: None,
        error_body: None,
    });
    let others = [
        Outcome::Unreachable("tls"),
        Outcome::Unreachable("destination speaks no TLS"),
        Outcome::Unreachable("destination speaks TLS only"),
        Outcome::Unreachable("disk-full"),
        Outcome::Unreachable("no-permission"),
        Outcome::NoToken("token endpoint does not answer"),
        Outcome::NoToken("token endpoint refuses us"),
        Outcome::NoToken("token endpoint gives no token"),
        Outcome::NoToken("what proves who we are cannot be read"),
        Outcome::NoToken("status 401, and token endpoint does not answer"),
        Outcome::NoToken("status 401, and token endpoint refuses us"),
        Outcome::NoToken("status 401, and token endpoint gives no token"),
        Outcome::NoToken("status 401, and what proves who we are cannot be read"),
        Outcome::NoConsent("receiver does not consent"),
        Outcome::NoConsent(CONSENT_PENDING),
        Outcome::NoConsent("receiver consents to another origin"),
        Outcome::NoConsent("receiver allows a rate that is none"),
        Outcome::NoConsent("consent cannot be asked for"),
        Outcome::Unanswered("malformed answer"),
        Outcome::Unanswered("first byte timeout"),
        Outcome::Untrusted(UntrustedReason::NotAuthenticated),
        Outcome::Untrusted(UntrustedReason::NotAuthorised),
        Outcome::Untrusted(UntrustedReason::UnknownCa),
        Outcome::Untrusted(UntrustedReason::WrongName),
        Outcome::Untrusted(UntrustedReason::Expired),
        Outcome::Untrusted(UntrustedReason::Other("certificate")),
        Outcome::Untrusted(UntrustedReason::Other("certificate not valid yet")),
        Outcome::Untrusted(UntrustedReason::Other(
            "CA certificate used as server certificate",
        )),
        Outcome::Untrusted(UntrustedReason::Other("certificate not for servers")),
        Outcome::Untrusted(UntrustedReason::Other("client certificate")),
        Outcome::Untrusted(UntrustedReason::Other("tls")),
        Outcome::Refused(RefusedReason::TooLarge),
        Outcome::Refused(RefusedReason::InvalidTimestamp),
    ];
    let outcomes: Vec<_> = statuses.chain(others).collect();
    let outcomes = outcomes.iter();
    let outcomes = outcomes.flat_map(|outcome| [outcome.cause(), outcome.remedy().to_owned()]);
    let kinds = Kind::ALL.map(|kind| kind.word().to_owned());
    let faults = [
        REFUSES_ALL,
        &held,
        "422",
        "header-name-not-utf8",
        "has not run for 12 s",
        "3 partitions are read no further, see the log",
        "dead letters cannot be written, see the log",
        "its source has no connection",
        "its sink has no connection",
        "its dead_letter has no connection",
    ];
    let words = words_of_transports();
    assert!(words.len() > 20, "{words:?}");
    let all = outcomes.chain(kinds).chain(faults.map(ToOwned::to_owned));
    for english in all.chain(words) {
        assert_eq!(Language::Dutch.tell(&english).1, "nl", "{english}");
        assert_eq!(Language::English.tell(&english), (english, "en"));
    }
    let told = Language::Dutch.tell("has not run for 12 s");
    assert_eq!(told.0, "zij staat al 12 s stil");
    let foreign = "No such file or directory (os error 2)";
    assert_eq!(Language::Dutch.tell(foreign), (foreign.to_owned(), "en"));
}

/// Those that their sources name as the cause of an outcome.
fn words_of_transports() -> Vec<String> {
    let (mut words, mut folders) = (Vec::new(), Vec::new());
    folders.push(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/transport"));
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = std::fs::read_to_string(path).unwrap();
            let code = text.split("#[cfg(test)]").next().unwrap();
            let is_test = code.contains("#[test]") || code.contains("#[tokio::test");
            for start in ["Unreachable(\"", "Unanswered(\"", "Reason::Other(\""] {
                let found = code.split(start).skip(1).filter(|_| !is_test);
                words.extend(found.map(|rest| rest.split('"').next().unwrap().to_owned()));
            }
        }
    }
    words
}
