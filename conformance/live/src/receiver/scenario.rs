//! A scenario: the rule it tries out, what it sends, and what it makes of the answers.

use clap::ValueEnum;
use cloudevents_nl_conformance::{Evidence, Exchange, Shown, Text, Why};
use http::{Method, Version};

use super::target::Target;
use crate::client::{Request, SupportedProtocolVersion};
use crate::shown::{by, evidence, nothing, why};

/// One rule tried out. Nothing of it sends anything by itself.
#[derive(Debug)]
pub(crate) struct Scenario {
    /// The rule, as the catalogue names it.
    pub(crate) rule: &'static str,
    /// What is sent and looked at, in a few words; for what must not be refused, what that is.
    pub(crate) does: Text,
    /// What the operator has to allow first.
    pub(crate) allow: Option<Allow>,
    pub(crate) tries: Tries,
    pub(crate) judge: Judge,
}

/// What begins the words for an extension of nothing but letters, in any mode.
pub(crate) const PLAIN_EXTENSION: &str = "plain extension";

pub(crate) type Judge = fn(&Known, &[Seen]) -> Shown;

#[derive(Clone, Copy, Debug)]
pub(crate) enum Tries {
    /// Structured events with these members, as [`Target::structured`] reads them.
    Events(&'static [&'static str]),
    /// Binary events, each with one of these headers.
    Headers(&'static [(&'static str, &'static str)]),
    /// What comes out of this, where plain events are taken in structured mode.
    Structured(fn(&Target) -> Vec<Try>),
    /// What comes out of this.
    Any(fn(&Known) -> Vec<Try>),
    /// The same, or why there is nothing to try.
    Made(fn(&Known) -> Result<Vec<Try>, Why>),
    /// Nothing, and why.
    Not(Text),
}

/// What is sent only where the operator says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Allow {
    /// More requests in a minute than the receiver allows, until it answers 429
    Load,
    /// Events above 64 KiB, up to 4 MiB
    Large,
    /// Bodies that arrive in pieces over several seconds
    Slow,
}

/// A request, and a few words for it that need no translation.
#[derive(Clone)]
pub(crate) struct Try {
    pub(crate) what: String,
    pub(crate) request: Request,
    /// Other than HTTP/1.1 with any TLS, or to somewhere else: over a connection of its own.
    pub(crate) via: Option<(Version, Option<&'static SupportedProtocolVersion>)>,
    /// What is sent before it on its connection.
    pub(crate) before: Option<Request>,
    /// How many requests go over one connection; those of a note go at once.
    pub(crate) times: usize,
}

#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) what: String,
    /// Where the exchange stands in the record.
    pub(crate) line: u64,
    pub(crate) exchange: Exchange,
}

/// What a run knows before a scenario.
#[derive(Debug, Default)]
pub(crate) struct Known {
    pub(crate) target: Target,
    /// The handshake; `None` before anything was sent, as for a dry run.
    pub(crate) handshake: Option<Seen>,
    /// A plain event in each mode, likewise.
    pub(crate) structured: Option<Seen>,
    pub(crate) binary: Option<Seen>,
    pub(crate) batch: Option<Seen>,
    /// What came where somebody listens for the call by which the receiver consents.
    pub(crate) callback: Option<Seen>,
    /// Why what came there was no request.
    pub(crate) no_call: Option<String>,
    pub(crate) shown: Vec<(&'static str, Shown)>,
}

impl Tries {
    pub(crate) fn of(self, known: &Known) -> Result<Vec<Try>, Why> {
        match self {
            Self::Events(events) => {
                known.needs_structured()?;
                let tries = events.iter().map(|members| {
                    let request = known.target.structured(members);
                    Try::new(*members, request)
                });
                Ok(tries.collect())
            }
            Self::Headers(headers) => {
                known.needs_binary()?;
                let tries = headers.iter().map(|(name, value)| {
                    let request = known.target.binary(&[(name, value)], "{\"test\":true}");
                    Try::new(format!("{name}: {value}"), request)
                });
                Ok(tries.collect())
            }
            Self::Structured(make) => {
                known.needs_structured()?;
                Ok(make(&known.target))
            }
            Self::Any(make) => Ok(make(known)),
            Self::Made(make) => make(known),
            Self::Not(reason) => Err(why(reason.en, reason.nl)),
        }
    }
}

impl Try {
    pub(crate) fn new(what: impl Into<String>, request: Request) -> Self {
        Self {
            what: what.into(),
            request,
            via: None,
            before: None,
            times: 1,
        }
    }

    /// Whether it carries an event, and so may create something at the receiver.
    pub(crate) fn is_event(&self) -> bool {
        self.request.method == Method::POST
    }
}

impl Seen {
    pub(crate) fn status(&self) -> Option<u16> {
        self.exchange.response.status
    }

    pub(crate) fn header<'s>(&'s self, name: &'s str) -> Option<&'s str> {
        self.exchange.response.header(name)
    }

    pub(crate) fn is_accepted(&self) -> bool {
        matches!(self.status(), Some(200..=299))
    }

    /// As what is not wanted, and neither by failing nor for now.
    pub(crate) fn is_refused(&self) -> bool {
        matches!(self.status(), Some(400..=428 | 430..=499))
    }

    /// Whether it consents to a handshake, which no status does.
    pub(crate) fn consents(&self) -> bool {
        self.header("webhook-allowed-origin").is_some()
    }

    /// What was sent and what came of it: `GET → 405`.
    pub(crate) fn told(&self) -> String {
        let response = &self.exchange.response;
        let answer = match (response.status, &response.defect) {
            (Some(status), None) => status.to_string(),
            (Some(status), Some(defect)) => format!("{status} ({defect})"),
            (None, defect) => defect.clone().unwrap_or_default(),
        };
        format!("{} → {answer}", self.what)
    }

    pub(crate) fn evidence(&self) -> Evidence {
        Evidence {
            in_response: true,
            ..evidence(self.line, self.told())
        }
    }
}

impl Known {
    /// The rate that the receiver allows, in requests per minute: `None` where it names none, or no limit.
    pub(crate) fn allowed_rate(&self) -> Option<u32> {
        let in_answer = self.handshake.as_ref()?.header("webhook-allowed-rate");
        let in_call = || {
            let call = &self.callback.as_ref()?.exchange.request;
            call.header("webhook-allowed-rate")
        };
        let rate = in_answer.or_else(in_call)?;
        rate.parse().ok().filter(|rate| *rate > 0)
    }

    pub(crate) fn takes_events(&self) -> bool {
        let events = [&self.structured, &self.binary, &self.batch];
        events.into_iter().flatten().any(Seen::is_accepted)
    }

    /// Where a plain event in structured mode was refused, what else is refused shows nothing.
    pub(crate) fn needs_structured(&self) -> Result<(), Why> {
        needs(self.structured.as_ref(), "structured", "gestructureerde")
    }

    pub(crate) fn needs_binary(&self) -> Result<(), Why> {
        needs(self.binary.as_ref(), "binary", "binaire")
    }

    /// Where a plain extension was refused, that is told already, and not once more for each extension.
    pub(crate) fn needs_extensions(&self) -> Result<(), Why> {
        let is_plain = |evidence: &Evidence| evidence.seen.starts_with(PLAIN_EXTENSION);
        match self.broken("CE-INT-2").any(is_plain) {
            true => Err(why(
                "extensions are refused already: see CE-INT-2",
                "extensies worden al geweigerd: zie CE-INT-2",
            )),
            false => Ok(()),
        }
    }

    pub(crate) fn is_broken(&self, rule: &str) -> bool {
        self.broken(rule).next().is_some()
    }

    fn broken(&self, rule: &str) -> impl Iterator<Item = &Evidence> {
        let shown = self.shown.iter().filter(move |(of, _)| *of == rule);
        shown.flat_map(|(_, shown)| match shown {
            Shown::Broken(evidence) => &**evidence,
            _ => &[],
        })
    }

    /// Pairs of the same in structured and in binary mode, without those of a mode in which plain events are
    /// not taken.
    pub(crate) fn in_both_modes(
        &self,
        pairs: impl IntoIterator<Item = [Try; 2]>,
    ) -> Result<Vec<Try>, Why> {
        let modes = [self.needs_structured(), self.needs_binary()];
        if let [Err(why), Err(_)] = modes {
            return Err(why);
        }
        let tries = pairs.into_iter().flat_map(|pair| {
            let of_modes = pair.into_iter().zip(&modes);
            of_modes.filter_map(|(one, mode)| mode.is_ok().then_some(one))
        });
        Ok(tries.collect())
    }

    pub(crate) fn needs_batch(&self) -> Result<(), Why> {
        needs(self.batch.as_ref(), "batched", "batch-")
    }
}

fn needs(plain: Option<&Seen>, en: &str, nl: &str) -> Result<(), Why> {
    match plain {
        Some(seen) if !seen.is_accepted() => {
            let told = seen.told();
            Err(why(
                format!("a plain event in {en} mode is refused already: {told}"),
                format!("een gewone gebeurtenis in {nl} modus wordt al geweigerd: {told}"),
            ))
        }
        _ => Ok(()),
    }
}

/// Met where everything was accepted.
pub(crate) fn accepted(_: &Known, seen: &[Seen]) -> Shown {
    broken_where(seen, |seen| !seen.is_accepted())
}

/// Met where everything was accepted, but for refusals that are the receiver's own affair: it may want no such
/// types, sources, times or data.
pub(crate) fn taken_unless<'s>(
    seen: impl IntoIterator<Item = &'s Seen>,
    is_own_affair: impl Fn(&Seen) -> bool,
) -> Shown {
    let seen = seen.into_iter();
    let (own, others): (Vec<_>, Vec<_>) =
        seen.partition(|seen| seen.is_refused() && is_own_affair(seen));
    match (broken_where(others, |seen| !seen.is_accepted()), &*own) {
        (Shown::Met, [first, ..]) => nothing(
            format!(
                "the application may refuse that for itself: {}",
                first.told()
            ),
            format!("de toepassing kan dat zelf weigeren: {}", first.told()),
        ),
        (shown, _) => shown,
    }
}

/// Whether the first of those that begin with the same word is not taken either: that one is an ordinary one.
pub(crate) fn is_refused_before(one: &Seen, seen: &[Seen]) -> bool {
    let word = one.what.split(' ').next();
    let mut same = seen
        .iter()
        .filter(|seen| seen.what.split(' ').next() == word);
    same.next().is_some_and(|first| !first.is_accepted())
}

/// Met where none of it is so.
pub(crate) fn broken_where<'s>(
    seen: impl IntoIterator<Item = &'s Seen>,
    is_broken: impl Fn(&Seen) -> bool,
) -> Shown {
    let broken = seen.into_iter().filter(|seen| is_broken(seen));
    by(broken.map(Seen::evidence))
}
