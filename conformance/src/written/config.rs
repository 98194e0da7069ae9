//! `cenl-conformance.toml`: how the checker is used every day, in one file.

use super::{Fault, Table, Wrong, document, finish, matches, wrong, wrong_name};
use crate::assessment::Selection;
use crate::catalogue;
use crate::hashed::sha256;
use crate::language::Language;
use crate::report::{FailOn, Severity};
use crate::rule::Profile;

/// What the file says; what it does not say is left to whoever reads it. Files are named as they are
/// written there.
///
/// ```
/// use cloudevents_nl_conformance::{Config, Profile};
///
/// let config = Config::read("profile = \"nl-gov-1.1\"\nignore = [\"NL-GL-*\"]")?;
/// assert_eq!(config.profiles, [Profile::NlGov11]);
/// let faults = Config::read("profiel = \"nl-gov-1.1\"").unwrap_err();
/// assert_eq!(faults[0].to_string(), "1: profiel: unknown; did you mean profile?");
/// # Ok::<(), Vec<cloudevents_nl_conformance::Fault>>(())
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Config {
    /// SHA-256 of the file, in hexadecimal.
    pub sha256: String,
    /// The profiles to judge by.
    pub profiles: Vec<Profile>,
    /// Profiles for some paths; the first that is about a path holds.
    pub paths: Vec<ForPath>,
    /// Which rules are asked, and how much they count.
    pub selection: Selection,
    /// The language of reports.
    pub language: Option<Language>,
    /// From where on a finding fails.
    pub fail_on: Option<FailOn>,
    /// How many findings of each rule are listed.
    pub most_per_rule: Option<usize>,
    /// Whether citizen service numbers are masked.
    pub redact: Option<bool>,
    /// Forms of reports, by the names of the command, and the files they go to.
    pub outputs: Vec<(String, String)>,
    /// The file with waivers.
    pub waivers: Option<String>,
    /// The file with declarations.
    pub declarations: Option<String>,
    /// The file with known findings.
    pub baseline: Option<String>,
    /// The files with overlays.
    pub overlays: Vec<String>,
}

/// The profiles that files of some paths are judged by.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ForPath {
    /// The paths, from the folder of the file: `*` and `?` within a name, `**` for any folders.
    pub path: String,
    /// Their profiles.
    pub profiles: Vec<Profile>,
}

/// The forms of reports, as the command names them.
pub const FORMS: [&str; 7] = [
    "table", "json", "junit", "sarif", "html", "github", "gitlab",
];

const LANGUAGES: [(&str, Language); 2] = [("nl", Language::Dutch), ("en", Language::English)];
const THRESHOLDS: [(&str, FailOn); 3] = [
    ("none", FailOn::None),
    ("warn", FailOn::Warn),
    ("error", FailOn::Error),
];
const SEVERITIES: [(&str, Severity); 3] = [
    ("error", Severity::Error),
    ("warning", Severity::Warning),
    ("notice", Severity::Notice),
];

impl Config {
    /// Reads the file.
    ///
    /// # Errors
    /// Everything that is wrong, in the order of the lines.
    pub fn read(text: &str) -> Result<Self, Vec<Fault>> {
        let (table, mut faults) = (document(text)?, Vec::new());
        let all = &mut faults;
        let known = Profile::ALL.map(|profile| (profile.name(), profile));
        let mut config = Self {
            sha256: sha256(text.as_bytes()),
            profiles: table.choices("profile", &known, all),
            paths: Vec::new(),
            selection: Selection {
                select: rules(&table, "select", all),
                ignore: rules(&table, "ignore", all),
                severity: Vec::new(),
            },
            language: table.choices("language", &LANGUAGES, all).pop(),
            fail_on: table.choices("fail-on", &THRESHOLDS, all).pop(),
            most_per_rule: table.number("most-per-rule", all),
            redact: table.flag("redact", all),
            outputs: Vec::new(),
            waivers: table.optional_text("waivers", all),
            declarations: table.optional_text("declarations", all),
            baseline: table.optional_text("baseline", all),
            overlays: table.texts("overlay", all),
        };
        if let Some(severity) = table.table("severity", text, all) {
            for rule in severity.keys.keys() {
                all.extend(no_rule(rule).map(|problem| severity.fault(rule, problem)));
                let found = severity.choices(rule, &SEVERITIES, all).pop();
                let found = found.map(|severity| (rule.clone(), severity));
                config.selection.severity.extend(found);
            }
        }
        if let Some(output) = table.table("output", text, all) {
            for form in FORMS {
                let file = output.optional_text(form, all);
                let mut outputs = config.outputs.iter();
                if outputs.any(|(_, other)| Some(other) == file.as_ref()) {
                    let (en, nl) = ("of another form already", "al van een andere vorm");
                    all.push(output.fault(form, wrong(en, nl)));
                }
                config
                    .outputs
                    .extend(file.map(|file| (form.to_owned(), file)));
            }
            config.outputs.sort();
            output.unknown(all);
        }
        for path in table.tables("path", text, all) {
            let profiles = path.choices("profile", &known, all);
            path.needs("profile", all);
            let named = path.text("path", all);
            path.unknown(all);
            let named = named.map(|path| ForPath { path, profiles });
            config.paths.extend(named);
        }
        table.unknown(all);
        finish(config, faults)
    }
}

/// Names of rules, and patterns of them, that say something.
fn rules(table: &Table, key: &str, faults: &mut Vec<Fault>) -> Vec<String> {
    let names = table.texts(key, faults);
    for problem in names.iter().filter_map(|name| no_rule(name)) {
        faults.push(table.fault(key, problem));
    }
    names
}

/// What is wrong with a name that no rule has, nor has a name of its pattern. Ids of overlays are their own.
fn no_rule(pattern: &str) -> Option<Wrong> {
    let ids = catalogue::entries().iter().map(|entry| &*entry.id);
    if ids.clone().any(|id| matches(pattern, id)) || !super::is_of_catalogue(pattern) {
        return None;
    }
    let en = format!("no rule is named {pattern}");
    let nl = format!("geen regel heet {pattern}");
    Some(wrong_name(&en, &nl, pattern, ids))
}
