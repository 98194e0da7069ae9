//! How much faster than the SDK the codec must be, and how much it wants to be.

use cloudevents_nl_benches::corpus::{Kind, SIZES, Size};

/// Which way events go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    Decode,
    Encode,
}

impl Direction {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Decode => "decode",
            Self::Encode => "encode",
        }
    }
}

/// Times as fast as the SDK, for one direction, kind and size.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Floor {
    least: Option<f64>,
    aim: Option<f64>,
}

impl Floor {
    pub(crate) fn of(direction: Direction, kind: Kind, size: Size) -> Self {
        let at = SIZES
            .iter()
            .position(|one| *one == size)
            .unwrap_or_default();
        let (least, aim) = match (direction, kind) {
            (Direction::Decode, Kind::Compact) => (
                Some([11.0, 13.0, 15.0, 15.0, 14.0][at]),
                Some([13.0, 15.0, 17.0, 17.0, 16.0][at]),
            ),
            (Direction::Encode, Kind::Compact) => (
                Some([6.5, 8.0, 9.5, 8.5, 7.5][at]),
                Some([8.5, 10.0, 12.0, 11.0, 9.5][at]),
            ),
            (Direction::Decode, Kind::Xml) if at == 3 => (Some(3.5), None),
            (Direction::Decode, Kind::Base64) if at == 3 => (Some(6.0), None),
            _ => (None, None),
        };
        Self { least, aim }
    }

    /// For the encoding of an event whose data is known to be valid.
    pub(crate) fn of_validated(kind: Kind, size: Size) -> Self {
        let is_large = SIZES.iter().skip(2).any(|one| *one == size);
        Self {
            least: (kind == Kind::Compact && is_large).then_some(100.0),
            aim: None,
        }
    }

    /// The last two columns of a row.
    pub(crate) fn verdicts(self, ratio: f64) -> String {
        let verdict = |floor| verdict(floor, ratio).unwrap_or_else(|| "–".to_owned());
        format!("{} | {} |", verdict(self.least), verdict(self.aim))
    }

    /// What is said behind a cell that has a floor of its own.
    pub(crate) fn remark(self, ratio: f64) -> String {
        verdict(self.least, ratio).map_or_else(String::new, |verdict| format!(", {verdict}"))
    }
}

fn verdict(floor: Option<f64>, ratio: f64) -> Option<String> {
    let verdict = |floor| if ratio >= floor { "met" } else { "MISSED" };
    floor.map(|floor| format!("{floor}×: {}", verdict(floor)))
}
