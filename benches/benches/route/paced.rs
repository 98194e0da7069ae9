//! Latency at half of the bridge's rate: events are written at an even pace while they are carried.

use std::thread;
use std::time::Duration;

use tokio::time::Instant;

use crate::carried;
use crate::end::{Far, Near};
use crate::path::Path;
use crate::summary::{Contestant, Measured, Run};
use crate::traffic::Traffic;
use crate::{Contest, Work};

/// The paths that are measured so.
pub(crate) const PATHS: [Path; 4] = [
    Path::KafkaToWebhook,
    Path::KafkaToJetStream,
    Path::JetStreamToKafka,
    Path::JetStreamToWebhook,
];

/// How long events are written. The first half is for starting up and does not count.
pub(crate) const LENGTH: Duration = Duration::from_secs(10);

/// When each event is to be written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    pub(crate) start: Instant,
    /// Events per second.
    pub(crate) rate: f64,
}

impl Pace {
    pub(crate) fn due(self, number: usize) -> Instant {
        self.start + Duration::from_secs_f64(number as f64 / self.rate)
    }
}

/// `rate` is in events per second.
pub(crate) fn measure(contest: &Contest, work: Work, rate: f64) -> Measured {
    let traffic = Traffic::new(work.size, work.keys);
    Measured::interleave(contest.runs, |contestant| {
        let (from, to) = work.path.ends();
        let near = Near::create(from, &contest.brokers);
        let far = Far::open(to, &contest.brokers, work);
        let run = one_run(contest, contestant, work, &traffic, &near, &far, rate);
        far.close();
        near.delete();
        run
    })
}

fn one_run(
    contest: &Contest,
    contestant: Contestant,
    work: Work,
    traffic: &Traffic,
    near: &Near<'_>,
    far: &Far<'_>,
    rate: f64,
) -> Run {
    let mut child = carried::start(contest, contestant, work, near, far);
    let parties = contest.parties(work.path, &child);
    let (start, usage) = (Instant::now(), parties.usage());
    let (written, roll_call) = thread::scope(|scope| {
        let pace = Pace { start, rate };
        let writer = scope.spawn(move || near.write(traffic, 0..work.events, Some(pace)));
        let roll_call = far.roll_call_of(work, &mut child);
        (writer.join().expect("every event is written"), roll_call)
    });
    let (elapsed, usage) = (start.elapsed(), parties.usage().since(usage));
    let peak_memory = parties.contestant.peak_memory();
    child.stop();
    roll_call.assert_complete(&format!("{contestant:?}, {}, paced", work.path.name()));
    Run {
        events: work.events,
        elapsed,
        usage,
        peak_memory,
        latencies_us: roll_call.latencies_us(&written).split_off(work.events / 2),
    }
}
