//! The figures that were promised beside the promise itself, held against what a run came to.
//!
//! How long something takes is told and never decides: a busy machine is slow without being wrong.
//! That no kill of many repeats more than was uncommitted does not depend on one slow moment, so the
//! median decides.

use std::fmt::Write as _;

use super::director::Incident;
use super::judge::Judgement;

/// See the module.
#[derive(Clone, Debug)]
pub(crate) struct Figure {
    name: &'static str,
    at_most: f64,
    aim: f64,
    /// The worst of all.
    measured: f64,
    /// How many lie above `at_most`, of how many.
    above: (usize, usize),
}

/// Repeats after a kill beyond the slots above the committed watermark, at [`RATE`].
const REPEATS: usize = 30;
/// Events per second and pair for which that was promised.
const RATE: u32 = 150;

impl Figure {
    fn of(name: &'static str, at_most: f64, aim: f64, all: impl Iterator<Item = f64>) -> Self {
        let all: Vec<f64> = all.collect();
        Self {
            name,
            at_most,
            aim,
            measured: all.iter().copied().fold(0.0, f64::max),
            above: (all.iter().filter(|one| **one > at_most).count(), all.len()),
        }
    }
}

/// All of them.
pub(crate) fn figures(
    judgements: &[Judgement],
    incidents: &[Incident],
    last: &[Option<u32>],
) -> [Figure; 3] {
    let seconds = |millis: &Option<u32>| millis.map_or(f64::INFINITY, |ms| f64::from(ms) / 1000.0);
    #[allow(clippy::cast_precision_loss, reason = "small counts")]
    let repeats = judgements
        .iter()
        .flat_map(|own| own.kills.iter().map(|kill| kill.below as f64));
    let drained = incidents.iter().flat_map(|one| one.drained.iter());
    let worst = "seconds until drained, after each fault was healed";
    [
        Figure::of("repeats after each kill", 30.0, 15.0, repeats),
        Figure::of(worst, 10.0, 3.0, drained.map(seconds)),
        Figure::of(
            "seconds until drained, after the last",
            10.0,
            3.0,
            last.iter().map(seconds),
        ),
    ]
}

/// A table of figures, in Markdown.
pub(crate) fn table(figures: &[Figure]) -> String {
    let mut text = String::new();
    text.push_str(
        "| figure | at most | aim | most measured | |\n| --- | --- | --- | --- | --- |\n",
    );
    for figure in figures {
        let (above, of) = figure.above;
        let word = match (above, figure.measured <= figure.aim) {
            _ if of == 0 => "not measured".to_owned(),
            (0, true) => "met, and the aim".to_owned(),
            (0, false) => "met".to_owned(),
            _ => format!("**missed** {above} times of {of}"),
        };
        writeln!(
            text,
            "| {} | {} | {} | {:.1} | {word} |",
            figure.name, figure.at_most, figure.aim, figure.measured
        )
        .unwrap();
    }
    text
}

/// What is wrong with the repeats after the kills of a pair, at this rate.
pub(crate) fn too_many_repeats(judgement: &Judgement, rate: u32) -> Option<String> {
    let most = REPEATS * rate.max(RATE) as usize / RATE as usize;
    let mut counts: Vec<_> = judgement.kills.iter().map(|kill| kill.below).collect();
    counts.sort_unstable();
    let median = *counts.get(counts.len() / 2)?;
    let pair = judgement.pair;
    (median > most).then(|| format!("{pair}: {median} repeats after half of the kills, not {most}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::judge::AfterKill;

    fn killed(repeats: &[usize]) -> Judgement {
        let kill = |&below| AfterKill { above: 500, below };
        Judgement {
            pair: "kafka-to-webhook",
            kills: repeats.iter().map(kill).collect(),
            ..Judgement::default()
        }
    }

    #[test]
    fn many_repeats_after_most_kills_break_the_promise_and_after_one_do_not() {
        assert_eq!(too_many_repeats(&killed(&[]), 150), None);
        assert_eq!(too_many_repeats(&killed(&[4, 30, 90]), 150), None);
        assert!(too_many_repeats(&killed(&[4, 31, 90]), 150).is_some());
        assert_eq!(too_many_repeats(&killed(&[4, 31, 90]), 300), None);
    }

    #[test]
    fn what_is_missed_is_called_so() {
        let text = table(&figures(&[killed(&[4, 31])], &[], &[Some(2_000), None]));
        assert!(
            text.contains("| 31.0 | **missed** 1 times of 2 |"),
            "{text}"
        );
        assert!(text.contains("| inf | **missed** 1 times of 2 |"), "{text}");
        assert!(text.contains("| 0.0 | not measured |"), "{text}");
        let text = table(&figures(&[killed(&[4])], &[], &[Some(2_000), Some(9_000)]));
        assert!(text.contains("| 4.0 | met, and the aim |"), "{text}");
        assert!(text.contains("| 9.0 | met |"), "{text}");
    }
}
