//! How one protocol spells an event, as data.

use crate::event::Event;
use crate::event::attribute::{CoreAttribute, core_headers};

/// The handful of facts in which protocols differ: [`HTTP`], [`KAFKA`] and [`NATS`]; [`encode`](crate::encode) shows
/// them. Section numbers are those of the HTTP and Kafka bindings 1.0.2 and of the NATS binding 1.0.3-wip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Binding {
    /// Name of the protocol in lower case: `kafka`, `http`, `nats`.
    pub protocol: &'static str,
    /// What comes before an attribute's name in a header (HTTP and NATS 3.1.3.1, Kafka 3.2.3.1).
    pub prefix: &'static str,
    /// The header that announces the content mode, as written (section 3 of each).
    pub content_type: &'static str,
    /// The header that carries `datacontenttype` in binary mode (HTTP 3.1.1, Kafka 3.2.1, NATS 3.1.3.1).
    pub data_content_type: &'static str,
    /// Whether header names are compared without regard to case (HTTP 3.1.3.1; on Kafka, keys are exact).
    pub ignores_case: bool,
    /// Whether header values are percent-coded (HTTP and NATS 3.1.3.2).
    pub percent_coded: bool,
    /// Whether the protocol can tell no body from an empty one: Kafka has null values.
    pub has_null_body: bool,
    /// Whether the protocol has a batched mode (HTTP 3.3).
    pub has_batch: bool,
    /// Whether a message without any event header may still be a JSON event (NATS binding 1.0.2,
    /// section 3: before binary mode, NATS knew no headers).
    pub may_be_bare: bool,
    /// The prefixed names of the core attributes, in the order of [`CoreAttribute::ALL`].
    pub(crate) core_headers: [&'static str; 8],
}

impl Binding {
    /// The same name where it is that of a core attribute or of the content type: clients that keep names of
    /// static life need not copy it. [`encode`](crate::encode) shows it.
    pub fn static_name(&self, name: &str) -> Option<&'static str> {
        let attribute = name.strip_prefix(self.prefix).and_then(CoreAttribute::of);
        match attribute {
            Some(core) => Some(self.core_headers[core as usize]),
            None => (name == self.content_type).then_some(self.content_type),
        }
    }

    /// Whether `datacontenttype` travels like any other attribute, prefix and percent-coding
    /// included (NATS), and not in the header that announces the mode.
    pub(crate) fn carries_content_type_as_attribute(&self) -> bool {
        self.data_content_type.starts_with(self.prefix)
    }
}

impl Event<'_> {
    /// Whether binary mode of this protocol carries each attribute so that every reader gets the same text:
    /// a URI or URI-reference that is none, which a decoder with [`Leniency`](crate::Leniency) lets in, could
    /// be taken for one that was not percent-encoded (HTTP and NATS bindings, section 3.1.3.2).
    /// [`Leniency`](crate::Leniency) shows it, and [`encode`](crate::encode) refuses the others. Extensions
    /// that are text for a strict decoder, or for who built the event, are not counted.
    pub fn is_exact_in(&self, binding: &Binding) -> bool {
        !binding.percent_coded || !self.has_irregular_uri()
    }
}

/// HTTP protocol binding 1.0.2: values are percent-coded, `datacontenttype` is `content-type`.
pub const HTTP: Binding = Binding {
    protocol: "http",
    prefix: "ce-",
    content_type: "content-type",
    data_content_type: "content-type",
    ignores_case: true,
    percent_coded: true,
    has_null_body: false,
    has_batch: true,
    may_be_bare: false,
    core_headers: core_headers!("ce-"),
};

/// Kafka protocol binding 1.0.2: values are UTF-8 as they are, no data is a null value (1.0.3-wip, section 3.2.2).
pub const KAFKA: Binding = Binding {
    protocol: "kafka",
    prefix: "ce_",
    ignores_case: false,
    percent_coded: false,
    has_null_body: true,
    has_batch: false,
    core_headers: core_headers!("ce_"),
    ..HTTP
};

/// NATS protocol binding 1.0.3-wip, which added binary mode: values are percent-coded, and
/// `datacontenttype` is a header like the others.
pub const NATS: Binding = Binding {
    protocol: "nats",
    content_type: "Content-Type",
    data_content_type: "ce-datacontenttype",
    has_batch: false,
    may_be_bare: true,
    ..HTTP
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn core_headers_are_prefix_and_name() {
        for binding in [HTTP, KAFKA, NATS] {
            for core in CoreAttribute::ALL {
                let expected = format!("{}{}", binding.prefix, core.name());
                assert_eq!(binding.core_headers[core as usize], expected);
                assert_eq!(binding.static_name(&expected), Some(&*expected));
            }
        }
    }
}
