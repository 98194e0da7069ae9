//! The named connections, looked up by the routes that use them.

use crate::config::{Reported, Table, list, nearest};
use crate::transport::contract::{Entry, OpenSink, OpenSource, Transport};

/// What a table of a route is read as.
pub(super) enum Role {
    Sink,
    DeadLetter,
}

/// The transports, and the tables of their connections.
pub(super) struct Connections<'t> {
    root: &'t Table<'t>,
    transports: &'t [Transport],
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
            for (name, connection) in connections.entries() {
                let Ok(connection) = connection.table() else {
                    continue;
                };
                let is_letter = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
                if !name.chars().all(is_letter) || name.is_empty() {
                    let remedy = "use lower-case letters, digits and hyphens, so that variables \
                                  can reach it";
                    connection.report(&[], "is not a name for a connection", remedy);
                }
                // What is wrong is reported; the routes that use it read it again.
                check(&connection).ok();
                connection.finish();
            }
        }
        Self { root, transports }
    }

    /// Reads `[route.source]`.
    pub(super) fn source(&self, table: &Table<'_>) -> Result<Box<dyn OpenSource>, Reported> {
        let sources = self.transports.iter();
        let sources = sources.filter_map(|transport| Some((transport, transport.source.as_ref()?)));
        let (transport, entry) = choose(table, sources)?;
        let connection = self.connection(table, transport, entry.key)?;
        (entry.read)(table, &connection)
    }

    /// Reads `[route.sink]` or `[route.dead_letter]`.
    pub(super) fn sink(
        &self,
        table: &Table<'_>,
        role: Role,
    ) -> Result<Box<dyn OpenSink>, Reported> {
        let sinks = self.transports.iter();
        let sinks = sinks.filter_map(|transport| Some((transport, transport.sink.as_ref()?)));
        let (transport, entry) = choose(table, sinks)?;
        let connection = self.connection(table, transport, entry.key)?;
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
                "use a Kafka topic, a JetStream subject with its `stream` (without \
                 `memory_storage`), or a `file`",
            ),
        };
        if !fits {
            return Err(table.report(&[entry.key], what, remedy));
        }
        Ok(sink)
    }

    /// The connection that `table` names under the key that chose the transport; an empty table where
    /// that key is not for a connection.
    fn connection(
        &self,
        table: &Table<'t>,
        transport: &Transport,
        key: &str,
    ) -> Result<Table<'t>, Reported> {
        let kind = transport.name;
        if !names_connection(transport, key) {
            return Ok(table.nothing(kind));
        }
        let name = connection_name(table, transport).inspect_err(|_| table.know_all())?;
        let connections = self.root.table(kind);
        if let Some(connection) = connections.as_ref().and_then(|tables| tables.found(&name)) {
            return connection.table();
        }
        let names: Vec<_> = connections.iter().flat_map(Table::names).collect();
        let remedy = match nearest(&name, names.iter().copied()) {
            Some(other) => format!("did you mean {other:?}?"),
            None if names.is_empty() => format!("add a table [{kind}.{name}]"),
            None => format!(
                "name one of {}, or add a table [{kind}.{name}]",
                list(names)
            ),
        };
        table.know_all();
        let what = format!("there is no connection [{kind}.{name}]");
        Err(table.report(&[kind], what, remedy))
    }
}

/// Whether `key`, which chooses a transport, also names one of its connections.
pub(super) fn names_connection(transport: &Transport, key: &str) -> bool {
    transport.connection.is_some() && transport.name == key
}

/// The name of the connection.
pub(super) fn connection_name(
    table: &Table<'_>,
    transport: &Transport,
) -> Result<String, Reported> {
    let kind = transport.name;
    table
        .key(kind, format!("the `NAME` of `[{kind}.NAME]`"))
        .required()
}

/// The one entry whose key is in the table.
fn choose<'t, T: ?Sized>(
    table: &Table<'_>,
    entries: impl Iterator<Item = (&'t Transport, &'t Entry<T>)>,
) -> Result<(&'t Transport, &'t Entry<T>), Reported> {
    let entries: Vec<_> = entries.collect();
    let is_named = |entry: &&(_, &Entry<T>)| table.has(entry.1.key);
    let named: Vec<_> = entries.iter().filter(is_named).collect();
    if let [chosen] = named[..] {
        table.know(chosen.1.key);
        return Ok(*chosen);
    }
    let keys = |entries: &[&(_, &Entry<T>)]| list(entries.iter().map(|(_, entry)| entry.key));
    let (what, remedy) = if named.is_empty() {
        let keys = keys(&entries.iter().collect::<Vec<_>>());
        (
            "names no transport".to_owned(),
            format!("set one of the keys {keys}"),
        )
    } else {
        let what = format!("names more than one transport: {}", keys(&named));
        (what, "keep one of them".to_owned())
    };
    table.know_all();
    Err(table.report(&[], what, remedy))
}
