//! The figures of a run, as a table for people.

use cloudevents_nl_conformance::Shown;

use super::figures::Figures;
use super::story::Story;
use super::{Options, rules};
use crate::command;

/// How many of a list are told.
const MOST: usize = 5;

/// See the module.
pub(crate) fn of(options: &Options, story: &Story, figures: &Figures) -> String {
    let mut out = String::new();
    let mut row = |name: &str, count: usize, list: &[String]| {
        out += &format!("{name:<12}{count:>8}\n");
        for item in list.iter().take(MOST) {
            out += &format!("    {item}\n");
        }
        if list.len() > MOST {
            out += &format!("    … {} more\n", list.len() - MOST);
        }
    };
    row("sent", figures.sent, &[]);
    row("taken", figures.taken, &[]);
    row("arrived", figures.arrived, &[]);
    let lists = [
        ("lost", &figures.lost),
        ("invented", &figures.invented),
        ("overtaken", &figures.overtaken),
        ("refused", &figures.refused),
        ("changed", &figures.changed),
        ("unexplained", &figures.unexplained),
    ];
    for (name, list) in lists {
        row(name, list.len(), list);
    }
    for (name, counts) in [
        ("repeats", &figures.repeats),
        ("tolerated", &figures.tolerated),
    ] {
        let told = counts
            .iter()
            .map(|(what, count)| format!("{what}: {count}"));
        row(name, counts.values().sum(), &told.collect::<Vec<_>>());
    }
    if figures.others > 0 {
        row("others'", figures.others, &[]);
    }
    let shown = rules::judge(story);
    let broken: Vec<_> = shown
        .iter()
        .filter(|live| matches!(live.shown, Shown::Broken(_)))
        .collect();
    row(
        "rules met",
        shown.iter().filter(|live| live.shown == Shown::Met).count(),
        &[],
    );
    let ids: Vec<_> = broken.iter().map(|live| live.rule.id.to_owned()).collect();
    row("broken", ids.len(), &ids);
    let declared: Vec<_> = options.allow.iter().map(command::name).collect();
    if !declared.is_empty() {
        row("allowed", declared.len(), &declared);
    }
    out
}
