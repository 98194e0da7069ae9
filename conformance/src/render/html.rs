//! One HTML file for people who do not write software: the verdict on top, then what was found and
//! what remains to be declared, then everything that another person needs to check it.
//!
//! It needs no other file, no network and no scripts, and forbids itself to have any; it prints. Tables become lists on a phone, so
//! their roles are written out: browsers forget them when a style changes what a table looks like.

mod parts;
mod table;

use super::{Language, VERSION, escape, words};
use crate::report::{Report, Verdict};

const STYLE: &str = include_str!("html/style.css");

/// One HTML file that needs no other, and no scripts.
#[must_use]
pub fn html(report: &Report, language: Language) -> String {
    let (title, profile) = (words::TITLE.told(language), report.profile.name());
    let sections = [
        parts::problems(report, language),
        parts::findings(report, language),
        parts::waivers(report, language),
        parts::declared(report, language),
        parts::inputs(report, language),
        parts::rules(report, language),
        parts::not_tested(report, language),
        parts::versions(report, language),
    ];
    format!(
        "<!DOCTYPE html>\n<html lang=\"{}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"generator\" content=\"cenl-conformance {VERSION}\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <title>{}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <header>\n<h1>{}</h1>\n{}</header>\n<main>\n{}</main>\n</body>\n</html>\n",
        language.tag(),
        escape(&format!("{title} · {profile}")),
        escape(title),
        verdict(report, language),
        sections.concat(),
    )
}

/// The verdict, what it is about, and what it does not say.
fn verdict(report: &Report, language: Language) -> String {
    let (class, sign) = match report.verdict() {
        _ if !report.problems.is_empty() => ("fail", "!"),
        Verdict::Fail => ("fail", "✗"),
        Verdict::Warn => ("warn", "!"),
        Verdict::Pass | Verdict::Explained | Verdict::Known => ("pass", "✓"),
        Verdict::NotApplicable | Verdict::ToBeDeclared | Verdict::NotShown => ("none", "–"),
    };
    let mut about = vec![words::inputs(report.inputs.len() as u64, language)];
    about.extend(words::counts(&report.counts, language));
    let overlays = report.overlays.iter().map(|name| format!(" + {name}"));
    let overlays = overlays.collect::<String>();
    let date = report.date.map_or_else(String::new, |date| {
        format!("<p>{}: {date}</p>\n", words::DATE.told(language))
    });
    format!(
        "<section class=\"verdict {class}\" aria-labelledby=\"verdict\">\n\
         <p class=\"sign\" aria-hidden=\"true\">{sign}</p>\n\
         <div>\n<h2 id=\"verdict\">{}</h2>\n<p>{}: <strong>{}</strong></p>\n<p>{}</p>\n{date}</div>\n\
         </section>\n<p class=\"reservation\">{}</p>\n",
        escape(&words::headline(report, language)),
        words::PROFILE.told(language),
        escape(&[parts::profile_name(report.profile), &overlays].concat()),
        escape(&about.join(", ")),
        escape(words::reservation(report).told(language)),
    )
}
