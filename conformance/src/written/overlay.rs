//! Overlays: what a sector asks beyond the profile, as rules in a file.

use regex::Regex;
use toml_edit::Item;

use super::{Fault, Table, document, finish, is_of_catalogue, wrong};
use crate::rule::{Applies, Check, Decode, Demand, Example, Level, Levels, Rule, Status, Text};

/// The rules of a sector.
///
/// ```
/// use cloudevents_nl_conformance::Overlay;
///
/// let text = r#"
/// overlay = "Voorbeeld"
/// version = "1.1"
/// [[rule]]
/// id = "VOORBEELD-1"
/// attribute = "time"
/// required = true
/// pattern = '\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ'
/// level = "MUST"
/// clause = "Voorbeeld 1.1, 3.2"
/// title = { en = "Time not in UTC", nl = "Tijdstip niet in UTC" }
/// fix = { en = "Write the time in UTC, with Z.", nl = "Schrijf het tijdstip in UTC, met Z." }
/// "#;
/// let overlay = Overlay::read(text)?;
/// assert_eq!((overlay.name.as_str(), overlay.rules[0].id), ("Voorbeeld 1.1", "VOORBEELD-1"));
/// # Ok::<(), Vec<cloudevents_nl_conformance::Fault>>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Overlay {
    /// What it is called, with its version.
    pub name: String,
    /// Its rules, in the order of the file. They are kept as long as the process runs, like all rules.
    pub rules: Vec<&'static Rule>,
}

const AGREED: Text = Text {
    en: "The parties of this sector agreed on it.",
    nl: "De partijen in deze sector hebben dit afgesproken.",
};

const LEVELS: [(&str, Level); 4] = [
    ("MUST", Level::Must),
    ("MUST NOT", Level::MustNot),
    ("SHOULD", Level::Should),
    ("SHOULD NOT", Level::ShouldNot),
];

impl Overlay {
    /// Reads `overlay`, `version` and `[[rule]]` tables.
    ///
    /// # Errors
    /// Everything that is wrong, in the order of the lines.
    pub fn read(text: &str) -> Result<Self, Vec<Fault>> {
        let (table, mut faults) = (document(text)?, Vec::new());
        let name = table.text("overlay", &mut faults);
        let version = table.text("version", &mut faults);
        let tables = table.tables("rule", text, &mut faults);
        let mut rules: Vec<&'static Rule> = Vec::new();
        for table in &tables {
            let rule = rule(table, text, &mut faults);
            if let Some(rule) = &rule
                && rules.iter().any(|other| other.id == rule.id)
            {
                faults.push(table.fault("id", wrong("twice", "dubbel")));
            }
            rules.extend(rule.map(|rule| &*Box::leak(Box::new(rule))));
        }
        table.unknown(&mut faults);
        let (name, version) = (name.unwrap_or_default(), version.unwrap_or_default());
        let name = format!("{name} {version}");
        finish(Self { name, rules }, faults)
    }
}

fn rule(table: &Table, text: &str, faults: &mut Vec<Fault>) -> Option<Rule> {
    let id = table.text("id", faults);
    if id.as_deref().is_some_and(is_of_catalogue) {
        let (en, nl) = (
            "begins like a rule of the catalogue: take a beginning of your own",
            "begint als een regel van de catalogus: kies een eigen begin",
        );
        faults.push(table.fault("id", wrong(en, nl)));
    }
    let level = table.choices("level", &LEVELS, faults).pop();
    table.needs("level", faults);
    let clause = table.text("clause", faults);
    let title = both(table, "title", text, faults);
    let fix = both(table, "fix", text, faults);
    let why = table.get("why").map(|_| both(table, "why", text, faults));
    let demand = demand(table, faults);
    table.unknown(faults);
    Some(Rule {
        id: kept(id?),
        level: Levels::everywhere(level?),
        status: Status::Guideline,
        clause: kept(clause?),
        title: title?,
        explanation: fix?,
        why: why.flatten().unwrap_or(AGREED),
        fix: fix?,
        good: Example::None,
        bad: Example::None,
        decode: Decode::Accept,
        applies: Applies::Event,
        check: Check::Data(Box::leak(Box::new(demand?))),
    })
}

fn demand(table: &Table, faults: &mut Vec<Fault>) -> Option<Demand> {
    let count = faults.len();
    let regex = |item: &Item| Regex::new(&format!("^(?:{})$", item.as_str()?)).ok();
    let no_pattern = ("no regular expression", "geen reguliere expressie");
    let demand = Demand {
        attribute: table.optional_text("attribute", faults).unwrap_or_default(),
        is_required: table.flag("required", faults).unwrap_or_default(),
        pattern: table.of_kind("pattern", regex, no_pattern, faults),
        one_of: table.texts("one-of", faults),
        most_bytes: table.number("max-bytes", faults),
    };
    let is_about_values =
        demand.is_required || demand.pattern.is_some() || !demand.one_of.is_empty();
    if faults.len() == count && demand.attribute.is_empty() && is_about_values {
        faults.push(table.fault("attribute", wrong("missing", "ontbreekt")));
    } else if faults.len() == count && !is_about_values && demand.most_bytes.is_none() {
        let (en, nl) = (
            "nothing is demanded: write required, pattern, one-of or max-bytes",
            "er wordt niets geëist: schrijf required, pattern, one-of of max-bytes",
        );
        faults.push(table.fault("id", wrong(en, nl)));
    }
    (faults.len() == count).then_some(demand)
}

/// A text for both languages, or a table of two.
fn both(table: &Table, key: &str, text: &str, faults: &mut Vec<Fault>) -> Option<Text> {
    if table.get(key).is_none_or(Item::is_str) {
        let one = kept(table.text(key, faults)?);
        return Some(Text { en: one, nl: one });
    }
    let two = table.table(key, text, faults)?;
    let (en, nl) = (two.text("en", faults), two.text("nl", faults));
    two.unknown(faults);
    let (en, nl) = (kept(en?), kept(nl?));
    Some(Text { en, nl })
}

fn kept(text: String) -> &'static str {
    Box::leak(text.into_boxed_str())
}
