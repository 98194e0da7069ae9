//! Raw HTTP, as `curl -i`, `curl -v` and `.http` files show it.
//!
//! Request lines are those of REST clients: an address may lack its scheme, hold variables, and go on
//! over indented lines. `###` stands between messages; where a length, chunks or the next start line
//! tell that a message ends, it need not. Before a message there may be comments (`#`, `//`) and variables
//! (`@name = value`). A status line behind a request begins the response to it; both together are an
//! exchange. In the output of `curl -v`, `> ` marks the head of a request, `< ` that of a response, and
//! lines that begin with `* `, `{ [` or `} [` are curl's own.

mod body;
mod head;
mod text;
mod verbose;

use super::{Content, InputError, Item, LineFault, Lines};
use crate::capture::{Capture, Exchange, Purpose};
use crate::reading::{Mode, Reading};
use text::{Line, Text};

/// Whether a text begins like raw HTTP.
pub(super) fn is_meant(text: &[u8]) -> bool {
    const BEGINNINGS: [&[u8]; 6] = [b"###", b"//", b"# ", b"@", b"* ", b"> "];
    BEGINNINGS.iter().any(|begin| text.starts_with(begin))
        || head::is_status_line(text)
        || head::is_request_line(text)
}

/// Reads a whole text that begins on a line. Behind a fault it goes on at the next `###`.
pub(super) fn read(bytes: &[u8], line: u64) -> Vec<Result<Item, InputError>> {
    let (mut items, mut rest) = (Vec::new(), Text { bytes, line });
    while !rest.bytes.is_empty() {
        if let Err(error) = read_section(&mut rest, &mut items) {
            items.push(Err(error));
        }
        rest.skip_lines(|line| !line.is_separator());
        rest.next();
    }
    items
}

/// A message and the lines it stands on.
struct Message {
    capture: Capture,
    lines: Lines,
    /// Whether its head announces chunks or a coding that its body is not in.
    is_taken_as_decoded: bool,
}

/// Reads the messages before the next `###`.
fn read_section(
    rest: &mut Text<'_>,
    items: &mut Vec<Result<Item, InputError>>,
) -> Result<(), InputError> {
    rest.skip_lines(|line| {
        let text = line.text();
        let is_comment = !line.is_separator() && text.starts_with(b"#") || text.starts_with(b"//");
        line.is_blank() || is_comment || text.starts_with(b"@")
    });
    let Some(start) = rest.section().next() else {
        return Ok(());
    };
    let is_plain = head::is_status_line(start.text()) || head::is_request_line(start.text());
    if !is_plain && rest.section().any(|line| verbose::begins(&line)) {
        verbose::read(&rest.section().collect::<Vec<_>>(), items);
        return Ok(());
    }
    let mut request = None;
    let read = read_messages(rest, &mut request, items);
    items.extend(request.map(|request| Ok(request.into_item())));
    read
}

/// Reads one message after the other; a request waits for the response to it.
fn read_messages(
    rest: &mut Text<'_>,
    request: &mut Option<Message>,
    items: &mut Vec<Result<Item, InputError>>,
) -> Result<(), InputError> {
    loop {
        let message = read_message(rest, request.as_ref())?;
        let next = next_line(rest);
        match message.capture.status {
            // An interim answer, such as 100: the answer stands behind it.
            Some(100..=199) if next.is_some() => {}
            Some(_) => items.push(Ok(join(request.take(), message))),
            None => items.extend(request.replace(message).map(|other| Ok(other.into_item()))),
        }
        if next.is_none() {
            return Ok(());
        }
        goes_on(next)?;
    }
}

/// The next line of the section that is not blank, which stays.
fn next_line<'t>(rest: &mut Text<'t>) -> Option<Line<'t>> {
    rest.skip_lines(|line| line.is_blank());
    rest.section().next()
}

/// Whether a line behind a message begins another one.
fn goes_on(next: Option<Line<'_>>) -> Result<(), InputError> {
    match next {
        Some(line) if !head::begins_message(line.text(), true) => {
            Err(LineFault::BodyGoesOn.at(line.number))
        }
        _ => Ok(()),
    }
}

fn read_message(rest: &mut Text<'_>, request: Option<&Message>) -> Result<Message, InputError> {
    let mut message = head::read(rest)?;
    if message.capture.status.is_none() {
        let next = rest.section().find(|line| !line.is_blank());
        let is_start = |line: Line<'_>| head::begins_message(line.text(), false);
        message.shows_its_body(next.is_none_or(is_start))?;
    }
    let answers_head = message.capture.status.is_some() && request.is_some_and(Message::is_head);
    let body = *rest;
    message.take_body(rest, answers_head)?;
    let taken = body.bytes.len() - rest.bytes.len();
    let fault = goes_on(next_line(rest));
    // A length that counts line breaks otherwise takes the beginning of the messages behind it too.
    if fault.is_err() && head::next_start(body) < taken {
        *rest = body;
        fault?;
    }
    Ok(message)
}

impl Message {
    fn into_item(self) -> Item {
        Item {
            is_taken_as_decoded: self.is_taken_as_decoded,
            ..Item::new(Content::Message(self.capture), self.lines)
        }
    }

    /// Whether the body that the head of a request announces is there.
    fn shows_its_body(&self, is_left_out: bool) -> Result<(), InputError> {
        match is_left_out && self.announces_body() {
            true => Err(LineFault::BodyLeftOut.at(self.lines.first)),
            false => Ok(()),
        }
    }

    fn is_head(&self) -> bool {
        self.capture.method.as_deref() == Some("HEAD")
    }

    /// Whether it asks for something without sending any: what counts is the answer.
    fn fetches(&self) -> bool {
        matches!(self.capture.method.as_deref(), Some("GET" | "HEAD"))
            && Reading::of(&self.capture).mode == Mode::NotAnEvent
    }
}

/// A request and its response, of one line.
pub(super) fn exchange(request: Capture, response: Capture, line: u64) -> Item {
    let message = |capture| Message {
        capture,
        lines: Lines::new(line, None),
        is_taken_as_decoded: false,
    };
    join(Some(message(request)), message(response))
}

/// A response with the request that it answers.
fn join(request: Option<Message>, response: Message) -> Item {
    let Some(request) = request.filter(|request| !request.fetches()) else {
        return response.into_item();
    };
    let purpose = match request.capture.method.as_deref() {
        Some("OPTIONS") => Purpose::Validation,
        _ => Purpose::Delivery,
    };
    let exchange = Exchange::new(purpose, request.capture, response.capture);
    Item {
        response_lines: Some(response.lines),
        is_taken_as_decoded: request.is_taken_as_decoded || response.is_taken_as_decoded,
        ..Item::new(Content::Exchange(Box::new(exchange)), request.lines)
    }
}
