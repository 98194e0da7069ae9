//! Attributes that do not come out as they went in, those of each extension by its own rule.

use cloudevents_nl_conformance::Shown;

use super::{Judge, found, nothing_came, over};
use crate::intermediary::compare::{Kind, Tolerance};
use crate::intermediary::message::FOREIGN;
use crate::intermediary::specimens::CLASSIFIED;
use crate::intermediary::spelling::is_same_moment;
use crate::intermediary::story::{Outcome, Story};
use crate::shown::why;

/// A number, a boolean, bytes and a moment.
const TYPED: [&str; 4] = ["aantal", "vlag", "rauw", "moment"];
/// Texts that look like a boolean and like a number.
const TEXTS: [(&str, &str); 2] = [("geenwaar", "true"), ("cijfers", "42")];

pub(super) const RULES: &[(&str, Judge)] = &[
    // A typed value does not come out as its canonical text.
    ("CE-TYPES-2", |story| {
        let typed = story.of_specimen("typed-extensions");
        over(typed, nothing_came(), |pair| {
            let mut values = TYPED.iter().map(|name| (name, pair.attribute(name)));
            found(values.find_map(|(name, values)| match values {
                (Some(was), Some(is)) if was != is => Some(format!("{name}: {was} → {is}")),
                _ => None,
            }))
        })
    }),
    // An attribute comes out with another value.
    ("CE-TYPES-13", |story| {
        let is_tolerated = story.tolerated.contains(&Tolerance::TimeSpelling);
        over(story.usual(), nothing_came(), |pair| {
            found(pair.difference(|difference| match difference.kind {
                // That is EXT-TRACE-3's.
                Kind::Changed => difference.name != "traceparent",
                Kind::Tolerable(Tolerance::TimeSpelling) => !is_tolerated,
                _ => false,
            }))
        })
    }),
    // A text that looks like a boolean or a number comes out as one.
    ("JSON-TYPE-4", |story| {
        let is_tolerated = story.tolerated.contains(&Tolerance::AttributeTypes);
        let why_not = why(
            "no event that would show it came out in the JSON format",
            "er kwam in het JSON-formaat geen gebeurtenis uit waaraan het te zien is",
        );
        let texts = story.of_specimen("unknown-extensions");
        over(texts.filter(|_| !is_tolerated), why_not, |pair| {
            if !pair.event.is_in_json() {
                return None;
            }
            let guessed = TEXTS.iter().find(|(name, _)| pair.event.is_native(name));
            found(guessed.map(|(name, text)| format!("{name}: \"{text}\" → {text}")))
        })
    }),
    // An optional attribute does not come out.
    ("CE-INT-1", |story| {
        over(story.usual(), nothing_came(), |pair| {
            found(pair.difference(|it| it.kind == Kind::Dropped))
        })
    }),
    // A header that is no attribute comes out as one.
    ("CE-EXT-5", |story| {
        let (name, value) = FOREIGN;
        let why_not = why(
            "the intermediary passes on no header that is no attribute",
            "de intermediair geeft geen headers door die geen attribuut zijn",
        );
        over(story.usual(), why_not, |pair| {
            let mut attributes = pair.event.attributes.iter();
            let taken = attributes.find(|(_, is)| *is == value);
            if taken.is_none() {
                pair.came.message.header(name)?;
            }
            found(taken.map(|(attribute, _)| format!("{name} → {attribute}")))
        })
    }),
    // Neither the data nor the reference to it comes out.
    ("EXT-DATAREF-4", |story| {
        over(story.of_specimen("reference"), nothing_came(), |pair| {
            let has_either = pair.event.data.is_some() || pair.event.attribute("dataref").is_some();
            found((!has_either).then(|| "data, dataref → ∅".to_owned()))
        })
    }),
    // `traceparent` comes out as another. One that is gone is CE-INT-1's.
    ("EXT-TRACE-3", |story| {
        over(story.usual(), nothing_came(), |pair| {
            let (was, is) = pair.attribute("traceparent");
            let (was, is) = was.zip(is)?;
            found((was != is).then(|| format!("{was} → {is}")))
        })
    }),
    // `expirytime` does not come out.
    ("EXT-EXPIRY-2", |story| {
        over(story.usual(), nothing_came(), |pair| {
            let (was, is) = pair.attribute("expirytime");
            let was = was?;
            found(is.is_none().then(|| format!("{was} → ∅")))
        })
    }),
    // `recordedtime` comes out as another, or not.
    ("EXT-REC-2", |story| {
        let is_tolerated = story.tolerated.contains(&Tolerance::TimeSpelling);
        over(story.usual(), nothing_came(), |pair| {
            let (was, is) = pair.attribute("recordedtime");
            let (was, is) = (was?, is.unwrap_or("∅"));
            let is_kept = was == is || is_tolerated && is_same_moment(was, is);
            found((!is_kept).then(|| format!("{was} → {is}")))
        })
    }),
    ("EXT-CLASS-2", classification),
];

/// What is classified comes out as if it were not, or were otherwise.
fn classification(story: &Story) -> Shown {
    let mut sent = story.sent.iter().filter(|sent| sent.name == CLASSIFIED);
    let is_refused = sent.any(|sent| matches!(sent.outcome, Outcome::Refused(_)));
    let why_not = why(
        "an event with an unknown classification was passed on as it was, which binds only who supports the extension",
        "een gebeurtenis met een onbekende classificatie is ongewijzigd doorgegeven; de regel bindt alleen wie de uitbreiding ondersteunt",
    );
    let shown = over(story.of_specimen(CLASSIFIED), why_not, |pair| {
        let (was, is) = pair.attribute("dataclassification");
        let was = was.filter(|was| is != Some(*was))?;
        found(Some(format!("{was} → {}", is.unwrap_or("∅"))))
    });
    match shown {
        Shown::Nothing(_) if is_refused => Shown::Met,
        shown => shown,
    }
}
