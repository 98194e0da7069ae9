//! Every key, for `config/README.md` and the JSON Schema.

use serde_json::{Map, Value as Json, json};

use super::connections::{Connections, connection_name, names_connection};
use super::filter;
use super::route::{Draft, check, dead_letters, encoding, retry};
use crate::config::describe::{Key, keys, object};
use crate::config::{AdminSettings, Limits, Log, Reported, Table};
use crate::credentials::CREDENTIALS;
use crate::traces::TraceSettings;
use crate::transport::contract::{Entry, Transport};

pub fn schema(transports: &[Transport]) -> Json {
    let mut tables = Map::new();
    for (name, keys) in once() {
        tables.insert(name.to_owned(), object(&keys));
    }
    let register = keys(super::register);
    let own = object(&register)["properties"].take();
    tables.extend(own.as_object().cloned().unwrap_or_default());
    for (name, keys) in connections(transports) {
        let named = json!({ "type": "object", "additionalProperties": object(&keys) });
        tables.insert(name.to_owned(), named);
    }
    let any = |entries: Vec<(&str, Vec<Key>)>| {
        let tables: Vec<_> = entries.iter().map(|(_, keys)| object(keys)).collect();
        json!({ "oneOf": tables })
    };
    let named = json!({ "type": "object", "additionalProperties": any(credentials()) });
    tables.insert("credentials".to_owned(), named);
    let mut route = object(&route_keys(transports));
    route["properties"]["source"] = any(sources(transports));
    route["properties"]["sink"] = any(sinks(transports, |table| encoding(table, Err(&Reported))));
    route["properties"]["dead_letter"] = any(sinks(transports, dead_letters));
    route["properties"]["check"] = object(&check_keys());
    route["properties"]["retry"] = object(&retry_keys());
    route["required"] = json!(["name", "source", "sink"]);
    let routes = json!({ "type": "array", "minItems": 1, "items": route });
    tables.insert("route".to_owned(), routes);
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Settings of cenl-bridge",
        "type": "object",
        "additionalProperties": false,
        "required": ["route"],
        "properties": tables,
        "$defs": { "filter": filter::definition() },
    })
}

fn once() -> [(&'static str, Vec<Key>); 4] {
    [
        ("admin", keys(AdminSettings::read)),
        ("log", keys(Log::read)),
        ("traces", keys(TraceSettings::read)),
        ("limits", keys(Limits::read)),
    ]
}

fn route_keys(transports: &[Transport]) -> Vec<Key> {
    keys(|table| {
        let connections = Connections {
            root: table,
            transports,
        };
        Draft::read(table, &connections, &Err(Reported), None).plan
    })
}

fn check_keys() -> Vec<Key> {
    keys(|table| check(table, Err(Reported), Err(Reported)))
}

fn retry_keys() -> Vec<Key> {
    keys(|table| retry(table, Err(Reported)))
}

fn connections(transports: &[Transport]) -> Vec<(&'static str, Vec<Key>)> {
    let tables = transports.iter().flat_map(|transport| transport.tables);
    tables.map(|(kind, read)| (*kind, keys(read))).collect()
}

fn credentials() -> Vec<(&'static str, Vec<Key>)> {
    let described = |(key, read): &(&'static str, _)| (*key, keys(read));
    CREDENTIALS.iter().map(described).collect()
}

fn sources(transports: &[Transport]) -> Vec<(&'static str, Vec<Key>)> {
    let described = |transport: &Transport| {
        let entry = transport.source.as_ref()?;
        Some((entry.key, keys(|table| read(table, transport, entry))))
    };
    transports.iter().filter_map(described).collect()
}

/// With those that `more` asks for.
fn sinks<T>(
    transports: &[Transport],
    more: fn(&Table<'_>) -> Result<T, Reported>,
) -> Vec<(&'static str, Vec<Key>)> {
    let described = |transport: &Transport| {
        let entry = transport.sink.as_ref()?;
        let keys = keys(|table| {
            drop(read(table, transport, entry));
            more(table)
        });
        Some((entry.key, keys))
    };
    transports.iter().filter_map(described).collect()
}

fn read<T: ?Sized>(
    table: &Table<'_>,
    transport: &Transport,
    entry: &Entry<T>,
) -> Result<Box<T>, Reported> {
    if names_connection(transport, entry.key) {
        drop(connection_name(table, transport));
    }
    (entry.read)(table, &table.nothing(transport.name))
}

#[cfg(test)]
mod tests;
