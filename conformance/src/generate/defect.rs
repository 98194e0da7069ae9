//! One defect in a message that has no other.

use proptest::prelude::*;
use proptest::sample::Index;

use super::{compliant, written};
use crate::capture::{Capture, Header, Protocol};
use crate::json::{self, Document};
use crate::reading::Mode;
use crate::rule::{Decode, Level, Profile, Rule, Status};
use crate::rules::rule;

/// One thing that can be wrong with a message.
///
/// ```
/// use cloudevents_nl_conformance::generate;
///
/// let defect = generate::defects().find(|defect| defect.name == "id-empty").unwrap();
/// assert_eq!(defect.rules, ["CE-ID-2"]);
/// assert!(defect.must_be_refused() && !defect.must_be_read());
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Defect {
    /// What is wrong: `id-empty`.
    pub name: &'static str,
    /// The rules that such a message breaks: all that a checker of [`Self::profile`] finds, and no
    /// others.
    pub rules: &'static [&'static str],
    /// The profile by which it is wrong. What CloudEvents forbids, every profile does.
    pub profile: Profile,
    pub(super) on: &'static [(Protocol, Mode)],
    pub(super) change: Change,
}

/// A message and the one thing that is wrong with it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct NearValid {
    /// What is wrong.
    pub defect: &'static Defect,
    /// The message.
    pub message: Capture,
}

/// Makes a body of another; none is a null value.
pub(super) type NewBody = fn(Vec<u8>) -> Option<Vec<u8>>;

/// How a valid message is spoilt. Of several values one is taken.
#[derive(Clone, Copy, Debug)]
pub(super) enum Change {
    /// An attribute is not there.
    Without(&'static str),
    /// An attribute has this text, spelled as the mode spells text.
    Attribute(&'static str, &'static [&'static str]),
    /// A member of the JSON object is this JSON, instead of what it was.
    Member(&'static str, &'static [&'static str]),
    /// This text of members stands behind all others.
    Behind(&'static [&'static str]),
    /// The header of an attribute has these bytes.
    Raw(&'static str, &'static [&'static [u8]]),
    /// A header stands there once more, with another value.
    Again(&'static str),
    /// One more header.
    Header(&'static str, &'static str),
    /// The body is made of the one that was.
    Body(&'static [NewBody]),
    /// One after the other, which together make one defect.
    Several(&'static [Self]),
}

impl Defect {
    /// Whether a reader that hands out an event is wrong: a released MUST is broken, of a kind that
    /// leaves no event to hand out.
    #[must_use]
    pub fn must_be_refused(&self) -> bool {
        self.broken().any(|rule| {
            rule.decode == Decode::Refuse && is_must(rule) && rule.status == Status::Released
        })
    }

    /// Whether a reader that hands out no event is wrong: what is broken is no MUST of CloudEvents
    /// itself (extensions and profiles do not decide what an event is), and nothing else that keeps
    /// readers from it. Where neither is so, a reader may do as it likes.
    #[must_use]
    pub fn must_be_read(&self) -> bool {
        self.broken().all(|rule| {
            rule.decode == Decode::Accept && (!is_must(rule) || rule.id.starts_with("EXT-"))
        })
    }

    fn broken(&self) -> impl Iterator<Item = &'static Rule> {
        self.rules.iter().filter_map(|id| rule(id))
    }

    /// Whether a message of this protocol and mode can have it.
    #[must_use]
    pub fn applies_to(&self, protocol: Protocol, mode: Mode) -> bool {
        self.on.contains(&(protocol, mode))
    }

    /// Messages with this defect, and no other.
    ///
    /// # Panics
    /// When it does not apply to messages of this protocol and mode.
    pub fn messages(
        &'static self,
        protocol: Protocol,
        mode: Mode,
    ) -> impl Strategy<Value = NearValid> + use<> {
        assert!(
            self.applies_to(protocol, mode),
            "{} on {protocol:?}",
            self.name
        );
        (compliant(), any::<Index>()).prop_map(move |(event, pick)| {
            let (defect, mut message) = (self, written(&event, protocol, mode));
            defect.change.apply(&mut message, mode, pick);
            NearValid { defect, message }
        })
    }
}

impl Change {
    fn apply(self, message: &mut Capture, mode: Mode, pick: Index) {
        let is_binary = mode == Mode::Binary;
        match self {
            Self::Without(name) if is_binary => {
                let header = header_name(message.protocol, name);
                message.headers.retain(|other| other.name != header);
            }
            Self::Without(name) => {
                rewrite(message, mode, |members| {
                    members.retain(|(other, _)| other != name)
                });
            }
            Self::Attribute(name, texts) if is_binary => {
                set_attribute(message, name, pick.get::<&str>(texts));
            }
            Self::Attribute(name, texts) => {
                let text = serde_json::to_string(pick.get(texts)).expect("text is JSON");
                rewrite(message, mode, |members| set_member(members, name, text));
            }
            Self::Member(name, values) => {
                let value = (*pick.get(values)).to_owned();
                rewrite(message, mode, |members| set_member(members, name, value));
            }
            Self::Behind(texts) => {
                let text = *pick.get(texts);
                let (name, value) = text.split_once(':').expect("a member has a colon");
                rewrite(message, mode, |members| {
                    members.push((name.trim_matches('"').to_owned(), value.to_owned()));
                });
            }
            Self::Raw(name, values) => {
                let name = header_name(message.protocol, name);
                set_header(message, &name, pick.get(values).to_vec());
            }
            Self::Again(name) => {
                let name = header_name(message.protocol, name);
                add_header(message, &name, "other");
            }
            Self::Header(name, value) => add_header(message, name, value),
            Self::Body(changes) => {
                let body = message.body.take().unwrap_or_default();
                message.body = pick.get(changes)(body);
            }
            Self::Several(changes) => {
                for change in changes {
                    change.apply(message, mode, pick);
                }
            }
        }
    }
}

fn is_must(rule: &Rule) -> bool {
    let level = rule.level.of(Profile::CloudEvents10);
    level.is_some_and(Level::is_must)
}

/// The name of the header that carries an attribute in binary mode. That of the content type is its
/// own on NATS alone.
fn header_name(protocol: Protocol, attribute: &str) -> String {
    match (protocol, attribute) {
        (Protocol::Http | Protocol::Kafka, "datacontenttype") => "content-type".to_owned(),
        _ => format!("{}{attribute}", protocol.prefix()),
    }
}

/// Spells the text of an attribute as the protocol does: the content type is never percent-coded.
fn set_attribute(message: &mut Capture, name: &str, text: &str) {
    let name = header_name(message.protocol, name);
    let is_coded = message.protocol != Protocol::Kafka && name != "content-type";
    let value = match is_coded {
        true => percent_coded(text),
        false => text.to_owned(),
    };
    set_header(message, &name, value.into_bytes());
}

fn set_header(message: &mut Capture, name: &str, value: Vec<u8>) {
    let mut headers = message.headers.iter_mut();
    match headers.find(|header| header.name == name) {
        Some(header) => header.value = Some(value),
        None => add_header(message, name, value),
    }
}

fn add_header(message: &mut Capture, name: &str, value: impl Into<Vec<u8>>) {
    let (name, value) = (name.to_owned(), Some(value.into()));
    message.headers.push(Header { name, value });
}

/// As the bindings to HTTP and NATS say (3.1.3.2).
fn percent_coded(text: &str) -> String {
    let coded = text.bytes().map(|byte| match byte {
        b'"' | b'%' => format!("%{byte:02X}"),
        b'!'..=b'~' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    });
    coded.collect()
}

type Members = Vec<(String, String)>;

fn set_member(members: &mut Members, name: &str, value: String) {
    match members.iter_mut().find(|(other, _)| other == name) {
        Some((_, old)) => *old = value,
        None => members.push((name.to_owned(), value)),
    }
}

/// Changes the members of the event in a body, whose names need no escapes.
fn rewrite(message: &mut Capture, mode: Mode, change: impl FnOnce(&mut Members)) {
    let body = message.body();
    let is_batch = mode == Mode::Batched;
    let element = match is_batch {
        true => &body[1..body.len() - 1],
        false => body,
    };
    let Ok(Document::Object(members)) = json::parse(element) else {
        panic!("an event is an object");
    };
    let members = members.into_iter();
    let mut members: Members = members
        .map(|member| (member.name.text.into_owned(), member.value.raw.to_owned()))
        .collect();
    change(&mut members);
    let spelled = |(name, value): &(String, String)| format!("\"{name}\":{value}");
    let members: Vec<_> = members.iter().map(spelled).collect();
    let text = format!("{{{}}}", members.join(","));
    let text = if is_batch { format!("[{text}]") } else { text };
    message.body = Some(text.into_bytes());
}
