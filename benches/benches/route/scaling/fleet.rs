//! Bridges beside each other, which divide one supply and deliver to one receiver.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use tokio::time::Instant;

use super::supply::{Source, Supply};
use crate::Contest;
use crate::child::{self, Child};
use crate::end;
use crate::party::{Party, Usage};
use crate::receiver::Endpoint;

/// The longest wait for a group to settle, or for events to arrive.
const PATIENCE: Duration = Duration::from_secs(60);

/// See the module.
pub(super) struct Fleet<'a> {
    contest: &'a Contest,
    supply: &'a Supply<'a>,
    receiver: &'a Endpoint,
    /// In the order in which they joined.
    members: Vec<Member>,
    joined: usize,
}

struct Member {
    number: usize,
    admin: SocketAddr,
    child: Child,
}

impl<'a> Fleet<'a> {
    /// So many processes, each with its share.
    pub(super) fn start(
        contest: &'a Contest,
        supply: &'a Supply<'a>,
        receiver: &'a Endpoint,
        processes: usize,
    ) -> Self {
        let mut fleet = Self {
            contest,
            supply,
            receiver,
            members: Vec::new(),
            joined: 0,
        };
        for _ in 0..processes {
            fleet.join();
        }
        fleet.settle();
        fleet
    }

    /// Starts one more process.
    pub(super) fn join(&mut self) {
        self.members.push(self.spawn(self.joined));
        self.joined += 1;
    }

    /// Asks the oldest process to end.
    pub(super) fn leave(&mut self) {
        self.members.remove(0).child.stop();
    }

    /// Kills the oldest process and starts its successor at once.
    pub(super) fn kill(&mut self) {
        let old = self.members.remove(0);
        old.child.kill();
        self.members.insert(0, self.spawn(old.number));
    }

    /// Asks each process in turn to end and starts its successor, the next one when all is settled.
    pub(super) fn roll(&mut self) {
        for _ in 0..self.members.len() {
            let old = self.members.remove(0);
            old.child.stop();
            self.members.push(self.spawn(old.number));
            self.settle();
        }
    }

    /// Stands still while something is done, which must take less time than a session.
    pub(super) fn frozen(&self, something: impl FnOnce()) {
        let signal = |name| self.members.iter().for_each(|it| it.child.signal(name));
        signal("-STOP");
        something();
        signal("-CONT");
    }

    fn spawn(&self, number: usize) -> Member {
        let own = [("name", "bench"), ("on_error", "hold")];
        let route = own.map(|(key, value)| (key, value.to_owned())).to_vec();
        let url = ("url", end::url(self.receiver));
        let tables = [
            ("[[route]]", route),
            self.supply.table(number),
            ("[route.sink]", vec![url, ("mode", "structured".to_owned())]),
        ];
        let settings = child::settings(&self.contest.brokers, &tables);
        let admin = child::free_address();
        let mut variables = vec![("CENL__ADMIN__LISTEN", admin.to_string())];
        if self.supply.source == Source::NamedGroup {
            variables.push(("CENL__KAFKA__MAIN__INSTANCE", format!("bridge-{number}")));
        }
        Member {
            number,
            admin,
            child: child::bridge(&self.contest.bridge, &settings, &variables),
        }
    }

    /// Waits until every process is ready and has its share.
    pub(super) fn settle(&mut self) {
        self.wait_for("it is settled", |fleet| {
            let mut members = fleet.members.iter();
            fleet.supply.is_divided(fleet.members.len())
                && members.all(|member| is_ready(member.admin))
        });
    }

    /// Waits until so many different events have arrived.
    pub(super) fn wait_for_arrivals(&mut self, events: usize) {
        self.wait_for("all have arrived", |fleet| {
            fleet.receiver.arrived() >= events
        });
    }

    fn wait_for(&mut self, what: &str, holds: impl Fn(&Self) -> bool) {
        let deadline = Instant::now() + PATIENCE;
        while !holds(self) {
            let mut members = self.members.iter_mut();
            assert!(
                members.all(|member| member.child.is_running()),
                "a bridge ended before {what}; CENL_BENCH_LOG=1 shows what it says"
            );
            let arrived = self.receiver.arrived();
            assert!(
                Instant::now() < deadline,
                "{PATIENCE:?} are not enough until {what}; {arrived} events have arrived"
            );
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Processor time of the bridges, the broker and this program so far.
    pub(super) fn usage(&self) -> Usage {
        let members = self.members.iter();
        let broker = Party::broker(match self.supply.source {
            Source::Group | Source::NamedGroup => "kafka",
            Source::Durables => "nats",
        });
        Usage {
            contestant: members.map(|member| member.child.party().cpu()).sum(),
            brokers: broker.map_or(Duration::ZERO, Party::cpu),
            load: Party::load().cpu(),
        }
    }

    pub(super) fn stop(mut self) {
        for member in self.members.drain(..) {
            member.child.stop();
        }
    }
}

/// What `/readyz` says.
fn is_ready(admin: SocketAddr) -> bool {
    let ask = || {
        let mut stream = TcpStream::connect(admin)?;
        stream.set_read_timeout(Some(Duration::from_secs(5)))?;
        stream
            .write_all(b"GET /readyz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer)?;
        Ok::<_, std::io::Error>(answer)
    };
    ask().is_ok_and(|answer| answer.starts_with(b"HTTP/1.1 200"))
}
