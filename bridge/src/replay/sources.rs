//! Which event an id means: ids are unique only together with a source.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use cloudevents_nl_codec::Decoder;
use futures_util::TryStreamExt;

use super::ReplayError;
use super::views::Views;
use crate::route::dead_letter::restore;
use crate::shown::{Shown, Text};

/// No more sources of one id are looked for.
const LISTED_MAX: usize = 10;

/// The source of each event that is meant, by its id; nothing where the event does not tell it.
pub(super) type Events = BTreeMap<String, Option<String>>;

/// The events that have one of the ids, where each is of one source. An id that no dead letter of the
/// route has is left out.
pub(super) async fn events(
    mut views: Views,
    ids: &BTreeSet<String>,
    route: &str,
    decoder: &Decoder,
) -> Result<Events, ReplayError> {
    let mut found: BTreeMap<String, BTreeSet<Option<String>>> = BTreeMap::new();
    while let Some(viewed) = views.try_next().await? {
        let restored = restore(&viewed.received).filter(|(_, why)| why.route == route);
        let Some((content, _)) = restored else {
            continue;
        };
        let shown = Shown::of(&content, decoder);
        if let Some(id) = shown.id().filter(|id| ids.contains(*id)) {
            let sources = found.entry(id.to_owned()).or_default();
            if sources.len() < LISTED_MAX {
                sources.insert(shown.source().map(str::to_owned));
            }
        }
    }
    match ambiguous(&found) {
        Some(what) => Err(ReplayError::Usage(what)),
        None => Ok(found.into_iter().filter_map(single).collect()),
    }
}

fn single((id, sources): (String, BTreeSet<Option<String>>)) -> Option<(String, Option<String>)> {
    let source = sources.into_iter().next()?;
    Some((id, source))
}

/// The ids that are of several sources, and which.
fn ambiguous(found: &BTreeMap<String, BTreeSet<Option<String>>>) -> Option<String> {
    let mut what = String::new();
    for (id, sources) in found.iter().filter(|(_, sources)| sources.len() > 1) {
        let of = format_args!("events of several sources have the id {}", Text(id));
        write!(what, "{of}: choose one of them with --source").expect("a string takes all");
        for source in sources {
            let source = source.as_deref().map_or("(unknown)", |source| source);
            write!(what, "\n  {}", Text(source)).expect("a string takes all");
        }
        what.push('\n');
    }
    (!what.is_empty()).then(|| what.trim_end().to_owned())
}
