//! A small file of JSON in which something is kept over restarts.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Nothing where there is no file.
pub(super) fn read<T: DeserializeOwned + Default>(path: &Path) -> io::Result<T> {
    match fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(T::default()),
        // The error of serde may repeat what stands there.
        text => serde_json::from_slice(&text?)
            .map_err(|_| io::Error::other("not what the bridge writes")),
    }
}

/// The old or the new file is there, whatever happens on the way.
pub(super) fn write(path: &Path, mode: u32, kept: &impl Serialize) -> io::Result<()> {
    let new = path.with_added_extension("new");
    let mut options = OpenOptions::new();
    let mut file = (options.write(true).create(true).truncate(true))
        .mode(mode)
        .open(&new)?;
    file.write_all(&serde_json::to_vec_pretty(kept)?)?;
    file.sync_all()?;
    fs::rename(&new, path)?;
    // The new name is kept once its folder is.
    File::open(folder(path))?.sync_all()
}

pub(super) fn folder(path: &Path) -> &Path {
    let folder = path.parent().filter(|it| !it.as_os_str().is_empty());
    folder.unwrap_or_else(|| Path::new("."))
}
