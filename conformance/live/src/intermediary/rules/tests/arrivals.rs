//! Events that come out more than once, or under another `id`.

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
