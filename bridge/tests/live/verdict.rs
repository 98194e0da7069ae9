//! The judgement over every id: what was sent against what is at the far end.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::events::Numbered;

/// See the module.
#[derive(Debug)]
pub(crate) struct Verdict {
    title: String,
    sent: usize,
    arrived: usize,
    /// Arrivals of an id seen before.
    pub(crate) repeats: usize,
    /// Sent, and neither arrived nor among the dead letters.
    lost: Vec<String>,
    /// First arrivals behind the first arrival of a later event of their key.
    overtaken: Vec<String>,
    /// Arrived, and never sent.
    strange: Vec<String>,
    dead: usize,
}

impl Verdict {
    /// Judges `arrivals`, in their order, against what was `sent`, in its order.
    pub(crate) fn of(
        title: &str,
        sent: &[Numbered],
        arrivals: &[String],
        dead_letters: &[String],
    ) -> Self {
        let mut missing: BTreeSet<_> = sent.iter().map(Numbered::id).collect();
        let known = missing.clone();
        for dead in dead_letters {
            missing.remove(dead);
        }
        let mut seen = BTreeSet::new();
        let mut highest = BTreeMap::new();
        let (mut repeats, mut overtaken, mut strange) = (0, Vec::new(), Vec::new());
        for id in arrivals {
            if !known.contains(id) {
                strange.push(id.clone());
            } else if seen.insert(id.clone()) {
                missing.remove(id);
                let Numbered { key, number } = Numbered::of_id(id).unwrap();
                let highest = highest.entry(key).or_insert(number);
                if *highest > number {
                    overtaken.push(id.clone());
                }
                *highest = number.max(*highest);
            } else {
                repeats += 1;
            }
        }
        let verdict = Self {
            title: title.to_owned(),
            sent: sent.len(),
            arrived: seen.len(),
            repeats,
            lost: missing.into_iter().collect(),
            overtaken,
            strange,
            dead: dead_letters.len(),
        };
        println!("{verdict}");
        verdict
    }

    /// Nothing is lost, nothing overtaken, nothing there that nobody sent.
    pub(crate) fn keeps_the_promise(&self) {
        let first = |ids: &[String]| ids.iter().take(10).cloned().collect::<Vec<_>>();
        assert!(self.lost.is_empty(), "{self}: lost {:?}", first(&self.lost));
        assert!(
            self.overtaken.is_empty(),
            "{self}: overtaken {:?}",
            first(&self.overtaken)
        );
        assert!(
            self.strange.is_empty(),
            "{self}: never sent {:?}",
            first(&self.strange)
        );
    }

    /// As [`Self::keeps_the_promise`], and nothing came twice.
    pub(crate) fn is_clean(&self) {
        self.keeps_the_promise();
        assert_eq!(self.repeats, 0, "{self}");
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            title,
            sent,
            arrived,
            repeats,
            dead,
            ..
        } = self;
        let (lost, overtaken, strange) =
            (self.lost.len(), self.overtaken.len(), self.strange.len());
        write!(
            f,
            "{title}: {sent} sent, {arrived} arrived, {dead} dead letters, {lost} lost, \
             {overtaken} overtaken, {repeats} repeats, {strange} strange"
        )
    }
}
