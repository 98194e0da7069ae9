//! The report of a trial in Markdown.

use std::collections::{BTreeMap, BTreeSet};

use super::Trial;
use crate::capture::{Capture, Protocol};
use crate::properties::{Found, Tried};
use crate::reading::Mode;
use crate::rule::{Level, Profile, Status};
use crate::rules::rule;
use crate::vectors::{Difference, Fault};

/// Characters of a text that a cell shows, enough for the smallest messages.
const MOST_CHARACTERS: usize = 300;

/// The sections in order: what is meant, and the title.
const SECTIONS: [(Fault, &str, &str); 10] = [
    (
        Fault::Panics,
        "Panics",
        "It does not return: the thread that called it ends, or the process.",
    ),
    (
        Fault::Accepts,
        "Accepts what it must refuse",
        "It hands out an event, without complaint, where the rules named leave no valid one. What stands in brackets behind a rule says that it is no MUST of a released text.",
    ),
    (
        Fault::Refuses,
        "Refuses what is valid",
        "It hands out no event where there is one, or does not write what it has read.",
    ),
    (
        Fault::Data,
        "Changes data",
        "The data arrives as another value, or not at all.",
    ),
    (
        Fault::Attributes,
        "Drops or changes attributes",
        "An attribute is missing, or has another value, another spelling or another type.",
    ),
    (
        Fault::Mode,
        "Mistakes the content mode",
        "It takes a message for one of another mode.",
    ),
    (
        Fault::Writes,
        "Writes what the specification does not prescribe",
        "The headers are others than those prescribed, or the message breaks the rules named.",
    ),
    (
        Fault::Rewrites,
        "Writes JSON data anew",
        "The value is the same, the text is not. No rule forbids it in structured mode; whoever signs or hashes data, or compares texts, will notice.",
    ),
    (
        Fault::Respells,
        "Writes timestamps anew",
        "The moment is the same, the text is not. No rule forbids it; whoever signs attributes, or compares texts, will notice.",
    ),
    (Fault::Other, "Other", "What fits nowhere else."),
];

impl Trial {
    /// A report in Markdown: a summary, then what is wrong by kind, then what the codec says it does
    /// not have. The same answers give the same text; headings begin at the second level.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut lines = summary(self);
        for (fault, title, meaning) in SECTIONS {
            section(self, fault, title, meaning, &mut lines);
        }
        not_supported(self, &mut lines);
        lines.join("\n") + "\n"
    }
}

fn summary(trial: &Trial) -> Vec<String> {
    let files = &trial.vectors.files;
    let all: usize = files.iter().map(|file| file.cases.len()).sum();
    let not_judged: usize = files.iter().map(|file| file.not_judged).sum();
    let tried: u32 = trial.properties.iter().map(|tried| tried.cases).sum();
    let mut lines = vec![format!(
        "## Summary\n\n\
         Of {all} vectors {not_judged} are decided by rules alone. Of the others {} are met and {} are not; \
         what is not supported counts as neither. {tried} generated cases were tried.\n\n\
         | | vectors | generated cases |\n| --- | ---: | ---: |",
        trial.vectors.passed(),
        trial.vectors.failed(),
    )];
    for (fault, title, _) in SECTIONS {
        let vectors = unmet(trial, fault).map(|row| (row.0, row.1));
        let vectors = vectors.collect::<BTreeSet<_>>().len();
        let generated: u32 = found(trial, fault).map(|(_, found)| found.count).sum();
        if vectors > 0 || generated > 0 {
            lines.push(format!("| {title} | {vectors} | {generated} |"));
        }
    }
    let parts: usize = files.iter().map(|file| file.not_supported.len()).sum();
    let generated = trial.properties.iter();
    let generated = generated.filter_map(|tried| tried.not_supported.as_ref());
    let generated: u32 = generated.map(|(count, _)| count).sum();
    lines.push(format!("| Not supported | {parts} | {generated} |"));
    lines
}

/// The differences of a kind: file, case, the rules of the case, and what differs.
fn unmet(
    trial: &Trial,
    fault: Fault,
) -> impl Iterator<Item = (&str, &str, &[String], &Difference)> {
    let files = trial.vectors.files.iter();
    let cases = files.flat_map(|file| file.failed.iter().map(|unmet| (&*file.file, unmet)));
    cases.flat_map(move |(file, unmet)| {
        let differences = unmet.differences.iter();
        let of_kind = differences.filter(move |difference| difference.fault == fault);
        of_kind.map(move |difference| (file, &*unmet.case, &*unmet.rules, difference))
    })
}

fn found(trial: &Trial, fault: Fault) -> impl Iterator<Item = (&Tried, &Found)> {
    let all = trial.properties.iter();
    let all = all.flat_map(|tried| tried.faults.iter().map(move |found| (tried, found)));
    all.filter(move |(_, found)| found.difference.fault == fault)
}

fn section(trial: &Trial, fault: Fault, title: &str, meaning: &str, lines: &mut Vec<String>) {
    let mut vectors = unmet(trial, fault).peekable();
    let mut generated = found(trial, fault).peekable();
    if vectors.peek().is_none() && generated.peek().is_none() {
        return;
    }
    lines.push(format!("\n## {title}\n\n{meaning}"));
    if vectors.peek().is_some() {
        let head = "\n| vector | rules | what | expected | seen |\n| --- | --- | --- | --- | --- |";
        lines.push(head.to_owned());
    }
    for (file, case, rules, difference) in vectors {
        let file = file.strip_suffix(".json").unwrap_or(file);
        let rules = labels(match &difference.broken[..] {
            [] => rules.iter().map(String::as_str).collect(),
            broken => broken.to_vec(),
        });
        let differs = differs(difference);
        lines.push(format!("| {file}: {case} | {rules} | {differs} |"));
    }
    if generated.peek().is_some() {
        let head = "\n| generated | rules | cases | in | smallest message | what | expected | seen |\n\
                    | --- | --- | ---: | --- | --- | --- | --- | --- |";
        lines.push(head.to_owned());
    }
    lines.extend(grouped(generated));
}

/// What was compared, what was expected and what was seen.
fn differs(difference: &Difference) -> String {
    let (expected, got) = (code(&difference.expected), code(&difference.got));
    format!("{} | {expected} | {got}", cell(&difference.what))
}

/// One row for what is the same in several ways; the example is that of the first.
fn grouped<'t>(all: impl Iterator<Item = (&'t Tried, &'t Found)>) -> Vec<String> {
    let mut rows: Vec<(&str, &Found, u32, Vec<String>)> = Vec::new();
    for (tried, found) in all {
        let name = |found: &Found| found.defect.map(|defect| defect.name);
        let row = rows.iter_mut().find(|(property, first, ..)| {
            *property == tried.property && name(first) == name(found) && first.topic == found.topic
        });
        let way = way(tried.protocol, tried.mode);
        match row {
            Some((_, _, count, ways)) => {
                *count += found.count;
                ways.push(way);
            }
            None => rows.push((tried.property, found, found.count, vec![way])),
        }
    }
    let rows = rows.into_iter().map(|(property, found, count, ways)| {
        let (name, rules) = match found.defect {
            Some(defect) => (
                format!("{property}: {}", defect.name),
                labels(defect.rules.to_vec()),
            ),
            None => (property.to_owned(), labels(found.difference.broken.clone())),
        };
        let (ways, message) = (ways.join(", "), code(&message(&found.message)));
        let differs = differs(&found.difference);
        format!("| {name} | {rules} | {count} | {ways} | {message} | {differs} |")
    });
    rows.collect()
}

fn not_supported(trial: &Trial, lines: &mut Vec<String>) {
    let mut parts: BTreeMap<&str, usize> = BTreeMap::new();
    for file in &trial.vectors.files {
        for (_, what) in &file.not_supported {
            *parts.entry(what).or_default() += 1;
        }
    }
    let generated = trial.properties.iter();
    let generated: Vec<_> = generated
        .filter_map(|tried| Some((tried, tried.not_supported.as_ref()?)))
        .collect();
    if parts.is_empty() && generated.is_empty() {
        return;
    }
    let head = "\n## Not supported\n\nThe codec has no such thing. That is not wrong.\n\n\
                | what | vectors |\n| --- | ---: |";
    lines.push(head.to_owned());
    for (what, count) in parts {
        lines.push(format!("| {} | {count} |", cell(what)));
    }
    if !generated.is_empty() {
        let head = "\n| generated | in | cases | what |\n| --- | --- | ---: | --- |";
        lines.push(head.to_owned());
    }
    for (tried, (count, what)) in generated {
        let (way, what) = (way(tried.protocol, tried.mode), cell(what));
        lines.push(format!("| {} | {way} | {count} | {what} |", tried.property));
    }
}

fn way(protocol: Protocol, mode: Mode) -> String {
    match (protocol, mode) {
        (Protocol::File, _) => "JSON".to_owned(),
        (protocol, mode) => format!("{} {}", protocol.name(), format!("{mode:?}").to_lowercase()),
    }
}

/// The names of rules; behind one that is no MUST of a released text stands what it is.
fn labels(rules: Vec<&str>) -> String {
    let label = |id: &str| {
        let Some(rule) = rule(id) else {
            return id.to_owned();
        };
        let level = rule.level.of(Profile::CloudEvents10);
        let level = level.filter(|level| !level.is_must()).map(Level::keyword);
        let status = (rule.status != Status::Released).then(|| rule.status.word());
        match (level, status) {
            (None, None) => id.to_owned(),
            (level, status) => {
                let remarks: Vec<_> = level.into_iter().chain(status).collect();
                format!("{id} ({})", remarks.join(", "))
            }
        }
    };
    let labels: Vec<_> = rules.into_iter().map(label).collect();
    labels.join(", ")
}

/// Headers and body in one line.
fn message(capture: &Capture) -> String {
    let mut text = String::new();
    let bytes = |bytes: &[u8]| match str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.escape_ascii().to_string(),
    };
    for header in &capture.headers {
        let value = header.value.as_deref();
        let value = value.map_or_else(|| "null".to_owned(), bytes);
        text.push_str(&format!("{}: {value} ⏎ ", header.name));
    }
    text + &bytes(capture.body())
}

/// Text in a cell of a table.
fn cell(text: &str) -> String {
    let mut cell = String::new();
    for character in text.chars().take(MOST_CHARACTERS) {
        match character {
            '|' => cell.push_str("\\|"),
            '`' => cell.push('\''),
            character if character.is_control() => cell.extend(character.escape_default()),
            character => cell.push(character),
        }
    }
    if text.chars().nth(MOST_CHARACTERS).is_some() {
        cell.push('…');
    }
    cell
}

fn code(text: &str) -> String {
    match text.trim() {
        "" => String::new(),
        text => format!("`{}`", cell(text)),
    }
}
