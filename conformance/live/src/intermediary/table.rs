//! The figures of a run, as a table for people.

use cloudevents_nl_conformance::Shown;

use super::figures::Figures;
use super::story::Story;
use super::{Options, rules};
use crate::command;
use crate::shown::{told, why};

/// How many of a list are told.
const MOST: usize = 5;

pub(crate) fn of(options: &Options, story: &Story, figures: &Figures) -> String {
    let mut out = String::new();
    let mut row = |en: &str, nl: &str, count: usize, list: &[String]| {
        let name = why(en, nl);
        out += &format!("{:<12}{count:>8}\n", name.told(options.lang));
        for item in list.iter().take(MOST) {
            out += &format!("    {item}\n");
        }
        if list.len() > MOST {
            let left = list.len() - MOST;
            let left = why(format!("{left} more"), format!("nog {left}"));
            out += &format!("    … {}\n", left.told(options.lang));
        }
    };
    row("sent", "verstuurd", figures.sent, &[]);
    row("taken", "aangenomen", figures.taken, &[]);
    row("arrived", "aangekomen", figures.arrived, &[]);
    for (en, nl, list) in [
        ("lost", "verloren", &figures.lost),
        ("invented", "verzonnen", &figures.invented),
        ("overtaken", "ingehaald", &figures.overtaken),
        ("refused", "geweigerd", &figures.refused),
        ("changed", "veranderd", &figures.changed),
        ("unexplained", "onverklaard", &figures.unexplained),
    ] {
        row(en, nl, list.len(), list);
    }
    let repeats = figures.repeats.iter();
    let repeats = repeats.map(|(what, count)| (what.told(options.lang), count));
    let tolerated = figures.tolerated.iter();
    let tolerated = tolerated.map(|(what, count)| (&**what, count));
    for (en, nl, counts) in [
        ("repeats", "herhaald", repeats.collect::<Vec<_>>()),
        ("tolerated", "getolereerd", tolerated.collect()),
    ] {
        let all: usize = counts.iter().map(|(_, count)| **count).sum();
        let told = counts
            .iter()
            .map(|(what, count)| format!("{what}: {count}"));
        row(en, nl, all, &told.collect::<Vec<_>>());
    }
    if figures.others > 0 {
        row("others'", "van anderen", figures.others, &[]);
    }
    let lives = rules::judge(story);
    let met = lives.iter().filter(|live| live.shown == Shown::Met).count();
    row("rules met", "voldaan", met, &[]);
    let broken = lives
        .iter()
        .filter(|live| matches!(live.shown, Shown::Broken(_)));
    let broken = broken.map(|live| format!("{} {}", live.rule.id, told(&live.shown, options.lang)));
    let broken: Vec<_> = broken.collect();
    row("broken", "geschonden", broken.len(), &broken);
    let allowed: Vec<_> = options.allow.iter().map(command::name).collect();
    if !allowed.is_empty() {
        row("allowed", "toegestaan", allowed.len(), &allowed);
    }
    out
}
