//! What the page says of one route.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::admin::overview::{Circuit, RouteOverview, RouteState, Stage};
use crate::server::Language;

/// All that a path need not escape is left as it is.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');
/// Heights of the sparkline; its width is a unit for each minute.
const HEIGHT: u64 = 24;

pub(crate) struct Card<'a> {
    pub(super) route: &'a RouteOverview,
    language: Language,
    pub(super) actions: bool,
}

impl<'a> Card<'a> {
    pub(crate) fn new(route: &'a RouteOverview, language: Language, actions: bool) -> Self {
        Self {
            route,
            language,
            actions,
        }
    }

    /// Nothing where nobody need look; else the lowest first.
    pub(super) fn urgency(&self) -> Option<u8> {
        let route = self.route;
        match route.state {
            RouteState::NotRunning => Some(0),
            RouteState::Retired => Some(1),
            RouteState::HeldByDestination | RouteState::HeldAtSource => Some(2),
            RouteState::Paused => Some(5),
            _ if !route.outages.is_empty() => Some(3),
            _ if !route.faults.is_empty() => Some(4),
            RouteState::Starting | RouteState::Running => None,
        }
    }

    /// A class of the style sheet.
    pub(super) fn tone(&self) -> &'static str {
        match self.urgency() {
            None => "well",
            Some(_) if self.route.state == RouteState::Paused => "paused",
            Some(_) => "bad",
        }
    }

    /// In addresses and ids.
    fn name(&self) -> String {
        utf8_percent_encode(&self.route.name, ESCAPED).to_string()
    }

    pub(super) fn id(&self) -> String {
        format!("route-{}", self.name())
    }

    pub(super) fn path(&self) -> String {
        format!("/routes/{}", self.name())
    }

    pub(super) fn state(&self) -> &'static str {
        let say = |dutch, english| self.language.say(dutch, english);
        match self.route.state {
            RouteState::Starting => say("start op", "starting"),
            RouteState::Paused => say("gepauzeerd", "paused"),
            RouteState::HeldByDestination | RouteState::HeldAtSource => say("vastgehouden", "held"),
            RouteState::Retired => say("bestemming vervallen", "destination retired"),
            RouteState::NotRunning => say("draait niet", "does not run"),
            RouteState::Running => match self.route.circuit {
                _ if self.urgency().is_none() => say("loopt", "runs"),
                Circuit::Closed => say("vraagt aandacht", "needs attention"),
                _ => say("circuit open", "circuit open"),
            },
        }
    }

    pub(super) fn circuit(&self) -> &'static str {
        match self.route.circuit {
            Circuit::Closed => self.language.say("gesloten", "closed"),
            Circuit::Open => "open",
            Circuit::HalfOpen => self.language.say("halfopen", "half open"),
            Circuit::Retired => self.language.say("vervallen", "retired"),
        }
    }

    /// What is wrong, and what happens next.
    pub(super) fn trouble(&self) -> Option<&'static str> {
        self.urgency()?;
        let say = |dutch, english| self.language.say(dutch, english);
        let failing = self.route.outages.first().map(|outage| outage.end);
        Some(match self.route.state {
            RouteState::NotRunning => say(
                "Deze route draait niet: zij neemt niets en verstuurt niets.",
                "This route does not run: it takes nothing and sends nothing.",
            ),
            RouteState::Retired => say(
                "De bestemming zegt dat zij voorgoed weg is (410). Tot een herstart wordt er niets verstuurd.",
                "The destination says that it is gone for good (410). Nothing is sent until a restart.",
            ),
            RouteState::HeldAtSource => say(
                "De bron wordt niet of niet geheel verder gelezen tot iemand ingrijpt.",
                "The source, or a part of it, is read no further until somebody acts.",
            ),
            RouteState::HeldByDestination => say(
                "De bestemming weigert elke gebeurtenis. Daarom wacht alles, en wordt telkens één gebeurtenis \
                 geprobeerd; zodra die wordt aangenomen, gaat de route vanzelf verder.",
                "The destination refuses every event. So everything waits, and one event at a time is tried; \
                 as soon as it is taken, the route goes on by itself.",
            ),
            RouteState::Paused => say(
                "Iemand heeft deze route gepauzeerd. Er wordt niets verstuurd tot iemand haar hervat, of tot een \
                 herstart.",
                "Somebody paused this route. Nothing is sent until somebody resumes it, or until a restart.",
            ),
            _ if failing == Some(Stage::Sink) => say(
                "De bestemming neemt niets aan. Alles wacht, en telkens wordt één gebeurtenis geprobeerd; zodra \
                 die wordt aangenomen, gaat de route vanzelf verder.",
                "The destination takes nothing. Everything waits, and one event at a time is tried; as soon as \
                 it is taken, the route goes on by itself.",
            ),
            _ if failing == Some(Stage::DeadLetter) => say(
                "Wat nooit afgeleverd kan worden, kan ook niet als dead letter worden bewaard. Het wacht; de rest \
                 gaat door.",
                "What can never be delivered cannot be kept as a dead letter either. It waits; the rest goes on.",
            ),
            RouteState::Starting => say(
                "De bron is nog niet verbonden, of niet meer. Tot zij dat is, wordt er niets gelezen.",
                "The source is not connected yet, or no more. Nothing is read until it is.",
            ),
            RouteState::Running => say(
                "De route doet niet al haar werk.",
                "The route does not do all of its work.",
            ),
        })
    }

    /// Each with the code of its language.
    pub(super) fn faults(&self) -> Vec<(String, &'static str)> {
        let faults = self.route.faults.iter();
        let faults = faults.filter(|_| self.route.state != RouteState::NotRunning);
        faults.map(|fault| self.language.tell(fault)).collect()
    }

    /// Of the faults; that of an outage is its own.
    pub(super) fn remedy(&self) -> Option<&'static str> {
        let (dutch, english) = match self.route.state {
            _ if self.route.faults.is_empty() => return None,
            RouteState::Starting => (
                "ga na of de bron draait en bereikbaar is; het log noemt de oorzaak",
                "see that the source runs and can be reached; the log names the cause",
            ),
            _ => (
                "kijk in het log, dat de oorzaak noemt",
                "look into the log, which names the cause",
            ),
        };
        Some(self.language.say(dutch, english))
    }

    pub(super) fn lag(&self) -> String {
        let lag = self.route.lag.as_ref().map(|lag| self.language.number(lag));
        lag.unwrap_or_else(|| "–".to_owned())
    }

    pub(super) fn oldest(&self) -> String {
        // Saturates.
        let seconds = self.route.oldest_unsettled_seconds as u64;
        match self.route.window_events {
            0 => "–".to_owned(),
            _ => self.language.span(seconds),
        }
    }

    /// Path under the route, and what its button says.
    pub(super) fn possible_actions(&self) -> Vec<(&'static str, &'static str)> {
        let pause = ("pause", self.language.say("Pauzeren", "Pause"));
        let resume = ("resume", self.language.say("Hervatten", "Resume"));
        let say = self.language.say("Nu opnieuw proberen", "Retry now");
        let retry = ("retry", say);
        match self.route.state {
            RouteState::Retired | RouteState::NotRunning => Vec::new(),
            RouteState::Paused => vec![resume],
            _ if self.route.waiting > 0 || !self.route.outages.is_empty() => vec![retry, pause],
            _ => vec![pause],
        }
    }

    /// Delivered per minute as an image with its words.
    pub(super) fn sparkline(&self) -> String {
        let minutes = &self.route.per_minute;
        let most = minutes.iter().max().unwrap_or(&0);
        let busy = minutes.iter().enumerate().filter(|(_, count)| **count > 0);
        let bars = busy.map(|(at, count)| {
            // At least a line, so that little is not nothing.
            let height = (u128::from(*count) * u128::from(HEIGHT) / u128::from(*most)).max(1);
            format!("M{at} {HEIGHT}v-{height}h1v{height}z")
        });
        let (bars, width) = (bars.collect::<String>(), minutes.len().max(1));
        let last = minutes.last().unwrap_or(&0);
        let [highest, last] = [most, last].map(|count| self.language.number(count));
        let say = |dutch: String, english| self.language.say(dutch, english);
        let words = match most {
            0 => say("niets afgeleverd".into(), "nothing delivered".into()),
            _ => say(
                format!("hoogstens {highest} per minuut, het laatst {last}"),
                format!("at most {highest} per minute, {last} in the last one"),
            ),
        };
        format!(
            "<svg role=\"img\" aria-label=\"{words}\" viewBox=\"0 0 {width} {HEIGHT}\" \
             preserveAspectRatio=\"none\"><path d=\"{bars}\"/></svg>"
        )
    }
}
