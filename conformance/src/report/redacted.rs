//! A report that can be handed on.

use super::{EventName, Finding, NotTried, Place, Report};
use crate::grammar::bsn;

impl Report {
    /// Masks citizen service numbers in all that comes from inputs, and in their names. They are found
    /// where messages have them, so that numbers of organisations stay.
    pub(crate) fn redact(&mut self) {
        let mask = |within: &str, text: &mut String| *text = bsn::masked(within, text, false);
        let problems = self.problems.iter_mut().map(|problem| &mut problem.input);
        let skipped = self.skipped.iter_mut().map(|skipped| &mut skipped.name);
        let inputs = self.inputs.iter_mut().map(|input| &mut input.name);
        let settings = self.settings.iter_mut().map(|(name, _)| name);
        let names = inputs.chain(problems).chain(skipped).chain(settings);
        names.for_each(|name| mask("", name));
        for NotTried { why, .. } in &mut self.not_tried {
            mask("", &mut why.en);
            mask("", &mut why.nl);
        }
        for reported in &mut self.findings {
            let Finding { place, seen, .. } = &mut reported.finding;
            *seen = bsn::masked(&place.to_string(), seen, *place == Place::Body);
            if let Place::Header(name) | Place::Member(name) = place {
                mask("", name);
            }
            if let Some(position) = &mut reported.position {
                mask("", position);
            }
            if let Some(EventName { id, source, ty }) = &mut reported.event {
                [id, source, ty].into_iter().for_each(|text| mask("", text));
            }
        }
    }
}
