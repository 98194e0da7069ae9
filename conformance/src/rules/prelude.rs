//! What nearly every rule is written with.

pub(super) use super::definition::{Definition, Texts};
pub(super) use crate::capture::{Exchange, Header, Protocol};
pub(super) use crate::reading::{Attribute, Event, Mode, Reading, Unreadable, Value};
pub(super) use crate::rule::{
    About, Applies, Check, Decode, Example, Found, Scope, StreamFacts, Watch,
};

const NOTHING: Texts = Texts {
    title: "",
    explanation: "",
    why: "",
    fix: "",
};

/// What all rules have in common that no message can break; the rest is their own.
pub(super) const ACCEPTANCE: Definition = Definition {
    id: "",
    en: NOTHING,
    nl: NOTHING,
    good: Example::None,
    bad: Example::None,
    decode: Decode::Accept,
    applies: Applies::Any,
    check: Check::Acceptance,
};
