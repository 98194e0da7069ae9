//! Which tokens a receiver takes.

use cloudevents_nl_conformance_live::listener::Received;

use super::fault::Fault;

pub(crate) const TOKEN: &str = "right+token=";

/// Whether a delivery brings the token, or what a fault takes for it.
pub(crate) fn is_authorized(fault: Fault, received: &Received, query: &str) -> bool {
    let right = format!("Bearer {TOKEN}");
    let sent = received.header("authorization").unwrap_or_default();
    let is_begun = sent.starts_with(&right) && fault == Fault::TokenBeginningCounted;
    let is_alike = sent.eq_ignore_ascii_case(&right) && fault == Fault::TokenCapitalsOverlooked;
    let is_beginning = right.starts_with(sent) && sent.len() > "Bearer ".len();
    let is_in_header = match fault {
        Fault::TokenBeginningEnough => is_beginning,
        Fault::EmptyTokenTaken => sent == right || sent.trim() == "Bearer",
        Fault::TokenEndEnough => sent.ends_with(TOKEN),
        Fault::OtherSchemeTaken => sent == right || sent.starts_with("Basic"),
        Fault::BinaryUnauthorized => sent == right || received.header("ce-id").is_some(),
        _ => sent == right || is_begun || is_alike,
    };
    let right = "access_token=right%2Btoken%3D";
    let mut pairs = query.split('&');
    let media = received.header("content-type").unwrap_or_default();
    let is_in_query = match fault {
        Fault::QueryTokenAlone => query == right,
        Fault::QueryTokenFirst => pairs.next() == Some(right),
        Fault::QueryTokenBeginningCounted => pairs.any(|pair| pair.starts_with(right)),
        Fault::QueryTokenIgnored => false,
        Fault::QueryTokenOfBatchTaken if media.contains("batch") => query.contains("access_token"),
        _ => pairs.any(|pair| pair == right),
    };
    is_in_header || is_in_query || fault == Fault::TokenIgnored
}
