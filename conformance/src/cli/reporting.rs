//! What a report is judged by, and how it is shown: the options that `check` and `test` share.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Args, ValueEnum};
use cloudevents_nl_conformance::report::FailOn;
use cloudevents_nl_conformance::{
    Baseline, Config, Declarations, Fault, InputError, Language, Options, Overlay, Profile,
    Waivers, render,
};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::reports::{Reports, file_of, whole};
use super::{LANGUAGES, PROFILES, one_of};

/// Where settings are looked for: in the working directory, and in those above it.
const CONFIG: &str = "cenl-conformance.toml";

#[derive(Args, Debug)]
pub(crate) struct Reporting {
    /// The profile to judge by, or several, with a report for each [default: nl-gov-1.1]
    #[arg(long, value_parser = one_of(&PROFILES), value_delimiter = ',', value_name = "PROFILE")]
    profile: Vec<Profile>,
    /// The form of the report
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
    /// From where on a finding fails [default: error]
    #[arg(long, value_parser = one_of(&THRESHOLDS), value_name = "LEVEL")]
    fail_on: Option<FailOn>,
    /// The language of the report [default: nl]
    #[arg(long, value_parser = one_of(&LANGUAGES), value_name = "LANGUAGE")]
    lang: Option<Language>,
    /// Settings: TOML [default: cenl-conformance.toml in the working directory, or the nearest above]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Read no settings
    #[arg(long, conflicts_with = "config")]
    no_config: bool,
    /// Explained deviations: TOML, a table `waiver` for each, of rule, reason, owner, until, and
    /// perhaps source and type
    #[arg(long, value_name = "FILE")]
    waivers: Option<PathBuf>,
    /// What is declared: TOML, a table `declaration` for each, of rule, reference, owner, date
    #[arg(long, value_name = "FILE")]
    declarations: Option<PathBuf>,
    /// Rules of a sector, beside those of the profile: TOML; may be given several times
    #[arg(long, value_name = "FILE")]
    overlay: Vec<PathBuf>,
    /// Findings that are known, and do not count: a file of --write-baseline
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Keep the findings of this run as known ones; they do not fail it
    #[arg(long, value_name = "FILE")]
    write_baseline: Option<PathBuf>,
    /// How many findings of each rule are listed; all are counted [default: 100]
    #[arg(long, value_name = "N")]
    most_per_rule: Option<usize>,
    /// The day that waivers are held against; today (UTC) if not given
    #[arg(long, value_name = "DATE")]
    today: Option<Date>,
    /// The date that the report bears; else that of SOURCE_DATE_EPOCH, else none
    #[arg(long, value_name = "DATE")]
    date: Option<Date>,
    /// Mask citizen service numbers (BSN) in the report
    #[arg(long)]
    redact: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum Format {
    /// For a terminal
    Table,
    /// JSON (cenl-report/1)
    Json,
    /// JUnit XML, a case per rule
    Junit,
    /// SARIF 2.1.0
    Sarif,
    /// One HTML file, for people who do not write software
    Html,
    /// Annotations of GitHub's workflows
    Github,
    /// GitLab's report of code quality
    Gitlab,
}

const THRESHOLDS: [(&str, &str, FailOn); 3] = [
    ("none", "Never fail", FailOn::None),
    ("warn", "Fail on broken SHOULD rules too", FailOn::Warn),
    ("error", "Fail on broken MUST rules", FailOn::Error),
];

impl Reporting {
    /// Those that the command line names.
    pub(super) fn profiles(&self) -> &[Profile] {
        &self.profile
    }

    /// The language of the report, as far as the command line tells.
    pub(super) fn language(&self) -> Language {
        self.lang.unwrap_or_default()
    }

    /// The reports to make. What is wrong in files is told at once.
    pub(super) fn reports(&self) -> anyhow::Result<Reports> {
        let file = match (&self.config, self.no_config) {
            (_, true) => None,
            (Some(file), _) => Some(file.clone()),
            (None, _) => nearest(&std::env::current_dir()?),
        };
        let read = |file: &PathBuf| written(file, self.language(), Config::read);
        let config = file.as_ref().map(read).transpose()?.unwrap_or_default();
        let folder = file.as_deref().and_then(Path::parent);
        let folder = folder.unwrap_or_else(|| Path::new(""));
        let language = self.lang.or(config.language).unwrap_or_default();
        let mut options = self.options(&config, folder, language)?;
        // Where it was found is no part of a report: the same input gives the same bytes.
        let name = self.config.as_ref();
        let name = name.map_or_else(|| CONFIG.to_owned(), |file| file.display().to_string());
        options.settings = file.as_ref().map(|_| (name, config.sha256));
        // What the command line says holds for all paths.
        let (mut paths, mut profiles) = (config.paths, config.profiles);
        if !self.profile.is_empty() {
            (paths, profiles) = (Vec::new(), self.profile.clone());
        }
        if profiles.is_empty() {
            profiles.push(options.profile);
        }
        let outputs = config.outputs.iter().filter_map(|(form, file)| {
            Some((Format::from_str(form, false).ok()?, folder.join(file)))
        });
        let outputs: Vec<(Format, PathBuf)> = outputs.collect();
        let written = outputs.iter().flat_map(|(_, path)| {
            let files = Profile::ALL.map(|profile| file_of(path, profile));
            files.map(PathBuf::from)
        });
        let baselines = [&self.baseline, &self.write_baseline];
        let baselines = baselines.into_iter().flatten().cloned();
        let baselines = baselines.chain(config.baseline.iter().map(|file| folder.join(file)));
        let own = written.chain(baselines).map(|path| whole(&path));
        // These are inputs too.
        let settings = [&config.waivers, &config.declarations];
        let settings = settings.into_iter().flatten().chain(&config.overlays);
        let settings = settings.map(|name| folder.join(name)).chain(file.clone());
        let named = [&self.waivers, &self.declarations].into_iter().flatten();
        let named = named.chain(&self.overlay).cloned().chain(settings);
        Ok(Reports {
            folder: whole(folder),
            paths,
            profiles,
            language,
            format: self.format,
            own: own.collect(),
            outputs,
            options,
            write_baseline: self.write_baseline.clone(),
            named: named.map(|path| whole(&path)).collect(),
            all: Vec::new(),
        })
    }

    /// What to judge by, whatever the profile.
    fn options(
        &self,
        config: &Config,
        folder: &Path,
        language: Language,
    ) -> anyhow::Result<Options> {
        let today = || Timestamp::now().to_zoned(TimeZone::UTC).date();
        let today = self.today.unwrap_or_else(today);
        let mut options = Options::new(Profile::NlGov11, today);
        options.date = match self.date {
            Some(date) => Some(date),
            None => source_date(language)?,
        };
        options.fail_on = self.fail_on.or(config.fail_on).unwrap_or_default();
        let most = self.most_per_rule.or(config.most_per_rule);
        options.most_per_rule = most.unwrap_or(options.most_per_rule);
        options.redact = self.redact || config.redact.unwrap_or_default();
        options.selection = config.selection.clone();
        let file = |ours: &Option<PathBuf>, configured: &Option<String>| {
            let configured = configured.as_ref().map(|file| folder.join(file));
            ours.clone().or(configured)
        };
        let mut wrong = Vec::new();
        let waivers = file(&self.waivers, &config.waivers);
        options.waivers = all_of(waivers, language, Waivers::read, &mut wrong).unwrap_or_default();
        let declarations = file(&self.declarations, &config.declarations);
        let declarations = all_of(declarations, language, Declarations::read, &mut wrong);
        options.declarations = declarations.unwrap_or_default();
        let configured = config.overlays.iter().map(|file| folder.join(file));
        let files = self.overlay.iter().cloned().chain(configured);
        let another = match language {
            Language::English => "a rule of another overlay has this name",
            Language::Dutch => "een regel van een andere overlay heeft deze naam",
        };
        let (mut known, mut ids) = (HashSet::new(), HashSet::new());
        // A file that is named here and there is one.
        for path in files.filter(|path| known.insert(whole(path))) {
            let name = path.display().to_string();
            let overlay = all_of(Some(path), language, Overlay::read, &mut wrong);
            let rules = overlay.iter().flat_map(|overlay| &overlay.rules);
            let again = rules.filter(|rule| !ids.insert(rule.id));
            wrong.extend(again.map(|rule| format!("{name}: {}: {another}", rule.id)));
            options.overlays.extend(overlay);
        }
        // One that is made now may not be there yet.
        let made = self.write_baseline.as_deref().map(whole);
        let is_there = |name: &String| {
            let path = folder.join(name);
            path.exists() || made != Some(whole(&path))
        };
        let baseline = file(&self.baseline, &config.baseline.clone().filter(is_there));
        options.baseline = all_of(baseline, language, Baseline::read, &mut wrong);
        if self.write_baseline.is_some() {
            options.baseline.get_or_insert_default();
            options.fail_on = FailOn::None;
        }
        anyhow::ensure!(wrong.is_empty(), wrong.join("\ncenl-conformance: "));
        Ok(options)
    }
}

/// The settings of a folder, or of the nearest above it that has some.
fn nearest(folder: &Path) -> Option<PathBuf> {
    let files = folder.ancestors().map(|folder| folder.join(CONFIG));
    files.into_iter().find(|file| file.is_file())
}

/// What a file holds, where one is given; what is wrong with it is kept.
fn all_of<T>(
    path: Option<PathBuf>,
    language: Language,
    parse: impl FnOnce(&str) -> Result<T, Vec<Fault>>,
    wrong: &mut Vec<String>,
) -> Option<T> {
    match written(&path?, language, parse) {
        Ok(read) => Some(read),
        Err(error) => {
            wrong.push(format!("{error:#}"));
            None
        }
    }
}

/// The date that reproducible builds agree on: seconds since 1970.
fn source_date(language: Language) -> anyhow::Result<Option<Date>> {
    let Some(seconds) = std::env::var_os("SOURCE_DATE_EPOCH") else {
        return Ok(None);
    };
    let time = seconds.to_str().and_then(|seconds| seconds.parse().ok());
    let time = time.and_then(|seconds| Timestamp::from_second(seconds).ok());
    let why = match language {
        Language::English => "no number of seconds",
        Language::Dutch => "geen aantal seconden",
    };
    let time = time.with_context(|| format!("SOURCE_DATE_EPOCH = {seconds:?}: {why}"))?;
    Ok(Some(time.to_zoned(TimeZone::UTC).date()))
}

/// A file that people write; all that is wrong with it is told at once.
fn written<T>(
    path: &Path,
    language: Language,
    parse: impl FnOnce(&str) -> Result<T, Vec<Fault>>,
) -> anyhow::Result<T> {
    let name = path.display();
    let text = fs::read_to_string(path).map_err(|error| {
        let why = render::fault(&InputError::Io(error), language);
        anyhow::anyhow!("{name}: {why}")
    })?;
    parse(&text).map_err(|faults| {
        let told = |fault: &Fault| format!("{name}:{}", fault.told(language));
        let told: Vec<_> = faults.iter().map(told).collect();
        anyhow::anyhow!(told.join("\ncenl-conformance: "))
    })
}
