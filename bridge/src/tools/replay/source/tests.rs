//! Replays from places and to destinations that behave in other ways than the brokers of the live
//! tests.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod hanging;

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::future::pending;

use cloudevents_nl_codec::{Decoder, HeaderList, KAFKA};
use futures_util::future::LocalBoxFuture;
use futures_util::stream::unfold;
use jiff::Timestamp;
use tokio::task::LocalSet;
use tokio::time::sleep;

use super::super::super::ledger::Ledger;
use super::super::report::ReplayReport;
use super::super::selection::{Chosen, Events, events};
use super::super::{ToolError, with_timeout};
use super::*;
use crate::delivery::share::Share;
use crate::delivery::window::Capacity;
use crate::delivery::{Position, Received};
use crate::route::dead_letter::{Kind, Reason, dead_letter};
use crate::transport::view::{Checkpoint, PartitionOffset, ViewError};

/// Longer than what a place that answers needs.
const DEADLINE: Duration = Duration::from_secs(5);

/// A place whose every answer takes that long; without a time it never answers.
struct Place {
    messages: VecDeque<Received>,
    answers_in: Option<Duration>,
    number: u64,
}

impl Place {
    fn view(self) -> View {
        let view = unfold(self, |mut place| async move {
            match place.answers_in {
                Some(time) => sleep(time).await,
                None => pending().await,
            }
            let number = place.number;
            place.number += 1;
            let viewed = Viewed {
                received: place.messages.pop_front()?,
                at: PartitionOffset::at(number),
                time_ms: None,
            };
            Some((Ok(viewed), place))
        });
        with_timeout(View::new(view, BTreeSet::new()), DEADLINE)
    }
}

/// Notes in memory.
#[derive(Clone, Debug, Default)]
struct Kept(Rc<RefCell<BTreeMap<i32, Checkpoint>>>);

impl CheckpointStore for Kept {
    fn read(&self) -> LocalBoxFuture<'_, Result<BTreeMap<i32, Checkpoint>, ViewError>> {
        std::future::ready(Ok(self.0.borrow().clone())).boxed_local()
    }

    fn write(
        &self,
        checkpoints: BTreeMap<i32, Checkpoint>,
    ) -> LocalBoxFuture<'_, Result<(), ViewError>> {
        self.0.borrow_mut().extend(checkpoints);
        std::future::ready(Ok(())).boxed_local()
    }
}

/// An event with an id, as a source would have received it.
fn event(id: &str) -> Received {
    event_of("/s", id)
}

fn event_of(source: &str, id: &str) -> Received {
    let mut headers = HeaderList::default();
    for (name, value) in [
        ("ce_specversion", "1.0"),
        ("ce_id", id),
        ("ce_source", source),
        ("ce_type", "t"),
    ] {
        headers.push(name, Some(value.as_bytes()));
    }
    Received {
        binding: &KAFKA,
        headers,
        key: None,
        body: None,
        timestamp_ms: None,
        position: Position::numbered("memory:0/", 0),
        defect: None,
    }
}

/// The dead letter of an event.
fn letter(route: &str, event: &Received) -> Received {
    let reason = Reason {
        error_body: None,
        route,
        kind: Kind::Refused,
        status: "422".to_owned(),
        attempts: 1,
        first_attempt: Timestamp::UNIX_EPOCH,
        last_attempt: Timestamp::UNIX_EPOCH,
    };
    Received {
        headers: dead_letter(event, &reason).headers,
        ..event.clone()
    }
}

fn letters(count: usize) -> Vec<Received> {
    let ids = (0..count).map(|number| number.to_string());
    ids.map(|id| letter("out", &event(&id))).collect()
}

/// Replays everything of `place` through a route that settles by `verdict`.
async fn replay(
    place: Place,
    kept: &Kept,
    verdict: impl Fn(&Received) -> Verdict + 'static,
) -> Summary {
    replay_chosen(None, place, kept, verdict).await
}

async fn replay_chosen(
    events: Option<Events>,
    place: Place,
    kept: &Kept,
    verdict: impl Fn(&Received) -> Verdict + 'static,
) -> Summary {
    let checkpoints = kept.0.borrow().clone();
    let chooser = Chooser {
        chosen: events.map_or(Chosen::All, Chosen::Events),
        ..chooser(Ledger::of(&checkpoints))
    };
    replay_until(pending(), chooser, place, Box::new(kept.clone()), verdict).await
}

async fn replay_until(
    stop: impl Future<Output = Instant>,
    chooser: Chooser,
    place: Place,
    checkpoints: Box<dyn CheckpointStore>,
    verdict: impl Fn(&Received) -> Verdict + 'static,
) -> Summary {
    let capacity = Capacity {
        events: 8,
        bytes: 1 << 20,
    };
    let source = DeadLetters {
        chooser: RefCell::new(chooser),
        checkpoints,
        window: Window::recorded(capacity, &Share::unbounded()),
        open: RefCell::default(),
        answers: Rc::default(),
        timeout: DEADLINE,
    };
    let (intake, mut taken) = Intake::new();
    let route = async move {
        while let Some(deliveries) = taken.recv().await {
            for delivery in deliveries {
                assert!(delivery.start());
                let verdict = verdict(&delivery.received);
                delivery.settle(verdict);
            }
        }
    };
    let (summary, ()) = LocalSet::new()
        .run_until(async { tokio::join!(source.run(place.view(), intake, stop), route) })
        .await;
    summary
}

fn chooser(ledger: Ledger) -> Chooser {
    Chooser {
        route: "out".to_owned(),
        chosen: Chosen::All,
        dismissal: None,
        decoder: Decoder::default(),
        ledger,
        report: ReplayReport::new(Box::new(std::io::sink())),
    }
}

fn place(messages: Vec<Received>, answers_in: Option<Duration>) -> Place {
    Place {
        messages: messages.into(),
        answers_in,
        number: 0,
    }
}

#[tokio::test(start_paused = true)]
async fn a_place_that_answers_slowly_is_read_to_its_end() {
    let slow = place(letters(3), Some(CHECKPOINT_INTERVAL * 5 / 2));
    let summary = replay(slow, &Kept::default(), |_| Verdict::Delivered).await;
    assert!(summary.is_done(), "{summary}");
    assert_eq!(summary.count(ReplayStatus::Delivered), 3);
}

#[tokio::test(start_paused = true)]
async fn a_place_that_never_answers_ends_the_replay() {
    let silent = place(letters(3), None);
    let begun = Instant::now();
    let summary = replay(silent, &Kept::default(), |_| Verdict::Delivered).await;
    assert!(!summary.is_done());
    assert_eq!(begun.elapsed().as_secs(), DEADLINE.as_secs());
    let sentence = "the dead letters cannot be read to their end: no answer within 5 s";
    assert!(summary.to_string().contains(sentence), "{summary}");
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_read_is_told_every_time_and_never_done() {
    let unreadable = Received {
        defect: Some("line-unreadable"),
        ..event("1")
    };
    let messages = vec![
        letter("out", &event("0")),
        unreadable,
        letter("other", &event("2")),
        event("3"),
        letter("out", &event("4")),
    ];
    let kept = Kept::default();
    for delivered in [2, 0] {
        let readable = place(messages.clone(), Some(Duration::ZERO));
        let summary = replay(readable, &kept, |_| Verdict::Delivered).await;
        let counts = (
            summary.count(ReplayStatus::Delivered),
            summary.count(ReplayStatus::Unreadable),
            summary.count(ReplayStatus::Elsewhere),
        );
        assert_eq!(counts, (delivered, 2, 1), "{summary}");
        assert_eq!(summary.ending, Ending::Complete);
        assert!(!summary.is_done());
        assert!(summary.to_string().contains("2 unreadable"), "{summary}");
    }
    let expected = Checkpoint {
        next: 1,
        beyond: "1:1+1,1+1".to_owned(),
    };
    assert_eq!(kept.0.borrow().get(&0), Some(&expected));
}

#[tokio::test(start_paused = true)]
async fn what_the_filter_does_not_want_is_not_called_delivered_later() {
    let kept = Kept::default();
    let all = || place(letters(3), Some(Duration::ZERO));
    for _ in 0..2 {
        let summary = replay(all(), &kept, |_| Verdict::Filtered).await;
        let counts = (
            summary.count(ReplayStatus::Delivered),
            summary.count(ReplayStatus::Filtered),
            summary.count(ReplayStatus::Before),
        );
        assert_eq!(counts, (0, 3, 0));
        assert!(summary.is_done());
    }
    // The filter is another one now.
    let summary = replay(all(), &kept, |_| Verdict::Delivered).await;
    assert_eq!(summary.count(ReplayStatus::Delivered), 3);
}

#[tokio::test(start_paused = true)]
async fn what_the_notes_have_no_room_for_is_told_with_what_comes_of_it() {
    let kept = Kept::default();
    // Something far behind was delivered before, so that the replay does not end early.
    let far = Checkpoint {
        next: 0,
        beyond: "1:4000+1".to_owned(),
    };
    kept.0.borrow_mut().insert(0, far);
    let number = Cell::new(0);
    let every_other = move |_: &Received| {
        number.set(number.get() + 1);
        match number.get() % 2 {
            0 => Verdict::Delivered,
            _ => Verdict::Filtered,
        }
    };
    let all = || place(letters(3000), Some(Duration::ZERO));
    let summary = replay(all(), &kept, every_other).await;
    assert_eq!(summary.ending, Ending::Complete);
    assert!(summary.unnoted > 0 && !summary.is_done());
    let told = format!("no room for {} of these", summary.unnoted);
    assert!(summary.to_string().contains(&told), "{summary}");
    let again = replay(all(), &kept, |_| Verdict::Delivered).await;
    let sent = again.count(ReplayStatus::Delivered);
    // The one far behind was among them.
    assert_eq!(sent + 1, 1500 + summary.unnoted);
    assert!(again.is_done(), "{again}");
}

#[tokio::test]
async fn an_id_that_several_sources_use_is_sent_of_one() {
    let all = || {
        let letters = [("/a", "1"), ("/b", "1"), ("/a", "2")];
        let letters = letters.map(|(source, id)| letter("out", &event_of(source, id)));
        let other = letter("other", &event_of("/b", "2"));
        place([&letters[..], &[other]].concat(), Some(Duration::ZERO))
    };
    let found = async |wanted: &[&str], source| {
        let ids: Vec<String> = wanted.iter().map(|&id| id.to_owned()).collect();
        events(all().view(), &ids, source, &chooser(Ledger::default())).await
    };
    let Err(ToolError::Usage(what)) = found(&["1", "2"], None).await else {
        panic!("both were taken");
    };
    let expected = "events of several sources have the id 1: choose one of them with --source";
    assert_eq!(what, format!("{expected}\n  /a\n  /b"));
    let one = found(&["2", "3"], None).await.unwrap();
    let of = |id: &str| Events::from([(id.to_owned(), Some("/a".to_owned()))]);
    assert_eq!(one, of("2"), "that of another route counts");

    let chosen = found(&["1"], Some("/a")).await.unwrap();
    assert_eq!(chosen, of("1"));
    let is_a = |received: &Received| {
        let mut headers = received.headers.iter();
        assert!(headers.any(|header| header.value == Some(b"/a")));
        Verdict::Delivered
    };
    let summary = replay_chosen(Some(chosen), all(), &Kept::default(), is_a).await;
    assert_eq!(summary.count(ReplayStatus::Delivered), 1);
}

/// Those of other routes need no note of their own, so that a shared place has room for many.
#[test]
fn what_is_chosen_by_position_leaves_few_gaps_in_a_shared_place() {
    let chosen = |number: u64| number.is_multiple_of(2);
    let positions = (0..2_000).filter(|number| chosen(*number));
    let positions = positions
        .map(|number| format!("memory:0/{number}"))
        .collect();
    let mut chooser = Chooser {
        chosen: Chosen::Positions(positions),
        dismissal: Some(ReplayStatus::Dismissed),
        ..chooser(Ledger::default())
    };
    for number in 0..2_000 {
        let event = Received {
            position: Position::numbered("memory:0/", number),
            ..event("1")
        };
        let received = match number {
            // Nobody has chosen it, and nobody can tell whose it is.
            1_999 => event,
            _ => letter(if chosen(number) { "out" } else { "other" }, &event),
        };
        let at = PartitionOffset::at(number);
        let viewed = Viewed {
            received,
            at,
            time_ms: None,
        };
        if let Some((_, letter)) = chooser.choose(viewed) {
            chooser.ledger.finish(letter.at);
        }
    }
    let expected = Checkpoint {
        next: 1_999,
        beyond: String::new(),
    };
    assert_eq!(chooser.ledger.changes(), BTreeMap::from([(0, expected)]));
    assert_eq!(chooser.report.summary.count(ReplayStatus::Elsewhere), 999);
}

#[test]
fn every_chosen_dead_letter_is_counted_as_what_became_of_it() {
    let mut summary = Summary::default();
    for (status, count) in [
        (ReplayStatus::Delivered, 1),
        (ReplayStatus::Failed, 2),
        (ReplayStatus::CutOff, 3),
        (ReplayStatus::Before, 4),
        (ReplayStatus::DismissedBefore, 5),
        (ReplayStatus::Elsewhere, 100),
    ] {
        (0..count).for_each(|_| summary.add(status));
    }
    summary.unnoted = 1;
    summary.ending = Ending::Stopped("the destination takes nothing".to_owned());
    let handled = summary.handled(20);
    let counts = (handled.delivered, handled.failed, handled.cut_off);
    assert_eq!(counts, (1, 2, 3));
    assert_eq!((handled.left_alone, handled.not_tried), (9, 5));
    let stopped = handled.stopped.unwrap();
    let expected = "the destination takes nothing; the notes had no room for 1 of these";
    assert!(stopped.starts_with(expected), "{stopped}");
}
