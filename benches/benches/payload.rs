//! JSON data as a type of one's own, and some members of it: this codec beside its rivals, in one process.
//!
//! `cargo bench --bench payload` prints the tables. The bodies are those of `floors`, all of them distinct, and
//! every engine fills the same types. Answers are checked before anything is timed; `--test` checks them only.

#[path = "floors/cell.rs"]
#[expect(dead_code, reason = "floors uses the rest")]
mod cell;

use std::hint::black_box;
use std::mem;

use cell::slices;
use cloudevents_nl_benches::comparison::SEED;
use cloudevents_nl_benches::corpus::{CASE_BYTES, Case, Kind, SIZES, SMOKE_BYTES};
use cloudevents_nl_benches::{machine, mode};
use cloudevents_nl_codec::{Decoder, Event, JsonText};
use serde::Deserialize;
use serde_json::Value;
use simd_json::{Buffers, Tape};
use sonic_rs::PointerTree;

/// Two members; whatever else there is, is passed over.
#[derive(Debug, Deserialize, PartialEq)]
struct Partly<'d> {
    zaak: Zaak,
    status: &'d str,
}

#[derive(Debug, Deserialize, PartialEq)]
struct Zaak {
    nr: u16,
    leges: f64,
}

/// The last one is at the end of the data, or nowhere.
const POINTERS: [&str; 3] = ["/zaak/leges", "/status", "/toelichting"];

/// One engine reading the data of one event.
type Run<'c> = Box<dyn FnMut(usize) + 'c>;
type Contest = for<'b, 'c> fn(&'b Bodies<'c>) -> Vec<Run<'b>>;

fn main() {
    let bytes = match mode::is_smoke() {
        true => SMOKE_BYTES,
        false => CASE_BYTES,
    };
    println!("# Data beside its rivals\n");
    for (title, runs) in [
        ("two members, the others passed over", some as Contest),
        ("all of it, as `serde_json::Value`", all),
        ("three pointers", pointers),
    ] {
        println!("## {title}: ns per event, times as fast as serde_json\n");
        println!(
            "| size of event | ours | serde_json | simd-json | sonic-rs |\n|---|---|---|---|---|"
        );
        for size in SIZES {
            let case = Case::generate(Kind::Compact, size, bytes, SEED);
            let bodies = Bodies::of(&case);
            bodies.check();
            let mut runs = runs(&bodies);
            if mode::is_smoke() {
                (0..bodies.events.len()).for_each(|at| runs.iter_mut().for_each(|run| run(at)));
                continue;
            }
            let cells = slices(&case, &mut runs);
            let row = cells.iter().map(|cell| cell.beside(cells[1]));
            println!(
                "| {} | {} |",
                size.name,
                row.collect::<Vec<_>>().join(" | ")
            );
        }
        println!();
    }
    println!("{}", machine::description());
}

/// The data of each event, and the events that a decoder made.
struct Bodies<'c> {
    bodies: Vec<&'c [u8]>,
    events: Vec<Event<'c>>,
}

impl<'c> Bodies<'c> {
    fn of(case: &'c Case) -> Self {
        let decoder = Decoder::default();
        let decoded = |text| {
            decoder
                .decode_structured(text)
                .expect("the corpus is valid")
        };
        Self {
            bodies: case.samples.iter().map(|sample| &*sample.body).collect(),
            events: case.texts().map(decoded).collect(),
        }
    }

    /// Every engine reads the same.
    fn check(&self) {
        let mut simd = Simd::default();
        let tree = tree();
        for (body, event) in self.bodies.iter().zip(&self.events) {
            let ours: Partly<'_> = event.data_as().expect("it has both");
            assert_eq!(
                ours,
                serde_json::from_slice(body).expect("serde_json reads it")
            );
            assert_eq!(ours, simd.read(body));
            assert_eq!(ours, sonic_rs::from_slice(body).expect("sonic-rs reads it"));
            let all: Value = event.data_as().expect("it is JSON");
            assert_eq!(
                all,
                serde_json::from_slice::<Value>(body).expect("serde_json reads it")
            );
            let found = at_each(event);
            let value = |text: &JsonText<'_>| serde_json::from_str(text.as_str()).expect("JSON");
            let expected = POINTERS.map(|pointer| all.pointer(pointer).cloned());
            assert_eq!(
                found
                    .iter()
                    .map(|text| text.as_ref().map(value))
                    .collect::<Vec<_>>(),
                expected
            );
            assert_eq!(simd.found(body), expected.iter().flatten().count());
            let by_sonic = sonic_rs::get_many(*body, &tree).expect("sonic-rs reads it");
            assert_eq!(
                by_sonic.iter().flatten().count(),
                expected.iter().flatten().count()
            );
        }
    }
}

fn at_each<'e>(event: &'e Event<'_>) -> Vec<Option<JsonText<'e>>> {
    match event.data() {
        cloudevents_nl_codec::Data::Json(json) => json.at_each(&POINTERS),
        other => panic!("{other:?} is no JSON"),
    }
}

/// simd-json, which writes into its input: the copy goes to a buffer that is used again, as all else is.
struct Simd {
    scratch: Vec<u8>,
    buffers: Buffers,
    tape: Tape<'static>,
}

impl Default for Simd {
    fn default() -> Self {
        Self {
            scratch: Vec::new(),
            buffers: Buffers::default(),
            tape: Tape::null(),
        }
    }
}

impl Simd {
    fn read<'s, T: Deserialize<'s>>(&'s mut self, body: &[u8]) -> T {
        self.scratch.clear();
        self.scratch.extend_from_slice(body);
        simd_json::serde::from_slice_with_buffers(&mut self.scratch, &mut self.buffers)
            .expect("simd-json reads it")
    }

    /// How many of the pointers lead to something.
    fn found(&mut self, body: &[u8]) -> usize {
        self.scratch.clear();
        self.scratch.extend_from_slice(body);
        let mut tape = mem::replace(&mut self.tape, Tape::null()).reset();
        simd_json::fill_tape(&mut self.scratch, &mut self.buffers, &mut tape)
            .expect("simd-json reads it");
        let root = tape.as_value().as_object().expect("an object");
        let zaak = root.get("zaak").and_then(|zaak| zaak.as_object());
        let leges = zaak.and_then(|zaak| zaak.get("leges"));
        let found = [leges, root.get("status"), root.get("toelichting")];
        let count = black_box(found).iter().flatten().count();
        self.tape = tape.reset();
        count
    }
}

fn tree() -> PointerTree {
    let mut tree = PointerTree::new();
    for pointer in POINTERS {
        tree.add_path(pointer.split('/').skip(1));
    }
    tree
}

fn some<'b>(bodies: &'b Bodies<'_>) -> Vec<Run<'b>> {
    let mut simd = Simd::default();
    let Bodies { bodies, events } = bodies;
    vec![
        Box::new(|at| drop(black_box(events[at].data_as::<Partly<'_>>()))),
        Box::new(|at| drop(black_box(serde_json::from_slice::<Partly<'_>>(bodies[at])))),
        Box::new(move |at| {
            black_box(simd.read::<Partly<'_>>(bodies[at]));
        }),
        Box::new(|at| drop(black_box(sonic_rs::from_slice::<Partly<'_>>(bodies[at])))),
    ]
}

fn all<'b>(bodies: &'b Bodies<'_>) -> Vec<Run<'b>> {
    let mut simd = Simd::default();
    let Bodies { bodies, events } = bodies;
    vec![
        Box::new(|at| drop(black_box(events[at].data_as::<Value>()))),
        Box::new(|at| drop(black_box(serde_json::from_slice::<Value>(bodies[at])))),
        Box::new(move |at| drop(black_box(simd.read::<Value>(bodies[at])))),
        Box::new(|at| drop(black_box(sonic_rs::from_slice::<Value>(bodies[at])))),
    ]
}

fn pointers<'b>(bodies: &'b Bodies<'_>) -> Vec<Run<'b>> {
    let mut simd = Simd::default();
    let tree = tree();
    let Bodies { bodies, events } = bodies;
    vec![
        Box::new(|at| drop(black_box(at_each(&events[at])))),
        Box::new(|at| {
            let value: Value = serde_json::from_slice(bodies[at]).expect("serde_json reads it");
            black_box(POINTERS.map(|pointer| value.pointer(pointer).is_some()));
        }),
        Box::new(move |at| {
            black_box(simd.found(bodies[at]));
        }),
        Box::new(move |at| drop(black_box(sonic_rs::get_many(bodies[at], &tree)))),
    ]
}
