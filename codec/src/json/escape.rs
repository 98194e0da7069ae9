//! Writes strings with their escapes.

use super::scan::skip_unescaped;

/// Appends `text` as a JSON string, quotes included.
#[inline]
pub(crate) fn write_string(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    write_inside(out, text);
    out.push(b'"');
}

/// Appends `text` as the inside of a JSON string.
#[inline]
pub(crate) fn write_inside(out: &mut Vec<u8>, text: &str) {
    let mut rest = text.as_bytes();
    loop {
        let (plain, special) = rest.split_at(skip_unescaped(rest, 0));
        out.extend_from_slice(plain);
        let Some((&byte, after)) = special.split_first() else {
            return;
        };
        write_escape(out, byte);
        rest = after;
    }
}

fn write_escape(out: &mut Vec<u8>, byte: u8) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let short = match byte {
        b'"' | b'\\' => byte,
        0x08 => b'b',
        0x0C => b'f',
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        _ => {
            out.extend_from_slice(b"\\u00");
            out.push(HEX[usize::from(byte >> 4)]);
            out.push(HEX[usize::from(byte & 15)]);
            return;
        }
    };
    out.extend_from_slice(&[b'\\', short]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_what_can_be_read_back() {
        let every: String = (0..0x80)
            .map(char::from)
            .chain("é😀\u{ffff}".chars())
            .collect();
        let mut out = Vec::new();
        write_string(&mut out, &every);
        let read: String = serde_json::from_slice(&out).unwrap();
        assert_eq!(read, every);
    }
}
