//! Events that come out more than once, under another `id`, or so that nobody can read them.

use super::*;

const ID: &[u8] = br#""id":"run/"#;

/// A repeat after a failure is explained, one after a delivery that was taken is not.
#[test]
fn every_arrival_counts() {
    let mut story = carried(&[WAYS[4]], WAYS[4], |_, _| true);
    let mut failed = story.came[0].clone();
    failed.is_taken = false;
    story.came.insert(0, failed);
    let figures = Figures::of(&story);
    assert!(figures.is_good(&[]), "{figures:?}");
    assert_eq!(figures.repeats.len(), 1);
    let mut again = story.came[0].message.clone();
    replace(&mut again, b"2026-1", b"2026-3");
    story.came.push(Came::now(again));
    let figures = Figures::of(&story);
    assert_eq!((figures.unexplained.len(), figures.changed.len()), (1, 1));
}

/// Under another `id` an event is neither lost nor invented, and a copy is.
#[test]
fn another_id_is_named() {
    const OTHER: &[u8] = br#""id":"hop-run/"#;
    let story = carried(&BOTH, WAYS[4], |_, capture| {
        replace(capture, ID, OTHER);
        true
    });
    let figures = Figures::of(&story);
    assert_eq!((figures.lost, figures.invented), (vec![], vec![]));
    assert_eq!(broken(&story), ["CE-TYPES-13"]);
    let mut story = carried(&BOTH, WAYS[4], |_, _| true);
    let mut copy = story.came[0].message.clone();
    replace(&mut copy, ID, OTHER);
    story.came.push(Came::now(copy));
    assert_eq!(Figures::of(&story).invented.len(), 1);
}

/// A receiver that fails gets the event once more under yet another `id`: it is that which arrives.
#[test]
fn an_id_of_each_delivery_loses_nothing() {
    let mut story = carried(&BOTH, WAYS[4], |_, _| true);
    let first = story.came.remove(0).message;
    let deliveries: [(&[u8], bool); 2] = [
        (br#""id":"first-run/"#, false),
        (br#""id":"second-run/"#, true),
    ];
    for (id, is_taken) in deliveries {
        let mut message = first.clone();
        replace(&mut message, ID, id);
        story.came.push(Came {
            is_taken,
            ..Came::now(message)
        });
    }
    let figures = Figures::of(&story);
    assert_eq!((figures.lost, figures.invented), (vec![], vec![]));
    assert_eq!((figures.repeats.len(), figures.unexplained.len()), (1, 0));
    assert_eq!(broken(&story), ["CE-TYPES-13"]);
}

/// Of two with one `id`, the one that took the `source` of the other is neither lost nor a repeat.
#[test]
fn a_source_of_another_is_a_change() {
    let story = carried(&[WAYS[4]], WAYS[4], |_, capture| {
        let (was, is) = (b"09220932.Proefopstelling/", b"09220932.conformiteitstoets");
        replace(capture, was, is);
        true
    });
    let figures = Figures::of(&story);
    assert_eq!((figures.lost, figures.unexplained), (vec![], vec![]));
    assert_eq!(figures.changed.len(), 1);
    assert_eq!(broken(&story), ["CE-TYPES-13"]);
}

/// They may come late, and are nobody's to hold against this one.
#[test]
fn events_of_an_earlier_run_are_not_invented() {
    let mut story = carried(&[WAYS[4]], WAYS[4], |_, _| true);
    for id in ["cenl-1/structured/plain", "9220932117", "hop-1"] {
        let mut other = story.came[0].message.clone();
        replace(&mut other, b"run/structured/plain", id.as_bytes());
        story.came.push(Came::now(other));
    }
    let figures = Figures::of(&story);
    assert_eq!(
        (figures.invented, figures.others),
        (vec!["hop-1".to_owned()], 2)
    );
}

/// As a mapper of headers writes them.
#[test]
fn quotes_around_every_attribute_are_a_change() {
    let mut story = carried(&BOTH, WAYS[1], |_, capture| {
        let headers = capture.headers.iter_mut();
        for header in headers.filter(|header| header.name.starts_with("ce_")) {
            let value = header.value.as_deref().unwrap();
            header.value = Some([&b"\""[..], value, b"\""].concat());
        }
        true
    });
    story.is_alone = false;
    let figures = Figures::of(&story);
    assert_eq!((figures.lost, figures.others), (vec![], 0));
    let broken = broken(&story);
    assert!(broken.contains(&"CE-TYPES-13"), "{broken:?}");
    assert!(!broken.contains(&"SIZE-1"), "{broken:?}");
}

/// That is what breaks a rule, and neither size nor mode.
#[test]
fn what_nobody_can_read_came_out_all_the_same() {
    let underscores = |capture: &mut Capture| {
        for header in &mut capture.headers {
            header.name = header.name.replace("ce-", "ce_");
        }
    };
    let coded = |capture: &mut Capture| {
        *capture = capture.clone().with_header("content-encoding", "gzip");
        capture.body = Some(b"\x1F\x8B\x08".to_vec());
    };
    let alter: [&dyn Fn(&mut Capture); 2] = [&underscores, &coded];
    for (alter, is_closed) in alter.into_iter().zip([false, true]) {
        let story = carried(&[WAYS[4], WAYS[5]], WAYS[5], |sent, capture| {
            if sent.event.mode == Mode::Binary {
                alter(capture);
            }
            true
        });
        assert_eq!(broken(&story), [""; 0]);
        assert!(!Figures::of(&story).lost.is_empty());
        assert_eq!(story.came.iter().any(Came::is_closed), is_closed);
    }
}

/// While our client was not connected, anything may have come.
#[test]
fn what_is_not_seen_is_no_loss_of_the_intermediary() {
    let mut story = carried(&[WAYS[4]], WAYS[3], |sent, _| sent.name != "plain");
    assert_eq!(broken(&story), ["SIZE-1"]);
    let mut unseen = Capture::new(Protocol::Nats);
    unseen.defect = Some("disconnected".to_owned());
    story.came.push(Came::now(unseen));
    assert_eq!(broken(&story), [""; 0]);
    // It went no further than that.
    story.sent[0].outcome = Outcome::Refused("413".to_owned());
    assert_eq!(broken(&story), ["SIZE-1"]);
}
