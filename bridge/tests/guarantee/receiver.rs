//! A receiver with seeded faults: slow, failing, lying, asking for time, refusing poison.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use cloudevents_nl_bridge::outcome::Outcome;
use cloudevents_nl_bridge::transport::{Batch, Sink};
use futures_util::FutureExt;
use futures_util::future::LocalBoxFuture;
use tokio::time::{Instant, sleep};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Destination,
    DeadLetters,
}

pub(crate) struct Receiver {
    random: RefCell<fastrand::Rng>,
    has_faults: Cell<bool>,
    /// Nothing may arrive before, because an answer said so.
    closed_until: Cell<Option<Instant>>,
    hurried: Cell<usize>,
    arrivals: RefCell<[Vec<String>; 2]>,
}

struct Entrance {
    receiver: Rc<Receiver>,
    place: Place,
}

impl Receiver {
    pub(crate) fn new(random: fastrand::Rng) -> Self {
        Self {
            random: RefCell::new(random),
            has_faults: Cell::new(true),
            closed_until: Cell::new(None),
            hurried: Cell::new(0),
            arrivals: RefCell::default(),
        }
    }

    pub(crate) fn behave(&self) {
        self.has_faults.set(false);
    }

    pub(crate) fn is_well_behaved(&self) -> bool {
        !self.has_faults.get()
    }

    /// A new process knows nothing of waits that its predecessor was asked for.
    pub(crate) fn forget_waits(&self) {
        self.closed_until.set(None);
    }

    pub(crate) fn hurried(&self) -> usize {
        self.hurried.get()
    }

    pub(crate) fn arrivals(&self, place: Place) -> Vec<String> {
        self.arrivals.borrow()[place as usize].clone()
    }

    pub(crate) fn at(self: &Rc<Self>, place: Place) -> Rc<dyn Sink> {
        Rc::new(Entrance {
            receiver: Rc::clone(self),
            place,
        })
    }

    fn note_hurry(&self, place: Place) {
        let is_closed = self
            .closed_until
            .get()
            .is_some_and(|until| Instant::now() < until);
        if place == Place::Destination && is_closed {
            self.hurried.set(self.hurried.get() + 1);
        }
    }

    async fn receive(self: Rc<Self>, place: Place, batch: Batch) -> Outcome {
        let (latency, fault) = {
            let mut random = self.random.borrow_mut();
            let latency = Duration::from_millis(random.u64(..50));
            (
                latency,
                if self.has_faults.get() {
                    random.u8(..40)
                } else {
                    u8::MAX
                },
            )
        };
        sleep(latency).await;
        if place == Place::Destination && batch.iter().any(|event| text(event).contains("poison")) {
            return Outcome::Status {
                code: 400,
                retry_after: None,
                error_body: None,
            };
        }
        let status = |code, retry_after| Outcome::Status {
            code,
            retry_after,
            error_body: None,
        };
        let answer = match fault {
            0 => Outcome::Unreachable("connect"),
            1 => status(500, None),
            2 => status(503, None),
            // Only a webhook can ask for time.
            3 | 4 if place == Place::Destination => {
                self.ask_for_time(if fault == 3 { 429 } else { 503 })
            }
            5 => status(401, None),
            // It lies: the events have arrived.
            6 | 7 => {
                self.note(place, &batch);
                Outcome::Unreachable("timeout")
            }
            _ => {
                self.note(place, &batch);
                Outcome::Delivered
            }
        };
        if answer == Outcome::Delivered {
            sleep(latency).await;
        }
        answer
    }

    fn ask_for_time(&self, code: u16) -> Outcome {
        let wait = Duration::from_millis(self.random.borrow_mut().u64(1..5_000));
        let until = Instant::now() + wait;
        self.closed_until
            .set(self.closed_until.get().max(Some(until)));
        Outcome::Status {
            code,
            retry_after: Some(wait),
            error_body: None,
        }
    }

    fn note(&self, place: Place, batch: &Batch) {
        for event in batch {
            let position = event
                .headers
                .iter()
                .find(|header| header.name == "cenl-source");
            let id = match position.and_then(|header| header.value) {
                Some(position) => String::from_utf8(position.to_vec()).unwrap(),
                None => {
                    let event: serde_json::Value = serde_json::from_str(&text(event)).unwrap();
                    event["id"].as_str().unwrap().to_owned()
                }
            };
            self.arrivals.borrow_mut()[place as usize].push(id);
        }
    }
}

impl Sink for Entrance {
    fn send(&self, batch: Batch) -> LocalBoxFuture<'static, Outcome> {
        self.receiver.note_hurry(self.place);
        Rc::clone(&self.receiver)
            .receive(self.place, batch)
            .boxed_local()
    }
}

fn text(event: &cloudevents_nl_bridge::transport::Outgoing) -> String {
    String::from_utf8(event.body.as_deref().unwrap_or_default().to_vec()).unwrap()
}
