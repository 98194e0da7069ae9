//! A rule is a value: what the specification demands, told twice, and a check that sees it broken.

mod demand;
mod example;
mod found;

use crate::capture::{Exchange, Protocol, Purpose};
use crate::grammar::name::CORE;
use crate::language::Language;
use crate::reading::{Event, Mode, Reading};
use crate::report::Kind;

pub use demand::Demand;
pub use example::{Example, Sample};
pub use found::Found;

/// A rule of the catalogue.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Its name, which never changes: `CE-ID-1`.
    pub id: &'static str,
    /// How binding it is, by profile.
    pub level: Levels,
    /// Where it comes from.
    pub status: Status,
    /// The clause, as the catalogue names it.
    pub clause: &'static str,
    /// What is wrong when it is broken, in one line without a full stop. It reads well after "allow".
    pub title: Text,
    /// What the rule demands, in one to three sentences. The first one says it by itself.
    pub explanation: Text,
    /// What goes wrong in practice when it is broken.
    pub why: Text,
    /// What a sender does about it.
    pub fix: Text,
    /// A message that meets it.
    pub good: Example,
    /// A message that breaks it; [`Example::None`] where none can.
    pub bad: Example,
    /// Whether a reader can hand out an event that breaks it.
    pub decode: Decode,
    /// The messages it is about; the check sees no others.
    pub applies: Applies,
    /// What sees it broken.
    pub check: Check,
}

impl Rule {
    /// What it demands: in one line without a full stop, and what there is to say beside.
    #[must_use]
    pub fn requirement(&self, language: Language) -> (&'static str, &'static str) {
        let told = self.explanation.told(language);
        let (first, rest) = told.split_once(". ").unwrap_or((told, ""));
        (first.trim_end_matches('.'), rest)
    }

    /// Whether no message can break it, so that it says something to readers alone.
    #[must_use]
    pub fn is_acceptance(&self) -> bool {
        matches!(self.check, Check::Acceptance)
    }
}

/// A text in the two languages of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Text {
    /// English.
    pub en: &'static str,
    /// Dutch.
    pub nl: &'static str,
}

impl Text {
    /// The text in a language.
    #[must_use]
    pub fn told(&self, language: Language) -> &'static str {
        match language {
            Language::Dutch => self.nl,
            Language::English => self.en,
        }
    }
}

/// A profile to judge by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Profile {
    /// CloudEvents 1.0.x.
    CloudEvents10,
    /// NL GOV profile for CloudEvents 1.0.
    NlGov10,
    /// NL GOV profile for CloudEvents 1.1.
    NlGov11,
}

impl Profile {
    /// All of them, oldest first.
    pub const ALL: [Self; 3] = [Self::CloudEvents10, Self::NlGov10, Self::NlGov11];

    /// Its name: `nl-gov-1.1`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::CloudEvents10 => "cloudevents-1.0",
            Self::NlGov10 => "nl-gov-1.0",
            Self::NlGov11 => "nl-gov-1.1",
        }
    }
}

/// How binding a rule is (RFC 2119).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Level {
    /// MUST
    Must,
    /// MUST NOT
    MustNot,
    /// SHOULD
    Should,
    /// SHOULD NOT
    ShouldNot,
    /// MAY
    May,
}

impl Level {
    /// The keyword.
    #[must_use]
    pub fn keyword(self) -> &'static str {
        match self {
            Self::Must => "MUST",
            Self::MustNot => "MUST NOT",
            Self::Should => "SHOULD",
            Self::ShouldNot => "SHOULD NOT",
            Self::May => "MAY",
        }
    }

    /// Whether breaking it fails a message.
    #[must_use]
    pub fn is_must(self) -> bool {
        matches!(self, Self::Must | Self::MustNot)
    }
}

/// The level of a rule in each profile, `None` where the profile does not have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Levels([Option<Level>; Profile::ALL.len()]);

impl Levels {
    /// The same in every profile.
    #[must_use]
    pub const fn everywhere(level: Level) -> Self {
        Self([Some(level); Profile::ALL.len()])
    }

    /// Each its own, in the order of [`Profile::ALL`].
    #[must_use]
    pub const fn each(levels: [Option<Level>; Profile::ALL.len()]) -> Self {
        Self(levels)
    }

    /// The level in a profile.
    #[must_use]
    pub fn of(&self, profile: Profile) -> Option<Level> {
        match profile {
            Profile::CloudEvents10 => self.0[0],
            Profile::NlGov10 => self.0[1],
            Profile::NlGov11 => self.0[2],
        }
    }
}

/// What kind of text a rule comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// A released specification.
    Released,
    /// A draft: a breach is a notice, and counts for nothing unless it leaves no event to read.
    Draft,
    /// A reading of a released text that does not say so in words.
    Interpretation,
    /// A guideline beside the profile.
    Guideline,
    /// The primer.
    Primer,
}

impl Status {
    /// The word of the catalogue.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Released => "released",
            Self::Draft => "draft",
            Self::Interpretation => "interpretation",
            Self::Guideline => "guideline",
            Self::Primer => "primer",
        }
    }
}

/// What the codec does with a message that breaks the rule. The property `agreement` holds it to that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Decode {
    /// It refuses: no event can be handed out.
    Refuse,
    /// It reads on.
    Accept,
}

/// The messages that a rule is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Applies {
    /// Every message, an event or not.
    Any,
    /// Everything that is meant as an event.
    Event,
    /// Events in the JSON format, alone or in a batch.
    Json,
    /// One event in the JSON format.
    Structured,
    /// Batches.
    Batch,
    /// Messages of one protocol, in any mode, events or not.
    On(Protocol),
    /// Messages of one protocol in one mode.
    In(Protocol, Mode),
    /// A webhook handshake.
    Validation,
    /// A webhook delivery.
    Delivery,
    /// Several events in the order they were sent.
    Stream,
    /// What somebody does with messages, which none of them shows.
    Behaviour,
}

impl Applies {
    /// Whether a rule that applies so is about what was checked.
    #[must_use]
    pub fn to(self, kind: Kind) -> bool {
        match kind {
            Kind::Message(protocol, mode) => self.to_message(protocol, mode),
            Kind::Exchange(Purpose::Validation, _) => self == Self::Validation,
            Kind::Exchange(Purpose::Delivery, mode) => {
                self == Self::Delivery || self.to_message(Protocol::Http, mode)
            }
            Kind::Stream => self == Self::Stream,
            Kind::Behaviour => false,
        }
    }

    pub(crate) fn to_message(self, protocol: Protocol, mode: Mode) -> bool {
        match self {
            Self::Any => true,
            Self::Event => matches!(mode, Mode::Structured | Mode::Binary | Mode::Batched),
            Self::Json => matches!(mode, Mode::Structured | Mode::Batched),
            Self::Structured => mode == Mode::Structured,
            Self::Batch => mode == Mode::Batched,
            Self::On(on) => on == protocol,
            Self::In(on, within) => (on, within) == (protocol, mode),
            Self::Validation | Self::Delivery | Self::Stream | Self::Behaviour => false,
        }
    }
}

/// What sees a rule broken.
#[derive(Clone, Copy, Debug)]
pub enum Check {
    /// Looks at each event of a message.
    Event(fn(&Event<'_>, &mut Found<'_>)),
    /// Looks at a message once.
    Message(fn(&Reading<'_>, &mut Found<'_>)),
    /// Looks at a request and the response to it.
    Exchange(fn(&Exchange, &mut Found<'_>)),
    /// Looks at events in order; makes what remembers them.
    Stream(fn(StreamFacts) -> Box<dyn Watch>),
    /// Looks at each event, and demands what an overlay says.
    Data(&'static Demand),
    /// Trying out shows it broken: see [`Live`](crate::Live).
    Live,
    /// No message can break it: its good example must be read, and must not be complained about.
    Acceptance,
    /// It is broken where one of these is, about what lies in its scope, and they report it.
    Umbrella(&'static [&'static str], Scope),
}

/// What an umbrella sums up of what its parts report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// All of it.
    All,
    /// What is about attributes: neither data nor a header that carries none.
    Attributes,
    /// What is about extension attributes.
    Extensions,
}

/// What part of an event a breach is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum About {
    /// An attribute of the core specification.
    Core,
    /// Any other attribute.
    Extension,
    /// Neither.
    Other,
}

impl Scope {
    /// Whether a breach counts.
    #[must_use]
    pub fn holds(self, about: About) -> bool {
        match self {
            Self::All => true,
            Self::Attributes => about != About::Other,
            Self::Extensions => about == About::Extension,
        }
    }
}

impl About {
    /// Where an attribute of a name belongs.
    pub(crate) fn attribute(name: &str) -> Self {
        match CORE.contains(&name) {
            true => Self::Core,
            false => Self::Extension,
        }
    }
}

/// What is known of a stream before its first event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StreamFacts {
    /// Whether it is shown from its first event on, without omissions.
    pub is_complete: bool,
}

impl StreamFacts {
    /// Facts of a stream that is shown whole, or of an excerpt.
    #[must_use]
    pub fn new(is_complete: bool) -> Self {
        Self { is_complete }
    }
}

/// Remembers what it needs of the events of a stream, and no more than a bounded amount of it.
pub trait Watch: std::fmt::Debug {
    /// Looks at the next event.
    fn see(&mut self, event: &Event<'_>, found: &mut Found<'_>);

    /// Says what only the end of the stream can show.
    fn end(&mut self, found: &mut Found<'_>) {
        _ = found;
    }
}
