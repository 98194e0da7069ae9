//! Batches are told from single events by the longer prefix of the content type, whatever follows.

use super::scenario;
use crate::receiver::scenario::{Scenario, Seen, Tries, Try, broken_where};
use crate::receiver::target::{BATCH, STRUCTURED, typed};

pub(super) const SCENARIOS: &[Scenario] = &[scenario(
    "HTTP-DETECT-1",
    "Sends batches of one event and of three, and both modes with a charset; they must be read, or all batches refused with 415.",
    "Stuurt batches van één en van drie gebeurtenissen, en beide modi met een charset; die moeten worden gelezen, of alle batches met 415 geweigerd.",
    Tries::Structured(|target| {
        let batch = |events| target.batch(&vec![""; events]);
        let charsets = ["; charset=utf-8", " ;charset=UTF-8", "; charset=\"utf-8\""];
        let single = charsets.map(|parameter| {
            let media = format!("{STRUCTURED}{parameter}");
            Try::new(&*media, typed(target.structured(""), &media))
        });
        let media = format!("{BATCH}; charset=utf-8");
        let batches = [
            Try::new("batch of 1", batch(1)),
            Try::new("batch of 3", batch(3)),
            Try::new(&*media, typed(batch(1), &media)),
        ];
        single.into_iter().chain(batches).collect()
    }),
    |_, seen| {
        let is_batch = |seen: &Seen| seen.what.contains("batch");
        let mut batches = seen.iter().filter(|seen| is_batch(seen));
        let takes_none = batches.all(|seen| seen.status() == Some(415));
        broken_where(seen, |seen| {
            !(seen.is_accepted() || takes_none && is_batch(seen))
        })
    },
)];
