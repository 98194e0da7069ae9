//! What a String attribute may hold.

/// U+0000 to U+001F and U+007F to U+009F.
pub(crate) fn is_control(character: char) -> bool {
    matches!(u32::from(character), 0..=0x1F | 0x7F..=0x9F)
}

/// U+FDD0 to U+FDEF, and the last two code points of each plane.
pub(crate) fn is_noncharacter(character: char) -> bool {
    let code = u32::from(character);
    (0xFDD0..=0xFDEF).contains(&code) || code % 0x1_0000 >= 0xFFFE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_both_ends_of_every_range() {
        for (characters, control, noncharacter) in [
            (
                &['\0', '\u{1f}', '\u{7f}', '\u{80}', '\u{9f}'][..],
                true,
                false,
            ),
            (
                &[
                    ' ',
                    '~',
                    '\u{a0}',
                    '\u{fdcf}',
                    '\u{fdf0}',
                    '\u{fffd}',
                    '\u{10000}',
                ],
                false,
                false,
            ),
            (
                &[
                    '\u{fdd0}',
                    '\u{fdef}',
                    '\u{fffe}',
                    '\u{ffff}',
                    '\u{1fffe}',
                    '\u{10ffff}',
                ],
                false,
                true,
            ),
        ] {
            for &character in characters {
                let found = (is_control(character), is_noncharacter(character));
                assert_eq!(found, (control, noncharacter), "{character:?}");
            }
        }
    }
}
