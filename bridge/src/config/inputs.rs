//! What settings were read: the keys with their values, and files with their content. What was read alike is
//! the same, however it is written.

use std::collections::BTreeMap;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use figment::value::Value;

use super::setting::SettingValue;

/// Files with tokens, keys and certificates. `None` where nothing can be read.
pub(crate) type Files = BTreeMap<PathBuf, Option<u64>>;

/// As hashes, so that no secret is kept.
#[derive(Clone, Debug, Default)]
pub(crate) struct Inputs {
    values: u64,
    pub(crate) files: Files,
    /// Taken over by listeners while they serve: their content makes no difference.
    pub(crate) followed: Files,
}

impl PartialEq for Inputs {
    fn eq(&self, other: &Self) -> bool {
        (self.values, &self.files) == (other.values, &other.files)
    }
}

impl Inputs {
    /// A default counts as if it were written.
    pub(super) fn value(&mut self, found: &SettingValue<'_>) {
        let mut hasher = DefaultHasher::new();
        self.values.hash(&mut hasher);
        found.path.keys().for_each(|key| key.hash(&mut hasher));
        hash(found, &mut hasher);
        self.values = hasher.finish();
    }

    /// Before it is used: what is written to it meanwhile is then a change.
    pub(super) fn file(&mut self, path: &Path) {
        self.files.insert(path.to_owned(), content(path));
    }

    pub(super) fn follow(&mut self, path: &Path) {
        self.followed.insert(path.to_owned(), content(path));
    }
}

/// What it means: with what variables hold.
fn hash(found: &SettingValue<'_>, hasher: &mut DefaultHasher) {
    let inner = |value| found.inner(found.path.clone(), value);
    match found.value {
        Value::Dict(_, entries) => {
            entries.len().hash(hasher);
            for (key, value) in entries {
                key.hash(hasher);
                hash(&inner(value), hasher);
            }
        }
        Value::Array(_, list) => {
            list.len().hash(hasher);
            list.iter().for_each(|value| hash(&inner(value), hasher));
        }
        _ => found.meant().and_then(Result::ok).hash(hasher),
    }
}

pub(crate) fn read_again(files: &Files) -> Files {
    let paths = files.keys();
    paths.map(|path| (path.clone(), content(path))).collect()
}

/// Of a file, or of all files in a folder. A pipe can be read only once, and is left to who needs it.
fn content(path: &Path) -> Option<u64> {
    let mut hasher = DefaultHasher::new();
    if path.is_dir() {
        let files = fs::read_dir(path).ok()?.flatten();
        let mut files: Vec<_> = files.map(|file| file.path()).collect();
        files.sort();
        for file in files.iter().filter(|file| file.is_file()) {
            (file, content(file)?).hash(&mut hasher);
        }
    } else if path.is_file() {
        fs::read(path).ok()?.hash(&mut hasher);
    } else {
        return None;
    }
    Some(hasher.finish())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;
    use crate::config::tests::toml;
    use crate::config::{FollowedFile, SecretPlace, Table};

    fn read(text: &str) -> Inputs {
        let read = |table: &Table<'_>| {
            table.key::<usize>("most", "").or("10")?;
            table.key::<Vec<String>>("names", "").optional("none")?;
            table.key::<PathBuf>("ca_file", "").optional("none")?;
            table.key::<SecretPlace>("token", "").optional("none")?;
            let followed = table.key::<FollowedFile>("followed", "");
            followed.optional("none")?;
            Ok(table.take_inputs())
        };
        toml(text, read).unwrap()
    }

    #[test]
    fn what_is_read_alike_is_the_same() {
        let inputs = read("");
        for same in ["most = 10", "# a comment\nmost = \"10\""] {
            assert_eq!(read(same), inputs, "{same}");
        }
        for other in ["most = 11", "names = []", "names = [\"a\"]"] {
            assert_ne!(read(other), inputs, "{other}");
        }
        assert_ne!(read("names = [\"a, b\"]"), read("names = [\"a\", \"b\"]"));
    }

    #[test]
    fn the_content_of_files_counts_and_is_not_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let text = |key: &str| match key {
            "token" => format!("token = {{ file = {path:?} }}"),
            key => format!("{key} = {path:?}"),
        };
        for key in ["ca_file", "token"] {
            fs::write(&path, "hush").unwrap();
            let before = read(&text(key));
            assert_eq!(read(&text(key)), before, "{key}");
            assert_eq!(read_again(&before.files), before.files);
            assert!(!format!("{before:?}").contains("hush"));
            fs::write(&path, "hush!").unwrap();
            assert_ne!(read(&text(key)), before, "{key}");
            assert_ne!(read_again(&before.files), before.files);
            fs::remove_file(&path).unwrap();
            assert_ne!(read_again(&before.files), before.files);
        }
    }

    #[test]
    fn what_a_listener_follows_is_seen_to_change_and_makes_no_difference() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, "one").unwrap();
        let text = format!("followed = {path:?}");
        let before = read(&text);
        fs::write(&path, "two").unwrap();
        assert_ne!(read_again(&before.followed), before.followed);
        assert_eq!(read(&text), before);
        assert_ne!(read(""), before);
    }

    /// As Kubernetes does when a secret changes.
    #[test]
    fn a_link_that_leads_elsewhere_and_a_file_in_a_folder_are_changes() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for version in ["1", "2"] {
            fs::create_dir(at(version)).unwrap();
            fs::write(at(version).join("ca.pem"), version).unwrap();
        }
        std::os::unix::fs::symlink("1", at("data")).unwrap();
        let paths = [at("data").join("ca.pem"), at("data")];
        let before: Files = paths.iter().map(|it| (it.clone(), content(it))).collect();
        assert!(before.values().all(Option::is_some));
        fs::remove_file(at("data")).unwrap();
        std::os::unix::fs::symlink("2", at("data")).unwrap();
        let after = read_again(&before);
        assert!(before.iter().zip(&after).all(|(one, other)| one != other));
    }
}
