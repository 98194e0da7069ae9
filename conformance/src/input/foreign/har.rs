//! HAR files, which browsers and proxies save: requests of HTTP with their responses.

use base64_simd::STANDARD;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::super::http;
use crate::capture::{Capture, Protocol};
use crate::input::Item;

#[derive(Deserialize)]
struct File<'t> {
    #[serde(borrow)]
    log: Log<'t>,
}

#[derive(Deserialize)]
struct Log<'t> {
    #[serde(borrow)]
    entries: Vec<&'t RawValue>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    request: Request,
    response: Response,
    started_date_time: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Request {
    method: String,
    url: String,
    headers: Vec<Pair>,
    post_data: Option<Body>,
}

#[derive(Deserialize)]
struct Response {
    status: u16,
    headers: Vec<Pair>,
    content: Option<Body>,
}

#[derive(Deserialize)]
struct Pair {
    name: String,
    value: String,
}

#[derive(Deserialize)]
struct Body {
    text: Option<String>,
    encoding: Option<String>,
}

/// The exchanges in it; those that ask for a page and get one are messages that hold no event.
pub(super) fn read(text: &[u8], line: u64) -> Option<Vec<Item>> {
    let file: File<'_> = serde_json::from_slice(text).ok()?;
    let whole = text.as_ptr() as usize;
    let items = file.log.entries.iter().map(|raw| {
        let entry: Entry = serde_json::from_str(raw.get()).ok()?;
        let before = text.iter().take(raw.get().as_ptr() as usize - whole);
        let line = line + before.filter(|byte| **byte == b'\n').count() as u64;
        let mut request = capture(entry.request.headers, entry.request.post_data)?;
        request.method = Some(entry.request.method);
        request.target = Some(entry.request.url);
        request.timestamp = entry.started_date_time;
        let mut response = capture(entry.response.headers, entry.response.content)?;
        response.status = Some(entry.response.status);
        Some(http::exchange(request, response, line))
    });
    items.collect()
}

fn capture(headers: Vec<Pair>, body: Option<Body>) -> Option<Capture> {
    let mut capture = Capture::new(Protocol::Http);
    for Pair { name, value } in headers {
        // HTTP/2 has parts of the request line among its headers.
        if !name.starts_with(':') {
            capture = capture.with_header(&name, value);
        }
    }
    let Some(Body {
        text: Some(text),
        encoding,
    }) = body
    else {
        return Some(capture);
    };
    capture.body = Some(match encoding.as_deref() {
        Some("base64") => STANDARD.decode_to_vec(&text).ok()?,
        _ => text.into_bytes(),
    });
    Some(capture)
}
