//! A place of dead letters that hangs as soon as something is to be noted.

use super::super::super::lease::Lease;
use super::*;

struct Hanging;

impl CheckpointStore for Hanging {
    fn read(&self) -> LocalBoxFuture<'_, Result<BTreeMap<i32, Checkpoint>, ViewError>> {
        std::future::ready(Ok(BTreeMap::new())).boxed_local()
    }

    fn write(&self, _: BTreeMap<i32, Checkpoint>) -> LocalBoxFuture<'_, Result<(), ViewError>> {
        pending().boxed_local()
    }
}

/// What is sent is settled meanwhile.
#[tokio::test(start_paused = true)]
async fn a_place_that_hangs_when_it_is_to_note_ends_the_replay_soon_and_it_is_told() {
    for (count, ctrl_c_ms, delivered, seconds) in [
        (3, None, 3, 4 + ANSWER_MIN.as_secs()),
        (9, Some(2_500), 2, 2 + LAST_CHECKPOINT.as_secs()),
    ] {
        let stop = async move {
            match ctrl_c_ms {
                Some(time) => sleep(Duration::from_millis(time)).await,
                None => pending().await,
            }
            Instant::now() + DEADLINE
        };
        let begun = Instant::now();
        let place = place(letters(count), Some(Duration::from_secs(1)));
        let (chooser, hanging) = (chooser(Ledger::default()), Box::new(Hanging));
        let summary = replay_until(stop, chooser, place, hanging, |_| Verdict::Delivered).await;
        assert_eq!(summary.count(ReplayStatus::Delivered), delivered);
        assert_eq!(begun.elapsed().as_secs(), seconds, "{summary}");
        let sentence =
            "what was delivered may not be noted, so a repeat may send it again: no answer within";
        assert!(summary.to_string().contains(sentence), "{summary}");
        assert_eq!(summary.ending == Ending::Interrupted, ctrl_c_ms.is_some());
    }
    let Err(ToolError::Failed(what)) = Lease::acquire(Box::new(Hanging)).await else {
        panic!("it holds what it could not note");
    };
    assert!(what.contains("no answer within 10 s"), "{what}");
}
