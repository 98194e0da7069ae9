//! Who is tried out, and the messages that it is sent: each of its own `id`, and told to be a test.

use std::cell::Cell;

use clap::Args;
use cloudevents_nl_conformance::Why;
use http::{Method, Uri};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use serde_json::{Map, Value, json};

use crate::client::{Letters, Request};
use crate::record::coded;
use crate::shown::why;

pub(crate) const STRUCTURED: &str = "application/cloudevents+json";
pub(crate) const BATCH: &str = "application/cloudevents-batch+json";

const AGENT: &str = concat!("cenl-conformance/", env!("CARGO_PKG_VERSION"));

/// What no header holds as it is, beside what is not ASCII (HTTP binding, 3.1.3.2).
const CODED: &AsciiSet = &CONTROLS.add(b' ').add(b'"').add(b'%');

/// A receiver, and what it is told about us.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct Target {
    /// Where the receiver takes deliveries
    #[arg(value_name = "URL")]
    pub(crate) url: Uri,
    /// The origin that is named in the handshake and with each delivery
    #[arg(long, value_name = "NAME", default_value = "cenl-conformance.example")]
    pub(crate) origin: String,
    /// The source of the events that are sent
    #[arg(
        long,
        default_value = "urn:nld:oin:00000000000000000000:systeem:cenl-conformance"
    )]
    pub(crate) source: String,
    /// The type of the events that are sent
    #[arg(
        long = "type",
        value_name = "TYPE",
        default_value = "nl.cenl-conformance.test"
    )]
    pub(crate) event_type: String,
    /// The address of a target that was retired, which should answer 410
    #[arg(long, value_name = "URL")]
    pub(crate) retired: Option<Uri>,
    /// The URL at which the receiver may consent later; it has to lead to --callback-listen
    #[arg(long, value_name = "URL", requires = "callback_listen")]
    pub(crate) callback: Option<Uri>,
    #[arg(skip)]
    pub(crate) token: Option<String>,
    /// What begins the `id` of every event of this run.
    #[arg(skip)]
    pub(crate) run: String,
    /// How it knows names of headers, where it takes notice of that.
    #[arg(skip)]
    pub(crate) letters: Cell<Letters>,
    /// Whether it knows UUIDs alone as `id`.
    #[arg(skip)]
    pub(crate) takes_uuids: Cell<bool>,
    #[arg(skip)]
    pub(crate) sent: Cell<u32>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Token<'t> {
    None,
    Header(&'t str),
    Query(&'t str),
}

impl Target {
    pub(crate) fn token(&self) -> Result<&str, Why> {
        let none = || {
            why(
                "no token was given: name one with --token-file or --token-env",
                "er is geen token gegeven: noem er een met --token-file of --token-env",
            )
        };
        self.token.as_deref().ok_or_else(none)
    }

    /// A request that says who sends it, as some want to know.
    pub(crate) fn request(method: Method, url: &Uri) -> Request {
        Request::new(method, url).with("user-agent", AGENT)
    }

    /// A delivery without a body, authorized as it should be.
    pub(crate) fn post(&self) -> Request {
        let usual = self.token.as_deref().map_or(Token::None, Token::Header);
        self.post_with(usual)
    }

    pub(crate) fn post_with(&self, token: Token<'_>) -> Request {
        let url = match token {
            Token::Query(token) => with_query(&self.url, "access_token", token),
            _ => self.url.clone(),
        };
        let request = self.of_origin(Method::POST, &url);
        match token {
            Token::None => request,
            Token::Header(token) => request.with("authorization", format!("Bearer {token}")),
            Token::Query(_) => request.with("cache-control", "no-store"),
        }
    }

    pub(crate) fn options(&self) -> Request {
        self.of_origin(Method::OPTIONS, &self.url)
    }

    fn of_origin(&self, method: Method, url: &Uri) -> Request {
        let request = Self::request(method, url).spelled(self.letters.get());
        request.with("webhook-request-origin", &*self.origin)
    }

    pub(crate) fn id(&self) -> String {
        let number = self.sent.get() + 1;
        self.sent.set(number);
        if self.takes_uuids.get() {
            // Digits are hexadecimal ones too.
            let begun = self.run.trim_start_matches(|it: char| !it.is_ascii_digit());
            return format!("{number:08}-0000-4000-8000-{begun:0>12}");
        }
        format!("{}-{number}", self.run)
    }

    /// The member that makes it an event of another source.
    pub(crate) fn other_source(&self) -> String {
        format!(r#""source":{}"#, Value::from(format!("{}-2", self.source)))
    }

    /// The usual event with members replaced, added or taken away: `-data "time":null`.
    pub(crate) fn event(&self, mut members: &str) -> Map<String, Value> {
        let mut event = Map::new();
        let texts = [
            ("specversion", "1.0"),
            ("id", &self.id()),
            ("source", &self.source),
            ("type", &self.event_type),
            ("datacontenttype", "application/json"),
        ];
        event.extend(texts.map(|(name, text)| (name.to_owned(), Value::from(text))));
        event.insert("data".to_owned(), json!({ "test": true }));
        while let Some(named) = members.strip_prefix('-') {
            let (name, rest) = named.split_once(' ').unwrap_or((named, ""));
            event.remove(name);
            members = rest;
        }
        let given: Map<_, _> = serde_json::from_str(&format!("{{{members}}}")).unwrap_or_default();
        event.extend(given);
        event
    }

    /// In structured mode, the usual event with such members.
    pub(crate) fn structured(&self, members: &str) -> Request {
        let text = Value::Object(self.event(members)).to_string();
        self.post().with("content-type", STRUCTURED).with_body(text)
    }

    /// In binary mode: the usual event with headers replaced or added, JSON unless they name another
    /// type, and a body.
    pub(crate) fn binary(&self, headers: &[(&str, &str)], body: impl Into<Vec<u8>>) -> Request {
        let id = self.id();
        let source = utf8_percent_encode(&self.source, CODED).to_string();
        let event_type = utf8_percent_encode(&self.event_type, CODED).to_string();
        let usual = [
            ("ce-specversion", "1.0"),
            ("ce-id", &*id),
            ("ce-source", &*source),
            ("ce-type", &*event_type),
            ("content-type", "application/json"),
        ];
        let is_given = |name: &str| headers.iter().any(|(given, _)| *given == name);
        let kept = usual.iter().filter(|(name, _)| !is_given(name));
        let all = kept.chain(headers);
        let request = all.fold(self.post(), |request, (name, value)| {
            request.with(name, *value)
        });
        request.with_body(body.into())
    }

    pub(crate) fn batch(&self, events: &[&str]) -> Request {
        let events = events.iter().map(|members| self.event(members));
        let text = Value::Array(events.map(Value::Object).collect()).to_string();
        self.post().with("content-type", BATCH).with_body(text)
    }
}

pub(crate) fn typed(request: Request, media: &str) -> Request {
    request.without("content-type").with("content-type", media)
}

/// The token for those who overlook capitals, and for nobody else.
pub(crate) fn other_capitals(token: &str) -> String {
    let letters = token
        .chars()
        .map(|letter| match letter.is_ascii_lowercase() {
            true => letter.to_ascii_uppercase(),
            false => letter.to_ascii_lowercase(),
        });
    letters.collect()
}

/// The token without its last letter. What Base64 is filled up with is none: some read it without.
pub(crate) fn shorter(token: &str) -> &str {
    let mut letters = token.trim_end_matches('=').chars();
    letters.next_back();
    letters.as_str()
}

/// The URL with one more parameter behind those that it has.
pub(crate) fn with_query(url: &Uri, name: &str, value: &str) -> Uri {
    let sign = if url.query().is_some() { '&' } else { '?' };
    let longer = format!("{url}{sign}{name}={}", coded(value));
    longer.parse().unwrap_or_else(|_| url.clone())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    impl Target {
        /// One that nobody sends anything to.
        pub(crate) fn example() -> Self {
            Self {
                url: "https://a.example/hook".parse().unwrap(),
                origin: "b.example".to_owned(),
                source: "/source".to_owned(),
                event_type: "example.test".to_owned(),
                run: "run".to_owned(),
                ..Self::default()
            }
        }
    }

    #[test]
    fn members_are_replaced_added_and_taken_away() {
        let event = Target::example().event(r#"-data -datacontenttype "time":null,"id":"1""#);
        let expected = json!({
            "specversion": "1.0", "id": "1", "source": "/source", "type": "example.test", "time": null,
        });
        assert_eq!(Value::Object(event), expected);
    }

    #[test]
    fn an_id_is_of_its_run_as_a_uuid_too() {
        let target = Target {
            run: "cenl-test-1795809797".to_owned(),
            ..Target::example()
        };
        assert_eq!(target.id(), "cenl-test-1795809797-1");
        target.takes_uuids.set(true);
        assert_eq!(target.id(), "00000002-0000-4000-8000-001795809797");
    }

    #[test]
    fn an_attribute_is_coded_in_a_header_alone() {
        for (text, expected) in [
            ("urn:a/b?c=~", "urn:a/b?c=~"),
            ("a \"b\" 5%", "a%20%22b%22%205%25"),
            ("é\n", "%C3%A9%0A"),
        ] {
            let coded = utf8_percent_encode(text, CODED).to_string();
            assert_eq!(coded, expected);
        }
    }

    #[test]
    fn a_shorter_token_is_no_other_spelling() {
        for (token, expected) in [("abc", "ab"), ("ab+/cd==", "ab+/c"), ("a", "")] {
            assert_eq!(shorter(token), expected);
        }
    }

    #[test]
    fn a_token_comes_behind_what_the_query_has() {
        for (url, expected) in [
            (
                "https://a.example/hook",
                "https://a.example/hook?access_token=a%2Bb%3D",
            ),
            (
                "https://a.example/?x=1",
                "https://a.example/?x=1&access_token=a%2Bb%3D",
            ),
        ] {
            let url = with_query(&url.parse().unwrap(), "access_token", "a+b=");
            assert_eq!(url.to_string(), expected);
        }
    }
}
