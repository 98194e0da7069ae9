//! The status line of an answer, read beside the client: it counts also where the client cannot read the
//! fields.

use std::cell::RefCell;
use std::rc::Rc;

use http::StatusCode;

/// The status line and informational answers before it fit.
const MOST_BYTES: usize = 8 << 10;

/// Clones share one buffer.
#[derive(Clone, Default)]
pub(super) struct StatusLine(Rc<RefCell<Vec<u8>>>);

impl StatusLine {
    pub(super) fn clear(&self) {
        self.0.borrow_mut().clear();
    }

    pub(super) fn read(&self, bytes: &[u8]) {
        let mut kept = self.0.borrow_mut();
        let room = MOST_BYTES - kept.len();
        kept.extend_from_slice(&bytes[..room.min(bytes.len())]);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.borrow().is_empty()
    }

    /// An alert stands in its place (RFC 8446, section 5.1).
    pub(super) fn is_tls(&self) -> bool {
        self.0.borrow().starts_with(&[21, 3])
    }

    /// None before the line is complete.
    pub(super) fn status(&self) -> Option<StatusCode> {
        let kept = self.0.borrow();
        let mut lines = kept
            .split_inclusive(|&byte| byte == b'\n')
            .filter_map(|line| Some(line.strip_suffix(b"\n")?.trim_ascii_end()));
        loop {
            let status = status(lines.find(|line| !line.is_empty())?)?;
            if !status.is_informational() {
                return Some(status);
            }
            lines.find(|line| line.is_empty())?;
        }
    }
}

fn status(line: &[u8]) -> Option<StatusCode> {
    let version = line.strip_prefix(b"HTTP/1.0 ");
    let rest = version.or_else(|| line.strip_prefix(b"HTTP/1.1 "))?;
    let (code, reason) = rest.split_at_checked(3)?;
    let ends = reason.first().is_none_or(|&byte| byte == b' ');
    StatusCode::from_bytes(code).ok().filter(|_| ends)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(pieces: &[&str]) -> Option<u16> {
        let line = StatusLine::default();
        pieces.iter().for_each(|piece| line.read(piece.as_bytes()));
        line.status().map(|status| status.as_u16())
    }

    #[test]
    fn the_first_whole_line_that_is_not_informational_says_it() {
        let hint = format!("HTTP/1.1 103 x\r\nlink: {}\r\n\r\n", "x".repeat(4096));
        for (pieces, expected) in [
            (&["HTTP/1.1 200 OK\r\n"][..], Some(200)),
            (&["HT", "TP/1.0 50", "3", "\n"], Some(503)),
            (&["\r\n\r\nHTTP/1.1 204\r\n"], Some(204)),
            (
                &["HTTP/1.1 100 x\r\na: b\r\n\r\nHTTP/1.1 202 x\r\n"],
                Some(202),
            ),
            (&[&hint, "HTTP/1.1 200 x\r\n"], Some(200)),
            (&["HTTP/1.1 100 x\r\na: b\r\nHTTP/1.1 202 x\r\n"], None),
            (&[&hint, &hint, "HTTP/1.1 200 x\r\n"], None),
            (&["HTTP/1.1 200 OK"], None),
            (&["HTTP/1.1 2000 OK\r\n"], None),
            (&["HTTP/1.1 +20 OK\r\n"], None),
            (&["HTTP/2.0 200 OK\r\n"], None),
            (&["SSH-2.0-x\r\nHTTP/1.1 200 OK\r\n"], None),
            (&[], None),
        ] {
            assert_eq!(code(pieces), expected, "{pieces:?}");
        }
    }
}
