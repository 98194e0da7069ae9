//! The reports of a run: one for each profile that something was judged by.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::Context;
use cloudevents_nl_conformance::report::Report;
use cloudevents_nl_conformance::{
    Assessment, Baseline, ForPath, Language, Options, Profile, render,
};

use super::glob;
use super::reporting::Format;
use crate::print;

#[derive(Debug)]
pub(super) struct Reports {
    /// The folder of the settings, from which its paths begin.
    pub(super) folder: PathBuf,
    pub(super) paths: Vec<ForPath>,
    pub(super) profiles: Vec<Profile>,
    pub(super) language: Language,
    pub(super) format: Format,
    pub(super) outputs: Vec<(Format, PathBuf)>,
    /// What to judge by, whatever the profile.
    pub(super) options: Options,
    pub(super) write_baseline: Option<PathBuf>,
    /// Paths that something was read of, which nothing is written to.
    pub(super) named: Vec<PathBuf>,
    /// Outputs and baselines, which are not read for being in a directory.
    pub(super) own: Vec<PathBuf>,
    /// Those that are under way, by profile.
    pub(super) all: Vec<(Profile, Assessment)>,
}

impl Reports {
    /// The profiles that a file is judged by.
    pub(super) fn profiles_of(&self, path: &Path) -> Vec<Profile> {
        let path = whole(path);
        let path = path.strip_prefix(&self.folder).unwrap_or(&path);
        let is_about = |ours: &&ForPath| glob::matches(&ours.path, &path.to_string_lossy());
        let ours = self.paths.iter().find(is_about);
        ours.map_or_else(|| self.profiles.clone(), |ours| ours.profiles.clone())
    }

    /// Does something to the assessment of each profile that a file is judged by.
    pub(super) fn each(&mut self, path: &Path, mut read: impl FnMut(&mut Assessment)) {
        self.named.push(whole(path));
        for profile in self.profiles_of(path) {
            read(self.of(profile));
        }
    }

    /// The assessment of the first profile alone, for what is told once.
    pub(super) fn first(&mut self, path: &Path) -> &mut Assessment {
        let profile = self.profiles_of(path).first().copied();
        self.of(profile.unwrap_or(self.options.profile))
    }

    fn of(&mut self, profile: Profile) -> &mut Assessment {
        let at = self.all.iter().position(|(ours, _)| *ours == profile);
        let at = at.unwrap_or_else(|| {
            let mut options = self.options.clone();
            options.profile = profile;
            self.all.push((profile, Assessment::new(options)));
            self.all.len() - 1
        });
        &mut self.all[at].1
    }

    /// Shows the reports, and gives the exit code: that of the worst.
    pub(super) fn finish(self) -> anyhow::Result<u8> {
        let language = self.language;
        let all = self.all.into_iter();
        let all: Vec<Report> = all.map(|(_, assessment)| assessment.finish()).collect();
        let overwritten = match language {
            Language::English => "is an input, and is not written over",
            Language::Dutch => "is een invoerbestand, en wordt niet overschreven",
        };
        let may_write = |file: &Path| {
            let is_input = self.named.contains(&whole(file));
            anyhow::ensure!(!is_input, "{}: {overwritten}", file.display());
            Ok(())
        };
        // Nothing is written where something cannot be.
        let is_one = all.len() < 2 || matches!(self.format, Format::Table | Format::Github);
        anyhow::ensure!(is_one, several("--format", language));
        self.write_baseline.as_deref().map_or(Ok(()), may_write)?;
        for report in &all {
            for (_, path) in &self.outputs {
                let (name, file) = (path.to_string_lossy(), file_of(path, report.profile));
                anyhow::ensure!(all.len() == 1 || file != name, several(&name, language));
                may_write(Path::new(&file))?;
            }
        }
        for report in &all {
            for (format, path) in &self.outputs {
                let file = file_of(path, report.profile);
                let text = text(report, *format, language);
                let text = anstream::adapter::strip_str(&text).to_string();
                fs::write(&file, text).with_context(|| file.clone())?;
            }
            let text = text(report, self.format, language);
            match self.format {
                Format::Table => print(&mut anstream::stdout().lock(), &text)?,
                _ => print(&mut io::stdout().lock(), &text)?,
            }
            let problems = report.problems.iter();
            for problem in problems.filter(|_| !matches!(self.format, Format::Table)) {
                eprintln!("cenl-conformance: {}", render::problem(problem, language));
            }
        }
        if let Some(path) = &self.write_baseline {
            let known = all.iter().filter_map(|report| report.baseline.clone());
            let mut baseline = Baseline::default();
            let known = known.flat_map(|baseline| baseline.known);
            baseline.known.extend(known);
            let (name, known) = (path.display(), baseline.known.len());
            fs::write(path, baseline.text()).with_context(|| name.to_string())?;
            let told = render::kept(known as u64, language);
            eprintln!("cenl-conformance: {name}: {told}");
        }
        let codes = all.iter().map(|report| report.outcome().exit_code());
        Ok(codes.max().unwrap_or_default())
    }
}

/// A path from the root on, without links as far as it is there.
pub(super) fn whole(path: &Path) -> PathBuf {
    let path = match path.as_os_str().is_empty() {
        true => Path::new("."),
        false => path,
    };
    let found = fs::canonicalize(path).ok();
    found.unwrap_or_else(|| match (path.parent(), path.file_name()) {
        (Some(folder), Some(name)) => whole(folder).join(name),
        _ => path.to_owned(),
    })
}

/// The same error, for each of several reports.
pub(super) fn again(error: &io::Error) -> io::Error {
    let code = error.raw_os_error();
    code.map_or_else(|| error.kind().into(), io::Error::from_raw_os_error)
}

/// The file of a report of a profile, each of which may have its own.
pub(super) fn file_of(path: &Path, profile: Profile) -> String {
    let name = path.to_string_lossy();
    name.replace("{profile}", profile.name())
}

fn several(name: &str, language: Language) -> String {
    match language {
        Language::English => format!(
            "{name}: there is a report for each of several profiles, and one has no room for more: name \
             files with {{profile}} in [output] of cenl-conformance.toml, or judge by one profile"
        ),
        Language::Dutch => format!(
            "{name}: er is een rapport per profiel, en hier past er maar één: noem bestanden met \
             {{profile}} in [output] van cenl-conformance.toml, of toets aan één profiel"
        ),
    }
}

fn text(report: &Report, format: Format, language: Language) -> String {
    let form = match format {
        Format::Table => render::table,
        Format::Json => render::json,
        Format::Junit => render::junit,
        Format::Sarif => render::sarif,
        Format::Html => render::html,
        Format::Github => render::github,
        Format::Gitlab => render::gitlab,
    };
    form(report, language)
}
