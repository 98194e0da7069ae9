//! Raw HTTP, as `curl -i`, `curl -v` and `.http` files show it.
//!
//! Request lines are those of REST clients: an address may lack its scheme, hold variables, and go on
//! over indented lines. `###` stands between messages. Before a message there may be comments (`#`, `//`) and variables
//! (`@name = value`). A status line behind a request begins the response to it; both together are an
//! exchange. In the output of `curl -v`, `> ` marks the head of a request, `< ` that of a response, and
//! lines that begin with `* `, `{ [` or `} [` are curl's own.

use super::{Content, InputError, Item, Lines};
use crate::capture::{Capture, Exchange, Header, Protocol, Purpose};

/// Whether a text begins like raw HTTP.
pub(super) fn is_meant(text: &[u8]) -> bool {
    const BEGINNINGS: [&[u8]; 6] = [b"###", b"//", b"# ", b"@", b"* ", b"> "];
    BEGINNINGS.iter().any(|begin| text.starts_with(begin))
        || is_status_line(text)
        || is_request_line(text)
}

/// Reads a whole text; `first` is the number of its first line.
pub(super) fn read(text: &[u8], first: u64) -> Result<Vec<Item>, InputError> {
    let lines = text.split_inclusive(|byte| *byte == b'\n').zip(first..);
    let lines: Vec<Line<'_>> = lines.map(|(raw, number)| Line { raw, number }).collect();
    let mut items = Vec::new();
    for section in lines.split(|line| line.raw.starts_with(b"###")) {
        if section.iter().any(Line::is_of_curl) {
            read_verbose(section, &mut items)?;
        } else {
            read_plain(section, &mut items)?;
        }
    }
    Ok(items)
}

#[derive(Clone, Copy)]
struct Line<'t> {
    /// With its line break.
    raw: &'t [u8],
    number: u64,
}

impl<'t> Line<'t> {
    fn text(&self) -> &'t [u8] {
        let text = self.raw.strip_suffix(b"\n").unwrap_or(self.raw);
        text.strip_suffix(b"\r").unwrap_or(text)
    }

    fn is_blank(&self) -> bool {
        self.raw.trim_ascii().is_empty()
    }

    /// Whether `curl -v` marks it as the first line of a message.
    fn is_of_curl(&self) -> bool {
        let text = self.text();
        text.strip_prefix(b"> ").is_some_and(is_request_line)
            || text.strip_prefix(b"< ").is_some_and(is_status_line)
    }

    /// Without the mark of `curl -v`; `None` where it has another one.
    fn marked(&self, mark: u8) -> Option<Self> {
        let rest = self.raw.strip_prefix(&[mark])?;
        let raw = rest.strip_prefix(b" ").unwrap_or(rest);
        Some(Self { raw, ..*self })
    }
}

/// A message and the lines it stands on.
struct Message {
    capture: Capture,
    lines: Lines,
}

fn read_plain(mut section: &[Line<'_>], items: &mut Vec<Item>) -> Result<(), InputError> {
    while let [line, rest @ ..] = section {
        let text = line.text();
        let is_comment = text.starts_with(b"#") || text.starts_with(b"//");
        if !(line.is_blank() || is_comment || text.starts_with(b"@")) {
            break;
        }
        section = rest;
    }
    let Some(start) = section.first() else {
        return Ok(());
    };
    let (mut message, mut rest) = head(section)?;
    // An interim answer, such as 100, has no body, and the answer stands behind it.
    while matches!(message.capture.status, Some(100..=199)) && !rest.is_empty() {
        (message, rest) = head(rest)?;
    }
    if message.capture.status.is_some() {
        message.body(rest);
        items.push(message.into_item());
        return Ok(());
    }
    let answer = rest.iter().position(|line| is_status_line(line.text()));
    let (body, answer) = rest.split_at(answer.unwrap_or(rest.len()));
    if let Some(line) = body.iter().find(|line| line.raw.starts_with(b"< ")) {
        return Err(InputError::BodyElsewhere { line: line.number });
    }
    message.body(body);
    message.is_whole(start.number)?;
    let response = match answer {
        [] => None,
        answer => {
            let (mut response, rest) = head(answer)?;
            response.body(rest);
            Some(response)
        }
    };
    items.push(join(message, response));
    Ok(())
}

/// Reads what `curl -v` prints: heads are marked, and the body of a response is not.
fn read_verbose(section: &[Line<'_>], items: &mut Vec<Item>) -> Result<(), InputError> {
    let begins = |line: &&Line<'_>| {
        line.marked(b'>')
            .is_some_and(|line| is_request_line(line.text()))
    };
    let mut rest = section;
    loop {
        let start = rest.iter().position(|line| line.is_of_curl());
        let Some(exchange) = start.and_then(|start| rest.get(start..)) else {
            return Ok(());
        };
        let more = exchange.iter().skip(1).position(|line| begins(&line));
        let (exchange, behind) = exchange.split_at(more.map_or(exchange.len(), |at| at + 1));
        rest = behind;
        let marked = |mark| -> Vec<_> {
            let lines = exchange.iter();
            lines.filter_map(|line| line.marked(mark)).collect()
        };
        let request = match marked(b'>').as_slice() {
            [] => None,
            lines => Some(head(lines)?.0),
        };
        if let Some(request) = &request {
            request.is_whole(request.lines.first)?;
        }
        let mut answers = marked(b'<');
        // The last answer counts: those before it are interim, or of a proxy.
        if let Some(last) = answers.iter().rposition(|line| is_status_line(line.text())) {
            answers.drain(..last);
        }
        let response = match answers.as_slice() {
            [] => None,
            lines => {
                let mut response = head(lines)?.0;
                let last = lines.last().map_or(0, |line| line.number);
                let noise: [&[u8]; 5] = [b"* ", b"{ [", b"} [", b"<", b">"];
                let is_body = |line: &&Line<'_>| {
                    line.number > last && !noise.iter().any(|begin| line.raw.starts_with(begin))
                };
                response.body(&exchange.iter().filter(is_body).copied().collect::<Vec<_>>());
                Some(response)
            }
        };
        match (request, response) {
            (Some(request), response) => items.push(join(request, response)),
            (None, Some(response)) => items.push(response.into_item()),
            (None, None) => {}
        }
    }
}

/// Reads a start line and headers, and gives the lines behind the blank one.
fn head<'l, 't>(lines: &'l [Line<'t>]) -> Result<(Message, &'l [Line<'t>]), InputError> {
    let Some((start, mut rest)) = lines.split_first() else {
        return Err(InputError::Empty);
    };
    let mut capture = Capture::new(Protocol::Http);
    let line = String::from_utf8_lossy(start.text()).into_owned();
    let mut words = line.split_ascii_whitespace();
    if is_status_line(start.text()) {
        capture.status = words.nth(1).and_then(|status| status.parse().ok());
    } else if is_request_line(start.text()) {
        capture.method = words.next().map(str::to_owned);
        capture.target = Some(target(&line, &mut rest));
    } else {
        let line = start.number;
        return Err(InputError::NotHttp { line });
    }
    let mut headers = Vec::new();
    while let [line, behind @ ..] = rest {
        rest = behind;
        if line.is_blank() {
            break;
        }
        let number = line.number;
        let fault = || InputError::NotAHeader { line: number };
        let text = line.text();
        let colon = text
            .iter()
            .position(|byte| *byte == b':')
            .ok_or_else(fault)?;
        let (name, value) = text.split_at(colon);
        let name = str::from_utf8(name).map_err(|_| fault())?.to_owned();
        let value = value.get(1..).unwrap_or_default().trim_ascii().to_vec();
        headers.push((name.clone(), number));
        let value = Some(value);
        capture.headers.push(Header { name, value });
    }
    capture.body = Some(Vec::new());
    let lines = Lines {
        first: start.number,
        body: None,
        headers,
    };
    Ok((Message { capture, lines }, rest))
}

impl Message {
    /// Takes lines as the body. Line breaks behind it are the file's, unless `Content-Length` counts
    /// them.
    fn body(&mut self, lines: &[Line<'_>]) {
        let mut body: Vec<u8> = lines.iter().flat_map(|line| line.raw).copied().collect();
        let kept = body.iter().rposition(|byte| !matches!(byte, b'\r' | b'\n'));
        let kept = kept.map_or(0, |at| at + 1);
        let told = self.capture.header("content-length");
        let told = told.and_then(|told| told.parse::<usize>().ok());
        let length = told.filter(|told| (kept..=body.len()).contains(told));
        body.truncate(length.unwrap_or(kept));
        self.lines.body = lines.first().map(|line| line.number);
        self.capture.body = Some(body);
    }

    /// Whether what the head announces is there.
    fn is_whole(&self, line: u64) -> Result<(), InputError> {
        let length = self.capture.header("content-length");
        let announces = length.is_some_and(|length| length != "0")
            || self.capture.header("transfer-encoding").is_some();
        if announces && self.capture.body().is_empty() {
            return Err(InputError::BodyLeftOut { line });
        }
        Ok(())
    }

    fn into_item(self) -> Item {
        Item {
            content: Content::Message(self.capture),
            lines: self.lines,
            response_lines: None,
        }
    }
}

fn join(request: Message, response: Option<Message>) -> Item {
    let Some(response) = response else {
        return request.into_item();
    };
    let purpose = match request.capture.method.as_deref() {
        Some("OPTIONS") => Purpose::Validation,
        _ => Purpose::Delivery,
    };
    let exchange = Exchange::new(purpose, request.capture, response.capture);
    Item {
        content: Content::Exchange(Box::new(exchange)),
        lines: request.lines,
        response_lines: Some(response.lines),
    }
}

fn is_status_line(text: &[u8]) -> bool {
    let mut words = text.split(u8::is_ascii_whitespace);
    let version = words.next().unwrap_or_default();
    let status = words.next().unwrap_or_default();
    version.starts_with(b"HTTP/") && status.len() == 3 && status.iter().all(u8::is_ascii_digit)
}

/// The methods that a REST client takes any address behind, as `localhost:8080/x`.
const METHODS: [&[u8]; 9] = [
    b"GET", b"HEAD", b"POST", b"PUT", b"DELETE", b"CONNECT", b"PATCH", b"OPTIONS", b"TRACE",
];

fn is_request_line(text: &[u8]) -> bool {
    let mut words = text.split(u8::is_ascii_whitespace);
    let method = words.next().unwrap_or_default();
    let Some(target) = words.find(|word| !word.is_empty()) else {
        return false;
    };
    if METHODS.contains(&method) {
        return true;
    }
    let is_target = target == b"*" || target.starts_with(b"/") || holds_authority(target);
    (3..=20).contains(&method.len()) && method.iter().all(u8::is_ascii_uppercase) && is_target
}

/// What a request line names between the method and the version, with what a REST client reads as
/// its end: lines behind it that are indented and begin with `/`, `?` or `&`.
fn target(line: &str, rest: &mut &[Line<'_>]) -> String {
    let (_, target) = line.split_once(char::is_whitespace).unwrap_or_default();
    let target = target.trim_ascii();
    let target = match target.rsplit_once(char::is_whitespace) {
        Some((target, version)) if version.starts_with("HTTP/") => target.trim_ascii_end(),
        _ => target,
    };
    let mut target = target.to_owned();
    while let [line, behind @ ..] = *rest {
        let text = String::from_utf8_lossy(line.text());
        let more = text.trim_ascii();
        if !(text.starts_with([' ', '\t']) && more.starts_with(['/', '?', '&'])) {
            break;
        }
        target.push_str(more);
        *rest = behind;
    }
    target
}

/// `https://host/path`, or a variable that stands for it.
fn holds_authority(target: &[u8]) -> bool {
    target.starts_with(b"{{") || target.windows(3).any(|part| part == b"://")
}
