//! Limits on everything a sender can choose; every loop of a decoder ends at one of them.

/// The deepest nesting that consumers can be expected to read, and that the reader can hold.
pub(crate) const DEPTH_MAX: usize = 127;

/// Limits that a message is held against before work is spent on it.
///
/// The defaults let in 1 MiB for an event, and 4 MiB or 1,000 events for a batch. What passes a limit is refused as
/// [`DecodeErrorKind::TooLarge`](crate::DecodeErrorKind::TooLarge). The specification asks everybody to take events of
/// 64 KByte (CloudEvents 1.0.2, "Size Limits"): set `event_bytes` no lower.
///
/// ```
/// use cloudevents_nl_codec::{DecodeErrorKind, Decoder, Limits, Register};
///
/// let mut limits = Limits::default();
/// limits.event_bytes = 64 << 10;
/// let decoder = Decoder::new(limits, Register::default());
/// let error = decoder.decode_structured(&[b' '; 65_537]).unwrap_err();
/// assert_eq!(error.kind, DecodeErrorKind::TooLarge);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Largest event on the wire: headers and body together, in bytes. Default 1 MiB.
    pub event_bytes: usize,
    /// Largest batch on the wire: headers and body together, in bytes. Default 4 MiB.
    pub batch_bytes: usize,
    /// Most events of one batch. Default 1,000.
    pub batch_events: usize,
    /// Most headers of one message, other parties' included. Default 1,024.
    pub headers: usize,
    /// Most attributes of one event, required ones included. Default 256.
    pub attributes: usize,
    /// Deepest nesting of a JSON text in levels, the event object included. Default, and at most, 127.
    pub depth: usize,
}

impl Limits {
    /// The levels that data may have: the event object around it is one, in binary mode too, so that
    /// what is read in one mode can be read in the other.
    pub(crate) fn depth_of_data(&self) -> usize {
        self.depth.min(DEPTH_MAX).saturating_sub(1)
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            event_bytes: 1 << 20,
            batch_bytes: 4 << 20,
            batch_events: 1000,
            headers: 1024,
            attributes: 256,
            depth: DEPTH_MAX,
        }
    }
}
