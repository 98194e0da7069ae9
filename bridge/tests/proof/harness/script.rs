//! The script: faults in an order that a seed decides.

use std::time::Duration;

use super::fault::{End, Fault, Link, SESSION, Server, Trouble};
use super::proxy::Weather;
use super::receiver::Mood;

/// Deals out faults from a deck that holds each kind, kills more often, and is shuffled anew when it
/// is used up: whatever the seed, every kind has its turn.
#[derive(Debug)]
pub(crate) struct Script {
    random: fastrand::Rng,
    parties: Parties,
    /// What the name of every fault holds.
    only: String,
    deck: Vec<Fault>,
}

/// What takes part in a run, and so can fail.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parties {
    pub(crate) nats: bool,
    pub(crate) receiver: bool,
    pub(crate) ingress: bool,
    /// Whether any source is shared by several bridges.
    pub(crate) guests: bool,
}

/// A fault, and how long into it the bridge is killed as well.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scene {
    pub(crate) fault: Fault,
    pub(crate) kill_after: Option<Duration>,
}

impl Script {
    /// # Panics
    /// When no fault has `only` in its name.
    pub(crate) fn new(seed: u64, parties: Parties, only: &str) -> Self {
        Self {
            random: fastrand::Rng::with_seed(seed),
            parties,
            only: only.to_owned(),
            deck: Vec::new(),
        }
    }

    /// What comes next.
    pub(crate) fn next(&mut self) -> Scene {
        if self.deck.is_empty() {
            self.deck = self.shuffled();
        }
        let fault = self.deck.pop().expect("no fault has such a name");
        let time = fault.time();
        let is_disturbed = time > Duration::ZERO && self.random.u8(..10) < 3;
        let kill_after = is_disturbed.then(|| time.mul_f64(self.random.f64()));
        Scene { fault, kill_after }
    }

    fn shuffled(&mut self) -> Vec<Fault> {
        let mut deck = Vec::new();
        for _ in 0..8 {
            deck.push(Fault::Kill);
        }
        for _ in 0..14 {
            deck.push(Fault::KillAgain(self.seconds(0.05, 4.0)));
        }
        deck.push(Fault::Freeze(self.seconds(0.5, 4.0)));
        deck.push(Fault::Freeze(SESSION + self.seconds(1.0, 5.0)));
        for end in [End::InOrder, End::Killed] {
            deck.push(Fault::Server(Server::Kafka, end, self.seconds(0.1, 4.0)));
            if self.parties.nats {
                deck.push(Fault::Server(Server::Nats, end, self.seconds(0.1, 4.0)));
            }
            if self.parties.guests {
                deck.push(Fault::Guest(end, self.seconds(0.5, 4.0)));
            }
        }
        if self.parties.receiver {
            deck.extend(self.moods());
        }
        deck.extend(self.lines());
        deck.retain(|fault| fault.name().contains(&self.only));
        self.random.shuffle(&mut deck);
        deck
    }

    fn moods(&mut self) -> Vec<Fault> {
        let fails = |code, half| Mood::Fails { code, half };
        let asks = |code, seconds| Mood::AsksForTime { code, seconds };
        let moods = [
            Mood::Down,
            Mood::Impostor,
            Mood::Slow(self.seconds(0.2, 2.0)),
            fails(500, false),
            fails(503, false),
            fails(502, true),
            asks(429, self.random.u64(1..4)),
            asks(503, self.random.u64(1..4)),
            Mood::Hangs,
            Mood::Closes { after: 0 },
            Mood::Closes { after: 7 },
            Mood::BreaksBody,
            Mood::SticksBody,
            Mood::Fickle,
        ];
        moods
            .map(|mood| Fault::Receiver(mood, self.seconds(1.0, 8.0)))
            .into()
    }

    fn lines(&mut self) -> Vec<Fault> {
        let links = [
            (Link::Kafka, true),
            (Link::Nats, self.parties.nats),
            (Link::Receiver, self.parties.receiver),
            (Link::Tokens, self.parties.receiver),
            (Link::Ingress, self.parties.ingress),
        ];
        let mut faults = Vec::new();
        for (link, _) in links.into_iter().filter(|(_, is_there)| *is_there) {
            let troubles = [
                Trouble::Weather(Weather::Slow(self.seconds(0.02, 0.4))),
                Trouble::Weather(Weather::Still),
                Trouble::HalfOpen,
                Trouble::Cuts,
            ];
            let last = |trouble| Fault::Line(link, trouble, self.seconds(1.0, 8.0));
            faults.extend(troubles.map(last));
        }
        faults
    }

    fn seconds(&mut self, least: f64, most: f64) -> Duration {
        Duration::from_secs_f64(least + (most - least) * self.random.f64())
    }
}
