//! From senders to a broker: 64 of them, each answered only after the broker's acknowledgement.

use tokio::time::Instant;

use crate::end::{Brokers, Far};
use crate::senders;
use crate::summary::{Contestant, Measured, Run};
use crate::traffic::Traffic;
use crate::{Contest, Work, child};

pub(crate) fn measure(contest: &Contest, work: Work) -> Measured {
    let traffic = Traffic::new(work.size, work.keys);
    let numbers = 0..work.events;
    let texts: Vec<_> = numbers.map(|number| traffic.structured(number)).collect();
    Measured::interleave(contest.runs, |contestant| {
        let far = Far::open(work.path.ends().1, &contest.brokers, work);
        let address = child::free_address();
        let listen = address.to_string();
        let child = match contestant {
            Contestant::Bare => {
                let ends = [vec![listen], far.arguments()].concat();
                child::bare(work.path, &ends)
            }
            Contestant::Bridge => {
                let settings = settings(&contest.brokers, &far, listen);
                child::bridge(&contest.bridge, &settings, &[])
            }
        };
        child::wait_for_listener(address);
        let parties = contest.parties(work.path, &child);
        let mut start = (Instant::now(), parties.usage());
        let latencies_us = senders::send(address, &texts, || {
            start = (Instant::now(), parties.usage());
        });
        let run = Run {
            events: work.events - work.events / 10,
            elapsed: start.0.elapsed(),
            usage: parties.usage().since(start.1),
            peak_memory: parties.contestant.peak_memory(),
            latencies_us,
        };
        child.stop();
        let roll_call = far.roll_call(work);
        roll_call.assert_complete(&format!("{contestant:?}, {}", work.path.name()));
        far.close();
        run
    })
}

fn settings(brokers: &Brokers, far: &Far<'_>, listen: String) -> String {
    let source = [("http", "in"), ("path", senders::PATH)];
    let source = source.map(|(key, value)| (key, value.to_owned())).to_vec();
    child::settings(
        brokers,
        &[
            ("[http.in]", vec![("listen", listen)]),
            ("[[route]]", vec![("name", "bench".to_owned())]),
            ("[route.source]", source),
            far.table(),
        ],
    )
}
