//! What `curl -v` prints: heads are marked, and the body of a response is not.

use super::text::{Line, Text};
use super::{InputError, Item, LineFault, Message, head, join};

/// Whether `curl -v` marks a line as the first one of a message.
pub(super) fn begins(line: &Line<'_>) -> bool {
    let is_start = |mark, is: fn(&[u8]) -> bool| {
        let line = marked(line, mark);
        line.is_some_and(|line| is(line.text()))
    };
    is_start(b'>', head::is_request_line) || is_start(b'<', head::is_status_line)
}

/// Without the mark; `None` where it has another one.
fn marked<'t>(line: &Line<'t>, mark: u8) -> Option<Line<'t>> {
    let rest = line.raw.strip_prefix(&[mark])?;
    match rest.strip_prefix(b" ") {
        Some(raw) => Some(Line { raw, ..*line }),
        None if rest.trim_ascii().is_empty() => Some(Line { raw: rest, ..*line }),
        None => None,
    }
}

/// Reads the exchanges in a section.
pub(super) fn read(section: &[Line<'_>], items: &mut Vec<Result<Item, InputError>>) {
    let mut rest = section;
    while let Some(start) = rest.iter().position(begins) {
        let exchange = rest.get(start..).unwrap_or_default();
        let asks = |line: &Line<'_>| begins(line) && line.raw.starts_with(b">");
        let more = exchange.iter().skip(1).position(asks);
        let (exchange, behind) = exchange.split_at(more.map_or(exchange.len(), |at| at + 1));
        rest = behind;
        match read_exchange(exchange) {
            Ok(item) => items.extend(item.map(Ok)),
            Err(error) => items.push(Err(error)),
        }
    }
}

fn read_exchange(exchange: &[Line<'_>]) -> Result<Option<Item>, InputError> {
    let all = |mark| -> Vec<_> {
        let lines = exchange.iter();
        lines.filter_map(|line| marked(line, mark)).collect()
    };
    let request = match all(b'>').as_slice() {
        [] => None,
        lines => Some(head::read(&mut lines.iter().copied())?),
    };
    if let Some(request) = &request {
        request.shows_its_body(true)?;
    }
    let mut answers = all(b'<');
    // The last answer counts: those before it are interim, or of a proxy.
    let last = |line: &Line<'_>| head::is_status_line(line.text());
    if let Some(last) = answers.iter().rposition(last) {
        answers.drain(..last);
    }
    let Some(end) = answers.last() else {
        return Ok(request.map(Message::into_item));
    };
    let mut response = head::read(&mut answers.iter().copied())?;
    let is_head = request.as_ref().is_some_and(Message::is_head);
    let behind = exchange.iter().filter(|line| line.number > end.number);
    let behind: Vec<_> = behind.filter(|line| !is_of_curl(line)).collect();
    let body: Vec<u8> = behind.iter().flat_map(|line| own(line)).copied().collect();
    let line = behind.first().map_or(end.number, |line| line.number);
    let bytes = &*body;
    let mut text = Text { bytes, line };
    response.take_body(&mut text, is_head)?;
    text.skip_lines(|line| line.is_blank());
    match text.peek() {
        None => Ok(Some(join(request, response))),
        Some(line) => Err(LineFault::BodyGoesOn.at(line.number)),
    }
}

fn is_of_curl(line: &Line<'_>) -> bool {
    let noise: [&[u8]; 3] = [b"* ", b"{ [", b"} ["];
    let is_noise = noise.iter().any(|begin| line.raw.starts_with(begin));
    is_noise || marked(line, b'<').is_some() || marked(line, b'>').is_some()
}

/// A line of a body, without what curl says directly behind the last one.
fn own<'t>(line: &Line<'t>) -> &'t [u8] {
    const SAID: [&[u8]; 2] = [b"* Connection #", b"* Closing connection"];
    let said = |at: &usize| {
        let rest = line.raw.get(*at..).unwrap_or_default();
        SAID.iter().any(|said| rest.starts_with(said))
    };
    let end = (0..line.raw.len()).find(said);
    end.and_then(|end| line.raw.get(..end)).unwrap_or(line.raw)
}
