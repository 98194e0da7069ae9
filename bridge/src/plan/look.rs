//! What `tail` needs of the settings. Nothing else is read, so that no other route and no other secret need be there.

use std::net::SocketAddr;
use std::sync::Arc;

use cloudevents_nl_codec::Decoder;

use super::connections::Connections;
use super::decoder;
use super::filter::has_a_meaning;
use super::route::dead_letters;
use crate::config::{
    AdminSettings, Document, Limits, Log, Problems, Reported, Table, did_you_mean, list,
};
use crate::route::filter::Filter;
use crate::route::steps::OnError;
use crate::transport::contract::{OpenSink, OpenSource, Transport};
use crate::transport::view::OpenView;

/// `[log]`, and the decoder as routes have it.
pub(crate) fn common(document: &Document) -> Result<(Log, Decoder), Problems> {
    read(document, |root| {
        let log = root.section("log", Log::read);
        let limits = root.section("limits", Limits::read);
        let decoder = decoder(root, limits.as_ref());
        Ok((log?, decoder?))
    })
}

/// Where the bridge that runs with these settings answers.
pub(crate) fn admin(document: &Document) -> Result<SocketAddr, Problems> {
    read(document, |root| {
        root.section("admin", |table| {
            table.know_all();
            AdminSettings::listen(table)
        })
    })
}

/// A topic or subject of a connection.
pub(crate) fn view(
    document: &Document,
    transports: &[Transport],
    (kind, name): (&str, &str),
    place: &str,
) -> Result<Box<dyn OpenView>, Problems> {
    read(document, |root| {
        let transport = transports.iter().find(|transport| transport.name == kind);
        let look = transport.and_then(|transport| Some((transport.name, transport.view?)));
        let Some((kind, look)) = look else {
            return Err(root.report(&[kind], "cannot be looked at", "name another connection"));
        };
        let connection = root.named(kind, name);
        let connection = connection.map_err(|fault| root.fault(&[kind], fault))?;
        look(&connection.table()?, place)
    })
}

pub(crate) fn source(
    document: &Document,
    transports: &[Transport],
    route: &str,
) -> Result<Arc<dyn OpenSource>, Problems> {
    read(document, |root| {
        let table = named_route(root, route)?;
        let Some(found) = table.found("source") else {
            return Err(table.report(&["source"], "is missing", "add a table [route.source]"));
        };
        found.section(|part| Connections { root, transports }.source(part))
    })
}

pub(crate) fn dead_letter(
    document: &Document,
    transports: &[Transport],
    route: &str,
) -> Result<Option<Arc<dyn OpenSink>>, Problems> {
    read(document, |root| {
        let connections = Connections { root, transports };
        let sink = named_route(root, route)?.part("dead_letter", |part| {
            dead_letters(part)?;
            connections.dead_letter(part)
        });
        sink.transpose()
    })
}

/// What the route does with an event that it does not deliver: its filter, and whether it drops events.
pub(crate) fn losses(document: &Document, route: &str) -> Result<(Option<Filter>, bool), Problems> {
    read(document, |root| {
        let table = named_route(root, route)?;
        let filter = table.key("filter", "").must(has_a_meaning).optional("");
        let on_error = table.key::<OnError>("on_error", "").optional("");
        Ok((filter?, on_error? == Some(OnError::Discard)))
    })
}

fn read<T>(
    document: &Document,
    read: impl FnOnce(&Table<'_>) -> Result<T, Reported>,
) -> Result<T, Problems> {
    let findings = document.findings();
    let found = read(&document.table(&findings));
    findings.conclude(found).map(|(found, _)| found)
}

fn named_route<'d>(root: &Table<'d>, name: &str) -> Result<Table<'d>, Reported> {
    let mut names = Vec::new();
    for table in root.list("route") {
        let found = table.found("name").and_then(|found| found.meant()?.ok());
        if found.as_deref() == Some(name) {
            return Ok(table);
        }
        names.extend(found);
    }
    let known = || names.iter().map(String::as_str);
    let remedy = did_you_mean(name, known(), || format!("there is {}", list(known())));
    Err(root.report(&["route"], format!("there is no route {name:?}"), remedy))
}
