//! Where a check puts what it found.

use super::{About, Decode};
use crate::capture::{Capture, Header};
use crate::grammar::query;
use crate::json;
use crate::reading::shape::DataMember;
use crate::reading::{At, Attribute, Event, Reading};
use crate::report::{Breach, Finding, Ledger, Part, Place, Severity, shorten};

/// Takes the breaches of one rule. A check names the place; the rest is known.
#[derive(Debug)]
pub struct Found<'a> {
    pub(crate) breach: Breach<'a>,
    pub(crate) ledger: &'a mut dyn Ledger,
}

impl Found<'_> {
    /// The value of an attribute.
    pub fn at(&mut self, attribute: &Attribute<'_>) {
        let mut found = self.about(About::attribute(&attribute.name));
        match attribute.at {
            At::Member { value, .. } => {
                found.push_member(&attribute.name, value, attribute.value.shown());
            }
            At::Header(header) => found.header(header),
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
        let mut found = self.about(About::attribute(&attribute.name));
        match attribute.at {
            At::Member { name, .. } => found.push_member(&attribute.name, name, &attribute.name),
            At::Header(header) => {
                found.push(None, || (place_of(&header.name), shorten(&header.name)));
            }
        }
    }

    /// An attribute, where it is not there.
    pub fn missing(&mut self, event: &Event<'_>, name: &str) {
        if event.attribute(name).is_some() {
            return;
        }
        // Null is not there either, and has a place.
        let mut attributes = event.attributes.iter();
        if let Some(null) = attributes.find(|attribute| attribute.name == name) {
            return self.at(null);
        }
        let breach = self.breach;
        self.push(None, || {
            let place = match event.is_json() {
                true => Place::Member(pointer(&breach, None)),
                false => Place::Header(format!("{}{name}", breach.protocol.prefix())),
            };
            (place, String::new())
        });
    }

    /// A member of the JSON object.
    pub fn member(&mut self, member: &json::Member<'_>) {
        let about = match &*member.name.text {
            "data" | "data_base64" => About::Other,
            name => About::attribute(name),
        };
        self.about(about)
            .push_member(&member.name.text, member.value.at, member.value.raw);
    }

    /// The members of a name; more than one only where the sender repeats itself.
    pub fn members(&mut self, event: &Event<'_>, name: &str) {
        let members = event.members.iter();
        for member in members.filter(|member| member.name.text == name) {
            self.member(member);
        }
    }

    /// The name of a member of the JSON object, rather than its value.
    pub fn member_name(&mut self, member: &json::Member<'_>) {
        self.push_member(&member.name.text, member.name_at, &member.name.text);
    }

    /// A value in the data, by its JSON pointer there.
    pub(crate) fn in_data(&mut self, event: &Event<'_>, member: &DataMember<'_>) {
        let breach = self.breach;
        self.push(Some(member.value.at), || {
            let place = if event.is_json() {
                let data = pointer(&breach, Some("data"));
                Place::Member(format!("{data}{}", shorten(&event.shape().pointer(member))))
            } else {
                Place::Body
            };
            (place, shorten(member.value.raw))
        });
    }

    /// A header. The value of one that holds credentials is not repeated.
    pub fn header(&mut self, header: &Header) {
        self.push(None, || (place_of(&header.name), value_of(header)));
    }

    /// The headers of a message whose percent-coded value is so.
    pub(crate) fn coded(&mut self, reading: &Reading<'_>, is_so: impl Fn(&[u8]) -> bool) {
        for (header, value) in reading.coded_headers() {
            if is_so(value) {
                self.header(header);
            }
        }
    }

    /// A header of a message, or its absence.
    pub fn header_of(&mut self, capture: &Capture, name: &str) {
        match capture.headers_named(name).next() {
            Some(header) => self.header(header),
            None => self.push(None, || (place_of(name), String::new())),
        }
    }

    /// The body, at an offset in bytes.
    pub fn body(&mut self, at: usize) {
        let body = self.breach.body;
        self.push(Some(at), || {
            let rest = body.get(at..).unwrap_or_default();
            // More than what is shown of it, so that the cut is seen.
            let rest = rest.get(..1024).unwrap_or(rest);
            (Place::Body, shorten(&String::from_utf8_lossy(rest)))
        });
    }

    /// The body, at an offset in bytes, where what stands there shows nothing of itself.
    pub fn body_as(&mut self, at: usize, seen: &str) {
        self.push(Some(at), || (Place::Body, seen.to_owned()));
    }

    /// The message as a whole.
    pub fn message(&mut self, seen: &str) {
        self.push(None, || (Place::Message, shorten(seen)));
    }

    /// The method of a request.
    pub fn method(&mut self, request: &Capture) {
        let method = request.method.as_deref().unwrap_or_default();
        self.push(None, || (Place::Method, shorten(method)));
    }

    /// The target of a request; a token in its query is not repeated.
    pub fn target(&mut self, request: &Capture) {
        let target = request.target.as_deref().unwrap_or_default();
        self.push(None, || {
            (Place::Target, shorten(&query::without_tokens(target)))
        });
    }

    /// The status of a response.
    pub fn status(&mut self, response: &Capture) {
        let seen = response.status.map(|status| status.to_string());
        self.push(None, || (Place::Status, seen.clone().unwrap_or_default()));
    }

    /// The same, for what lies in the response of an exchange.
    pub fn in_response(&mut self) -> Found<'_> {
        self.with(|breach| breach.part = Part::Response)
    }

    /// The same, for a breach that the codec reads over although the rule says it refuses.
    pub fn tolerated(&mut self) -> Found<'_> {
        self.with(|breach| {
            let severity = Severity::of(breach.rule, breach.profile, false);
            breach.severity = severity.unwrap_or(Severity::Notice);
            breach.refuses = false;
        })
    }

    /// The same, as a notice: for what only a draft, or one reading of several, makes a breach.
    pub fn noticed(&mut self) -> Found<'_> {
        self.with(|breach| {
            breach.severity = Severity::Notice;
            breach.refuses = false;
        })
    }

    /// The same, for what lies in an element of a batch, from 0.
    pub fn in_element(&mut self, element: Option<usize>) -> Found<'_> {
        self.with(|breach| breach.element = element)
    }

    /// The same, for what is about this part of an event.
    pub fn about(&mut self, about: About) -> Found<'_> {
        self.with(|breach| breach.about = about)
    }

    fn with(&mut self, change: impl FnOnce(&mut Breach<'_>)) -> Found<'_> {
        let mut breach = self.breach;
        change(&mut breach);
        Found {
            breach,
            ledger: self.ledger,
        }
    }

    fn push_member(&mut self, name: &str, at: usize, seen: &str) {
        let breach = self.breach;
        self.push(Some(at), || {
            let place = Place::Member(pointer(&breach, Some(name)));
            (place, shorten(seen))
        });
    }

    fn push(&mut self, offset: Option<usize>, describe: impl Fn() -> (Place, String)) {
        let breach = self.breach;
        debug_assert!(!breach.refuses || breach.rule.decode == Decode::Refuse);
        self.ledger.enter(&breach, &|| {
            let (place, seen) = describe();
            Finding {
                rule: breach.rule,
                severity: breach.severity,
                refuses: breach.refuses,
                part: breach.part,
                element: breach.element,
                place,
                offset,
                position: None,
                seen,
            }
        });
    }
}

/// RFC 6901.
fn pointer(breach: &Breach<'_>, name: Option<&str>) -> String {
    let mut pointer = String::new();
    if let Some(element) = breach.element {
        pointer.push_str(&format!("/{element}"));
    }
    if let Some(name) = name {
        pointer.push('/');
        pointer.push_str(&shorten(&name.replace('~', "~0").replace('/', "~1")));
    }
    pointer
}

/// A header by its name, which a sender makes as long as it likes.
fn place_of(header: &str) -> Place {
    Place::Header(shorten(header))
}

/// The value of a header, without credentials.
fn value_of(header: &Header) -> String {
    let value = String::from_utf8_lossy(header.value.as_deref().unwrap_or_default());
    match &*header.name.to_ascii_lowercase() {
        "authorization" => match value.split_once(' ') {
            Some((scheme, _)) => format!("{} …", shorten(scheme)),
            // Without a scheme all of it is the token.
            None => "…".to_owned(),
        },
        // Its path or its query holds the secret of the callback.
        "webhook-request-callback" => shorten(&query::without_path(&value)),
        _ => shorten(&value),
    }
}
