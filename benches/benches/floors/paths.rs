//! The ways that this processor has to read long texts, beside each other; the last is the safe one.

use std::hint::black_box;

use cloudevents_nl_benches::corpus::{CASE_BYTES, Case, Kind, SIZES};
use cloudevents_nl_benches::engine::{Codec, Engine};
use cloudevents_nl_codec::Decoder;

use crate::SEED;
use crate::cell::{Cell, slices};

/// What vector code looks at; all else is read by one code on every processor, and so is written all.
const KINDS: [Kind; 2] = [Kind::Xml, Kind::Base64];

/// For each kind and size the time to decode an event by each path, and how much the safe path takes of it.
pub(crate) fn table() -> String {
    let names: Vec<_> = Decoder::default()
        .each_path()
        .map(|(name, _)| name)
        .collect();
    let mut lines = vec![
        "\n## decode, the paths of cloudevents-nl-codec: ns per event, times as fast as the safe path\n"
            .to_owned(),
        format!("| kind | size | {} |", names.join(" | ")),
        format!("|{}", "---|".repeat(names.len() + 2)),
    ];
    for kind in KINDS {
        for size in SIZES {
            let cells = cells(&Case::generate(kind, size, CASE_BYTES, SEED));
            let safe = cells[names.len() - 1];
            let cells: Vec<_> = cells.iter().map(|cell| cell.beside(safe)).collect();
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

fn cells(case: &Case) -> Vec<Cell> {
    let texts: Vec<_> = case.texts().collect();
    let runs = Decoder::default().each_path().map(|(_, decoder)| {
        let (texts, mut codec) = (&texts, Codec::reading_by(decoder));
        let run = move |at: usize| {
            codec.decode(texts[at], &mut |_, body| {
                black_box(body);
            });
        };
        Box::new(run) as Box<dyn FnMut(usize) + '_>
    });
    slices(case, &mut runs.collect::<Vec<_>>())
}
