//! The named connections, looked up by the routes that use them.

use figment::value::Dict;

use crate::config::{Table, list, nearest};
use crate::transport::registry::{OpenSink, OpenSource, Transport};

/// What a table of a route is read as.
pub(super) enum Role {
    Sink,
    DeadLetter,
}

/// The transports, and the tables of their connections.
pub(super) struct Connections<'t> {
    root: &'t Table<'t>,
    transports: &'t [Transport],
    none: Dict,
}

impl<'t> Connections<'t> {
    /// Checks every connection, used or not.
    pub(super) fn read(root: &'t Table<'t>, transports: &'t [Transport]) -> Self {
        for transport in transports {
            let Some(check) = transport.connection else {
                continue;
            };
            let Some(connections) = root.table(transport.name) else {
                continue;
            };
            for (name, connection) in connections.tables() {
                let is_letter = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
                if !name.chars().all(is_letter) || name.is_empty() {
                    connections.report(
                        name,
                        "is not a name for a connection",
                        "use lower-case letters, digits and hyphens, so that variables can reach it",
                    );
                }
                check(&connection);
                connection.finish();
            }
        }
        Self {
            root,
            transports,
            none: Dict::new(),
        }
    }

    /// Reads `[route.source]`.
    pub(super) fn source(&self, table: &Table<'_>) -> Option<Box<dyn OpenSource>> {
        let keys = self
            .transports
            .iter()
            .filter_map(|transport| Some((transport, transport.source?)));
        let (transport, entry) = choose(table, keys.map(|(t, entry)| (t, entry, entry.key)))?;
        let connection = self.connection(table, transport)?;
        (entry.read)(table, &connection)
    }

    /// Reads `[route.sink]` or `[route.dead_letter]`.
    pub(super) fn sink(&self, table: &Table<'_>, role: Role) -> Option<Box<dyn OpenSink>> {
        let keys = self
            .transports
            .iter()
            .filter_map(|transport| Some((transport, transport.sink?)));
        let (transport, entry) = choose(table, keys.map(|(t, entry)| (t, entry, entry.key)))?;
        let connection = self.connection(table, transport)?;
        let sink = (entry.read)(table, &connection)?;
        let (fits, what, remedy) = match role {
            Role::Sink => (
                sink.takes_events(),
                "keeps dead letters alone: a route cannot deliver there",
                "use it in [route.dead_letter], and give the route another sink",
            ),
            Role::DeadLetter => (
                sink.keeps_dead_letters(),
                "cannot keep dead letters: what it takes is not stored for good",
                "use a Kafka topic, a JetStream subject with its `stream` (without `memory_storage`), or a `file`",
            ),
        };
        if !fits {
            table.report(entry.key, what, remedy);
            return None;
        }
        Some(sink)
    }

    /// The connection that `table` names under the name of the transport; one without any key
    /// where it names none.
    fn connection<'s>(&'s self, table: &'s Table<'s>, transport: &Transport) -> Option<Table<'s>> {
        let kind = transport.name;
        if transport.connection.is_none() || !table.has(kind) {
            return Some(table.beside(kind, &self.none));
        }
        let Some(name) = table.text(kind) else {
            table.know_all();
            return None;
        };
        let connections = self.root.table(kind);
        let names: Vec<_> = connections.iter().flat_map(Table::keys).collect();
        if names.contains(&name) {
            return connections?.table(name);
        }
        let remedy = match nearest(name, names.iter().copied()) {
            Some(other) => format!("did you mean {other:?}?"),
            None if names.is_empty() => format!("add a table [{kind}.{name}]"),
            None => format!(
                "name one of {}, or add a table [{kind}.{name}]",
                list(names)
            ),
        };
        table.know_all();
        table.report(
            kind,
            format!("there is no connection [{kind}.{name}]"),
            remedy,
        );
        None
    }
}

/// The one entry whose key is in the table.
fn choose<'t, E>(
    table: &Table<'_>,
    entries: impl Iterator<Item = (&'t Transport, E, &'static str)>,
) -> Option<(&'t Transport, E)> {
    let mut keys = Vec::new();
    let mut chosen = Vec::new();
    for (transport, entry, key) in entries {
        keys.push(key);
        if table.has(key) {
            table.know(key);
            chosen.push((transport, entry, key));
        }
    }
    // A route may name a connection beside the key that chooses: `url` with `http`.
    if chosen.len() > 1 {
        let words = list(chosen.iter().map(|(_, _, key)| *key));
        table.know_all();
        table.report(
            "",
            format!("names more than one transport: {words}"),
            "keep one of them",
        );
        return None;
    }
    let Some((transport, entry, _)) = chosen.pop() else {
        table.know_all();
        table.report(
            "",
            "names no transport",
            format!("set one of the keys {}", list(keys)),
        );
        return None;
    };
    Some((transport, entry))
}
