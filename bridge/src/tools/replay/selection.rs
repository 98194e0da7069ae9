//! Which dead letters are sent again: all, or those of events that were named. Ids are unique only
//! together with a source.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use cloudevents_nl_codec::Decoder;
use futures_util::TryStreamExt;

use super::super::shown::{Shown, Text};
use super::ledger::{Ledger, Letter};
use super::report::{Fate, Report};
use super::{ReplayError, Views};
use crate::delivery::Received;
use crate::route::dead_letter::restore;
use crate::transport::view::Viewed;

/// No more sources of one id are looked for.
const LISTED_MAX: usize = 10;

/// The source of each event that is meant, by its id; nothing where the event does not tell it.
pub(super) type Events = BTreeMap<String, Option<String>>;

/// Which dead letters are sent.
#[derive(Debug)]
pub(super) enum Selection {
    /// All that no replay has delivered.
    All,
    /// Those of these events, delivered before or not.
    Events(Events),
}

/// Chooses dead letters, and turns each into the message that was first received.
pub(super) struct Chooser {
    pub(super) route: String,
    pub(super) selection: Selection,
    /// Ids that were not seen yet.
    pub(super) missing: BTreeSet<String>,
    pub(super) decoder: Decoder,
    pub(super) ledger: Ledger,
}

impl Chooser {
    /// The message to send again, if this is one.
    pub(super) fn choose(
        &mut self,
        viewed: Viewed,
        report: &mut Report,
    ) -> Option<(Received, Letter)> {
        let spot = viewed.spot;
        let was_done = self.ledger.read(spot);
        let Some((content, explanation)) = restore(&viewed.received) else {
            // Whose it is cannot be told, so it stays: somebody must look at it.
            report.unreadable(&viewed.received);
            return None;
        };
        if explanation.route != self.route {
            // Nothing will ever be done about it here; a replay of its own route has its own notes.
            report.summary.add(Fate::Elsewhere);
            self.ledger.finish(spot);
            return None;
        }
        let shown = Shown::of(&content, &self.decoder);
        match &self.selection {
            Selection::All if was_done => {
                report.summary.add(Fate::Before);
                return None;
            }
            Selection::All => {}
            Selection::Events(events) => {
                let id = shown.id.as_ref()?;
                if *events.get(id)? != shown.source {
                    return None;
                }
                self.missing.remove(id);
            }
        }
        let letter = Letter {
            spot,
            position: viewed.received.position,
            shown,
            explanation,
            was_done,
        };
        Some((content, letter))
    }
}

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
        let Shown { id, source, .. } = Shown::of(&content, decoder);
        if let Some(id) = id.filter(|id| ids.contains(id)) {
            let sources = found.entry(id).or_default();
            if sources.len() < LISTED_MAX {
                sources.insert(source);
            }
        }
    }
    let mut several = Vec::new();
    for (id, sources) in found.iter().filter(|(_, sources)| sources.len() > 1) {
        let mut what = format!("events of several sources have the id {}: ", Text(id));
        what.push_str("choose one of them with --source");
        for source in sources {
            let source = source.as_deref().map_or("(unknown)", |source| source);
            write!(what, "\n  {}", Text(source)).expect("a string takes all");
        }
        several.push(what);
    }
    match several.is_empty() {
        true => Ok(found
            .into_iter()
            .filter_map(|(id, sources)| Some((id, sources.into_iter().next()?)))
            .collect()),
        false => Err(ReplayError::Usage(several.join("\n"))),
    }
}
