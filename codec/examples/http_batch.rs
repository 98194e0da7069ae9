//! Takes the events of one type out of an HTTP request of any mode, and sends them on as one batch.

use std::error::Error;
use std::mem;

use cloudevents_nl_codec::{BATCHED_JSON, Decoder, HTTP, Header, encode_batch};
use http::Request;

pub(crate) fn select(
    request: &Request<String>,
    ty: &str,
) -> Result<Request<Vec<u8>>, Box<dyn Error>> {
    let headers = request.headers().iter().map(Header::from);
    let body = request.body().as_bytes();
    let decoded = Decoder::default().decode_any(&HTTP, headers, Some(body))?;
    let events: Vec<_> = decoded
        .into_events()
        .filter(|event| event.ty() == ty)
        .collect();
    let mut request = Request::post("/events");
    let body = encode_batch(&events, |name, value| {
        request = mem::take(&mut request).header(name, value);
    });
    Ok(request.body(body)?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let event = |ty| format!(r#"{{"specversion":"1.0","id":"1","source":"/a","type":"{ty}"}}"#);
    let request = Request::post("/events").header("content-type", BATCHED_JSON);
    let request = request.body(format!("[{},{}]", event("zaak"), event("besluit")))?;
    let selected = select(&request, "besluit")?;
    println!("{}", String::from_utf8_lossy(selected.body()));
    Ok(())
}
