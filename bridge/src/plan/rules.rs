//! The rules between routes: two that are sound alone may not be sound together.

use std::collections::BTreeMap;

use super::route::Draft;
use crate::config::Table;

/// Reports names and claims that two routes share, and events that would come back.
pub(super) fn between_routes(tables: &[Table<'_>], routes: &[Draft]) {
    unique(tables, routes, "name", |route| {
        route.name.as_ref().map(ToString::to_string)
    });
    unique(tables, routes, "source", |route| {
        route.source.as_ref()?.claim()
    });
    for (table, route) in tables.iter().zip(routes) {
        let Some(source) = route.source.as_ref() else {
            continue;
        };
        for (key, target) in [("sink", &route.sink), ("dead_letter", &route.dead_letter)] {
            if target
                .as_ref()
                .is_some_and(|sink| source.reads(&sink.address()))
            {
                let source = source.address();
                let what = format!(
                    "writes to where the route reads from ({source}): events would go round"
                );
                table.report(key, what, "choose another place");
            }
        }
        let sink = route.sink.as_ref().map(|sink| sink.address());
        if sink.is_some() && sink == route.dead_letter.as_ref().map(|sink| sink.address()) {
            table.report(
                "dead_letter",
                "is the same place as the sink",
                "choose another place",
            );
        }
    }
}

fn unique(
    tables: &[Table<'_>],
    routes: &[Draft],
    key: &str,
    claim: impl Fn(&Draft) -> Option<String>,
) {
    let mut first = BTreeMap::new();
    for (index, (table, route)) in tables.iter().zip(routes).enumerate() {
        let Some(claim) = claim(route) else { continue };
        if let Some(other) = first.get(&claim) {
            let what = format!("route[{other}] has the same: {claim}");
            table.report(key, what, "make them differ");
        } else {
            first.insert(claim, index);
        }
    }
}
