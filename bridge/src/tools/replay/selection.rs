//! Which dead letters are sent again: all, or those of named events.

use std::collections::{BTreeMap, BTreeSet};

use cloudevents_nl_codec::Decoder;
use futures_util::TryStreamExt;

use super::super::ToolError;
use super::super::ledger::{Ledger, LetterState};
use super::super::shown::{MessageLine, Text};
use super::report::{ReplayReport, ReplayStatus};
use crate::delivery::{Position, Received};
use crate::route::dead_letter::{Explanation, restore};
use crate::transport::view::{PartitionOffset, View, Viewed};

/// Most sources that are listed for one id.
const LISTED_MAX: usize = 10;

/// Ids, each with its source; `None` where the event tells none.
pub(super) type Events = BTreeMap<String, Option<String>>;

#[derive(Debug)]
pub(super) struct DeadLetter {
    pub(super) at: PartitionOffset,
    pub(super) position: Position,
    pub(super) shown: MessageLine,
    pub(super) explanation: Explanation,
    /// Not open only where it is named by its id.
    pub(super) state: LetterState,
}

#[derive(Debug)]
pub(super) enum Chosen {
    /// All that are open.
    All,
    Events(Events),
    /// Those there that are open.
    Positions(BTreeSet<String>),
}

/// Turns each chosen dead letter into the message that was first received.
pub(super) struct Chooser {
    pub(super) route: String,
    pub(super) chosen: Chosen,
    /// What is said of those that are to be dismissed.
    pub(super) dismissal: Option<ReplayStatus>,
    pub(super) decoder: Decoder,
    pub(super) ledger: Ledger,
    pub(super) report: ReplayReport,
}

impl Chooser {
    pub(super) fn choose(&mut self, viewed: Viewed) -> Option<(Received, DeadLetter)> {
        let at = viewed.at;
        let state = self.ledger.read(at);
        let restored = restore(&viewed.received);
        if let Some((_, explanation)) = &restored
            && explanation.route != self.route
        {
            // A replay of its own route has its own checkpoints.
            self.report.summary.add(ReplayStatus::Elsewhere);
            self.ledger.finish(at);
            return None;
        }
        let position = viewed.received.position.to_string();
        let events = match &self.chosen {
            Chosen::Positions(positions) if !positions.contains(&position) => return None,
            Chosen::Events(events) => Some(events),
            Chosen::All | Chosen::Positions(_) => None,
        };
        let before = match state {
            LetterState::Open => None,
            LetterState::Replayed => Some(ReplayStatus::Before),
            LetterState::Dismissed => Some(ReplayStatus::DismissedBefore),
        };
        let Some((content, explanation)) = restored else {
            match (before, self.dismissal.filter(|_| events.is_none())) {
                (Some(before), _) => self.report.summary.add(before),
                // Nobody can tell whose it is: somebody must look at it.
                (None, None) => {
                    (self.report).unreadable(ReplayStatus::Unreadable, &viewed.received)
                }
                (None, Some(dismissal)) => {
                    self.ledger.dismiss(at);
                    self.report.unreadable(dismissal, &viewed.received);
                }
            }
            return None;
        };
        let shown = MessageLine::of(&content, &self.decoder);
        if let Some(events) = events
            && *events.get(shown.id.as_ref()?)? != shown.source
        {
            return None;
        }
        if let Some(before) = before.filter(|_| events.is_none() || self.dismissal.is_some()) {
            self.report.summary.add(before);
            return None;
        }
        let letter = DeadLetter {
            at,
            position: viewed.received.position,
            shown,
            explanation,
            state,
        };
        Some((content, letter))
    }
}

/// The events with one of the ids, each of one source. An id without a dead letter is left out.
pub(super) async fn events(
    mut view: View,
    ids: &[String],
    source: Option<&str>,
    chooser: &Chooser,
) -> Result<Events, ToolError> {
    let mut found: BTreeMap<String, BTreeSet<Option<String>>> = BTreeMap::new();
    while let Some(viewed) = view.try_next().await? {
        let Some((content, why)) = restore(&viewed.received) else {
            continue;
        };
        let shown = MessageLine::of(&content, &chooser.decoder);
        let is_meant = source.is_none() || shown.source.as_deref() == source;
        if let Some(id) = shown.id.filter(|id| is_meant && ids.contains(id))
            && why.route == chooser.route
        {
            let sources = found.entry(id).or_default();
            if sources.len() < LISTED_MAX {
                sources.insert(shown.source);
            }
        }
    }
    let several = found.iter().filter(|(_, sources)| sources.len() > 1);
    let several = several.map(|(id, sources)| {
        let sources = sources
            .iter()
            .map(|it| it.as_deref().unwrap_or("(unknown)"));
        let sources: String = sources.map(|it| format!("\n  {}", Text(it))).collect();
        let what = format!("events of several sources have the id {}", Text(id));
        format!("{what}: choose one of them with --source{sources}")
    });
    let several: Vec<_> = several.collect();
    if !several.is_empty() {
        return Err(ToolError::Usage(several.join("\n")));
    }
    let of_one = |(id, mut sources): (_, BTreeSet<_>)| Some((id, sources.pop_first()?));
    Ok(found.into_iter().filter_map(of_one).collect())
}
