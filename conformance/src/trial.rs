//! A codec against all there is, and the report of it. Behind feature `generate`.

mod markdown;

use std::path::Path;

use crate::codec::Codec;
use crate::properties::{self, Options, Tried};
use crate::vectors::{self, NotMet, Report, VectorsError};

/// What vectors and properties show of a codec.
///
/// ```
/// use cloudevents_nl_conformance::codec::Ours;
/// use cloudevents_nl_conformance::{Trial, properties::Options};
///
/// # let folder = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/vectors"));
/// let trial = Trial::of(&Ours, folder, Options { cases: 8, seed: 1 })?;
/// assert!(trial.markdown().starts_with("## Summary"));
/// # Ok::<(), cloudevents_nl_conformance::vectors::VectorsError>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Trial {
    /// The cases of a folder of vector files.
    pub vectors: Report,
    /// The properties, in each way that an event can travel.
    pub properties: Vec<Tried>,
}

impl Trial {
    /// Runs everything.
    ///
    /// # Errors
    /// When the vectors cannot be read.
    pub fn of(codec: &impl Codec, folder: &Path, options: Options) -> Result<Self, VectorsError> {
        Ok(Self {
            vectors: vectors::run(codec, folder, &NotMet::default())?,
            properties: properties::run(codec, options),
        })
    }
}
