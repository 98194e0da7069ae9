//! Patterns of paths: `*` and `?` within a name, `**` for any folders.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use regex::Regex;

/// Whether a path is of a pattern; both are parted by `/`.
pub(super) fn matches(pattern: &str, path: &str) -> bool {
    let pattern = each_name(pattern, |name| match name {
        "**" => "(?:.*/)?".to_owned(),
        name => {
            let name = regex::escape(name).replace(r"\*", "[^/]*");
            name.replace(r"\?", "[^/]") + "/"
        }
    });
    let pattern = Regex::new(&format!("(?s)^{pattern}$"));
    pattern.is_ok_and(|pattern| pattern.is_match(&each_name(path, |name| format!("{name}/"))))
}

/// Whether what is of a pattern may lie below a path.
pub(super) fn reaches(pattern: &str, path: &str) -> bool {
    let mut ends = pattern.match_indices('/');
    let is_any_folder = pattern.rsplit('/').next() == Some("**");
    ends.any(|(end, _)| matches(pattern.get(..end).unwrap_or_default(), path))
        || is_any_folder && matches(pattern, path)
}

fn each_name(path: &str, make: impl Fn(&str) -> String) -> String {
    let names = path.split('/').filter(|name| !matches!(*name, "" | "."));
    names.map(make).collect()
}

/// The folder that holds all that a pattern may name, `None` for a path that is no pattern.
pub(super) fn root(path: &Path) -> Option<PathBuf> {
    let is_special = |byte: &u8| b"*?".contains(byte);
    let is_plain = |name: &&OsStr| !name.as_encoded_bytes().iter().any(is_special);
    let plain = path.iter().take_while(is_plain).collect::<PathBuf>();
    if plain == path || path.exists() {
        return None;
    }
    Some(if plain.as_os_str().is_empty() {
        PathBuf::from(".")
    } else {
        plain
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stay_within_a_name_and_two_of_them_do_not() {
        for (pattern, path, expected) in [
            ("a.json", "a.json", true),
            ("*.json", "a.json", true),
            ("*.json", "a/b.json", false),
            ("a/*", "a/b.json", true),
            ("a/**", "a/b/c.json", true),
            ("a/**", "ab/c.json", false),
            ("**/*.json", "a.json", true),
            ("**/b/*.json", "a/b/c.json", true),
            ("**/b/*.json", "a/b/c/d.json", false),
            ("?.json", "a.json", true),
            ("?.json", "ab.json", false),
            ("./a/*", "a/b", true),
            ("*a*b", "xaybzb", true),
            ("*a*b", "xayc", false),
        ] {
            assert_eq!(matches(pattern, path), expected, "{pattern} {path}");
        }
    }

    #[test]
    fn a_pattern_reaches_folders_that_may_hold_what_is_of_it() {
        for (pattern, path, expected) in [
            ("a/*.json", "a", true),
            ("a/*.json", "a/b", false),
            ("a/*/c.json", "a/b", true),
            ("a/**/*.json", "a/b/c", true),
            ("a/**/*.json", "b", false),
            ("a/**", "a/b", true),
            ("a/**", "b", false),
            ("**/*.json", "a/b", true),
            ("*.json", "a", false),
            ("/a/*.json", "/a", true),
        ] {
            assert_eq!(reaches(pattern, path), expected, "{pattern} {path}");
        }
    }

    #[test]
    fn a_pattern_begins_below_its_plain_folders() {
        let root = |path: &str| root(Path::new(path));
        assert_eq!(root("a/b/*.json"), Some("a/b".into()));
        assert_eq!(root("**/*.json"), Some(".".into()));
        assert_eq!(root("a/b.json"), None);
    }
}
