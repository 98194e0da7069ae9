//! From a broker to wherever: events that lie ready, read in turn by the bare pipe and the bridge.

use tokio::time::Instant;

use crate::child::Child;
use crate::end::{Brokers, Far, Near};
use crate::summary::{Contestant, Measured, Run};
use crate::traffic::Traffic;
use crate::{Contest, Work, child};

pub(crate) fn measure(contest: &Contest, work: Work) -> Measured {
    let (from, to) = work.path.ends();
    let near = Near::create(from, &contest.brokers);
    near.write(&Traffic::new(work.size, work.keys), 0..work.events, None);
    let measured = Measured::interleave(contest.runs, |contestant| {
        let far = Far::open(to, &contest.brokers, work);
        let run = one_run(contest, contestant, work, &near, &far);
        far.close();
        run
    });
    near.delete();
    measured
}

fn one_run(
    contest: &Contest,
    contestant: Contestant,
    work: Work,
    near: &Near<'_>,
    far: &Far<'_>,
) -> Run {
    let mut child = start(contest, contestant, work, near, far);
    let parties = contest.parties(work.path, &child);
    let mut warm = None;
    far.fill_up(work.events, &mut child, || {
        warm = Some((Instant::now(), parties.usage()));
    });
    let (since, usage) = warm.expect("a tenth comes before the whole");
    let run = Run {
        events: work.events - work.events / 10,
        elapsed: since.elapsed(),
        usage: parties.usage().since(usage),
        peak_memory: parties.contestant.peak_memory(),
        latencies_us: Vec::new(),
    };
    child.stop();
    let roll_call = far.roll_call(work);
    roll_call.assert_complete(&format!("{contestant:?}, {}", work.path.name()));
    run
}

/// Starts a contestant as a reader of its own.
pub(crate) fn start(
    contest: &Contest,
    contestant: Contestant,
    work: Work,
    near: &Near<'_>,
    far: &Far<'_>,
) -> Child {
    let reader = format!("bench-{:012x}", fastrand::u64(..1 << 48));
    match contestant {
        Contestant::Bare => {
            let ends = [near.arguments(&reader), far.arguments()].concat();
            child::bare(work.path, &ends)
        }
        Contestant::Bridge => child::bridge(
            &contest.bridge,
            &settings(&contest.brokers, work, near, far, &reader),
            &[],
        ),
    }
}

fn settings(brokers: &Brokers, work: Work, near: &Near<'_>, far: &Far<'_>, reader: &str) -> String {
    let own = [("name", "bench"), ("on_error", "hold")];
    let route = own.map(|(key, value)| (key, value.to_owned())).to_vec();
    let (table, mut sink) = far.table();
    sink.push(("mode", work.mode.to_owned()));
    child::settings(
        brokers,
        &[("[[route]]", route), near.table(reader), (table, sink)],
    )
}
