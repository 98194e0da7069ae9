//! What is shown of a rule, as every role makes it and tells it.

use cloudevents_nl_conformance::{Evidence, Language, Shown, Text, Why};

/// How much of a list is told; all evidence is kept.
pub(crate) const MOST_TOLD: usize = 5;

pub(crate) const fn text(en: &'static str, nl: &'static str) -> Text {
    Text { en, nl }
}

pub(crate) fn why(en: impl Into<String>, nl: impl Into<String>) -> Why {
    Why {
        en: en.into(),
        nl: nl.into(),
    }
}

/// Says it on standard error.
pub(crate) fn say(language: Language, en: impl Into<String>, nl: impl Into<String>) {
    eprintln!("{}", why(en, nl).told(language));
}

pub(crate) fn nothing(en: impl Into<String>, nl: impl Into<String>) -> Shown {
    Shown::Nothing(why(en, nl))
}

/// Broken where there is evidence, else met.
pub(crate) fn by(evidence: impl IntoIterator<Item = Evidence>) -> Shown {
    let evidence: Vec<_> = evidence.into_iter().collect();
    match evidence.is_empty() {
        true => Shown::Met,
        false => Shown::Broken(evidence),
    }
}

/// A line of the record, as evidence.
pub(crate) fn evidence(line: u64, seen: impl Into<String>) -> Evidence {
    Evidence {
        line,
        in_response: false,
        seen: seen.into(),
    }
}

/// In a line, for people.
pub(crate) fn told(shown: &Shown, language: Language) -> String {
    let (word, more) = match shown {
        Shown::Met => return text("met", "voldaan").told(language).to_owned(),
        Shown::Broken(all) => {
            let seen = all.iter().map(|evidence| &*evidence.seen);
            let more = (all.len() > MOST_TOLD).then_some("…");
            let seen: Vec<_> = seen.take(MOST_TOLD).chain(more).collect();
            (text("broken", "geschonden"), seen.join("; "))
        }
        Shown::Nothing(why) => {
            let why = why.told(language).to_owned();
            (text("not shown", "niet gebleken"), why)
        }
    };
    format!("{}: {more}", word.told(language))
}
