//! A target that was retired.

use super::scenario;
use crate::client::{Tls, Version};
use crate::receiver::scenario::{Scenario, Tries, Try, broken_where};
use crate::shown::why;

pub(super) const SCENARIOS: &[Scenario] = &[scenario(
    "HOOK-RESP-6",
    "Sends a delivery to the address of --retired, which must answer 410.",
    "Stuurt een bericht naar het adres van --retired, dat 410 moet antwoorden.",
    Tries::Made(|known| {
        let retired = known.target.retired.as_ref().ok_or_else(|| {
            why(
                "no address of a retired target was given: name one with --retired",
                "er is geen adres van een opgeheven ontvanger gegeven: noem er een met --retired",
            )
        })?;
        let mut request = known.target.structured("");
        request.url = retired.clone();
        // The token is for the receiver alone.
        let of = |url: &http::Uri| (url.scheme().cloned(), url.authority().cloned());
        if of(retired) != of(&known.target.url) {
            request.headers.retain(|(name, _)| name != "authorization");
        }
        Ok(vec![Try {
            via: Some((Version::Http1, Tls::Any)),
            ..Try::new("retired", request)
        }])
    }),
    |_, seen| broken_where(seen, |seen| seen.status() != Some(410)),
)];
