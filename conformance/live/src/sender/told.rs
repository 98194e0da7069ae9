//! What is told on standard error, in the language that was asked for.

use std::collections::HashMap;

use cloudevents_nl_conformance::Language;

use super::Options;
use super::journal::Delivery;
use super::rules::SCENARIOS;
use crate::listener::Refused;
use crate::shown::say;

/// What would be played, on standard output.
pub(super) fn dry_run(options: &Options) {
    let language = options.lang;
    for scenario in SCENARIOS {
        let rules = match scenario.rules {
            [] => String::new(),
            rules => format!(" ({})", rules.join(", ")),
        };
        println!("{}: {}{rules}", scenario.name, scenario.does.told(language));
        if let Some(why) = options.hinders(scenario) {
            println!("  – {}", why.told(language));
        }
    }
}

pub(super) fn listening(options: &Options, address: &str) {
    let url = options.url.as_deref().unwrap_or(address);
    say(
        options.lang,
        format!("listening at {address}; the sender is to deliver to {url}"),
        format!("luistert op {address}; de afzender moet afleveren op {url}"),
    );
    if options.trigger.is_none() {
        say(
            options.lang,
            "make it send events until this ends; --trigger COMMAND would do so",
            "laat hem gebeurtenissen versturen tot dit eindigt; --trigger OPDRACHT doet dat voor u",
        );
    }
}

pub(super) fn came(deliveries: &[Delivery], language: Language) {
    let count = deliveries.len();
    let [en, nl] = ["deliveries", "afleveringen"].map(|what| format!("  {count} {what}"));
    say(language, en, nl);
    // When each event came, in the order in which they came first.
    let mut events = HashMap::new();
    for delivery in deliveries {
        for event in &delivery.events {
            let first = (events.len(), &event.id, Vec::new());
            let (_, _, times) = events.entry(event.name).or_insert(first);
            times.push(delivery.at);
        }
    }
    let mut events: Vec<_> = events.into_values().collect();
    events.sort_unstable_by_key(|(first, ..)| *first);
    for (_, id, times) in events.iter().filter(|(_, _, times)| times.len() > 1) {
        let waits = times.iter().zip(times.iter().skip(1));
        let waits = waits.map(|(one, next)| format!("{:.1} s", (*next - *one).as_secs_f32()));
        let waits = waits.collect::<Vec<_>>().join(", ");
        let [en, nl] = ["again after", "opnieuw na"].map(|again| format!("  {id} {again} {waits}"));
        say(language, en, nl);
    }
}

pub(super) fn nothing_came(refused: &[Refused], language: Language) {
    if let Some(last) = refused.last() {
        let (count, error) = (refused.len(), &last.error);
        say(
            language,
            format!("connections without a readable request: {count}; the last one: {error}"),
            format!("verbindingen zonder leesbaar verzoek: {count}; de laatste: {error}"),
        );
    }
    say(
        language,
        "error: no delivery came. Is the sender subscribed to the address above, can it reach it, does it trust the certificate, and did it have an event to send? --trigger COMMAND makes it send one, and --patience SECONDS waits longer.",
        "fout: er kwam geen aflevering. Is de afzender op het adres hierboven geabonneerd, kan hij erbij, vertrouwt hij het certificaat, en had hij een gebeurtenis om te versturen? Met --trigger OPDRACHT laat u er een versturen, met --patience SECONDEN wacht u langer.",
    );
}
