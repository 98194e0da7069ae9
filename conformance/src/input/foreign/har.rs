//! HAR files, which browsers and proxies save: requests of HTTP with their responses.

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::super::http;
use super::line_at;
use crate::capture::{Capture, Protocol};
use crate::grammar::base64;
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

/// The exchanges in it; those that ask for a page and get one are messages that hold no event.
pub(super) fn read(text: &[u8], line: u64) -> Option<Vec<Item>> {
    let file: File<'_> = serde_json::from_slice(text).ok()?;
    let whole = text.as_ptr() as usize;
    let items = file.log.entries.iter().map(|raw| {
        let entry: Value = serde_json::from_str(raw.get()).ok()?;
        let (asked, answered) = (&entry["request"], &entry["response"]);
        let mut request = capture(asked, &asked["postData"])?;
        request.method = Some(asked["method"].as_str()?.to_owned());
        request.target = Some(asked["url"].as_str()?.to_owned());
        request.timestamp = entry["startedDateTime"].as_str().map(str::to_owned);
        let mut response = capture(answered, &answered["content"])?;
        response.status = Some(u16::try_from(answered["status"].as_u64()?).ok()?);
        let line = line_at(text, line, raw.get().as_ptr() as usize - whole);
        Some(http::exchange(request, response, line))
    });
    items.collect()
}

fn capture(message: &Value, body: &Value) -> Option<Capture> {
    let mut capture = Capture::new(Protocol::Http);
    for header in message["headers"].as_array()? {
        let (name, value) = (header["name"].as_str()?, header["value"].as_str()?);
        // HTTP/2 has parts of the request line among its headers.
        if !name.starts_with(':') {
            capture = capture.with_header(name, value);
        }
    }
    if !body["text"].is_null() {
        let text = body["text"].as_str()?;
        capture.body = Some(match body["encoding"].as_str() {
            Some("base64") => base64::decode(text)?,
            _ => text.into(),
        });
    }
    Some(capture)
}
