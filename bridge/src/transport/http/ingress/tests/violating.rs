//! What senders hear of events that violate the profile of the route.

use cloudevents_nl_conformance::{Profile, Text};

use super::*;
use crate::delivery::{Violation, Violations};

const TITLE: Text = Text {
    en: "no time",
    nl: "geen tijd",
};

/// A fake route that refuses every event whose id is `wrong`.
fn refuses_the_wrong(delivery: Delivery) {
    let body = delivery.received.body.as_deref().unwrap_or_default();
    if !String::from_utf8_lossy(body).contains("wrong") {
        return delivery.settle(Verdict::Delivered);
    }
    let violation = |rule, place: &str| Violation {
        rule,
        level: "MUST",
        clause: "core 1.0.2, time",
        title: TITLE,
        place: place.to_owned(),
    };
    let refusal = Refusal::Violating(Violations {
        profile: Profile::NlGov11,
        position: delivery.received.position.clone(),
        findings: vec![violation("CE-TIME-1", "/time"), violation("CE-ID-2", "/id")],
    });
    delivery.refuse(refusal);
}

fn wrong() -> String {
    EVENT.replace(r#""id":"1""#, r#""id":"wrong""#)
}

#[test]
fn a_violation_is_422_in_the_language_of_the_sender() {
    run(async {
        let route = serve(&settings(), refuses_the_wrong);
        let mut client = Client::connect(route.address).await;
        let dutch = ("nl", TITLE.nl, "de gebeurtenis is in strijd met");
        let english = ("en", TITLE.en, "the event violates");
        for (accepted, (language, title, detail)) in [
            (None, dutch),
            (Some("accept-language: fr, nl;q=0.5"), dutch),
            (Some("accept-language: en-GB"), english),
        ] {
            let lines: Vec<_> = [Some(STRUCTURED), accepted].into_iter().flatten().collect();
            let answer = client.post(&lines, &wrong()).await;
            assert_eq!(answer.status, 422);
            let content_language = format!("\r\ncontent-language: {language}\r\n");
            assert!(answer.head.contains(&content_language), "{answer:?}");
            let problem = answer.problem();
            let expected = format!("{detail} nl-gov-1.1: CE-ID-2, CE-TIME-1");
            assert_eq!(problem["detail"], expected);
            assert_eq!(problem["profile"], "nl-gov-1.1");
            assert!(problem.get("element").is_none());
            let finding = serde_json::json!({
                "rule": "CE-TIME-1",
                "level": "MUST",
                "title": title,
                "clause": "core 1.0.2, time",
                "place": "/time",
            });
            assert_eq!(problem["findings"][0], finding);
            assert_eq!(problem["findings"][1]["place"], "/id");
        }
        assert_eq!(client.post(&[STRUCTURED], EVENT).await.status, 202);
    });
}

#[test]
fn of_a_batch_the_answer_names_the_element() {
    run(async {
        let route = serve(&settings(), refuses_the_wrong);
        let mut client = Client::connect(route.address).await;
        for (batch, element) in [
            (format!("[{EVENT},{EVENT},{}]", wrong()), 2),
            (format!("[{}]", wrong()), 0),
        ] {
            let answer = client.post(&[BATCHED], &batch).await;
            assert_eq!(answer.status, 422);
            assert_eq!(answer.problem()["element"], element);
        }
    });
}
