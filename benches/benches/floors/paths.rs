//! The paths of this codec beside each other: with all that the processor has, without AVX-512, and the safe one.

use std::hint::black_box;

use cloudevents_nl_benches::corpus::{CASE_BYTES, Case, Kind, SIZES};
use cloudevents_nl_benches::engine::{Codec, Engine};
use cloudevents_nl_codec::{Forbidden, forbid_vectors};

use crate::SEED;
use crate::cell::{Cell, slices};
use crate::limits::Direction;

/// The names of the columns: what each of [`Forbidden::EACH`] leaves.
const NAMES: [&str; Forbidden::EACH.len()] = ["all vectors", "without AVX-512", "safe path"];

/// A table of one direction: for each kind and size the time of an event, and how much the safe path takes of it.
pub(crate) fn table(direction: Direction) -> String {
    let mut lines = vec![
        format!(
            "\n## {}, the paths of cloudevents-nl-codec: ns per event, times as fast as the safe path\n",
            direction.name()
        ),
        format!("| kind | size | {} |", NAMES.join(" | ")),
        format!("|{}", "---|".repeat(NAMES.len() + 2)),
    ];
    for kind in Kind::ALL {
        for size in SIZES {
            let case = Case::generate(kind, size, CASE_BYTES, SEED);
            let cells = cells(direction, &case);
            let safe = cells[NAMES.len() - 1];
            let cells = cells.iter().map(|cell| cell.beside(safe));
            let cells: Vec<_> = cells.collect();
            lines.push(format!(
                "| {} | {} | {} |",
                kind.name(),
                size.name,
                cells.join(" | ")
            ));
        }
    }
    lines.push(String::new());
    lines.join("\n")
}

fn cells(direction: Direction, case: &Case) -> Vec<Cell> {
    let texts: Vec<_> = case.texts().collect();
    let headers = case.headers();
    let messages: Vec<_> = case.messages(&headers).collect();
    let runs = Forbidden::EACH.map(|forbidden| {
        let (texts, messages, mut codec) = (&texts, &messages, Codec::default());
        let run = move |at: usize| {
            // Each run goes through all events before the next one begins.
            if at == 0 {
                forbid_vectors(forbidden);
            }
            match direction {
                Direction::Decode => codec.decode(texts[at], &mut |_, body| {
                    black_box(body);
                }),
                Direction::Encode => codec.encode(&messages[at], &mut |text| {
                    black_box(text);
                }),
            }
        };
        Box::new(run) as Box<dyn FnMut(usize) + '_>
    });
    let cells = slices(case, &mut Vec::from(runs));
    forbid_vectors(Forbidden::Nothing);
    cells
}
