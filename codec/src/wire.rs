//! How events are spelled on the wire: the readers take a message whose mode is known, and hand out an event or the
//! first thing that is wrong; the writers fail only where the mode cannot hold the event.

pub(crate) mod binary_reader;
pub(crate) mod binary_writer;
pub(crate) mod binding;
pub(crate) mod body;
pub(crate) mod content_mode;
pub(crate) mod json_batch;
pub(crate) mod json_reader;
pub(crate) mod json_writer;
pub(crate) mod message;
pub(crate) mod percent;

use crate::vector::VectorLoops;
use crate::{Leniency, Limits, Register};

/// What a reader is given beside the message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ReadOptions {
    pub(crate) limits: Limits,
    pub(crate) register: Register,
    pub(crate) leniency: Leniency,
    /// What the processor can do for long texts.
    pub(crate) loops: Option<VectorLoops>,
}
