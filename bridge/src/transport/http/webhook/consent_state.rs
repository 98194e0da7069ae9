//! Where consent that a receiver gave by calling back is kept over restarts.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use tokio::task::spawn_blocking;

use super::handshake::Consent;
use crate::shared::lock;
use crate::transport::state_file;
use crate::transport::view::{Checkpoint, OpenView, ViewError};

pub(super) struct ConsentState {
    place: Place,
    /// The name under which that of one target is kept.
    name: String,
}

/// By the names of targets.
type Kept = BTreeMap<String, String>;

enum Place {
    /// Beside the position of the route.
    Source(Arc<dyn OpenView>),
    File(PathBuf),
}

impl ConsentState {
    pub(super) fn new(
        target: &str,
        file: Option<PathBuf>,
        source: Option<Arc<dyn OpenView>>,
    ) -> Option<Self> {
        let place = (file.map(Place::File)).or_else(|| source.map(Place::Source))?;
        let name = format!("cenl-consent-{target}");
        Some(Self { place, name })
    }

    /// What cannot be read is logged, and asked for anew.
    pub(super) async fn read(&self) -> Option<Consent> {
        let read = match &self.place {
            Place::Source(source) => self.read_source(&**source).await.map_err(text),
            Place::File(path) => {
                let file = path.clone();
                let read = spawn_blocking(move || state_file::read::<Kept>(&file)).await;
                let read = read.map_err(io::Error::from).flatten();
                read.map(|mut kept| kept.remove(&self.name))
                    .map_err(|error| format!("{}: {error}", path.display()))
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

    /// Durable when it returns; the error is why it is not kept.
    pub(super) async fn write(&self, consent: Consent) -> Result<(), String> {
        match &self.place {
            Place::Source(source) => {
                let checkpoint = Checkpoint {
                    next: 0,
                    beyond: consent.to_string(),
                };
                let store = source.checkpoints(&self.name).await.map_err(text)?;
                let kept = BTreeMap::from([(0, checkpoint)]);
                store.write(kept).await.map_err(text)
            }
            Place::File(path) => {
                // Other tables may name the same file.
                static TURN: Mutex<()> = Mutex::new(());
                let _turn = lock(&TURN);
                let written = state_file::read::<Kept>(path).and_then(|mut kept| {
                    kept.insert(self.name.clone(), consent.to_string());
                    state_file::write(path, 0o600, &kept)
                });
                written.map_err(|error| format!("{}: {error}", path.display()))
            }
        }
    }
}

fn text(error: ViewError) -> String {
    error.to_string()
}
