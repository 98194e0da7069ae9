//! Every valid vector, as each of the official SDKs writes it, from every protocol to every other.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use cloudevents_nl_codec::{Data, EncodeError, Value};
use serde::{Deserialize, Serialize};

use super::*;

/// How a writer deviates from the bindings, in binary mode.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Dialect {
    name: String,
    /// Header values are not percent-encoded.
    #[serde(default)]
    plain_headers: bool,
    /// On Kafka `ce_datacontenttype` stands beside `content-type`.
    #[serde(default)]
    datacontenttype_header: bool,
    /// `True` and `False`.
    #[serde(default)]
    capital_booleans: bool,
    /// No data is a record value of no bytes.
    #[serde(default)]
    empty_for_none: bool,
    /// A JSON string is written without its quotes.
    #[serde(default)]
    bare_strings: bool,
}

/// Vectors that do not arrive as their writer meant them: all others do.
#[derive(Clone, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
struct Outcome {
    outcome: String,
    vector: String,
    dialects: BTreeSet<String>,
    hops: BTreeSet<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    dialects: Vec<Dialect>,
    outcomes: Vec<Outcome>,
}

impl Dialect {
    /// The message of this writer, and what it meant to say.
    fn write(
        &self,
        event: &Event<'_>,
        binding: &'static Binding,
    ) -> Result<(Received, Said), EncodeError> {
        let mut said = Said::of(event);
        let mut headers = HeaderList::default();
        let mut body =
            encode(event, binding, ContentMode::Binary, headers.sink())?.map(Cow::into_owned);
        let mut written = HeaderList::default();
        for header in headers.iter() {
            let attribute = header.name.strip_prefix(binding.prefix).unwrap_or_default();
            let mut text = String::from_utf8_lossy(header.value.unwrap()).into_owned();
            match event.attribute(attribute) {
                Some(Value::Boolean(value)) if self.capital_booleans => {
                    text = if value { "True" } else { "False" }.to_owned();
                    said.attributes.insert(attribute.to_owned(), text.clone());
                }
                Some(value) if self.plain_headers => text = value.text().into_owned(),
                _ => {}
            }
            written.push(header.name, Some(text.as_bytes()));
            if self.datacontenttype_header && *binding == KAFKA && header.name == "content-type" {
                written.push("ce_datacontenttype", Some(text.as_bytes()));
            }
        }
        if self.empty_for_none && body.is_none() && *binding == KAFKA {
            body = Some(Vec::new());
            said.data = Some(Vec::new());
        }
        if let Data::Json(json) = event.data()
            && let Ok(text) = serde_json::from_str::<String>(json.as_str())
            && self.bare_strings
        {
            body = Some(text.into_bytes());
            said.data.clone_from(&body);
        }
        Ok((received(binding, written, body), said))
    }
}

/// A file of the repository.
fn file(name: &str) -> Vec<u8> {
    // Another package of this repository, deeper in it, compiles this file too.
    let mut folders = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let root = folders.find(|folder| folder.join("Cargo.lock").exists());
    let path: PathBuf = root.unwrap().join(name);
    std::fs::read(path).unwrap()
}

/// What became of the message at the far end, unless it arrived as it was meant.
fn outcome(message: &Received, said: &Said, sink: (&'static Binding, WriteMode)) -> Option<String> {
    let arrived = match hop(message, sink) {
        Ok(arrived) => Said::read(&arrived).unwrap(),
        Err(refusal) => return Some(format!("refused, {}", kind_and_status(&refusal).1)),
    };
    let names = said.attributes.keys().chain(arrived.attributes.keys());
    let changed: BTreeSet<_> = names
        .filter(|name| said.attributes.get(*name) != arrived.attributes.get(*name))
        .collect();
    if !changed.is_empty() {
        return Some(format!("attributes changed, {changed:?}"));
    }
    (arrived.data != said.data).then(|| "data changed".to_owned())
}

#[test]
fn events_in_every_dialect_arrive_as_they_were_meant() {
    let dialects: File = serde_json::from_slice(&file("bridge/tests/dialects.json")).unwrap();
    let vectors = file("conformance/vectors/events-valid.json");
    let vectors: serde_json::Value = serde_json::from_slice(&vectors).unwrap();
    let mut found: BTreeMap<(String, String), (BTreeSet<String>, BTreeSet<String>)> =
        BTreeMap::new();
    let mut hops = 0;
    for vector in vectors["vectors"].as_array().unwrap() {
        let name = vector["name"].as_str().unwrap();
        let text = vector["event"].as_str().unwrap();
        let Ok(event) = Decoder::default().decode_structured(text.as_bytes()) else {
            continue;
        };
        for dialect in &dialects.dialects {
            for binding in [&KAFKA, &HTTP, &NATS] {
                // What the bindings themselves cannot carry nobody writes.
                let Ok((message, said)) = dialect.write(&event, binding) else {
                    continue;
                };
                for sink in SINKS {
                    hops += 1;
                    if let Some(outcome) = outcome(&message, &said, sink) {
                        let to = format!("{} {:?}", sink.0.protocol, sink.1).to_lowercase();
                        let hop = format!("{} to {to}", binding.protocol);
                        let (dialects, hops) = found.entry((outcome, name.to_owned())).or_default();
                        dialects.insert(dialect.name.clone());
                        hops.insert(hop);
                    }
                }
            }
        }
    }
    assert!(hops > 5_000, "{hops} hops");
    let found = found
        .into_iter()
        .map(|((outcome, vector), (dialects, hops))| Outcome {
            outcome,
            vector,
            dialects,
            hops,
        });
    let found: BTreeSet<_> = found.collect();
    let text = serde_json::to_string_pretty(&found).unwrap();
    let expected: BTreeSet<_> = dialects.outcomes.into_iter().collect();
    assert!(found == expected, "the outcomes would be:\n{text}");
}
