//! Names of attributes.

/// Whether a name has at least one character, all of them `a` to `z` and `0` to `9`.
pub(crate) fn is_attribute_name(name: &str) -> bool {
    let is_of_names = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    !name.is_empty() && name.bytes().all(is_of_names)
}

/// The attributes of the core specification.
pub(crate) const CORE: [&str; 8] = [
    "specversion",
    "id",
    "source",
    "type",
    "datacontenttype",
    "dataschema",
    "subject",
    "time",
];

/// The attributes that every event has.
pub(crate) const REQUIRED: [&str; 4] = ["specversion", "id", "source", "type"];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::check;

    #[test]
    fn knows_the_alphabet() {
        check(
            is_attribute_name,
            &["a", "9", "nlbrpnationaliteit"],
            &["", "A", "nl_brp", "a-b", "é", "a b"],
        );
        assert!(CORE.into_iter().all(is_attribute_name));
    }
}
