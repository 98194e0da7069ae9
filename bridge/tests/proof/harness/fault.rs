//! What can go wrong.

use std::time::Duration;

use super::proxy::Weather;
use super::receiver::Mood;

/// One thing that goes wrong for a while, and is healed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Fault {
    /// `kill -9` of the bridge, which is started again at once.
    Kill,
    /// The same, and its successor is killed so soon after its start.
    KillAgain(Duration),
    /// The process is stopped (SIGSTOP), and goes on after this time.
    Freeze(Duration),
    /// A server is stopped in good order or killed, and started again after this time.
    Server(Server, End, Duration),
    /// The receiver is in a mood for this time.
    Receiver(Mood, Duration),
    /// Another bridge takes part for this time, and leaves.
    Guest(End, Duration),
    /// A connection of the bridge is disturbed for this time.
    Line(Link, Trouble, Duration),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Server {
    Kafka,
    Nats,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    InOrder,
    Killed,
}

/// What lies between the bridge and a proxy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Link {
    Kafka,
    Nats,
    Receiver,
    /// Where the bridge gets what it shows to the receiver.
    Tokens,
    /// Senders of events come this way.
    Ingress,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    Weather(Weather),
    /// Every connection is reset, again and again.
    Cuts,
    /// Nothing passes, and in the end every connection is reset: the peer has gone for good.
    HalfOpen,
}

impl Fault {
    /// How the report calls it.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Kill => "kill -9".into(),
            Self::KillAgain(_) => "kill -9, and again while it starts".into(),
            Self::Freeze(time) if *time > SESSION => "freeze beyond the session".into(),
            Self::Freeze(_) => "freeze".into(),
            Self::Server(server, End::InOrder, _) => format!("{server:?} stops and starts"),
            Self::Server(server, End::Killed, _) => format!("{server:?} is killed and starts"),
            Self::Receiver(mood, _) => format!("receiver {}", mood_name(*mood)),
            Self::Guest(End::InOrder, _) => "another bridge joins and leaves".into(),
            Self::Guest(End::Killed, _) => "another bridge joins and is killed".into(),
            Self::Line(link, trouble, _) => {
                let what = match trouble {
                    Trouble::Weather(Weather::Fair) => "is fair",
                    Trouble::Weather(Weather::Slow(_)) => "is delayed",
                    Trouble::Weather(Weather::Still) => "is a black hole",
                    Trouble::Cuts => "is cut again and again",
                    Trouble::HalfOpen => "is half-open, then reset",
                };
                format!("line to {link:?} {what}")
            }
        }
    }

    /// How long it lasts before it is healed.
    pub(crate) fn time(&self) -> Duration {
        match self {
            Self::Kill | Self::KillAgain(_) => Duration::ZERO,
            Self::Freeze(time)
            | Self::Server(_, _, time)
            | Self::Receiver(_, time)
            | Self::Guest(_, time)
            | Self::Line(_, _, time) => *time,
        }
    }
}

/// The bridge's own default for `session.timeout.ms`.
pub(crate) const SESSION: Duration = Duration::from_secs(6);

fn mood_name(mood: Mood) -> String {
    match mood {
        Mood::Well => "is well".into(),
        Mood::Down => "is down".into(),
        Mood::Impostor => "shows another certificate".into(),
        Mood::Slow(_) => "is slow".into(),
        Mood::Fails { code, half: false } => format!("answers {code}"),
        Mood::Fails { code, half: true } => format!("answers {code} to half of the keys"),
        Mood::AsksForTime { code, .. } => format!("answers {code} with Retry-After"),
        Mood::Hangs => "hangs".into(),
        Mood::Closes { after: 0 } => "closes without an answer".into(),
        Mood::Closes { .. } => "closes in the status line".into(),
        Mood::BreaksBody => "lies: 200, and breaks off in the body".into(),
        Mood::SticksBody => "lies: 200, and hangs in the body".into(),
        Mood::Fickle => "is fickle".into(),
    }
}
