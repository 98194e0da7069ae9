//! How events are spelled on the wire. Everything below spells; nothing decides.

pub(crate) mod binding;
pub(crate) mod media_type;
pub(crate) mod message;
