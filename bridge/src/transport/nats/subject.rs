//! NATS subjects and their wildcards.

use crate::config::Fault;

/// A subject to publish to: no wildcards.
pub(super) fn is_concrete(subject: &str) -> Result<(), Fault> {
    let has_wildcard = subject.split('.').any(|token| matches!(token, "*" | ">"));
    let is_concrete = is_filter(subject).is_ok() && !has_wildcard;
    let remedy = "write tokens with dots between them, without white space or wildcards";
    Fault::unless(is_concrete, "is not a subject without wildcards", remedy)
}

/// A subject to subscribe to: `*` stands for one token, `>` at the end for one or more.
pub(super) fn is_filter(subject: &str) -> Result<(), Fault> {
    let is_odd = |c: char| c.is_whitespace() || c.is_control();
    let is_token = |token: &str| !token.is_empty() && !token.contains(is_odd);
    let mut before_last = subject.split('.').rev().skip(1);
    let is_filter = subject.split('.').all(is_token) && before_last.all(|token| token != ">");
    let remedy = "use tokens with dots between them; `*` is one token, `>` at the end all others";
    Fault::unless(is_filter, "is not a subject", remedy)
}

pub(super) fn matches(filter: &str, subject: &str) -> bool {
    let mut tokens = subject.split('.');
    for wanted in filter.split('.') {
        match (wanted, tokens.next()) {
            (">", Some(_)) => return true,
            ("*", Some(_)) => {}
            (wanted, Some(token)) if wanted == token => {}
            _ => return false,
        }
    }
    tokens.next().is_none()
}

/// Whether some subject matches both.
pub(super) fn overlap(one: &str, other: &str) -> bool {
    let (mut one, mut other) = (one.split('.'), other.split('.'));
    loop {
        match (one.next(), other.next()) {
            (None, None) | (Some(">"), Some(_)) | (Some(_), Some(">")) => return true,
            (Some("*"), Some(_)) | (Some(_), Some("*")) => {}
            (Some(token), Some(other)) if token == other => {}
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subject_is_tokens_without_wildcards() {
        for (subject, concrete, filter) in [
            ("zaken", true, true),
            ("zaken.new.1", true, true),
            ("$JS.x", true, true),
            ("zaken.*", false, true),
            ("*.zaken.>", false, true),
            (">", false, true),
            ("a.>.b", false, false),
            ("", false, false),
            ("a..b", false, false),
            (".a", false, false),
            ("a b", false, false),
            ("a\r\n", false, false),
            ("a*b", true, true),
        ] {
            assert_eq!(is_concrete(subject).is_ok(), concrete, "{subject:?}");
            assert_eq!(is_filter(subject).is_ok(), filter, "{subject:?}");
        }
    }

    #[test]
    fn wildcards_stand_for_tokens() {
        for (filter, subject, expected) in [
            ("a.b", "a.b", true),
            ("a.b", "a.c", false),
            ("a.b", "a.b.c", false),
            ("a.*", "a.b", true),
            ("a.*", "a", false),
            ("a.*", "a.b.c", false),
            ("a.>", "a.b.c", true),
            ("a.>", "a", false),
            (">", "a", true),
            ("*.b.>", "a.b.c", true),
            ("a.>", "a.b.*", true),
            ("a.*.c", "*.b.d", false),
            ("z.>", "a.>", false),
        ] {
            assert_eq!(matches(filter, subject), expected, "{filter} {subject}");
            assert_eq!(overlap(filter, subject), expected, "{filter} {subject}");
            assert_eq!(overlap(subject, filter), expected, "{filter} {subject}");
        }
        assert!(overlap("a.*", "*.b") && overlap("*.b", "a.*"));
    }
}
