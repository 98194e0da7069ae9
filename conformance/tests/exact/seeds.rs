//! Where fuzzing begins, and what every test run tries: the cases of the vector files.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use base64_simd::STANDARD;
use serde_json::Value;

/// Inputs of one fuzz target, by name.
pub(crate) type Inputs = BTreeMap<String, Vec<u8>>;

/// Inputs by fuzz target, made of every vector file in the folder.
pub(crate) fn seeds(folder: &Path) -> BTreeMap<&'static str, Inputs> {
    let mut seeds: BTreeMap<_, Inputs> = BTreeMap::new();
    for entry in fs::read_dir(folder).expect("a folder of vectors") {
        let path = entry.expect("readable").path();
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let text = fs::read(&path).expect("readable");
        let file: Value = serde_json::from_slice(&text).expect("JSON");
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        for vector in file["vectors"].as_array().expect("cases") {
            let case = vector["name"].as_str().unwrap_or_default();
            for (target, input) in inputs(file["kind"].as_str(), vector) {
                let name = format!("{stem}-{case}");
                seeds.entry(target).or_default().insert(name, input);
            }
        }
    }
    seeds
}

/// What one case is to which targets.
fn inputs(kind: Option<&str>, vector: &Value) -> Vec<(&'static str, Vec<u8>)> {
    let (protocol, body) = match kind {
        Some("binary-kafka") => (b'k', "value_base64"),
        Some("binary-nats") => (b'n', "payload_base64"),
        Some("binary-http") => (b'h', "body_base64"),
        _ => return inputs_of_event(vector),
    };
    let body = base64(&vector[body]);
    let mut inputs = vec![("decode_binary", message(protocol, vector, body.as_deref()))];
    inputs.extend(body.map(|body| ("validate", body)));
    inputs
}

fn inputs_of_event(vector: &Value) -> Vec<(&'static str, Vec<u8>)> {
    let text = vector["event"]
        .as_str()
        .map(|text| text.as_bytes().to_vec());
    let Some(text) = text.or_else(|| base64(&vector["event_base64"])) else {
        return Vec::new();
    };
    let journey = [b"knhKNHkh\n", &*text].concat();
    let data = base64(&vector["data"]["body_base64"]).unwrap_or_else(|| text.clone());
    vec![
        ("decode_structured", text),
        ("translate", journey),
        ("validate", data),
    ]
}

fn base64(text: &Value) -> Option<Vec<u8>> {
    STANDARD.decode_to_vec(text.as_str()?).ok()
}

/// A message as `input::message` reads it.
fn message(protocol: u8, vector: &Value, body: Option<&[u8]>) -> Vec<u8> {
    let mut bytes = vec![protocol];
    for header in vector["headers"].as_array().expect("headers") {
        bytes.extend(header[0].as_str().unwrap_or_default().as_bytes());
        let value = match &header[1] {
            Value::String(text) => Some(text.as_bytes().to_vec()),
            other => base64(&other["base64"]),
        };
        if let Some(value) = value {
            bytes.push(b':');
            bytes.extend(value);
        }
        bytes.push(b'\n');
    }
    if let Some(body) = body {
        bytes.push(b'\n');
        bytes.extend(body);
    }
    bytes
}
