//! Formats that no receiver can know are answered with 415.

use super::scenario;
use crate::receiver::scenario::{Scenario, Tries, Try, broken_where};

/// Without attributes in headers it is a binary event that lacks them to some, which is answered with 400.
const NO_EVENT: &str = "application/x-cenl-unknown";

pub(super) const SCENARIOS: &[Scenario] = &[scenario(
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
        Ok(tries.into())
    }),
    |_, seen| {
        broken_where(seen, |seen| match seen.status() {
            Some(400..=499) if seen.what == NO_EVENT => false,
            status => status != Some(415),
        })
    },
)];
