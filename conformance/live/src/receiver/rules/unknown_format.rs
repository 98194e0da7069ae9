//! Formats that no receiver can know are answered with 415.

use super::scenario;
use crate::receiver::scenario::{Scenario, Tries, Try, broken_where};

pub(super) const SCENARIOS: &[Scenario] = &[scenario(
    "HOOK-RESP-11",
    "Sends deliveries in formats that nobody knows; each must be answered with 415.",
    "Stuurt berichten in formaten die niemand kent; elk moet met 415 worden beantwoord.",
    Tries::Made(|known| {
        // Who refuses plain events looks at something else before the format.
        known
            .needs_structured()
            .or_else(|why| known.needs_binary().map_err(|_| why))?;
        let formats = [
            "application/cloudevents+x-cenl-unknown",
            "application/cloudevents-batch+x-cenl-unknown",
            "application/x-cenl-unknown",
        ];
        let tries = formats.map(|media| {
            let request = known.target.post().with("content-type", media);
            Try::new(media, request.with_body("no format at all"))
        });
        Ok(tries.into())
    }),
    |_, seen| broken_where(seen, |seen| seen.status() != Some(415)),
)];
