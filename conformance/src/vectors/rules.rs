//! The vectors, against the rules: the level and the names of rules that each case expects, under the
//! comparison rules of the README beside the files.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::value::RawValue;

use super::file::{Base64, HeaderValue, Rules};
use super::{Difference, Verdict};
use crate::capture::{Capture, Exchange, Header, Protocol, Purpose};
use crate::check::Checker;
use crate::reading::{Mode, Reading};
use crate::report::{self, Checked, Kind, Severity};
use crate::rule::{Profile, StreamFacts};

type PerProfile<T> = BTreeMap<String, T>;

/// The members of all kinds of files that say what rules should find.
#[derive(Deserialize)]
struct Case {
    value: Option<String>,
    event: Option<String>,
    event_base64: Option<Base64>,
    events: Option<Vec<Box<RawValue>>>,
    complete: Option<bool>,
    headers: Option<Vec<(String, Option<HeaderValue>)>>,
    #[serde(
        alias = "value_base64",
        alias = "payload_base64",
        alias = "body_base64"
    )]
    body: Option<Base64>,
    request: Option<HttpMessage>,
    response: Option<HttpMessage>,
    #[serde(rename = "kind")]
    purpose: Option<String>,
    #[serde(default)]
    context: Context,
    outcome: Option<String>,
    #[serde(default)]
    allowed: Vec<String>,
    verdict: Option<PerProfile<Expected>>,
    rules: Option<Rules>,
    rules_match: Option<String>,
    level: Option<PerProfile<String>>,
    #[serde(default)]
    optional_rules: Rules,
    allowed_levels: Option<PerProfile<Vec<String>>>,
}

#[derive(Deserialize)]
struct Expected {
    level: Option<String>,
    #[serde(default)]
    rules: Vec<String>,
    #[serde(default)]
    allowed_levels: Vec<String>,
    #[serde(default)]
    optional_rules: Vec<String>,
}

#[derive(Deserialize)]
struct HttpMessage {
    method: Option<String>,
    url: Option<String>,
    status: Option<u16>,
    headers: Vec<(String, String)>,
    body_base64: Base64,
}

#[derive(Default, Deserialize)]
struct Context {
    handshake_origin: Option<String>,
    registered_url: Option<String>,
}

/// What is compared in one profile.
struct Wanted {
    /// One of them; any where there are none.
    levels: Vec<String>,
    /// Not where a case allows several levels.
    rules: Option<WantedRules>,
}

struct WantedRules {
    reported: BTreeSet<String>,
    /// They may be reported or not.
    optional: BTreeSet<String>,
    /// Whether one of the rules is enough.
    is_any: bool,
}

/// Judges a case of a kind in every profile.
pub(crate) fn check(kind: &str, vector: &RawValue) -> Result<Verdict, serde_json::Error> {
    let case: Case = serde_json::from_str(vector.get())?;
    let (mut differences, mut is_judged) = (Vec::new(), false);
    for profile in Profile::ALL {
        let Some(wanted) = case.wanted(profile) else {
            continue;
        };
        let checked = case.checked(kind, profile);
        match case.other_outcome(&checked) {
            Some(other) if case.allowed.iter().any(|allowed| allowed == other) => continue,
            Some(other) => {
                let expected = case.outcome.clone().unwrap_or_default();
                differences.push(Difference::new("outcome", expected, other));
            }
            None => {}
        }
        is_judged = true;
        differences.extend(compare(profile, &wanted, &checked));
    }
    Ok(match is_judged {
        true => Verdict::Judged(differences),
        false => Verdict::NotJudged,
    })
}

/// The message of a case, `None` where it is an exchange or a stream.
pub(crate) fn message(kind: &str, vector: &RawValue) -> Result<Option<Capture>, serde_json::Error> {
    let case: Case = serde_json::from_str(vector.get())?;
    Ok((!matches!(kind, "webhook" | "streams")).then(|| case.capture(kind)))
}

impl Case {
    /// What the case says about a profile, `None` when it says nothing.
    fn wanted(&self, profile: Profile) -> Option<Wanted> {
        let name = profile.name();
        let optional = self.optional_rules.of(name).unwrap_or_default().iter();
        let mut optional: BTreeSet<_> = optional.cloned().collect();
        let verdict = match &self.verdict {
            Some(verdict) => Some(verdict.get(name)?),
            None => None,
        };
        let (level, allowed, rules) = match verdict {
            Some(verdict) => {
                optional.extend(verdict.optional_rules.iter().cloned());
                let allowed = Some(&verdict.allowed_levels).filter(|levels| !levels.is_empty());
                (verdict.level.as_ref(), allowed, Some(&*verdict.rules))
            }
            None => (
                self.level.as_ref().and_then(|levels| levels.get(name)),
                self.allowed_levels
                    .as_ref()
                    .and_then(|levels| levels.get(name)),
                match &self.rules {
                    Some(rules) => rules.of(name),
                    // A message that is an event breaks no rule at MUST level of the core
                    // specification.
                    None if profile == Profile::CloudEvents10 && self.is_event() => Some(&[][..]),
                    None => None,
                },
            ),
        };
        let is_any = self.rules_match.as_deref() != Some("all") && !self.is_event();
        let rules = rules
            .filter(|_| allowed.is_none())
            .map(|rules| WantedRules {
                reported: rules.iter().cloned().collect(),
                optional,
                is_any: verdict.is_none() && is_any,
            });
        let levels = match allowed {
            Some(allowed) => allowed.clone(),
            None => level.into_iter().cloned().collect(),
        };
        (rules.is_some() || !levels.is_empty()).then_some(Wanted { levels, rules })
    }

    fn is_event(&self) -> bool {
        matches!(self.outcome.as_deref(), Some("event" | "events"))
    }

    /// That there is no event here, where the case recommends another outcome. Where it allows this one,
    /// it is compared no further.
    fn other_outcome(&self, checked: &Checked) -> Option<&'static str> {
        let outcome = match checked.kind {
            Kind::Message(_, Mode::Unsupported) => "unsupported",
            Kind::Message(_, Mode::NotAnEvent) => "not-a-cloudevent",
            _ => return None,
        };
        (self.outcome.as_deref() != Some(outcome)).then_some(outcome)
    }

    fn checked(&self, kind: &str, profile: Profile) -> Checked {
        let checker = Checker::new(profile);
        match kind {
            "webhook" => checker.check_exchange(&self.exchange()),
            "streams" => {
                let mut stream = checker.stream(StreamFacts::new(self.complete == Some(true)));
                let mut checked = Checked::new(Kind::Stream);
                for event in self.events.iter().flatten() {
                    let capture = Capture::event(event.get());
                    stream.enter_events(&Reading::of(&capture), &mut checked);
                }
                stream.enter_end(&mut checked);
                checked
            }
            kind => checker.check(&self.capture(kind)),
        }
    }

    fn capture(&self, kind: &str) -> Capture {
        let usual = |member: &str| {
            let value = serde_json::to_string(self.value.as_deref().unwrap_or_default());
            let other = match member {
                "type" => r#""source":"urn:nld:oin:00000001823288444000:systeem:BRP-component""#,
                _ => r#""type":"nl.brp.persoon-verhuisd""#,
            };
            let value = value.expect("text is JSON");
            format!(r#"{{"specversion":"1.0","id":"1",{other},"{member}":{value}}}"#)
        };
        let protocol = match kind {
            "type-names" => return Capture::event(usual("type")),
            "sources" => return Capture::event(usual("source")),
            "binary-kafka" => Protocol::Kafka,
            "binary-nats" => Protocol::Nats,
            "binary-http" => Protocol::Http,
            _ => {
                let bytes = self.event_base64.as_ref().map(|bytes| bytes.0.clone());
                let text = self.event.as_ref().map(|text| text.clone().into_bytes());
                return Capture::event(text.or(bytes).unwrap_or_default());
            }
        };
        let headers = self.headers.iter().flatten().map(|(name, value)| Header {
            name: name.clone(),
            value: value.as_ref().map(|value| value.bytes().to_vec()),
        });
        Capture {
            headers: headers.collect(),
            body: self.body.as_ref().map(|body| body.0.clone()),
            ..Capture::new(protocol)
        }
    }

    fn exchange(&self) -> Exchange {
        let purpose = match self.purpose.as_deref() {
            Some("validation") => Purpose::Validation,
            _ => Purpose::Delivery,
        };
        let message = |message: &Option<HttpMessage>| {
            let mut capture = Capture::new(Protocol::Http);
            if let Some(message) = message {
                for (name, value) in &message.headers {
                    capture = capture.with_header(name, value.as_bytes());
                }
                capture.body = Some(message.body_base64.0.clone());
                capture.method.clone_from(&message.method);
                capture.target.clone_from(&message.url);
                capture.status = message.status;
            }
            capture
        };
        Exchange {
            handshake_origin: self.context.handshake_origin.clone(),
            registered_url: self.context.registered_url.clone(),
            ..Exchange::new(purpose, message(&self.request), message(&self.response))
        }
    }
}

fn compare(profile: Profile, wanted: &Wanted, checked: &Checked) -> Vec<Difference> {
    let what = |what: &str| format!("{what} under {}", profile.name());
    let mut differences = Vec::new();
    let verdict = match checked.verdict() {
        report::Verdict::Fail => "fail",
        report::Verdict::Warn => "warn",
        _ => "pass",
    };
    if !wanted.levels.is_empty() && !wanted.levels.iter().any(|level| level == verdict) {
        let levels = wanted.levels.join(" or ");
        differences.push(Difference::new(what("level"), levels, verdict));
    }
    let Some(rules) = &wanted.rules else {
        return differences;
    };
    let found = |least: Severity| -> BTreeSet<String> {
        let broken = checked.broken.iter();
        let broken = broken.filter(|broken| broken.severity >= least);
        broken.map(|broken| broken.rule.id.to_owned()).collect()
    };
    let all = found(Severity::Notice);
    let required: BTreeSet<_> = rules.reported.difference(&rules.optional).collect();
    let missing: Vec<_> = required.iter().filter(|id| !all.contains(**id)).collect();
    let is_met = missing.is_empty() || rules.is_any && missing.len() < required.len();
    if !is_met {
        let missing: Vec<_> = missing.into_iter().map(|id| id.as_str()).collect();
        let all: Vec<_> = all.iter().map(String::as_str).collect();
        let (missing, all) = (missing.join(", "), all.join(", "));
        differences.push(Difference::new(what("rules"), missing, all));
    }
    if !rules.is_any {
        let expected = |id: &String| rules.reported.contains(id) || rules.optional.contains(id);
        let mut others: Vec<_> = found(Severity::Error).into_iter().collect();
        others.retain(|id| !expected(id));
        if !others.is_empty() {
            let what = what("other rules at MUST level");
            differences.push(Difference::new(what, "none", others.join(", ")));
        }
    }
    differences
}

#[cfg(test)]
mod tests;
