//! Where a check puts what it found.

use std::borrow::Cow;

use super::{Decode, Profile, Rule};
use crate::capture::{Capture, Header, Protocol};
use crate::grammar::query;
use crate::json;
use crate::reading::shape::DataMember;
use crate::reading::{At, Attribute, Event, Value};
use crate::report::{Finding, Part, Place, Position, Severity, shorten};

/// Takes the breaches of one rule. A check names the place; the rest is known.
#[derive(Debug)]
pub struct Found<'a> {
    pub(crate) rule: &'static Rule,
    pub(crate) profile: Profile,
    pub(crate) severity: Severity,
    pub(crate) refuses: bool,
    pub(crate) part: Part,
    pub(crate) protocol: Protocol,
    pub(crate) element: Option<usize>,
    pub(crate) body: &'a [u8],
    pub(crate) findings: &'a mut Vec<Finding>,
}

impl Found<'_> {
    /// The value of an attribute.
    pub fn at(&mut self, attribute: &Attribute<'_>) {
        let seen = seen(&attribute.value);
        match attribute.at {
            At::Member { value, .. } => self.push_member(&attribute.name, value, &seen),
            At::Header(header) => self.header(header),
        }
    }

    /// The values of attributes.
    pub fn all<'e, 'c: 'e>(&mut self, attributes: impl IntoIterator<Item = &'e Attribute<'c>>) {
        for attribute in attributes {
            self.at(attribute);
        }
    }

    /// The name of an attribute, rather than its value.
    pub fn name_of(&mut self, attribute: &Attribute<'_>) {
        match attribute.at {
            At::Member { name, .. } => self.push_member(&attribute.name, name, &attribute.name),
            At::Header(header) => self.push(Place::Header(header.name.clone()), None, &header.name),
        }
    }

    /// An attribute that is not there.
    pub fn missing(&mut self, event: &Event<'_>, name: &str) {
        // Null is not there either, and has a place.
        let null = event
            .attributes
            .iter()
            .find(|attribute| attribute.name == name);
        match null {
            Some(attribute) if !attribute.is_set() => self.at(attribute),
            _ if event.is_json() => {
                let pointer = self.pointer(None);
                self.push(Place::Member(pointer), None, "");
            }
            _ => {
                let header = format!("{}{name}", self.protocol.prefix());
                self.push(Place::Header(header), None, "");
            }
        }
    }

    /// A member of the JSON object.
    pub fn member(&mut self, member: &json::Member<'_>) {
        self.push_member(&member.name.text, member.value.at, member.value.raw);
    }

    /// The members of a name; more than one only where the sender repeats itself.
    pub fn members(&mut self, event: &Event<'_>, name: &str) {
        for member in event
            .members
            .iter()
            .filter(|member| member.name.text == name)
        {
            self.member(member);
        }
    }

    /// The name of a member of the JSON object, rather than its value.
    pub fn member_name(&mut self, member: &json::Member<'_>) {
        self.push_member(&member.name.text, member.name_at, &member.name.text);
    }

    /// A value in the data, by its JSON pointer there.
    pub(crate) fn in_data(&mut self, event: &Event<'_>, member: &DataMember<'_>) {
        let place = if event.is_json() {
            let data = self.pointer(Some("data"));
            Place::Member(format!("{data}{}", shorten(&member.pointer)))
        } else {
            Place::Body
        };
        self.push(place, Some(member.value.at), member.value.raw);
    }

    /// A header. The value of one that holds credentials is not repeated.
    pub fn header(&mut self, header: &Header) {
        let value = String::from_utf8_lossy(header.value.as_deref().unwrap_or_default());
        let value = match &*header.name.to_ascii_lowercase() {
            "authorization" => Cow::Owned(match value.split_once(' ') {
                Some((scheme, _)) => format!("{scheme} …"),
                // Without a scheme all of it is the token.
                None => "…".to_owned(),
            }),
            // Its path or its query holds the secret of the callback.
            "webhook-request-callback" => Cow::Owned(query::without_path(&value)),
            _ => value,
        };
        self.push(Place::Header(header.name.clone()), None, &value);
    }

    /// A header of a message, or its absence.
    pub fn header_of(&mut self, capture: &Capture, name: &str) {
        match capture.headers_named(name).next() {
            Some(header) => self.header(header),
            None => self.push(Place::Header(name.to_owned()), None, ""),
        }
    }

    /// The body, at an offset in bytes.
    pub fn body(&mut self, at: usize) {
        let body = self.body;
        let rest = String::from_utf8_lossy(body.get(at..).unwrap_or_default());
        self.push(Place::Body, Some(at), &rest);
    }

    /// The message as a whole.
    pub fn message(&mut self, seen: &str) {
        self.push(Place::Message, None, seen);
    }

    /// The method of a request.
    pub fn method(&mut self, request: &Capture) {
        self.push(
            Place::Method,
            None,
            request.method.as_deref().unwrap_or_default(),
        );
    }

    /// The target of a request; a token in its query is not repeated.
    pub fn target(&mut self, request: &Capture) {
        let target = request.target.as_deref().unwrap_or_default();
        self.push(Place::Target, None, &query::without_tokens(target));
    }

    /// The status of a response.
    pub fn status(&mut self, response: &Capture) {
        let seen = response
            .status
            .map_or_else(String::new, |status| status.to_string());
        self.push(Place::Status, None, &seen);
    }

    /// The same, for what lies in the response of an exchange.
    pub fn in_response(&mut self) -> Found<'_> {
        Found {
            part: Part::Response,
            ..self.again()
        }
    }

    /// The same, for a breach that the codec reads over although the rule says it refuses.
    pub fn tolerated(&mut self) -> Found<'_> {
        let severity = Severity::of(self.rule, self.profile, false).unwrap_or(Severity::Notice);
        Found {
            severity,
            refuses: false,
            ..self.again()
        }
    }

    /// The same, as a notice: for what only a draft, or one reading of several, makes a breach.
    pub fn noticed(&mut self) -> Found<'_> {
        Found {
            severity: Severity::Notice,
            refuses: false,
            ..self.again()
        }
    }

    /// The same, for what lies in an element of a batch, from 0.
    pub fn in_element(&mut self, element: Option<usize>) -> Found<'_> {
        Found {
            element,
            ..self.again()
        }
    }

    fn again(&mut self) -> Found<'_> {
        Found {
            rule: self.rule,
            profile: self.profile,
            severity: self.severity,
            refuses: self.refuses,
            part: self.part,
            protocol: self.protocol,
            element: self.element,
            body: self.body,
            findings: self.findings,
        }
    }

    fn push_member(&mut self, name: &str, at: usize, seen: &str) {
        let pointer = self.pointer(Some(name));
        self.push(Place::Member(pointer), Some(at), seen);
    }

    /// RFC 6901.
    fn pointer(&self, name: Option<&str>) -> String {
        let mut pointer = String::new();
        if let Some(element) = self.element {
            pointer.push_str(&format!("/{element}"));
        }
        if let Some(name) = name {
            pointer.push('/');
            pointer.push_str(&shorten(&name.replace('~', "~0").replace('/', "~1")));
        }
        pointer
    }

    fn push(&mut self, place: Place, at: Option<usize>, seen: &str) {
        debug_assert!(!self.refuses || self.rule.decode == Decode::Refuse);
        self.findings.push(Finding {
            rule: self.rule,
            severity: self.severity,
            refuses: self.refuses,
            part: self.part,
            element: self.element,
            place,
            position: at.map(|at| Position::of(self.body, at)),
            seen: shorten(seen),
        });
    }
}

fn seen<'v>(value: &'v Value<'_>) -> Cow<'v, str> {
    match value {
        Value::Unset => Cow::Borrowed("null"),
        Value::Text(text) | Value::Broken(text) => Cow::Borrowed(text),
        Value::Number(raw) | Value::Nested(raw) => Cow::Borrowed(raw),
        Value::Boolean(value) => Cow::Borrowed(if *value { "true" } else { "false" }),
    }
}
