//! The headers of an event that has what it needs and no more.

use cloudevents_nl_codec::{Binding, Header};

pub(crate) fn header<'a>(name: &'a str, value: &'a str) -> Header<'a> {
    Header {
        name,
        value: Some(value.as_bytes()),
    }
}

pub(crate) fn required(binding: &Binding) -> Vec<Header<'static>> {
    let names = match binding.prefix {
        "ce_" => ["ce_specversion", "ce_id", "ce_source", "ce_type"],
        _ => ["ce-specversion", "ce-id", "ce-source", "ce-type"],
    };
    names
        .into_iter()
        .zip(["1.0", "1", "/a", "b"])
        .map(|(name, value)| header(name, value))
        .collect()
}
