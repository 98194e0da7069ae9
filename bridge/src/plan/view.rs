//! A place that no route names, to be looked at: a connection of the settings, and a topic or subject.

use super::Transport;
use crate::config::{Document, Problems, Reported, Table, list, nearest};
use crate::transport::view::OpenView;

/// Why a place cannot be looked at.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NoView {
    /// The place was named wrongly.
    #[error("{0}")]
    Unknown(String),
    /// The settings of its connection are wrong, or its name is none.
    #[error("{0}")]
    Problems(Problems),
}

/// Proves that `place` of the connection `[kind.name]` can be looked at, without touching the
/// network.
///
/// # Errors
/// When there is no such connection, or every problem with it.
pub fn view(
    document: &Document,
    transports: &[Transport],
    (kind, name): (&str, &str),
    place: &str,
) -> Result<Box<dyn OpenView>, NoView> {
    let transport = transports.iter().find(|transport| transport.name == kind);
    let Some((kind, look)) =
        transport.and_then(|transport| Some((transport.name, transport.view?)))
    else {
        let what = format!("{kind} connections cannot be looked at");
        return Err(NoView::Unknown(what));
    };
    let findings = document.findings();
    let root = document.table(&findings);
    let connections = root.table(kind);
    let names: Vec<_> = connections.iter().flat_map(Table::names).collect();
    let view = match connections.as_ref().and_then(|tables| tables.found(name)) {
        Some(connection) => connection.table().and_then(|table| look(&table, place)),
        None => return Err(NoView::Unknown(unknown(kind, name, &names))),
    };
    match (view, findings.into_problems()) {
        (Ok(view), None) => Ok(view),
        (_, Some(problems)) => Err(NoView::Problems(problems)),
        (Err(Reported), None) => unreachable!("what cannot be read is reported"),
    }
}

fn unknown(kind: &str, name: &str, names: &[&str]) -> String {
    let what = format!("there is no connection [{kind}.{name}]");
    match nearest(name, names.iter().copied()) {
        Some(other) => format!("{what}; did you mean {other:?}?"),
        None if names.is_empty() => what,
        None => format!("{what}; name one of {}", list(names.iter().copied())),
    }
}
