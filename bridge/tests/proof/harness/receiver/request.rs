//! Requests, read by hand.

use std::io;

use hyper::HeaderMap;
use hyper::header::{HeaderName, HeaderValue};
use tokio::io::{AsyncRead, AsyncReadExt};

/// One request with all of its body.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) path: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

const HEAD_MOST: usize = 64 * 1024;

/// The next request of a connection; `buffer` keeps what was read beyond it. Nothing at its end.
///
/// # Errors
/// When the connection breaks, or does not speak HTTP/1.1 with a length.
pub(crate) async fn read(
    stream: &mut (impl AsyncRead + Unpin),
    buffer: &mut Vec<u8>,
) -> io::Result<Option<Request>> {
    let end = loop {
        if let Some(end) = buffer.windows(4).position(|four| four == b"\r\n\r\n") {
            break end;
        }
        if buffer.len() > HEAD_MOST {
            return Err(io::Error::other("the head of a request never ends"));
        }
        if stream.read_buf(buffer).await? == 0 {
            return Ok(None);
        }
    };
    let (path, headers) = head(&buffer[..end])?;
    let length = headers.get("content-length");
    let length = length.and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
    let length = length.ok_or_else(|| io::Error::other("a request without content-length"))?;
    let whole = end + 4 + length;
    while buffer.len() < whole {
        if stream.read_buf(buffer).await? == 0 {
            return Ok(None);
        }
    }
    let body = buffer[end + 4..whole].to_vec();
    buffer.drain(..whole);
    Ok(Some(Request {
        path,
        headers,
        body,
    }))
}

fn head(bytes: &[u8]) -> io::Result<(String, HeaderMap)> {
    let text = str::from_utf8(bytes).map_err(io::Error::other)?;
    let mut lines = text.split("\r\n");
    let mut words = lines.next().unwrap_or_default().split(' ');
    let (_method, path) = (words.next(), words.next().unwrap_or_default());
    let mut headers = HeaderMap::new();
    for line in lines {
        let (name, value) = line
            .split_once(':')
            .ok_or_else(|| io::Error::other("a header without a colon"))?;
        headers.append(
            HeaderName::try_from(name).map_err(io::Error::other)?,
            HeaderValue::from_str(value.trim()).map_err(io::Error::other)?,
        );
    }
    Ok((path.to_owned(), headers))
}
