//! Delivery reports: from the client's thread, which brings many at a time, to the thread of the
//! route, where each event waits for its own.
//!
//! The first report of a batch wakes the route, the others lie there when it comes. Events are told
//! apart by a number that is never used twice, so that a report which comes after its event was
//! given up says nothing about another one.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rdkafka::error::RDKafkaErrorCode;
use tokio::sync::{Notify, oneshot};
use tokio::time::{Instant, timeout};

/// How often it is looked for events whose report does not come.
const LOOK: Duration = Duration::from_secs(1);

/// What the client says of one event.
pub(super) type Report = Result<(), RDKafkaErrorCode>;

/// Waits for the report of one event; an error says that none came in time.
pub(super) type Awaiting = oneshot::Receiver<Report>;

/// Where the client's thread puts reports. It brings one for each event, so no more lie here than
/// events are under way.
#[derive(Clone, Default)]
pub(super) struct Mailbox(Arc<Mail>);

#[derive(Default)]
struct Mail {
    reports: Mutex<Vec<(usize, Report)>>,
    came: Notify,
}

impl Mailbox {
    pub(super) fn put(&self, number: usize, report: Report) {
        let mut reports = self.reports();
        reports.push((number, report));
        if reports.len() == 1 {
            self.0.came.notify_one();
        }
    }

    fn reports(&self) -> MutexGuard<'_, Vec<(usize, Report)>> {
        let reports = self.0.reports.lock();
        reports.unwrap_or_else(PoisonError::into_inner)
    }
}

/// See the module.
pub(super) struct Reports {
    mailbox: Mailbox,
    /// Longest wait for a report.
    limit: Duration,
    next_number: Cell<usize>,
    /// Since when an event waits.
    awaited: RefCell<HashMap<usize, (Instant, oneshot::Sender<Report>)>>,
}

impl Reports {
    pub(super) fn new(limit: Duration) -> Rc<Self> {
        Rc::new(Self {
            mailbox: Mailbox::default(),
            limit,
            next_number: Cell::default(),
            awaited: RefCell::default(),
        })
    }

    /// Where the client is to put them.
    pub(super) fn mailbox(&self) -> Mailbox {
        self.mailbox.clone()
    }

    /// Waits from now on for the report of an event; its number goes to the client.
    pub(super) fn await_next(&self) -> (usize, Awaiting) {
        let number = self.next_number.get();
        self.next_number.set(number + 1);
        let (sender, report) = oneshot::channel();
        let mut awaited = self.awaited.borrow_mut();
        if awaited.is_empty() {
            // From now on it is looked for overdue reports.
            self.mailbox.0.came.notify_one();
        }
        awaited.insert(number, (Instant::now(), sender));
        (number, report)
    }

    /// Hands reports on until it is dropped.
    pub(super) async fn hand_on(self: Rc<Self>) {
        let mut reports = Vec::new();
        let mut looked = Instant::now();
        loop {
            // What comes after this look is told by a wake-up that is kept.
            let came = self.mailbox.0.came.notified();
            if self.awaited.borrow().is_empty() {
                came.await;
            } else {
                timeout(LOOK, came).await.ok();
            }
            std::mem::swap(&mut *self.mailbox.reports(), &mut reports);
            let mut awaited = self.awaited.borrow_mut();
            for (number, report) in reports.drain(..) {
                // Whoever left has counted the event as not delivered.
                if let Some((_, sender)) = awaited.remove(&number) {
                    sender.send(report).ok();
                }
            }
            if looked.elapsed() >= LOOK {
                looked = Instant::now();
                awaited.retain(|_, (since, sender)| {
                    since.elapsed() < self.limit && !sender.is_closed()
                });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;
    use tokio::task::yield_now;
    use tokio::time::sleep;

    use super::*;

    const LIMIT: Duration = Duration::from_secs(40);
    const REFUSED: Report = Err(RDKafkaErrorCode::InvalidRecord);

    /// Runs `test` beside the task that hands reports on.
    async fn beside(reports: &Rc<Reports>, test: impl Future<Output = ()>) {
        tokio::select! {
            biased;
            () = Rc::clone(reports).hand_on() => {}
            () = test => {}
        }
    }

    #[tokio::test]
    async fn each_event_hears_its_own_report_from_another_thread() {
        let reports = Reports::new(LIMIT);
        let events: Vec<_> = (0..100).map(|_| reports.await_next()).collect();
        let numbers: Vec<_> = events.iter().map(|(number, _)| *number).collect();
        let mailbox = reports.mailbox();
        let brings = std::thread::spawn(move || {
            for number in numbers.into_iter().rev() {
                let is_refused = number % 3 == 0;
                mailbox.put(number, if is_refused { REFUSED } else { Ok(()) });
            }
        });
        beside(&reports, async {
            for (number, report) in events {
                assert_eq!(report.await == Ok(REFUSED), number % 3 == 0, "{number}");
            }
        })
        .await;
        brings.join().expect("it puts them all");
        assert!(reports.awaited.borrow().is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn a_report_that_never_comes_is_not_waited_for() {
        let reports = Reports::new(LIMIT);
        let asked = Instant::now();
        let (number, report) = reports.await_next();
        beside(&reports, async {
            assert!(report.await.is_err());
        })
        .await;
        assert!((LIMIT..=LIMIT + LOOK).contains(&asked.elapsed()));
        assert!(reports.awaited.borrow().is_empty());
        // It comes after all: the next event does not take it for its own.
        let (_, mut next) = reports.await_next();
        reports.mailbox().put(number, Ok(()));
        beside(&reports, async {
            for _ in 0..3 {
                yield_now().await;
            }
            assert_eq!((&mut next).now_or_never(), None);
        })
        .await;
    }

    #[tokio::test(start_paused = true)]
    async fn who_stops_waiting_leaves_nothing_behind() {
        let reports = Reports::new(LIMIT);
        let (number, report) = reports.await_next();
        drop(report);
        beside(&reports, sleep(2 * LOOK)).await;
        assert!(reports.awaited.borrow().is_empty());
        let (_, next) = reports.await_next();
        reports.mailbox().put(number, REFUSED);
        reports.mailbox().put(number + 1, Ok(()));
        beside(&reports, async { assert_eq!(next.await, Ok(Ok(()))) }).await;
    }
}
