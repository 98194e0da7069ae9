//! What a run would send, told beforehand.

use std::fmt::Write;
use std::time::Duration;

use cloudevents_nl_conformance::Language;

use super::Arguments;
use super::notes::NOTES;
use super::run::{first, planned};
use super::scenario::{Allow, Known, Scenario};

/// Tells it. The receiver may allow less than is assumed here, and then less is sent.
pub(super) fn told(
    arguments: &Arguments,
    scenarios: &[&Scenario],
    known: &Known,
    spacing: Duration,
) -> String {
    let (language, allowed) = (arguments.lang, &arguments.allow);
    let mut rows = String::new();
    let mut requests: usize = first(known).len();
    let mut events = requests - 1;
    let mut unhurried = requests;
    let is_allowed = |it: &&Scenario| it.allow.is_none_or(|allow| allowed.contains(&allow));
    let notes = NOTES.iter().filter(|_| arguments.only.is_empty());
    let notes = notes.filter(is_allowed);
    for scenario in scenarios.iter().copied().chain(notes) {
        let tries = planned(scenario, allowed, known);
        let told = match &tries {
            Ok(_) => scenario.does.told(language),
            Err(why) => why.told(language),
        };
        let tries = tries.as_deref().unwrap_or_default();
        let count: usize = tries.iter().map(|one| one.times).sum();
        let with_events = tries.iter().filter(|one| one.is_event());
        requests += count;
        events += with_events.map(|one| one.times).sum::<usize>();
        if scenario.allow != Some(Allow::Load) {
            unhurried += count;
        }
        writeln!(rows, "{count:>5}  {:<13} {told}", scenario.rule).expect("a text takes all");
    }
    let target = &known.target;
    let (url, source, event_type, run) =
        (&target.url, &target.source, &target.event_type, &target.run);
    let seconds = (spacing * u32::try_from(unhurried).unwrap_or(u32::MAX)).as_secs();
    let rate = 60.0 / spacing.as_secs_f64();
    match language {
        Language::English => format!(
            "Would send at most {requests} requests to {url}, {events} of them with events, at most {rate:.0} per minute: about {seconds} seconds. \
             What draws no answer, 429 or 5xx is sent once more, and so is a plain event that is refused, with capitals in names of headers and with a UUID as its id; a consent by callback and a cookie are asked for beside.\n\
             Events have the source {source}, the type {event_type}, and an id that begins with {run}.\n\
             First a handshake and a plain event in each mode. Then, with the number of requests; what is only named must not be refused:\n{rows}"
        ),
        Language::Dutch => format!(
            "Zou hoogstens {requests} verzoeken naar {url} sturen, waarvan {events} met gebeurtenissen, hoogstens {rate:.0} per minuut: ongeveer {seconds} seconden. \
             Wat geen antwoord, 429 of 5xx krijgt, wordt nog eens gestuurd, en ook een gewone gebeurtenis die wordt geweigerd, met hoofdletters in headernamen en met een UUID als id; toestemming per callback en een cookie worden daarnaast gevraagd.\n\
             Gebeurtenissen hebben als source {source}, als type {event_type}, en een id dat begint met {run}.\n\
             Eerst een handshake en een gewone gebeurtenis in elke modus. Daarna, met het aantal verzoeken; wat alleen genoemd wordt, mag niet worden geweigerd:\n{rows}"
        ),
    }
}
