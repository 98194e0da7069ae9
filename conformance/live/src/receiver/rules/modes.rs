//! Which modes and formats are read. The plain events of the beginning show it of most.

use cloudevents_nl_conformance::Shown;

use super::scenario;
use crate::receiver::scenario::{Scenario, Seen, Tries, Try, broken_where};
use crate::receiver::target::{BATCH, STRUCTURED, typed};
use crate::shown::{by, nothing};

pub(super) const SCENARIOS: &[Scenario] = &[
    scenario(
        "HTTP-MODE-1",
        "Looks whether a plain event was taken in structured and in binary mode.",
        "Kijkt of een gewone gebeurtenis in gestructureerde en in binaire modus is aangenomen.",
        Tries::Any(|_| Vec::new()),
        |known, _| match (&known.structured, &known.binary) {
            (Some(one), Some(other)) => either(one, other),
            _ => neither(),
        },
    ),
    scenario(
        "HTTP-MODE-2",
        "Looks whether a receiver that takes batches takes a single event in JSON too.",
        "Kijkt of een ontvanger die batches aanneemt, ook een enkele gebeurtenis in JSON aanneemt.",
        Tries::Any(|_| Vec::new()),
        |known, _| match (&known.structured, &known.batch) {
            (Some(plain), _) if plain.is_accepted() => Shown::Met,
            (Some(plain), Some(batch)) => either(plain, batch),
            _ => neither(),
        },
    ),
    // Batches are told from single events by the longer prefix of the content type, whatever follows.
    scenario(
        "HTTP-DETECT-1",
        "Sends batches of one event, of three and of three kinds that are taken alone, and both modes with a charset; they must be read, or all batches refused with 415.",
        "Stuurt batches van één, van drie en van drie soorten gebeurtenissen die los worden aangenomen, en beide modi met een charset; die moeten worden gelezen, of alle batches met 415 geweigerd.",
        Tries::Structured(|target| {
            let batch = |events| target.batch(&vec![""; events]);
            let charsets = ["; charset=utf-8", " ;charset=UTF-8", "; charset=\"utf-8\""];
            let single = charsets.map(|parameter| {
                let media = format!("{STRUCTURED}{parameter}");
                Try::new(&*media, typed(target.structured(""), &media))
            });
            let media = format!("{BATCH}; charset=utf-8");
            let without_data = format!(r#"-data "cenltest":"x",{}"#, target.other_source());
            let bytes = r#"-data "data_base64":"eyJ0ZXN0Ijp0cnVlfQ==""#;
            let kinds = [&*without_data, bytes];
            let alone = kinds.map(|it| Try::new(format!("{ALONE} {it}"), target.structured(it)));
            let mixed = format!("{MIXED}: {without_data} and {bytes}");
            let batches = [
                Try::new("batch of 1", batch(1)),
                Try::new("batch of 3", batch(3)),
                Try::new(&*media, typed(batch(1), &media)),
                Try::new(mixed, target.batch(&["", &*without_data, bytes])),
            ];
            alone.into_iter().chain(single).chain(batches).collect()
        }),
        |_, seen| {
            let (alone, seen): (Vec<&Seen>, Vec<_>) =
                seen.iter().partition(|seen| seen.what.starts_with(ALONE));
            let takes_kinds = alone.iter().all(|seen| seen.is_accepted());
            let is_batch = |seen: &Seen| seen.what.contains("batch");
            let mut batches = seen.iter().filter(|seen| is_batch(seen));
            let takes_none = batches.all(|seen| seen.status() == Some(415));
            broken_where(seen, |seen| {
                let is_unasked = !takes_kinds && seen.what.starts_with(MIXED);
                !(seen.is_accepted() || takes_none && is_batch(seen) || is_unasked)
            })
        },
    ),
    // A structured event with a header beside it that says something else: nobody relies on it.
    scenario(
        "NL-GL-HTTP-3",
        "compares the answers to a structured event without `ce-` headers and with one that differs",
        "vergelijkt de antwoorden op een gestructureerde gebeurtenis zonder `ce-`-headers en met een die afwijkt",
        Tries::Structured(|target| {
            let event = || target.structured("");
            vec![
                Try::new("no ce-id", event()),
                Try::new("ce-id: other", event().with("ce-id", "other")),
            ]
        }),
        |_, seen| {
            let accepted = seen.iter().filter(|seen| seen.is_accepted()).count();
            let differs = accepted > 0 && accepted < seen.len();
            by(seen.iter().filter(|_| differs).map(Seen::evidence))
        },
    ),
    scenario(
        "HOOK-RESP-11",
        "Sends deliveries in event formats that nobody knows, which must be answered with 415, and one that is no event, which may be refused otherwise.",
        "Stuurt berichten in gebeurtenisformaten die niemand kent, die met 415 moeten worden beantwoord, en een dat geen gebeurtenis is, dat ook anders mag worden geweigerd.",
        Tries::Made(|known| {
            // Who refuses plain events looks at something else before the format.
            known
                .needs_structured()
                .or_else(|why| known.needs_binary().map_err(|_| why))?;
            let formats = [
                "application/cloudevents+x-cenl-unknown",
                "application/cloudevents-batch+x-cenl-unknown",
                NO_EVENT,
            ];
            let tries = formats.map(|media| {
                let request = known.target.post().with("content-type", media);
                Try::new(media, request.with_body("no format at all"))
            });
            let [unknown, ..] = formats;
            let in_json = typed(known.target.structured(""), unknown);
            let in_json = Try::new(format!("{unknown}{IN_JSON}"), in_json);
            Ok(tries.into_iter().chain([in_json]).collect())
        }),
        |_, seen| {
            let is_guessed = |seen: &Seen| seen.what.ends_with(IN_JSON) && seen.is_accepted();
            let shown = broken_where(seen, |seen| match seen.status() {
                Some(400..=499) if seen.what == NO_EVENT => false,
                status => status != Some(415) && !is_guessed(seen),
            });
            match shown {
                Shown::Met if seen.iter().any(is_guessed) => nothing(
                    "the receiver reads JSON of whatever name, and so understood that format",
                    "de ontvanger leest JSON onder elke naam, en begreep dat formaat dus",
                ),
                shown => shown,
            }
        },
    ),
];

/// What begins the words for an event that a batch has too, and for that batch.
const ALONE: &str = "alone";
const MIXED: &str = "mixed batch";

/// Without attributes in headers it is a binary event that lacks them to some, which is answered with 400.
const NO_EVENT: &str = "application/x-cenl-unknown";

/// What ends the words for an event in JSON by another name.
const IN_JSON: &str = ", an event in JSON";

/// Broken where one is refused as long as another is not: else nothing of it says anything of modes.
fn either(one: &Seen, other: &Seen) -> Shown {
    match one.is_accepted() || other.is_accepted() {
        true => broken_where([one, other], |seen| !seen.is_accepted()),
        false => neither(),
    }
}

fn neither() -> Shown {
    nothing(
        "plain events were refused in these modes",
        "gewone gebeurtenissen zijn in deze modi geweigerd",
    )
}
