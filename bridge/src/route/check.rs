//! Pure: judges an event by a profile, where the route asks for it. The checker reads the message by itself.

use cloudevents_nl_conformance::{
    Capture, Checker, Finding, Header, Level, Protocol, Reading, Severity, Waivers,
};
use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::delivery::{Received, Violation, Violations};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnViolation {
    /// It goes on.
    Count,
    DeadLetter,
    /// Its sender hears what is wrong.
    Refuse,
}

#[derive(Clone, Debug)]
pub struct Check {
    pub checker: Checker,
    /// A finding below it violates nothing.
    pub least: Severity,
    pub waivers: Waivers,
    pub on_violation: OnViolation,
}

impl Check {
    /// `None` where nothing is violated, but for what a waiver explains that still holds.
    pub fn violations(&self, received: &Received, now: Timestamp) -> Option<Violations> {
        let capture = capture(received);
        let reading = Reading::of(&capture);
        let checked = self.checker.check_reading(&reading);
        let event = reading.events.first();
        let is_explained = |finding: &Finding| {
            let waivers = self.waivers.all.iter();
            let mut waivers = waivers.filter(|it| it.rule.id == finding.rule.id);
            waivers.any(|it| {
                it.is_about(event) && !it.is_expired(TimeZone::UTC.to_datetime(now).date())
            })
        };
        let profile = self.checker.profile();
        let violation = |Finding { rule, place, .. }: &Finding| Violation {
            rule: rule.id,
            level: rule.level.of(profile).map_or("", Level::keyword),
            clause: rule.clause,
            title: rule.title,
            place: place.to_string(),
        };
        let findings = checked.findings.iter();
        let findings = findings.filter(|it| it.severity >= self.least && !is_explained(it));
        let findings: Vec<_> = findings.map(violation).collect();
        (!findings.is_empty()).then(|| Violations {
            profile,
            position: received.position.clone(),
            findings,
        })
    }
}

fn capture(received: &Received) -> Capture {
    let mut capture = Capture::new(match received.binding.protocol {
        "kafka" => Protocol::Kafka,
        "nats" => Protocol::Nats,
        _ => Protocol::Http,
    });
    let headers = received.headers.iter().map(|header| Header {
        name: header.name.to_owned(),
        value: header.value.map(<[u8]>::to_vec),
    });
    capture.headers = headers.collect();
    capture.body = received.body.as_deref().map(<[u8]>::to_vec);
    capture
}

#[cfg(test)]
mod tests;
