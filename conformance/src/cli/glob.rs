//! Patterns of paths: `*` and `?` within a name, `**` for any folders.

use std::path::{Path, PathBuf};

/// Whether a path is of a pattern; both are parted by `/`.
pub(super) fn matches(pattern: &str, path: &str) -> bool {
    let names = |text: &str| -> Vec<String> {
        let names = text.split('/').filter(|name| !matches!(*name, "" | "."));
        names.map(str::to_owned).collect()
    };
    path_matches(&names(pattern), &names(path))
}

fn path_matches(pattern: &[String], path: &[String]) -> bool {
    let Some((first, rest)) = pattern.split_first() else {
        return path.is_empty();
    };
    match path.split_first() {
        _ if first == "**" && path_matches(rest, path) => true,
        Some((_, behind)) if first == "**" => path_matches(pattern, behind),
        Some((name, behind)) => {
            name_matches(first.as_bytes(), name.as_bytes()) && path_matches(rest, behind)
        }
        None => false,
    }
}

fn name_matches(pattern: &[u8], name: &[u8]) -> bool {
    match (pattern.split_first(), name.split_first()) {
        (None, _) => name.is_empty(),
        (Some((b'*', rest)), behind) => {
            name_matches(rest, name)
                || behind.is_some_and(|(_, behind)| name_matches(pattern, behind))
        }
        (Some((first, rest)), Some((byte, behind))) => {
            (*first == b'?' || first == byte) && name_matches(rest, behind)
        }
        (Some(_), None) => false,
    }
}

/// The folder that holds all that a pattern may name, `None` for a path that is no pattern.
pub(super) fn root(path: &Path) -> Option<PathBuf> {
    let is_plain = |name: &&std::ffi::OsStr| {
        !name
            .as_encoded_bytes()
            .iter()
            .any(|byte| b"*?".contains(byte))
    };
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
    fn a_pattern_begins_below_its_plain_folders() {
        let root = |path: &str| root(Path::new(path));
        assert_eq!(root("a/b/*.json"), Some("a/b".into()));
        assert_eq!(root("**/*.json"), Some(".".into()));
        assert_eq!(root("a/b.json"), None);
    }
}
