//! Finds members of a valid text by JSON pointer (RFC 6901), in one walk, without a tree.

use std::borrow::Cow;

use smallvec::SmallVec;

use super::scan::{skip, skip_colon, string_end};
use crate::JsonText;
use crate::limits::DEPTH_MAX;
use crate::tokens::{byte_at, skip_space};
use crate::vector::unescape::unescape;

impl JsonText<'_> {
    /// The values that these pointers lead to (RFC 6901), verbatim, in one walk over the text; none where
    /// there is nothing, and for a pointer that is neither empty nor begins with `/`.
    ///
    /// Of members of one name the last counts, as it does for most readers of JSON.
    ///
    /// ```
    /// use cloudevents_nl_codec::JsonText;
    ///
    /// let text = JsonText::new(r#"{"leges":[1.50,2],"zaak":{"type":"bouw"}}"#)?;
    /// let found = text.at_each(&["/zaak/type", "/leges/0", "/leges/2", ""]);
    /// let found: Vec<_> = found.iter().map(|value| value.as_ref().map(JsonText::as_str)).collect();
    /// assert_eq!(found, [Some(r#""bouw""#), Some("1.50"), None, Some(text.as_str())]);
    /// # Ok::<(), cloudevents_nl_codec::JsonError>(())
    /// ```
    pub fn at_each(&self, pointers: &[&str]) -> Vec<Option<JsonText<'_>>> {
        let text = self.as_str();
        let mut found = vec![None; pointers.len()];
        let wanted: Wanted<'_> = pointers.iter().copied().enumerate().collect();
        visit(text, skip_space(text.as_bytes(), 0), &wanted, &mut found);
        found
    }
}

/// The pointers that led to a value: which each is, and what is left of it.
type Wanted<'p> = SmallVec<[(usize, &'p str); 8]>;

/// Walks over the value at `at`, to which these pointers led; returns where it ends. The text is valid.
fn visit<'t>(
    text: &'t str,
    at: usize,
    wanted: &[(usize, &str)],
    found: &mut [Option<JsonText<'t>>],
) -> Option<usize> {
    let bytes = text.as_bytes();
    let opening = byte_at(bytes, at);
    let leads_on = wanted.iter().any(|(_, rest)| rest.starts_with('/'));
    let end = if matches!(opening, b'{' | b'[') && leads_on {
        let mut next = skip_space(bytes, at + 1);
        let mut index = 0;
        while !matches!(byte_at(bytes, next), b'}' | b']') {
            let end = if opening == b'{' {
                let end = string_end(bytes, next + 1).ok()?;
                // A lone surrogate is nothing that a pointer can spell.
                let name = unescape(None, text.get(next + 1..end)?).ok();
                let is_name = |token: &str| name.as_deref() == Some(&*plain(token));
                (next, _) = skip_colon(bytes, end + 1).ok()?;
                enter(text, next, is_name, wanted, found)?
            } else {
                let is_index = |token: &str| index_of(token) == Some(index);
                enter(text, next, is_index, wanted, found)?
            };
            index += 1;
            next = skip_space(bytes, end);
            if byte_at(bytes, next) == b',' {
                next = skip_space(bytes, next + 1);
            }
        }
        next + 1
    } else {
        skip(bytes, at, DEPTH_MAX).ok()?
    };
    for &(pointer, _) in wanted.iter().filter(|(_, rest)| rest.is_empty()) {
        found[pointer] = text.get(at..end).map(JsonText::already_validated);
    }
    Some(end)
}

/// Walks over a member or an element, with the pointers whose next token leads to it.
fn enter<'t>(
    text: &'t str,
    at: usize,
    leads_here: impl Fn(&str) -> bool,
    wanted: &[(usize, &str)],
    found: &mut [Option<JsonText<'t>>],
) -> Option<usize> {
    let inside = wanted.iter().filter_map(|&(pointer, rest)| {
        let rest = rest.strip_prefix('/')?;
        let (token, rest) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        leads_here(token).then_some((pointer, rest))
    });
    let inside: Wanted<'_> = inside.collect();
    if inside.is_empty() {
        return skip(text.as_bytes(), at, DEPTH_MAX).ok();
    }
    // The last of a name counts, whatever one before it held.
    for &(pointer, _) in &inside {
        found[pointer] = None;
    }
    visit(text, at, &inside, found)
}

/// The name that a token stands for (RFC 6901, section 4).
fn plain(token: &str) -> Cow<'_, str> {
    if token.contains('~') {
        Cow::Owned(token.replace("~1", "/").replace("~0", "~"))
    } else {
        Cow::Borrowed(token)
    }
}

/// The index that a token stands for (RFC 6901, section 4).
fn index_of(token: &str) -> Option<usize> {
    let is_index = token == "0" || token.starts_with(|first| matches!(first, '1'..='9'));
    token.parse().ok().filter(|_| is_index)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    fn found(text: &str, pointers: &[&str]) -> Vec<Option<Value>> {
        let text = JsonText::new(text).unwrap();
        let value = |text: JsonText<'_>| serde_json::from_str(text.as_str()).unwrap();
        let found = text.at_each(pointers).into_iter();
        found.map(|text| text.map(value)).collect()
    }

    #[test]
    fn leads_where_the_specification_says() {
        // RFC 6901, section 5.
        let values = serde_json::json!({
            "foo": ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "e^f": 3, "g|h": 4, "i\\j": 5,
            "k\"l": 6, " ": 7, "m~n": 8
        });
        let pointers = [
            "", "/foo", "/foo/0", "/", "/a~1b", "/c%d", "/e^f", "/g|h", "/i\\j", "/k\"l", "/ ",
            "/m~0n", "/foo/2", "/foo/-", "/foo/00", "/foo/+1", "foo", "/foo/0/x", "/a", "/foo/",
        ];
        let expected = pointers.map(|pointer| values.pointer(pointer).cloned());
        assert_eq!(found(&values.to_string(), &pointers), expected);
    }

    #[test]
    fn the_last_of_a_name_counts_whatever_it_hides() {
        let text = r#"{"a":{"b":1},"\u0061":{"c":2},"\ud800":3}"#;
        let found = found(text, &["/a/b", "/a/c", "/a"]);
        assert_eq!(found[..2], [None, Some(2.into())]);
        assert_eq!(found[2], Some(serde_json::json!({"c": 2})));
    }

    proptest! {
        #[test]
        fn agrees_with_another_reader(
            text in nested(),
            pointers in prop::collection::vec("(/[ab01~]{0,2}){0,3}", 1..6),
        ) {
            let value: Value = serde_json::from_str(&text).unwrap();
            let pointers: Vec<&str> = pointers.iter().map(String::as_str).collect();
            let expected: Vec<_> = pointers.iter().map(|at| value.pointer(at).cloned()).collect();
            prop_assert_eq!(found(&text, &pointers), expected);
        }
    }

    /// A text of a few names, repeated ones among them.
    fn nested() -> impl Strategy<Value = String> {
        let leaf = prop_oneof![
            Just("1.50"),
            Just(r#""x\n""#),
            Just("null"),
            Just("[ ]"),
            Just("{}")
        ];
        leaf.prop_map(str::to_owned)
            .prop_recursive(4, 24, 4, |inner| {
                let member = ("[ab01]{0,2}", inner.clone());
                let member = member.prop_map(|(name, value)| format!("\"{name}\" : {value}"));
                prop_oneof![
                    prop::collection::vec(inner, 0..4)
                        .prop_map(|all| format!("[{}]", all.join(" ,"))),
                    prop::collection::vec(member, 0..4)
                        .prop_map(|all| format!("{{{} }}", all.join(","))),
                ]
            })
    }
}
