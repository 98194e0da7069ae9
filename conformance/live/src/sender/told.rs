//! What is told on standard error, in the language that was asked for.

use std::collections::HashMap;
use std::time::Duration;

use cloudevents_nl_conformance::{Language, Live, Shown, Text};

use super::journal::Delivery;
use super::rules::SCENARIOS;
use super::scenario::Scenario;
use super::{Hindrance, Options};
use crate::shown::{nothing, told};

/// What would be played, on standard output.
pub(super) fn dry_run(options: &Options) {
    let language = options.lang;
    for scenario in SCENARIOS {
        let rules = match scenario.rules {
            [] => String::new(),
            rules => format!(" ({})", rules.join(", ")),
        };
        println!("{}: {}{rules}", scenario.name, scenario.does.told(language));
        if let Some(hindrance) = options.hinders(scenario) {
            println!("  – {}", hindrance.why().told(language));
        }
    }
}

pub(super) fn listening(options: &Options, address: &str) {
    let url = options.url.as_deref().unwrap_or(address);
    match options.lang {
        Language::English => eprintln!("listening at {address}; the sender is to deliver to {url}"),
        Language::Dutch => eprintln!("luistert op {address}; de afzender moet afleveren op {url}"),
    }
    if options.trigger.is_none() {
        match options.lang {
            Language::English => {
                eprintln!("make it send events until this ends; --trigger COMMAND would do so")
            }
            Language::Dutch => eprintln!(
                "laat hem gebeurtenissen versturen tot dit eindigt; --trigger OPDRACHT doet dat voor u"
            ),
        }
    }
}

pub(super) fn scenario(scenario: &Scenario, language: Language) {
    eprintln!("{}: {}", scenario.name, scenario.does.told(language));
}

/// What came in a scenario.
pub(super) fn came(deliveries: &[Delivery], language: Language) {
    let count = deliveries.len();
    match language {
        Language::English => eprintln!("  {count} deliveries"),
        Language::Dutch => eprintln!("  {count} afleveringen"),
    }
    for (id, waits) in waits(deliveries) {
        let waits: Vec<_> = waits
            .iter()
            .map(|wait| format!("{:.1} s", wait.as_secs_f32()))
            .collect();
        match language {
            Language::English => eprintln!("  {id} again after {}", waits.join(", ")),
            Language::Dutch => eprintln!("  {id} opnieuw na {}", waits.join(", ")),
        }
    }
}

/// Between deliveries of the same event, for those that came more than once.
fn waits(deliveries: &[Delivery]) -> Vec<(&str, Vec<Duration>)> {
    let (mut places, mut events) = (HashMap::new(), Vec::<(&str, Vec<Duration>)>::new());
    for delivery in deliveries {
        for event in &delivery.events {
            let (place, last) = places.entry(event.name).or_insert((events.len(), None));
            if last.is_none() {
                events.push((&event.id, Vec::new()));
            }
            if let (Some(before), Some((_, waits))) =
                (last.replace(delivery.at), events.get_mut(*place))
            {
                waits.push(delivery.at - before);
            }
        }
    }
    events.retain(|(_, waits)| !waits.is_empty());
    events
}

pub(super) fn shown(live: &Live, language: Language) {
    eprintln!("{} {}", live.rule.id, told(&live.shown, language));
}

pub(super) fn order(overtakers: usize, first: &str, language: Language) {
    match language {
        Language::English => {
            eprintln!("order: {overtakers} overtook another event of their key: {first}")
        }
        Language::Dutch => eprintln!(
            "volgorde: {overtakers} haalden een andere gebeurtenis van hun sleutel in: {first}"
        ),
    }
}

pub(super) fn nothing_came(language: Language) {
    match language {
        Language::English => eprintln!(
            "error: no delivery came. Is the sender subscribed to the address above, can it reach it, does it trust the certificate, and did it have an event to send? --trigger COMMAND makes it send one, and --patience SECONDS waits longer."
        ),
        Language::Dutch => eprintln!(
            "fout: er kwam geen aflevering. Is de afzender op het adres hierboven geabonneerd, kan hij erbij, vertrouwt hij het certificaat, en had hij een gebeurtenis om te versturen? Met --trigger OPDRACHT laat u er een versturen, met --patience SECONDEN wacht u langer."
        ),
    }
}

impl Hindrance {
    pub(super) fn why(self) -> Text {
        match self {
            Self::Unasked => Text {
                en: "not among the rules that --only names",
                nl: "hoort niet bij de regels die --only noemt",
            },
            Self::NothingCame => Text {
                en: "no delivery came",
                nl: "er kwam geen aflevering",
            },
            Self::Enough => Text {
                en: "more deliveries came before than are looked at: let the sender send fewer",
                nl: "er kwamen eerder meer afleveringen dan er bekeken worden: laat de afzender er minder versturen",
            },
            Self::NoRate => Text {
                en: "takes a rate to grant: --rate N",
                nl: "vraagt een tempo om toe te staan: --rate N",
            },
            Self::Plain => Text {
                en: "takes a certificate: --tls-cert and --tls-key",
                nl: "vraagt een certificaat: --tls-cert en --tls-key",
            },
            Self::Refuse => Text {
                en: "may end the subscription: --allow refuse plays it",
                nl: "kan het abonnement beëindigen: --allow refuse speelt het",
            },
            Self::Retire => Text {
                en: "may end the subscription: --allow retire plays it",
                nl: "kan het abonnement beëindigen: --allow retire speelt het",
            },
        }
    }

    pub(super) fn shown(self) -> Shown {
        let why = self.why();
        nothing(why.en, why.nl)
    }
}
