//! OAUTHBEARER: a token proves who a client is. librdkafka asks for it while the client is polled, before the first
//! connection and again at four fifths of the time that it is told, and holds up whoever polls until it is answered.

use std::collections::BTreeMap;
use std::error::Error;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rdkafka::client::OAuthToken;

use super::connection::Properties;
use crate::config::url::is_loopback;
use crate::config::{Fault, Reported, SecretPlace, Table};
use crate::credentials::{self, BearerToken, BrokerCredential};

/// librdkafka hands it to who answers, and here it makes clients with other credentials other clients.
const CONFIG: &str = "sasl.oauthbearer.config";
/// The client asks again so soon: it shows no longer what a broker has refused.
const TOLD_MAX: Duration = Duration::from_secs(60);

pub(super) fn read(table: &Table<'_>) -> Result<Option<BearerToken>, Reported> {
    let meaning = "the `NAME` of `[credentials.NAME]` with `token` or `token_url`: a token proves \
                   who we are, by the mechanism OAUTHBEARER, and over `sasl_ssl` unless \
                   `security.protocol` is given";
    let Some(settings) = table.reference("credentials", meaning, credentials::read)? else {
        return Ok(None);
    };
    match settings.for_broker() {
        Some(BrokerCredential::Token(token)) => Ok(Some(token)),
        _ => {
            let remedy = "name a table with `token` or `token_url`; a password is a property";
            Err(table.report(&["credentials"], "is no token", remedy))
        }
    }
}

/// Adds what a token implies to the properties, and reports those that contradict it.
pub(super) fn imply(
    table: &Table<'_>,
    token: Option<&BearerToken>,
    brokers: &str,
    secrets: &BTreeMap<String, SecretPlace>,
    properties: &mut Properties,
) {
    for (name, value) in properties.iter() {
        if let Err(fault) = check(name, &value.to_ascii_lowercase(), brokers, token.is_some()) {
            let kept = secrets.contains_key(name);
            table.fault(&[if kept { "secrets" } else { "properties" }, name], fault);
        }
    }
    let Some(token) = token else { return };
    properties.remove("sasl.mechanism");
    let mut set = |name: &str, value: &str| properties.insert(name.to_owned(), value.to_owned());
    set("sasl.mechanisms", "OAUTHBEARER");
    set(CONFIG, &token.fingerprint());
    let protocol = properties.entry("security.protocol".to_owned());
    protocol.or_insert_with(|| "sasl_ssl".to_owned());
}

fn check(name: &str, value: &str, brokers: &str, has_token: bool) -> Result<(), Fault> {
    let is_mechanism = matches!(name, "sasl.mechanism" | "sasl.mechanisms");
    let is_replaced = is_mechanism
        || matches!(name, "sasl.username" | "sasl.password")
        || name.starts_with("sasl.oauthbearer.");
    let (what, remedy) = match (name, value) {
        (_, "oauthbearer") if is_mechanism && !has_token => (
            "OAUTHBEARER needs a token",
            "name a table [credentials.NAME] by `credentials` beside `brokers`",
        ),
        _ if !has_token => return Ok(()),
        (_, "oauthbearer") if is_mechanism => return Ok(()),
        _ if is_replaced => (
            "contradicts `credentials`, by which the bridge shows a token (OAUTHBEARER)",
            "leave one of the two out",
        ),
        ("security.protocol", "sasl_ssl") => return Ok(()),
        ("security.protocol", "sasl_plaintext") if stay_here(brokers) => return Ok(()),
        ("security.protocol", "sasl_plaintext") => (
            "would send the token unprotected to other machines",
            "use sasl_ssl",
        ),
        ("security.protocol", _) => ("carries no token", "use sasl_ssl, or leave it out"),
        _ => return Ok(()),
    };
    Err(Fault::new(what, remedy))
}

fn stay_here(brokers: &str) -> bool {
    brokers.split(',').all(|broker| {
        let address = broker.trim().rsplit("://").next().unwrap_or_default();
        let host = address.rsplit_once(':').map(|(host, _)| host);
        host.is_none_or(is_loopback)
    })
}

/// For a client that asks. Never waits.
pub(super) fn answer(token: Option<&BearerToken>) -> Result<OAuthToken, Box<dyn Error>> {
    let (token, good_for) = token.ok_or("no credentials")?.now()?;
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    // A broker may end a connection with its token, and is shown the next one at nine tenths of that time.
    let until = since.unwrap_or_default() + good_for.min(TOLD_MAX) * 3 / 4;
    Ok(OAuthToken {
        token,
        // It stands in the token.
        principal_name: String::new(),
        lifetime_ms: i64::try_from(until.as_millis())?,
    })
}
