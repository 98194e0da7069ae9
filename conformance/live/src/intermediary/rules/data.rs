//! Data that comes out as another kind than went in, where it stands in the JSON format or stood there.

use cloudevents_nl_conformance::Protocol::{self, Http, Kafka, Nats};
use cloudevents_nl_conformance::{Mode, Shown, Why};

use super::{Judge, found, nothing_came, over};
use crate::intermediary::compare::{Kind, Tolerance};
use crate::intermediary::plain::{Data, Held, Plain};
use crate::intermediary::spelling::{is_plain_json, is_same_json, text_in};
use crate::intermediary::story::{Pair, Story};
use crate::shown::why;

pub(super) const RULES: &[(&str, Judge)] = &[
    // Bytes come out as something else than `data_base64`.
    ("JSON-DATA-1", |story| {
        over(story.usual(), nothing_in_json(), |pair| {
            let are_bytes = ["bytes", "bytes-untyped"].contains(&pair.sent.name);
            let data = in_json(pair).filter(|_| are_bytes)?;
            found((data.held != Held::Base64).then(|| "data".to_owned()))
        })
    }),
    // Text or JSON comes out as `data_base64`.
    ("JSON-DATA-2", |story| {
        over(story.usual(), nothing_in_json(), |pair| {
            let sent = &pair.sent.event;
            let ty = sent.attribute("datacontenttype").unwrap_or_default();
            let was_text = sent.holds_json() || ty.starts_with("text/");
            let data = in_json(pair).filter(|_| was_text)?;
            found((data.held == Held::Base64).then(|| "data_base64".to_owned()))
        })
    }),
    // JSON comes out as a text that holds JSON.
    ("JSON-DATA-5", |story| {
        over(story.usual(), nothing_in_json(), |pair| {
            let (was, is) = (was_json(pair)?, in_json(pair)?);
            if text_in(&was.bytes).is_some() {
                return None;
            }
            let text = text_in(&is.bytes).filter(|text| is_same_json(text.as_bytes(), &was.bytes));
            found(text.map(|_| "data: \"{…}\"".to_owned()))
        })
    }),
    // A text in JSON data is read as JSON once more.
    ("JSON-DATA-7", |story| {
        over(story.usual(), nothing_came(), |pair| {
            let (was, is) = (was_json(pair)?, pair.event.data.as_ref()?);
            let text = text_in(&was.bytes)?;
            // No number of JSON has zeros before it; whoever reads one leaves them out.
            let is_read = is_same_json(text.trim_start_matches('0').as_bytes(), &is.bytes);
            found(is_read.then(|| format!("{text:?} → {}", String::from_utf8_lossy(&is.bytes))))
        })
    }),
    // JSON data that is null comes out as no data.
    ("JSON-DATA-9", |story| {
        over(story.of_specimen("json-null"), nothing_came(), |pair| {
            let is_dropped = pair.sent.event.data.is_some() && pair.event.data.is_none();
            found(is_dropped.then(|| "data: null → ∅".to_owned()))
        })
    }),
    // Bytes without a content type come out with one.
    ("JSON-DATA-11", |story| {
        let pairs = story.of_specimen("bytes-untyped");
        let pairs = pairs.filter(|pair| pair.sent.event.is_in_json());
        over(pairs, nothing_came(), |pair| {
            let ty = pair.event.attribute("datacontenttype");
            found(ty.map(|ty| format!("datacontenttype: ∅ → {ty}")))
        })
    }),
    // The same twice, since JSON is the format of events here.
    ("CE-DCT-2", json_without_a_type),
    ("JSON-DATA-12", json_without_a_type),
    ("HTTP-BIN-7", |story| body_changed(story, Http)),
    ("KAFKA-BIN-1", |story| body_changed(story, Kafka)),
    ("NATS-BIN-5", |story| body_changed(story, Nats)),
];

/// JSON without a content type comes out in binary mode without one.
fn json_without_a_type(story: &Story) -> Shown {
    let pairs = story.of_specimen("untyped-json");
    let pairs = pairs.filter(|pair| pair.sent.event.is_in_json());
    let why_not = why(
        "no such event went in in the JSON format and came out in binary mode",
        "zo\u{2019}n gebeurtenis ging niet in het JSON-formaat naar binnen en in binary mode naar buiten",
    );
    over(pairs, why_not, |pair| {
        if pair.event.mode != Mode::Binary {
            return None;
        }
        let ty = pair.event.attribute("datacontenttype").unwrap_or("∅");
        found((!is_plain_json(ty)).then(|| format!("datacontenttype: {ty}")))
    })
}

/// The body of a binary message over the protocol came out as other data, or other data as such a body.
fn body_changed(story: &Story, protocol: Protocol) -> Shown {
    let is_tolerated = story.tolerated.contains(&Tolerance::DataSpelling);
    let name = protocol.name();
    let why_not = why(
        format!("no event went in or came out in binary mode over {name}"),
        format!("er ging geen gebeurtenis in binary mode over {name} naar binnen of naar buiten"),
    );
    over(story.usual(), why_not, |pair| {
        let ends = [&pair.sent.event, pair.event];
        let bodies = ends.map(|event| event.mode == Mode::Binary);
        let is_own = |event: &&Plain| event.mode == Mode::Binary && event.protocol == protocol;
        if !ends.iter().any(is_own) {
            return None;
        }
        found(pair.difference(|difference| match difference.kind {
            Kind::Data => true,
            // The JSON format leaves the spelling free; from body to body the bytes are the same.
            Kind::Tolerable(Tolerance::DataSpelling) => bodies == [true; 2] && !is_tolerated,
            _ => false,
        }))
    })
}

/// What went in, where it was JSON.
fn was_json<'s>(pair: &Pair<'s>) -> Option<&'s Data> {
    let sent = &pair.sent.event;
    sent.data.as_ref().filter(|_| sent.holds_json())
}

/// What came out, where it stands in the JSON format.
fn in_json<'s>(pair: &Pair<'s>) -> Option<&'s Data> {
    let came = pair.event;
    came.data.as_ref().filter(|_| came.is_in_json())
}

fn nothing_in_json() -> Why {
    why(
        "no event came out in the JSON format",
        "er kwam geen gebeurtenis uit in het JSON-formaat",
    )
}
