//! Pure: whether a route wants an event.

use cloudevents_nl_codec::Event;

/// A condition on attributes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Filter {
    /// Everything.
    All(Vec<Self>),
}

impl Filter {
    /// Whether the event meets the condition.
    #[must_use]
    pub fn matches(&self, event: &Event<'_>) -> bool {
        match self {
            Self::All(filters) => filters.iter().all(|filter| filter.matches(event)),
        }
    }
}
