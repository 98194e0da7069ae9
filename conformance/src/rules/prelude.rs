//! What nearly every rule is written with.

pub(super) use crate::capture::{Exchange, Header, Protocol};
pub(super) use crate::reading::{Attribute, Event, Mode, Reading, Unreadable, Value};
pub(super) use crate::rule::{
    About, Applies, Check, Decode, Example, Found, Level, Levels, Rule, Scope, Status, StreamFacts,
    Text, Watch,
};

const NOTHING: Text = Text { en: "", nl: "" };

/// What all rules have in common that no message can break; the rest is their own.
pub(super) const ACCEPTANCE: Rule = Rule {
    id: "",
    level: Levels::everywhere(Level::Must),
    status: Status::Released,
    clause: "",
    title: NOTHING,
    explanation: NOTHING,
    why: NOTHING,
    fix: NOTHING,
    good: Example::None,
    bad: Example::None,
    decode: Decode::Accept,
    applies: Applies::Any,
    check: Check::Acceptance,
};
