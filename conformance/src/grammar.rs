//! The grammars that rules are about, each once, and none of them the codec's.

pub(crate) mod base64;
pub(crate) mod bsn;
pub(crate) mod dns;
pub(crate) mod dsse;
pub(crate) mod integer;
pub(crate) mod media_type;
pub(crate) mod name;
pub(crate) mod nl_source;
pub(crate) mod nl_type;
pub(crate) mod percent;
pub(crate) mod query;
pub(crate) mod rate;
pub(crate) mod text;
pub(crate) mod timestamp;
pub(crate) mod trace_parent;
pub(crate) mod uri;

/// Holds a predicate against texts that it should let pass, and texts that it should not.
#[cfg(test)]
pub(crate) fn check(predicate: fn(&str) -> bool, passes: &[&str], fails: &[&str]) {
    for text in passes {
        assert!(predicate(text), "{text:?} should pass");
    }
    for text in fails {
        assert!(!predicate(text), "{text:?} should not pass");
    }
}
