//! Events that take 64 KiB on the wire, all of it counted.

use super::accepts;
use crate::client::Request;
use crate::receiver::scenario::{Known, Scenario, Tries, Try};

/// What every consumer should take.
const BYTES: usize = 64 << 10;

pub(super) const SCENARIOS: &[Scenario] = &[accepts(
    "SIZE-2",
    "events of 65,536 bytes on the wire, in both modes",
    "gebeurtenissen van 65.536 bytes op de lijn, in beide modi",
    Tries::Made(|known| {
        known.in_both_modes(
            Try::new("64 KiB structured", structured_of(known, BYTES)),
            Try::new("64 KiB binary", binary_of(known, BYTES)),
        )
    }),
)];

/// An event whose request is so large, in structured mode.
pub(in crate::receiver) fn structured_of(known: &Known, bytes: usize) -> Request {
    let id = known.target.id();
    filled(bytes, |data| {
        known
            .target
            .structured(&format!(r#""id":"{id}","data":{{"test":"{data}"}}"#))
    })
}

fn binary_of(known: &Known, bytes: usize) -> Request {
    let id = known.target.id();
    filled(bytes, |data| {
        let json = format!(r#"{{"test":"{data}"}}"#);
        known.target.binary(&[("ce-id", &*id)], json)
    })
}

/// The length of half as large a body has as many digits, for 64 KiB.
fn filled(bytes: usize, of: impl Fn(&str) -> Request) -> Request {
    let half = "a".repeat(bytes / 2);
    let more = bytes.saturating_sub(of(&half).size());
    of(&(half + &"a".repeat(more)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::receiver::target::Target;

    #[test]
    fn they_are_exactly_so_large() {
        let known = Known::nothing_yet(Target::example());
        for request in [structured_of(&known, BYTES), binary_of(&known, BYTES)] {
            assert_eq!(request.size(), BYTES, "{request:?}");
        }
    }
}
