//! `rules` and `explain`.

use clap::ValueEnum;
use cloudevents_nl_conformance::{Language, Profile, catalogue, nearest, render};

use crate::print;

/// How rules are listed.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Form {
    /// One line each
    Table,
    /// JSON
    Json,
}

pub(crate) fn rules(profile: Profile, language: Language, form: Form) -> anyhow::Result<u8> {
    let text = match form {
        Form::Table => render::rules(profile, language),
        Form::Json => render::rules_json(profile, language),
    };
    print(&mut anstream::stdout().lock(), &text)?;
    Ok(0)
}

pub(crate) fn explain(rule: &str, language: Language) -> anyhow::Result<u8> {
    let name = rule.to_ascii_uppercase();
    let Some(entry) = catalogue::entry(&name) else {
        let ids = catalogue::entries().iter().map(|entry| &*entry.id);
        let (is_none, meant) = match language {
            Language::English => ("no rule is named", "did you mean"),
            Language::Dutch => ("er is geen regel met de naam", "bedoelde u"),
        };
        let meant =
            nearest(rule, ids).map_or_else(String::new, |near| format!("; {meant} {near}?"));
        anyhow::bail!("{is_none} {rule:?}{meant}");
    };
    let text = render::explain(entry, language);
    print(&mut anstream::stdout().lock(), &text)?;
    Ok(0)
}
