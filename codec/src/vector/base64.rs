//! Base64 to bytes (RFC 4648, section 4): blocks where the processor can, the rest by base64-simd.

use base64_simd::{Out, STANDARD};

use super::VectorLoops;

/// The bytes that `text` stands for; `None` where it is not base64 with its padding and nothing else.
pub(crate) fn decode(loops: Option<VectorLoops>, text: &[u8]) -> Option<Vec<u8>> {
    let length = STANDARD.decoded_length(text).ok()?;
    let mut out = vec![0; length];
    let (read, written) = loops.map_or((0, 0), |loops| loops.base64(text, &mut out));
    let text = text.get(read..)?;
    let rest = out.get_mut(written..)?;
    STANDARD.decode(text, Out::from_slice(rest)).ok()?;
    Some(out)
}
