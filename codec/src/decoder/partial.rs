//! What a refusal says of the event all the same.

use super::{Decoder, announced_mode, utf8_first};
use crate::wire::ReadOptions;
use crate::wire::binary_reader::{self, HeaderSummary};
use crate::wire::json_reader::partial::read_partial;
use crate::{Binding, ContentMode, DecodeError, Event, Header};

impl Decoder {
    /// As [`Self::read_message`]; an error in binary mode has what could be read of the headers.
    #[inline(never)]
    pub(super) fn read<'a>(
        &self,
        binding: &Binding,
        headers: &[Header<'a>],
        body: Option<&'a [u8]>,
        event: &mut Event<'a>,
    ) -> Result<ContentMode, DecodeError> {
        let mode = self.read_message(binding, headers, body, event);
        mode.map_err(|error| self.with_partial(error, binding, headers))
    }

    #[cold]
    fn with_partial(
        &self,
        error: DecodeError,
        binding: &Binding,
        headers: &[Header<'_>],
    ) -> DecodeError {
        let ReadOptions { limits, .. } = &self.options;
        let summary = HeaderSummary::of(binding, headers);
        let is_binary = announced_mode(binding, headers, &summary).mode == ContentMode::Binary;
        let is_within = headers.len() <= limits.headers && summary.bytes <= limits.event_bytes;
        if !is_binary || !is_within {
            return error;
        }
        DecodeError {
            partial: binary_reader::read_partial(binding, headers, &self.options),
            ..error
        }
    }
}

/// The error for an event object, with what could be read of it.
#[cold]
pub(super) fn refused(text: &[u8], at: usize, error: DecodeError) -> DecodeError {
    DecodeError {
        partial: read_partial(text, at),
        ..utf8_first(text, error)
    }
}
