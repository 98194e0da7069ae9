//! The rules between routes.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::route::Draft;
use crate::config::Table;

pub(super) fn between_routes(tables: &[Table<'_>], routes: &[Draft]) {
    unique(tables, routes, "name", |route| route.name.clone().ok());
    unique(tables, routes, "source", |route| {
        route.source.as_ref().ok()?.claim()
    });
    rings(tables, routes);
    for (table, route) in tables.iter().zip(routes) {
        if let (Ok(sink), Ok(Some(dead_letter))) = (&route.sink, &route.dead_letter)
            && sink.address() == dead_letter.address()
        {
            let what = "is the same place as the sink";
            table.report(&["dead_letter"], what, "choose another place");
        }
    }
}

/// At the first of its routes, unless one has `allow_ring`.
fn rings(tables: &[Table<'_>], routes: &[Draft]) {
    let ways: Vec<_> = routes.iter().map(|route| ways_on(route, routes)).collect();
    for (first, table) in tables.iter().enumerate() {
        for &(key, second) in &ways[first] {
            if let Some(ring) = ring(&ways, first, second) {
                let name = |&at: &usize| routes[at].name.as_deref().unwrap_or("?");
                let names = ring.iter().map(name).collect::<Vec<_>>().join(" -> ");
                let what = format!("is in a ring, events would go round: {names}");
                let remedy =
                    "choose another place, or set allow_ring = true in the route that ends it";
                table.report(&[key], what, remedy);
            }
        }
    }
}

/// Routes that read what this one writes, with the key of what writes it.
fn ways_on(route: &Draft, routes: &[Draft]) -> Vec<(&'static str, usize)> {
    let mut ways = Vec::new();
    let dead_letter = route.dead_letter.as_ref().ok().and_then(Option::as_ref);
    let sink = route.sink.as_ref().ok();
    for (key, target) in [("sink", sink), ("dead_letter", dead_letter)] {
        let places = target.map(|to| [Some(to.address()), to.store()]);
        let places: Vec<_> = places.into_iter().flatten().flatten().collect();
        let is_read = |other: &Draft| {
            let source = other.source.as_ref().ok();
            let source = source.filter(|_| !other.allows_ring);
            source.is_some_and(|source| places.iter().any(|place| source.reads(place)))
        };
        let readers = routes.iter().enumerate();
        let readers = readers.filter(|(_, other)| is_read(other));
        ways.extend(readers.map(|(to, _)| (key, to)));
    }
    ways
}

/// The shortest ring of routes that do not stand before the first.
fn ring(ways: &[Vec<(&str, usize)>], first: usize, second: usize) -> Option<Vec<usize>> {
    let mut begun = VecDeque::from([vec![first, second]]);
    let mut seen = BTreeSet::new();
    while let Some(way) = begun.pop_front() {
        let last = *way.last()?;
        if last == first {
            return Some(way);
        }
        if last > first && seen.insert(last) {
            begun.extend(ways[last].iter().map(|(_, to)| [&way[..], &[*to]].concat()));
        }
    }
    None
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
            table.report(&[key], what, "make them differ");
        } else {
            first.insert(claim, index);
        }
    }
}
