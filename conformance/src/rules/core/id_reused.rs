use std::borrow::Cow;

use crate::grammar::{base64, media_type, timestamp};
use crate::json::Value as Json;
use crate::memory::{Memory, fingerprint};
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "CE-ID-3",
    en: Texts {
        title: "Two different events with the same `source` and `id`",
        explanation: "Two distinct events never share `source` and `id`. The same event delivered again is no breach; the same pair with other content is. One moment in another zone is no other content.",
        why: "Receivers drop what they take for a repeat, so the second event is lost.",
        fix: "Take a new `id` for each event, for example a UUID, and send a repeat unchanged.",
    },
    nl: Texts {
        title: "Twee verschillende gebeurtenissen met dezelfde `source` en `id`",
        explanation: "Twee verschillende gebeurtenissen hebben nooit dezelfde combinatie van `source` en `id`. Dezelfde gebeurtenis opnieuw afleveren mag; dezelfde combinatie met andere inhoud niet. Hetzelfde tijdstip in een andere tijdzone is geen andere inhoud.",
        why: "Ontvangers laten weg wat zij voor een herhaling houden. De tweede gebeurtenis gaat dan verloren.",
        fix: "Gebruik voor elke gebeurtenis een nieuw `id`, bijvoorbeeld een UUID, en verstuur een herhaling ongewijzigd.",
    },
    good: Example::Stream(&[
        r#""subject":"a""#,
        r#""subject":"a""#,
        r#""id":"2","subject":"b""#,
    ]),
    bad: Example::Stream(&[r#""subject":"a""#, r#""subject":"b""#]),
    decode: Decode::Accept,
    applies: Applies::Stream,
    check: Check::Stream(|_: StreamFacts| Box::new(Seen::default())),
};

/// The content of events, by their pair.
#[derive(Debug, Default)]
struct Seen(Memory<u64>);

impl Watch for Seen {
    fn see(&mut self, event: &Event<'_>, found: &mut Found<'_>) {
        let (Some(source), Some(id)) = (event.text("source"), event.attribute("id")) else {
            return;
        };
        let pair = fingerprint(&(source, canonical(id)));
        let content = content(event);
        if self.0.get(pair).is_some_and(|before| *before != content) {
            found.at(id);
        }
        self.0.put(pair, content);
    }
}

/// All that is set, in any order, as far as a hop between formats keeps it: numbers turn into text, data
/// into a body, white space goes, and the content type that was implied is written out.
fn content(event: &Event<'_>) -> u64 {
    let attributes = event.set();
    let mut attributes: Vec<_> = attributes
        .map(|attribute| (&*attribute.name, canonical(attribute)))
        .collect();
    if event.data.is_some() && event.attribute("datacontenttype").is_none() {
        let implied = Canonical::Text("application/json".into());
        attributes.push(("datacontenttype", implied));
    }
    attributes.sort_unstable();
    fingerprint(&(attributes, data(event)))
}

/// What a value is compared by.
#[derive(PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Canonical<'v> {
    Text(Cow<'v, str>),
    /// A moment is one in whatever zone and with however many digits it is written.
    Moment(i64, &'v str),
}

/// The attributes of type Timestamp.
const TIMESTAMPS: [&str; 3] = ["time", "expirytime", "recordedtime"];

fn canonical<'v>(attribute: &'v Attribute<'_>) -> Canonical<'v> {
    let is_timestamp = TIMESTAMPS.contains(&&*attribute.name);
    let moment = attribute.text().filter(|_| is_timestamp);
    if let Some((seconds, fraction)) = moment.and_then(timestamp::instant) {
        return Canonical::Moment(seconds, fraction);
    }
    Canonical::Text(match &attribute.value {
        Value::Unset => "".into(),
        // The case of a media type is no difference (CE-DCT-3); that of a parameter may be.
        Value::Text(text) if attribute.name == "datacontenttype" => {
            let (media_type, rest) = text.split_at(text.find(';').unwrap_or(text.len()));
            (media_type.to_ascii_lowercase() + rest).into()
        }
        Value::Text(text) | Value::Broken(text) => Cow::Borrowed(text),
        Value::Number(raw) | Value::Nested(raw) => Cow::Borrowed(raw),
        Value::Boolean(true) => "true".into(),
        Value::Boolean(false) => "false".into(),
    })
}

/// The bytes of the data; none and empty are one, since most protocols cannot tell them apart.
fn data<'e>(event: &'e Event<'_>) -> Cow<'e, [u8]> {
    let content_type = event.text("datacontenttype");
    let is_json = content_type.map_or_else(|| event.data.is_some(), media_type::is_json);
    let bytes = match (&event.data, &event.data_base64) {
        (Some(data), _) if is_json => Cow::Borrowed(data.raw.as_bytes()),
        (Some(data), _) => match data.text() {
            Some(text) => Cow::Owned(text.text.into_owned().into_bytes()),
            None => Cow::Borrowed(data.raw.as_bytes()),
        },
        (None, Some(coded)) => {
            let text = coded.text().map(|text| text.text);
            let decoded = text.and_then(|text| base64::decode(&text));
            decoded.map_or_else(|| Cow::Borrowed(coded.raw.as_bytes()), Cow::Owned)
        }
        (None, None) => Cow::Borrowed(event.body.unwrap_or_default()),
    };
    if is_json {
        Cow::Owned(compact(&bytes))
    } else {
        bytes
    }
}

/// JSON without white space between its parts, with texts as they read and members in any order: an
/// escape is one way to write a character. Each text has its length before it, since it may hold
/// quotes. Of what is closed a fingerprint is kept, so that no depth is too much.
fn compact(json: &[u8]) -> Vec<u8> {
    let (mut compact, mut rest) = (Vec::<u8>::new(), json);
    // Of an object or array that is open: where its last part begins, and the sum of an object's others.
    let (mut outer, mut open) = (Vec::new(), (0_usize, None::<u64>));
    while let Some(byte) = rest.first() {
        let length = if *byte == b'"' { text_length(rest) } else { 1 };
        let (token, behind) = rest.split_at(length);
        rest = behind;
        let (start, sum) = open;
        let part = || fingerprint(&compact.get(start..)).wrapping_add(sum.unwrap_or_default());
        match byte {
            b'"' => {
                let raw = str::from_utf8(token).unwrap_or_default();
                match (Json { raw, at: 0 }).text() {
                    Some(read) if !read.is_broken => {
                        compact.extend(read.text.len().to_le_bytes());
                        compact.extend(read.text.bytes());
                    }
                    _ => compact.extend(token),
                }
            }
            b'{' | b'[' => {
                outer.push(open);
                open = (compact.len(), (*byte == b'{').then_some(0));
            }
            b',' if sum.is_some() => {
                open.1 = Some(part());
                compact.truncate(start);
            }
            b'}' | b']' if !outer.is_empty() => {
                let closed = fingerprint(&(byte, part()));
                compact.truncate(start);
                compact.extend(closed.to_le_bytes());
                open = outer.pop().unwrap_or_default();
            }
            byte if byte.is_ascii_whitespace() => {}
            byte => compact.push(*byte),
        }
    }
    // Of what is no JSON something is open still.
    outer.push(open);
    compact.extend(fingerprint(&outer).to_le_bytes());
    compact
}

/// How far a text reaches that begins with a quote.
fn text_length(text: &[u8]) -> usize {
    let mut is_escaped = false;
    let ends = |byte: &u8| {
        let is_end = *byte == b'"' && !is_escaped;
        is_escaped = *byte == b'\\' && !is_escaped;
        is_end
    };
    let end = text.iter().skip(1).position(ends);
    end.map_or(text.len(), |at| at + 2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::Capture;

    fn of(capture: &Capture) -> u64 {
        content(&Reading::of(capture).events[0])
    }

    #[test]
    fn a_hop_between_formats_changes_nothing() {
        let kafka = |headers: &[(&str, &str)], body: &str| {
            let capture = Capture::new(Protocol::Kafka).with_header("ce_id", "1");
            let mut capture = headers.iter().fold(capture, |capture, (name, value)| {
                capture.with_header(name, *value)
            });
            capture.body = Some(body.as_bytes().to_vec());
            of(&capture)
        };
        let json = ("content-type", "application/json");
        for (event, headers, body) in [
            (r#"{"id":"1"}"#, &[][..], ""),
            (
                r#"{"id":"1","a":5,"b":true}"#,
                &[("ce_b", "true"), ("ce_a", "5")],
                "",
            ),
            (
                r#"{"id":"1","data":{"a b": "c d" }}"#,
                &[json],
                "{ \"a b\":\"c d\"}",
            ),
            (
                r#"{"id":"1","data":{"a":["\u00e9\/","\ud800"]}}"#,
                &[json],
                r#"{"a":["é/","\ud800"]}"#,
            ),
            (r#"{"id":"1","data":"\" \\"}"#, &[json], r#""\" \\" "#),
            // Members in another order, and a media type in other letters.
            (
                r#"{"id":"1","data":{"a":[1,{}],"b":{"c":"x","d":[]}}}"#,
                &[("content-type", "Application/JSON")],
                r#"{"b":{"d":[],"c":"x"},"a":[1,{}]}"#,
            ),
            (
                r#"{"id":"1","datacontenttype":"text/plain","data":"a\nb"}"#,
                &[("content-type", "text/plain")],
                "a\nb",
            ),
            (r#"{"id":"1","data_base64":"YQ=="}"#, &[], "a"),
        ] {
            let event = of(&Capture::event(event));
            assert_eq!(event, kafka(headers, body), "{headers:?} {body}");
            assert_ne!(event, kafka(headers, "other"), "{headers:?} {body}");
        }
    }

    #[test]
    fn white_space_in_text_counts() {
        let event = |data: &str| of(&Capture::event(format!(r#"{{"id":"1","data":"{data}"}}"#)));
        assert_ne!(event("a b"), event("ab"));
        assert_ne!(event(r#"\" b"#), event(r#"\"b"#));
    }

    #[test]
    fn the_order_of_elements_counts_and_so_does_what_holds_a_member() {
        let texts = [
            "[1,2]",
            "[2,1]",
            "[[1],2]",
            "[[1,2]]",
            r#"{"a":{"b":1},"c":2}"#,
            r#"{"a":{"b":1,"c":2}}"#,
            r#"{"a":2,"c":1}"#,
            r#"{"a":1,"c":2}"#,
            "{}",
            "[]",
            r#"{"a":1"#,
            r#"{"a":1,"b":2"#,
        ];
        let all: std::collections::BTreeSet<_> =
            texts.iter().map(|text| compact(text.as_bytes())).collect();
        assert_eq!(all.len(), texts.len());
    }
}
