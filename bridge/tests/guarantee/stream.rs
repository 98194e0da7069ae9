//! A server that gives messages to whoever asks, and again when it heard nothing of them for a while:
//! what JetStream does, over the same log. Acknowledgements and words of progress get lost.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;
use std::time::Duration;

use cloudevents_nl_bridge::delivery::Window;
use cloudevents_nl_bridge::delivery::share::Share;
use cloudevents_nl_bridge::delivery::window::Capacity;
use cloudevents_nl_bridge::transport::{Intake, Source, SourceError, Stop};
use futures_util::FutureExt;
use futures_util::future::LocalBoxFuture;
use tokio::time::{Instant, interval, timeout_at};

use crate::log::Log;

/// The server's memory, which outlives every reader. A partition is a stream of its own.
pub(crate) struct Server {
    log: Rc<Log>,
    partitions: RefCell<Vec<Partition>>,
    random: RefCell<fastrand::Rng>,
    has_faults: bool,
}

#[derive(Clone, Default)]
struct Partition {
    /// Messages below it are acknowledged, all of them.
    floor: usize,
    /// Messages above that were given out: until when nobody else gets them; nothing once they are
    /// acknowledged.
    given: BTreeMap<usize, Option<Instant>>,
}

/// How long the server waits for a word.
const ACK_WAIT: Duration = Duration::from_secs(2);
const TURN: Duration = Duration::from_millis(300);

impl Server {
    pub(crate) fn new(log: &Rc<Log>, random: fastrand::Rng, has_faults: bool) -> Rc<Self> {
        let partitions = vec![Partition::default(); log.committed().len()];
        Rc::new(Self {
            log: Rc::clone(log),
            partitions: RefCell::new(partitions),
            random: RefCell::new(random),
            has_faults,
        })
    }

    /// Whether a word to the server gets lost.
    fn loses_it(&self) -> bool {
        self.has_faults && self.random.borrow_mut().u8(..20) == 0
    }

    fn acknowledge(&self, partition: usize, sequence: usize) {
        if self.loses_it() {
            return;
        }
        let mut partitions = self.partitions.borrow_mut();
        let own = &mut partitions[partition];
        if sequence >= own.floor {
            own.given.insert(sequence, None);
        }
        while own.given.get(&own.floor) == Some(&None) {
            own.given.remove(&own.floor);
            own.floor += 1;
        }
        self.log.seek(partition, own.floor);
    }

    fn progress(&self, partition: usize, sequence: usize) {
        let until = Instant::now() + ACK_WAIT;
        let mut partitions = self.partitions.borrow_mut();
        if let Some(Some(given)) = partitions[partition].given.get_mut(&sequence)
            && !self.loses_it()
        {
            *given = until;
        }
    }

    /// The lowest message that is not acknowledged and not `held` by the reader, once the server
    /// gives it out: a later one would overtake it.
    fn next(&self, partition: usize, held: &VecDeque<usize>) -> Option<usize> {
        let mut partitions = self.partitions.borrow_mut();
        let own = &mut partitions[partition];
        let is_done = |sequence: &usize| own.given.get(sequence) == Some(&None);
        let next = (own.floor..).find(|next| !is_done(next) && !held.contains(next))?;
        let is_with_another = own
            .given
            .get(&next)
            .is_some_and(|until| until.is_some_and(|until| Instant::now() < until));
        if is_with_another {
            return None;
        }
        self.log.message(partition, next)?;
        own.given.insert(next, Some(Instant::now() + ACK_WAIT));
        Some(next)
    }
}

/// Reads from a [`Server`].
pub(crate) struct StreamSource {
    pub(crate) server: Rc<Server>,
    pub(crate) capacity: Capacity,
}

/// What a reader holds of one partition, in the order of its slots.
struct Hold {
    window: Rc<Window>,
    held: VecDeque<usize>,
    /// Settled in this life: when it comes again, its acknowledgement was lost.
    settled: BTreeSet<usize>,
}

impl Source for StreamSource {
    fn run(
        self: Box<Self>,
        intake: Intake,
        mut stop: Stop,
    ) -> LocalBoxFuture<'static, Result<(), SourceError>> {
        async move {
            let partitions = self.server.partitions.borrow().len();
            let hold = |_| Hold {
                window: Window::partition(self.capacity, &Share::unbounded()),
                held: VecDeque::new(),
                settled: BTreeSet::new(),
            };
            let mut holds: Vec<Hold> = (0..partitions).map(hold).collect();
            let mut turn = interval(TURN);
            let deadline = loop {
                tokio::select! {
                    deadline = stop.requested() => break deadline,
                    _ = turn.tick() => {}
                }
                for (partition, hold) in holds.iter_mut().enumerate() {
                    self.tell(partition, hold);
                    while hold.window.has_room()
                        && let Some(next) = self.server.next(partition, &hold.held)
                        && let Some(message) = self.server.log.message(partition, next)
                    {
                        if hold.settled.contains(&next) {
                            self.server.acknowledge(partition, next);
                            continue;
                        }
                        hold.held.push_back(next);
                        if intake.push(vec![hold.window.admit(message)]).await.is_err() {
                            return Ok(());
                        }
                    }
                }
            };
            drop(intake);
            for (partition, hold) in holds.iter_mut().enumerate() {
                hold.window.drain(deadline);
                if timeout_at(deadline, hold.window.finished()).await.is_err() {
                    hold.window.abandon();
                }
                self.tell(partition, hold);
            }
            Ok(())
        }
        .boxed_local()
    }
}

impl StreamSource {
    /// Acknowledges what is below the watermark, and says of the rest that it is worked on.
    fn tell(&self, partition: usize, hold: &mut Hold) {
        let last = hold.window.watermark();
        if let Some(sequence) = last.and_then(|last| usize::try_from(last).ok())
            && hold.held.contains(&sequence)
        {
            while let Some(done) = hold.held.pop_front() {
                self.server.acknowledge(partition, done);
                hold.settled.insert(done);
                if done == sequence {
                    break;
                }
            }
        }
        for sequence in &hold.held {
            self.server.progress(partition, *sequence);
        }
    }
}
