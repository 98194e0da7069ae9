//! Runs the rules of a profile.

use crate::capture::{Capture, Exchange, Protocol, Purpose};
use crate::live::Evidence;
use crate::reading::Reading;
use crate::report::{Breach, Checked, Kind, Ledger, Part, Severity};
use crate::rule::{About, Applies, Check, Decode, Found, Profile, Rule, StreamFacts, Watch};
use crate::rules::{self, RULES};
use crate::written::Overlay;

/// Judges messages by the rules of a profile.
///
/// ```
/// use cloudevents_nl_conformance::{Capture, Checker, Profile, Verdict};
///
/// let event = r#"{"specversion":"1.0","id":"","source":"urn:nld:kvknr:09220932.zaken","type":"nl.brp.a"}"#;
/// let checked = Checker::new(Profile::NlGov11).check(&Capture::event(event));
/// assert_eq!(checked.verdict(), Verdict::Fail);
/// assert_eq!(checked.findings[0].rule.id, "CE-ID-2");
/// assert_eq!(checked.findings[0].place.to_string(), "/id");
/// ```
#[derive(Clone, Debug)]
pub struct Checker {
    profile: Profile,
    /// The rules that the profile has and that a message, an exchange or a stream can break.
    rules: Vec<Active>,
}

#[derive(Clone, Copy, Debug)]
struct Active {
    rule: &'static Rule,
    profile: Profile,
    severity: Severity,
    /// The side of an exchange that it binds.
    side: Part,
}

impl Checker {
    /// A checker for the rules of a profile.
    #[must_use]
    pub fn new(profile: Profile) -> Self {
        Self::with(profile, &[])
    }

    /// A checker for the rules of a profile, and of overlays.
    #[must_use]
    pub fn with(profile: Profile, overlays: &[Overlay]) -> Self {
        let active = |rule: &'static Rule| {
            let refuses = rule.decode == Decode::Refuse;
            let severity = Severity::of(rule, profile, refuses)?;
            Some(Active {
                rule,
                profile,
                severity,
                side: rules::side(rule.id),
            })
        };
        let of_overlays = overlays.iter().flat_map(|overlay| overlay.rules.iter());
        let all = RULES.iter().chain(of_overlays).copied();
        Self {
            profile,
            rules: all.filter_map(active).collect(),
        }
    }

    /// The profile it judges by.
    #[must_use]
    pub fn profile(&self) -> Profile {
        self.profile
    }

    /// Judges a message.
    #[must_use]
    pub fn check(&self, capture: &Capture) -> Checked {
        self.check_reading(&Reading::of(capture))
    }

    /// Judges a message that has been read.
    #[must_use]
    pub fn check_reading(&self, reading: &Reading<'_>) -> Checked {
        let mut checked = Checked::new(Kind::of(reading));
        self.enter_message(reading, &mut checked);
        checked.finish(reading.capture.body())
    }

    /// Judges an exchange between a webhook sender and its target: the rules of the webhook
    /// specification, and for a delivery those about the request as a message too.
    #[must_use]
    pub fn check_exchange(&self, exchange: &Exchange) -> Checked {
        let reading = Reading::of(&exchange.request);
        let mut checked = Checked::new(Kind::Exchange(exchange.purpose, reading.mode));
        self.enter_exchange(exchange, &reading, &mut checked);
        checked.finish(exchange.request.body())
    }

    /// Enters what is wrong with an exchange, whose request has been read.
    pub(crate) fn enter_exchange(
        &self,
        exchange: &Exchange,
        reading: &Reading<'_>,
        ledger: &mut dyn Ledger,
    ) {
        let about = match exchange.purpose {
            Purpose::Validation => Applies::Validation,
            Purpose::Delivery => Applies::Delivery,
        };
        let body = exchange.request.body();
        let rules = self.rules.iter();
        for active in rules.filter(|active| exchange.judges(active.side)) {
            if active.rule.applies == about
                && exchange.request.is_judged_by(active.rule.id)
                && let Check::Exchange(check) = active.rule.check
            {
                check(exchange, &mut active.found(Protocol::Http, body, ledger));
            }
        }
        if exchange.purpose == Purpose::Delivery && exchange.judges(Part::Message) {
            self.enter_message(reading, ledger);
        }
    }

    pub(crate) fn enter_live(
        &self,
        rule: &'static Rule,
        evidence: &Evidence,
        ledger: &mut dyn Ledger,
    ) {
        let (profile, side) = (self.profile, Part::Message);
        let severity = match rule.level.of(profile) {
            // What the profile does not have is told, and does not count.
            None => Severity::Notice,
            // What a sender may do, a receiver has to cope with: refusing it is more than a choice.
            Some(_) => Severity::of(rule, profile, false).unwrap_or(Severity::Warning),
        };
        let active = Active {
            rule,
            profile,
            severity,
            side,
        };
        let mut found = active.found(Protocol::File, &[], ledger);
        match evidence.in_response {
            true => found.in_response().message(&evidence.seen),
            false => found.message(&evidence.seen),
        }
    }

    /// Judges messages as one stream, one by one in the order they were sent.
    #[must_use]
    pub fn stream(&self, facts: StreamFacts) -> StreamChecker {
        let watching = |active: &Active| match active.rule.check {
            Check::Stream(watch) => Some(Watching {
                active: *active,
                watch: watch(facts),
                has_seen: false,
            }),
            _ => None,
        };
        StreamChecker {
            watches: self.rules.iter().filter_map(watching).collect(),
        }
    }

    /// Enters what is wrong with a message that has been read.
    pub(crate) fn enter_message(&self, reading: &Reading<'_>, ledger: &mut dyn Ledger) {
        let protocol = reading.capture.protocol;
        for active in &self.rules {
            let is_about = active.rule.applies.to_message(protocol, reading.mode);
            if !is_about || !reading.capture.is_judged_by(active.rule.id) {
                continue;
            }
            let mut found = active.found(protocol, reading.capture.body(), ledger);
            match active.rule.check {
                Check::Message(check) => check(reading, &mut found),
                Check::Event(check) => {
                    for event in &reading.events {
                        check(event, &mut found.in_element(event.element));
                    }
                }
                Check::Data(demand) => {
                    for event in &reading.events {
                        demand.check(event, &mut found.in_element(event.element));
                    }
                }
                _ => {}
            }
        }
    }
}

impl Active {
    fn found<'a>(
        &self,
        protocol: Protocol,
        body: &'a [u8],
        ledger: &'a mut dyn Ledger,
    ) -> Found<'a> {
        let breach = Breach {
            rule: self.rule,
            profile: self.profile,
            severity: self.severity,
            refuses: self.rule.decode == Decode::Refuse,
            part: Part::Message,
            protocol,
            element: None,
            about: About::Other,
            body,
        };
        Found { breach, ledger }
    }
}

/// What the stream rules remember of the messages so far; made by [`Checker::stream`].
#[derive(Debug)]
pub struct StreamChecker {
    watches: Vec<Watching>,
}

#[derive(Debug)]
struct Watching {
    active: Active,
    watch: Box<dyn Watch>,
    /// Whether an event was judged by the rule.
    has_seen: bool,
}

impl StreamChecker {
    /// Looks at the next message. Rules about a single message are [`Checker::check`]'s.
    pub fn see(&mut self, capture: &Capture) -> Checked {
        let mut checked = Checked::new(Kind::Stream);
        self.enter_events(&Reading::of(capture), &mut checked);
        checked.finish(capture.body())
    }

    /// What only the end of the stream can show: that something did not come any more.
    #[must_use]
    pub fn end(mut self) -> Checked {
        let mut checked = Checked::new(Kind::Stream);
        self.enter_end(&mut checked);
        checked.finish(&[])
    }

    /// Enters what is wrong with the next message, among those before it.
    pub(crate) fn enter_events(&mut self, reading: &Reading<'_>, ledger: &mut dyn Ledger) {
        let capture = reading.capture;
        for event in &reading.events {
            for watching in &mut self.watches {
                let Watching { active, watch, .. } = watching;
                if capture.is_judged_by(active.rule.id) {
                    let mut found = active.found(capture.protocol, capture.body(), ledger);
                    watch.see(event, &mut found.in_element(event.element));
                    watching.has_seen = true;
                }
            }
        }
    }

    /// Whether the stream shows a rule: not where no event was judged by it.
    pub(crate) fn shows(&self, rule: &str) -> bool {
        let mut watches = self.watches.iter();
        !watches.any(|it| it.active.rule.id == rule && !it.has_seen)
    }

    pub(crate) fn enter_end(&mut self, ledger: &mut dyn Ledger) {
        for Watching { active, watch, .. } in &mut self.watches {
            watch.end(&mut active.found(Protocol::File, &[], ledger));
        }
    }
}
