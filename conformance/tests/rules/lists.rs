//! Lists of what is not there yet, which can only shrink.

use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/rules")
        .join(name)
}

/// A list of what is not there yet. It must match exactly, so it can only shrink.
pub(crate) fn list<T: DeserializeOwned>(name: &str) -> Vec<T> {
    let text = std::fs::read(path(name)).unwrap_or_else(|_| b"[]".to_vec());
    serde_json::from_slice(&text).unwrap()
}

/// Holds a list against what is missing. `CENL_WRITE_LISTS=1` writes it instead.
pub(crate) fn assert_list<T: PartialEq + Serialize + std::fmt::Debug>(
    name: &str,
    listed: &[T],
    missing: &[T],
) {
    if std::env::var_os("CENL_WRITE_LISTS").is_some() {
        let text = serde_json::to_string_pretty(missing).unwrap();
        std::fs::write(path(name), text + "\n").unwrap();
        return;
    }
    let only = |some: &[T], others: &[T]| {
        some.iter()
            .filter(|one| !others.contains(one))
            .map(|one| format!("{one:?}"))
            .collect::<Vec<_>>()
    };
    let (unlisted, stale) = (only(missing, listed), only(listed, missing));
    assert!(
        unlisted.is_empty(),
        "missing, and not in {name}: {unlisted:#?}"
    );
    assert!(
        stale.is_empty(),
        "there now, so take them out of {name} (CENL_WRITE_LISTS=1): {stale:#?}"
    );
}
