//! What a report is judged by, and how it is shown: the options that `check` and `test` share.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Args, ValueEnum};
use cloudevents_nl_conformance::report::{FailOn, Report};
use cloudevents_nl_conformance::{
    Assessment, Declarations, Fault, InputError, Language, Options, Waivers, render,
};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::{LanguageName, ProfileName};
use crate::print;

#[derive(Args, Debug)]
pub(crate) struct Reporting {
    /// The profile to judge by
    #[arg(long, value_enum, default_value_t = ProfileName::NlGov11)]
    profile: ProfileName,
    /// The form of the report
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
    /// From where on a finding fails
    #[arg(long, value_enum, value_name = "LEVEL", default_value_t = Threshold::Error)]
    fail_on: Threshold,
    /// The language of the report
    #[arg(long, value_enum, default_value_t = LanguageName::Nl)]
    lang: LanguageName,
    /// Explained deviations: TOML, a table `waiver` for each, of rule, reason, owner, until, and
    /// perhaps source and type
    #[arg(long, value_name = "FILE")]
    waivers: Option<PathBuf>,
    /// What is declared: TOML, a table `declaration` for each, of rule, reference, owner, date
    #[arg(long, value_name = "FILE")]
    declarations: Option<PathBuf>,
    /// How many findings of each rule are listed; all are counted
    #[arg(long, value_name = "N", default_value_t = 100)]
    most_per_rule: usize,
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
enum Format {
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
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Threshold {
    /// Never fail
    None,
    /// Fail on broken SHOULD rules too
    Warn,
    /// Fail on broken MUST rules
    Error,
}

impl Reporting {
    /// The language of the report.
    pub(super) fn language(&self) -> Language {
        self.lang.into()
    }

    /// Shows the report, and gives the exit code.
    pub(super) fn tell(&self, assessment: Assessment) -> anyhow::Result<u8> {
        let (report, language) = (assessment.finish(), self.language());
        show(&report, self.format, language)?;
        if !matches!(self.format, Format::Table) {
            for problem in &report.problems {
                eprintln!("cenl-conformance: {}", render::problem(problem, language));
            }
        }
        Ok(report.outcome().exit_code())
    }

    /// What to judge by.
    pub(super) fn options(&self) -> anyhow::Result<Options> {
        let language = self.language();
        let today = || Timestamp::now().to_zoned(TimeZone::UTC).date();
        let today = self.today.unwrap_or_else(today);
        let mut options = Options::new(self.profile.into(), today);
        options.date = match self.date {
            Some(date) => Some(date),
            None => source_date(language)?,
        };
        options.fail_on = match self.fail_on {
            Threshold::None => FailOn::None,
            Threshold::Warn => FailOn::Warn,
            Threshold::Error => FailOn::Error,
        };
        options.most_per_rule = self.most_per_rule;
        options.redact = self.redact;
        let waivers = self.waivers.as_deref();
        let waivers = waivers.map(|path| written(path, language, Waivers::read));
        let declarations = self.declarations.as_deref();
        let declarations = declarations.map(|path| written(path, language, Declarations::read));
        let (waivers, declarations) = (waivers.transpose(), declarations.transpose());
        if let (Err(one), Err(other)) = (&waivers, &declarations) {
            anyhow::bail!("{one:#}\ncenl-conformance: {other:#}");
        }
        options.waivers = waivers?.unwrap_or_default();
        options.declarations = declarations?.unwrap_or_default();
        Ok(options)
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
        let faults = faults.iter();
        let told: Vec<_> = faults
            .map(|fault| format!("{name}:{}", fault.told(language)))
            .collect();
        anyhow::anyhow!(told.join("\ncenl-conformance: "))
    })
}

fn show(report: &Report, format: Format, language: Language) -> io::Result<()> {
    let text = match format {
        Format::Table => {
            let mut out = anstream::stdout().lock();
            return print(&mut out, &render::table(report, language));
        }
        Format::Json => render::json(report, language),
        Format::Junit => render::junit(report, language),
        Format::Sarif => render::sarif(report, language),
        Format::Html => render::html(report, language),
    };
    print(&mut io::stdout().lock(), &text)
}
