//! The named connections, looked up by routes and by tools.

use std::net::SocketAddr;
use std::sync::Arc;

use crate::config::{AdminSettings, Fault, Reported, Table, nearest};
use crate::credentials;
use crate::transport::contract::{CheckTable, Entry, OpenSink, OpenSource, Transport};

pub(super) struct Connections<'t> {
    pub(super) root: &'t Table<'t>,
    pub(super) transports: &'t [Transport],
}

impl<'t> Connections<'t> {
    /// Checks them all, warns of those that no route uses, and reports listeners of one address, the admin port
    /// among them.
    pub(super) fn check(&self, admin: Option<&AdminSettings>) {
        let mut known = Vec::new();
        for (kind, check) in kinds(self.transports) {
            let connections = self.root.table(kind);
            for (name, found) in connections.iter().flat_map(Table::entries) {
                // The routes that use it have read it too.
                let checked = found.section(|connection| {
                    if let Err(fault) = is_name(name) {
                        connection.fault(&[], fault);
                    }
                    check(connection)
                });
                known.push((kind, name, checked.ok().flatten()));
            }
        }
        let admin = admin.map(|admin| ("[admin]".to_owned(), admin.listen));
        let mut listeners = Vec::from_iter(admin);
        for (kind, name, listens) in known {
            let used = self.root.used(kind);
            if !used.contains(name) {
                let remedy = match nearest(name, used.iter().map(String::as_str)) {
                    Some(other) => format!("did you mean [{kind}.{other}]?"),
                    None => "name it in a route, or remove it".to_owned(),
                };
                self.root.warn(&[kind, name], "no route uses it", remedy);
            } else if let Some(address) = listens {
                if let Some((other, _)) = listeners.iter().find(|it| meet(it.1, address)) {
                    let what = format!("{other} listens there too");
                    let remedy =
                        "give each a port of its own, or let the routes share one listener";
                    self.root.report(&[kind, name, "listen"], what, remedy);
                }
                listeners.push((format!("[{kind}.{name}]"), address));
            }
        }
    }

    pub(super) fn source(&self, table: &Table<'_>) -> Result<Arc<dyn OpenSource>, Reported> {
        let (_, source) = self.end(table, |transport| transport.source.as_ref())?;
        Ok(source.into())
    }

    pub(super) fn sink(&self, table: &Table<'_>) -> Result<Arc<dyn OpenSink>, Reported> {
        let (key, sink) = self.end(table, |transport| transport.sink.as_ref())?;
        if !sink.takes_events() {
            let what = "keeps dead letters alone: a route cannot deliver there";
            let remedy = "use it in [route.dead_letter], and give the route another sink";
            return Err(table.report(&[key], what, remedy));
        }
        Ok(sink.into())
    }

    pub(super) fn dead_letter(&self, table: &Table<'_>) -> Result<Arc<dyn OpenSink>, Reported> {
        let (key, sink) = self.end(table, |transport| transport.sink.as_ref())?;
        if !sink.keeps_dead_letters() {
            let what = "cannot keep dead letters: what it takes is not stored for good";
            let remedy = "use a Kafka topic, a JetStream subject with its `stream` (without \
                          `memory_storage`), or a `file`";
            return Err(table.report(&[key], what, remedy));
        }
        Ok(sink.into())
    }

    /// Of the one transport whose key is in the table, and that key.
    fn end<T: ?Sized + 't>(
        &self,
        table: &Table<'_>,
        entry: impl Fn(&'t Transport) -> Option<&'t Entry<T>>,
    ) -> Result<(&'static str, Box<T>), Reported> {
        let transports = self.transports.iter();
        let choices = transports.filter_map(|it| entry(it).map(|entry| (entry.key, (it, entry))));
        let wrong = ["names no transport", "names more than one transport"];
        let (key, (transport, entry)) = table.choose(&choices.collect::<Vec<_>>(), wrong)?;
        let connection = self.connection(table, transport, key)?;
        Ok((key, (entry.read)(table, &connection)?))
    }

    /// An empty table where the key names no connection.
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
        let connection = table.named(kind, &name).map_err(|fault| {
            table.know_all();
            table.fault(&[kind], fault)
        });
        connection?.table()
    }
}

/// Tables whose keys are names, and what reads one of them.
pub(super) fn kinds(transports: &[Transport]) -> impl Iterator<Item = (&'static str, CheckTable)> {
    let credentials: CheckTable = |table| credentials::read(table).map(|_| None);
    let connections = transports.iter().flat_map(|it| it.tables).copied();
    connections.chain([("credentials", credentials)])
}

/// An address of all interfaces takes the port of every other.
fn meet(one: SocketAddr, other: SocketAddr) -> bool {
    let is_any = one.ip().is_unspecified() || other.ip().is_unspecified();
    one.port() != 0 && one.port() == other.port() && (is_any || one.ip() == other.ip())
}

fn is_name(name: &str) -> Result<(), Fault> {
    let is_letter = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let is_name = name.chars().all(is_letter) && !name.is_empty();
    let remedy = "use lower-case letters, digits and hyphens, so that variables can reach it";
    Fault::unless(is_name, "is not a name for a connection", remedy)
}

pub(super) fn names_connection(transport: &Transport, key: &str) -> bool {
    transport.name == key && transport.tables.iter().any(|(kind, _)| *kind == key)
}

pub(super) fn connection_name(
    table: &Table<'_>,
    transport: &Transport,
) -> Result<String, Reported> {
    let kind = transport.name;
    let meaning = format!("the `NAME` of `[{kind}.NAME]`");
    table.key(kind, meaning).required()
}
