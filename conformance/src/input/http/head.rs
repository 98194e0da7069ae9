//! Start lines and headers.

use super::text::{Line, Text, block};
use super::{InputError, LineFault, Message};
use crate::capture::{Capture, Protocol};
use crate::input::Lines;

/// Reads a start line and headers, and the blank line behind them.
pub(super) fn read<'t>(
    lines: &mut (impl Iterator<Item = Line<'t>> + Clone),
) -> Result<Message, InputError> {
    let start = lines.next().ok_or(InputError::Empty)?;
    let mut capture = Capture::new(Protocol::Http);
    let line = String::from_utf8_lossy(start.text()).into_owned();
    let mut words = line.split_ascii_whitespace();
    if is_status_line(start.text()) {
        capture.status = words.nth(1).and_then(|status| status.parse().ok());
    } else if is_request_line(start.text()) {
        capture.method = words.next().map(str::to_owned);
        capture.target = Some(target(&line, lines));
    } else {
        return Err(LineFault::NotHttp.at(start.number));
    }
    let mut places = Lines::new(start.number, None);
    for line in block(lines) {
        let number = line.number;
        let (name, value) = header(line).ok_or_else(|| LineFault::NotAHeader.at(number))?;
        places.headers.push((name.to_owned(), number));
        capture = capture.with_header(name, value);
    }
    Ok(Message {
        capture,
        lines: places,
        is_taken_as_decoded: false,
    })
}

/// The name and the value of a header. What has white space or delimiters in it (RFC 9110, 5.6.2) is no
/// name: it is a line of the body, above which the blank line is missing.
pub(super) fn header(line: Line<'_>) -> Option<(&str, &[u8])> {
    let text = line.text();
    let colon = text.iter().position(|byte| *byte == b':')?;
    let (name, value) = text.split_at(colon);
    let name = str::from_utf8(name).ok()?;
    let is_other = |c: char| c.is_whitespace() || "\"(),/;<=>?@[\\]{}".contains(c);
    let is_name = !name.is_empty() && !name.contains(is_other);
    is_name.then_some((name, value.get(1..)?.trim_ascii()))
}

/// Where a body ends whose length nobody told: before the next start line, or before `###`.
pub(super) fn next_start(text: Text<'_>) -> usize {
    let (mut lines, mut at, mut is_behind_blank) = (text, 0, true);
    while let Some(line) = lines.next() {
        if line.is_separator() || begins_message(line.text(), is_behind_blank) {
            break;
        }
        // Where a body has no line break at its end, curl puts none behind it.
        if let Some(start) = status_line_within(line.text())
            && lines.peek().is_some_and(|line| header(line).is_some())
        {
            return at + start;
        }
        at += line.raw.len();
        is_behind_blank = line.is_blank();
    }
    at
}

/// Whether a line begins the next message: a status line, a request line with a version, or behind a
/// blank line one of two words.
pub(super) fn begins_message(line: &[u8], is_behind_blank: bool) -> bool {
    if is_status_line(line) {
        return true;
    }
    let words = line.split(u8::is_ascii_whitespace);
    let mut rest = words.filter(|word| !word.is_empty()).skip(2);
    let is_whole = match rest.next() {
        Some(version) => is_version(version) && rest.next().is_none(),
        None => is_behind_blank,
    };
    is_whole && is_request_line(line)
}

/// Where in a line a status line begins that stands directly behind the text before it.
fn status_line_within(line: &[u8]) -> Option<usize> {
    let mut pairs = line.windows(2).enumerate().rev();
    pairs.find_map(|(at, pair)| {
        let is_behind_text = !pair.first()?.is_ascii_whitespace() && pair.last() == Some(&b'H');
        (is_behind_text && is_status_line(line.get(at + 1..)?)).then_some(at + 1)
    })
}

pub(super) fn is_status_line(text: &[u8]) -> bool {
    let space = text.iter().take(9).position(u8::is_ascii_whitespace);
    let Some((version, [_, rest @ ..])) = space.and_then(|at| text.split_at_checked(at)) else {
        return false;
    };
    match rest {
        [a, b, c, rest @ ..] => {
            is_version(version)
                && [a, b, c].iter().all(|byte| byte.is_ascii_digit())
                && rest.first().is_none_or(u8::is_ascii_whitespace)
        }
        _ => false,
    }
}

/// `HTTP/1.1`, `HTTP/2`.
fn is_version(word: &[u8]) -> bool {
    match word.strip_prefix(b"HTTP/") {
        Some([major]) => major.is_ascii_digit(),
        Some([major, b'.', minor]) => major.is_ascii_digit() && minor.is_ascii_digit(),
        _ => false,
    }
}

/// The methods that a REST client takes any address behind, as `localhost:8080/x`.
const METHODS: [&[u8]; 9] = [
    b"GET", b"HEAD", b"POST", b"PUT", b"DELETE", b"CONNECT", b"PATCH", b"OPTIONS", b"TRACE",
];

pub(super) fn is_request_line(text: &[u8]) -> bool {
    let mut words = text.split(u8::is_ascii_whitespace);
    let method = words.next().unwrap_or_default();
    let Some(target) = words.find(|word| !word.is_empty()) else {
        return false;
    };
    METHODS.contains(&method)
        || (3..=20).contains(&method.len())
            && method.iter().all(u8::is_ascii_uppercase)
            && is_address(target)
}

/// `/path`, `https://host/path`, or a variable that stands for it.
fn is_address(target: &[u8]) -> bool {
    target == b"*"
        || target.starts_with(b"/")
        || target.starts_with(b"{{")
        || target.windows(3).any(|part| part == b"://")
}

/// What a request line names between the method and the version, with what a REST client reads as
/// its end: lines behind it that are indented and begin with `/`, `?` or `&`.
fn target<'t>(line: &str, rest: &mut (impl Iterator<Item = Line<'t>> + Clone)) -> String {
    let (_, target) = line.split_once(char::is_whitespace).unwrap_or_default();
    let target = target.trim_ascii();
    let target = match target.rsplit_once(char::is_whitespace) {
        Some((target, version)) if version.starts_with("HTTP/") => target.trim_ascii_end(),
        _ => target,
    };
    let mut target = target.to_owned();
    while let Some(line) = rest.clone().next() {
        let text = String::from_utf8_lossy(line.text());
        let more = text.trim_ascii();
        if !(text.starts_with([' ', '\t']) && more.starts_with(['/', '?', '&'])) {
            break;
        }
        target.push_str(more);
        rest.next();
    }
    target
}
