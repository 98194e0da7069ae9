//! Attributes that do not come out as they went in, those of each extension by its own rule.

use cloudevents_nl_conformance::Shown;

use super::{found, nothing_came, over};
use crate::intermediary::compare::{Difference, Tolerance};
use crate::intermediary::message::FOREIGN;
use crate::intermediary::specimens::CLASSIFIED;
use crate::intermediary::spelling::is_same_moment;
use crate::intermediary::story::{Outcome, Story};
use crate::shown::why;

/// A number, a boolean, bytes and a moment.
const TYPED: [&str; 4] = ["aantal", "vlag", "rauw", "moment"];
/// Texts that look like a boolean and like a number.
const TEXTS: [(&str, &str); 2] = [("geenwaar", "true"), ("cijfers", "42")];

/// CE-TYPES-2: a typed value does not come out as its canonical text.
pub(super) fn typed(story: &Story) -> Shown {
    let typed = story.of_specimen("typed-extensions");
    over(typed, nothing_came(), |pair| {
        let mut values = TYPED.iter().map(|name| (name, pair.attribute(name)));
        found(values.find_map(|(name, values)| match values {
            (Some(was), Some(is)) if was != is => Some(format!("{name}: {was} → {is}")),
            _ => None,
        }))
    })
}

/// CE-TYPES-13: an attribute comes out with another value.
pub(super) fn changed(story: &Story) -> Shown {
    let is_tolerated = |tolerance| story.tolerated.contains(&tolerance);
    // They have rules of their own.
    let is_other = |name: &str| ["traceparent", "recordedtime"].contains(&name);
    // What is classified may be refused, and not be changed.
    let pairs = story.pairs().into_iter();
    let pairs = pairs.filter(|pair| !pair.sent.is_odd || pair.sent.name == CLASSIFIED);
    over(pairs, nothing_came(), |pair| {
        let mut all = pair.differences().into_iter();
        let changed = all.find(|difference| match difference {
            Difference::Changed { name, .. } => !is_other(name),
            Difference::TimeSpelling { name, .. } => {
                !is_tolerated(Tolerance::TimeSpelling) && !is_other(name)
            }
            _ => false,
        });
        found(changed.map(|difference| difference.to_string()))
    })
}

/// JSON-TYPE-4: a text that looks like a boolean or a number comes out as one.
pub(super) fn guessed(story: &Story) -> Shown {
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
}

/// CE-INT-1: an optional attribute does not come out.
pub(super) fn dropped(story: &Story) -> Shown {
    // They have rules of their own.
    let is_other = |name: &str| ["expirytime", "recordedtime"].contains(&name);
    over(story.usual(), nothing_came(), |pair| {
        let mut all = pair.differences().into_iter();
        found(all.find_map(|difference| match difference {
            Difference::Dropped(name) if !is_other(&name) => Some(format!("{name} → ∅")),
            _ => None,
        }))
    })
}

/// CE-EXT-5: a header that is no attribute comes out as one.
pub(super) fn from_metadata(story: &Story) -> Shown {
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
}

/// EXT-DATAREF-4: neither the data nor the reference to it comes out.
pub(super) fn data_reference(story: &Story) -> Shown {
    over(story.of_specimen("reference"), nothing_came(), |pair| {
        let has_either = pair.event.data.is_some() || pair.event.attribute("dataref").is_some();
        found((!has_either).then(|| "data, dataref → ∅".to_owned()))
    })
}

/// EXT-TRACE-3: `traceparent` comes out as another. One that is gone is CE-INT-1's.
pub(super) fn trace(story: &Story) -> Shown {
    over(story.usual(), nothing_came(), |pair| {
        let (was, is) = pair.attribute("traceparent");
        let (was, is) = was.zip(is)?;
        found((was != is).then(|| format!("{was} → {is}")))
    })
}

/// EXT-EXPIRY-2: `expirytime` does not come out.
pub(super) fn expiry(story: &Story) -> Shown {
    over(story.usual(), nothing_came(), |pair| {
        let (was, is) = pair.attribute("expirytime");
        let was = was?;
        found(is.is_none().then(|| format!("{was} → ∅")))
    })
}

/// EXT-REC-2: `recordedtime` comes out as another, or not.
pub(super) fn recorded(story: &Story) -> Shown {
    let is_tolerated = story.tolerated.contains(&Tolerance::TimeSpelling);
    over(story.usual(), nothing_came(), |pair| {
        let (was, is) = pair.attribute("recordedtime");
        let (was, is) = (was?, is.unwrap_or("∅"));
        let is_kept = was == is || is_tolerated && is_same_moment(was, is);
        found((!is_kept).then(|| format!("{was} → {is}")))
    })
}

/// EXT-CLASS-2: what is classified comes out as if it were not, or were otherwise.
pub(super) fn classification(story: &Story) -> Shown {
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
