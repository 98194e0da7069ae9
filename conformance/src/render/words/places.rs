//! Where something lies, and what is said of it there.

use super::{MORE, RESPONSE, both};
use crate::language::Language;
use crate::render::faults;
use crate::report::{Finding, Part, Place, Problem, Report, Reported, Skip, Skipped};

/// A finding in a line: the fault, the place and what stood there.
pub(in crate::render) fn told(reported: &Reported, language: Language) -> String {
    let finding = &reported.finding;
    let (title, place) = (finding.rule.title.told(language), place(finding, language));
    match &*finding.seen {
        "" => format!("{title}: {place}"),
        seen => format!("{title}: {place} «{seen}»"),
    }
}

/// A file that was passed over, and why.
pub(in crate::render) fn skipped(skipped: &Skipped, language: Language) -> String {
    let why = match skipped.why {
        Skip::Hidden => both("hidden", "verborgen"),
        Skip::Link => both("a link to a directory", "een koppeling naar een map"),
        Skip::Special => both("not a file", "geen bestand"),
        Skip::Foreign => both(
            "neither JSON nor HTTP by its name or its beginning",
            "geen JSON of HTTP, gezien de naam en het begin",
        ),
        Skip::Own => both(
            "a report or a baseline of this check",
            "een rapport of nulmeting van deze controle",
        ),
    };
    format!("{}: {}", skipped.name, why.told(language))
}

/// Files that were passed over and are not listed, as a line where there are such.
pub(in crate::render) fn skipped_unlisted(report: &Report, language: Language) -> Option<String> {
    let rest = report.counts.skipped - report.skipped.len() as u64;
    (rest > 0).then(|| format!("… {rest} {}", MORE.told(language)))
}

/// The place in the message.
pub(in crate::render) fn place(finding: &Finding, language: Language) -> String {
    let place = match (&finding.place, language) {
        (Place::Message, Language::Dutch) => "bericht".to_owned(),
        (Place::Method, Language::Dutch) => "methode".to_owned(),
        (Place::Target, Language::Dutch) => "doeladres".to_owned(),
        (Place::Body, Language::Dutch) => "inhoud".to_owned(),
        (place, _) => place.to_string(),
    };
    match finding.part {
        Part::Message => place,
        Part::Response => format!("{}, {place}", RESPONSE.told(language)),
    }
}

/// `file:line:column`.
pub(in crate::render) fn spot(report: &Report, reported: &Reported) -> String {
    let name = report.input_name(reported);
    match reported.column {
        Some(column) => format!("{name}:{}:{column}", reported.line),
        None => format!("{name}:{}", reported.line),
    }
}

/// An input that could not be read, with its place: `file:line:column: why`.
#[must_use]
pub fn problem(problem: &Problem, language: Language) -> String {
    let Problem { input, error } = problem;
    let told = faults::fault(error, language);
    match error.place() {
        Some((line, Some(column))) => format!("{input}:{line}:{column}: {told}"),
        Some((line, None)) => format!("{input}:{line}: {told}"),
        None => format!("{input}: {told}"),
    }
}
