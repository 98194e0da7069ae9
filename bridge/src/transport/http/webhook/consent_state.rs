//! Where consent that a receiver gave by calling back is kept over restarts.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::task::spawn_blocking;

use super::handshake::Consent;
use crate::transport::view::{Checkpoint, OpenView, ViewError};

pub(super) struct ConsentState {
    place: Place,
    /// The name under which that of one target is kept.
    name: String,
}

enum Place {
    /// Beside the position of the route.
    Source(Arc<dyn OpenView>),
    File(PathBuf),
}

impl ConsentState {
    pub(super) fn new(
        target: &str,
        file: Option<&Path>,
        source: Option<Arc<dyn OpenView>>,
    ) -> Option<Self> {
        let file = file.map(|path| Place::File(path.to_owned()));
        let place = file.or_else(|| source.map(Place::Source))?;
        let name = format!("cenl-consent-{target}");
        Some(Self { place, name })
    }

    /// What cannot be read is logged, and asked for anew.
    pub(super) async fn read(&self) -> Option<Consent> {
        let read = match &self.place {
            Place::Source(source) => self.read_source(&**source).await.map_err(text),
            Place::File(path) => {
                let (file, name) = (path.clone(), self.name.clone());
                let read = spawn_blocking(move || Ok(read_file(&file)?.remove(&name)));
                let read = read
                    .await
                    .unwrap_or_else(|_| Err(io::Error::other("no thread")));
                read.map_err(|error| format!("{}: {error}", path.display()))
            }
        };
        read.unwrap_or_else(|error| {
            let remedy = "correct that, or name a `file` in [consent.NAME]";
            tracing::warn!(error, remedy, "consent that was given cannot be read");
            None
        })?
        .parse()
        .ok()
    }

    async fn read_source(&self, source: &dyn OpenView) -> Result<Option<String>, ViewError> {
        let mut kept = source.checkpoints(&self.name).await?.read().await?;
        Ok(kept.remove(&0).map(|checkpoint| checkpoint.beyond))
    }

    /// Durable when it returns.
    ///
    /// # Errors
    ///
    /// Why it is not kept.
    pub(super) async fn write(&self, consent: Consent) -> Result<(), String> {
        match &self.place {
            Place::Source(source) => {
                let checkpoint = Checkpoint {
                    next: 0,
                    beyond: consent.to_string(),
                };
                let store = source.checkpoints(&self.name).await.map_err(text)?;
                let written = store.write(BTreeMap::from([(0, checkpoint)]));
                written.await.map_err(text)
            }
            Place::File(path) => {
                let written = read_file(path).and_then(|mut kept| {
                    kept.insert(self.name.clone(), consent.to_string());
                    write_file(path, &kept)
                });
                written.map_err(|error| format!("{}: {error}", path.display()))
            }
        }
    }
}

fn text(error: ViewError) -> String {
    error.to_string()
}

type Kept = BTreeMap<String, String>;

fn read_file(path: &Path) -> io::Result<Kept> {
    match fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Kept::new()),
        text => Ok(serde_json::from_slice(&text?)?),
    }
}

/// The old or the new file is there, whatever happens on the way.
fn write_file(path: &Path, kept: &Kept) -> io::Result<()> {
    let new = path.with_added_extension("new");
    let mut file = File::create(&new)?;
    file.write_all(&serde_json::to_vec_pretty(kept)?)?;
    file.sync_all()?;
    fs::rename(&new, path)
}
