//! A request twice at once on one connection, before any answer (RFC 9112, section 9.3.2).

use anyhow::{Context, anyhow};
use cloudevents_nl_conformance::{Capture, Exchange, Header, Protocol};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::timeout;

use super::connection::Stream;
use super::{Client, Request};

/// Of an answer: longer ones are given up.
const MOST_BYTES: usize = 1 << 20;
const MOST_HEADERS: usize = 100;

impl Client {
    /// Sends it twice in HTTP/1.1. The response is the second; where that does not come, it says why.
    ///
    /// # Errors
    /// When there is no connection.
    pub async fn send_twice(&self, request: &Request) -> anyhow::Result<Exchange> {
        let dialled = timeout(self.timeout, self.dial()).await;
        let late = |_| anyhow!("no connection within {:?}", self.timeout);
        let (stream, _) = dialled
            .map_err(late)
            .flatten()
            .with_context(|| format!("cannot connect to {}", self.authority))?;
        let answered = timeout(self.timeout, exchange(stream, request)).await;
        let late = |_| format!("no answer to both within {:?}", self.timeout);
        let answered = answered.map_err(late).flatten();
        let response = answered.unwrap_or_else(|defect| {
            let mut response = Capture::new(Protocol::Http);
            response.defect = Some(defect);
            response
        });
        Ok(request.exchange(response))
    }
}

async fn exchange(mut stream: Box<dyn Stream>, request: &Request) -> Result<Capture, String> {
    let failed = |error: std::io::Error| error.to_string();
    let twice = request.text().repeat(2);
    stream.write_all(&twice).await.map_err(failed)?;
    stream.flush().await.map_err(failed)?;
    let (mut received, mut is_first) = (Vec::new(), true);
    loop {
        while let Some((response, length)) = read(&received)? {
            received.drain(..length);
            if !is_first {
                return Ok(response);
            }
            is_first = false;
        }
        if received.len() > MOST_BYTES {
            return Err(format!("the answer is longer than {MOST_BYTES} bytes"));
        }
        if stream.read_buf(&mut received).await.map_err(failed)? == 0 {
            let count = if is_first { "none" } else { "one" };
            return Err(format!("closed after {count} of two answers"));
        }
    }
}

/// An answer whose status is final, and how many bytes it takes; `None` where not all of it is there.
fn read(bytes: &[u8]) -> Result<Option<(Capture, usize)>, String> {
    let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
    let mut parsed = httparse::Response::new(&mut headers);
    let head = parsed.parse(bytes).map_err(|error| error.to_string())?;
    let (httparse::Status::Complete(head), Some(status)) = (head, parsed.code) else {
        return Ok(None);
    };
    let mut response = Capture::new(Protocol::Http);
    response.status = Some(status);
    let headers = parsed.headers.iter().map(|header| Header {
        name: header.name.to_owned(),
        value: Some(header.value.to_vec()),
    });
    response.headers = headers.collect();
    let is_chunked = response
        .header("transfer-encoding")
        .is_some_and(|coding| coding.eq_ignore_ascii_case("chunked"));
    let body = match response.header("content-length") {
        _ if matches!(status, 100..=199 | 204 | 304) => Some(0),
        _ if is_chunked => chunks(&bytes[head..])?,
        Some(length) => Some(length.parse().map_err(|_| "a length that is no number")?),
        None => return Err("an answer without a length, after which none can come".to_owned()),
    };
    let length = body.map(|body: usize| head.saturating_add(body));
    match length.filter(|length| *length <= bytes.len()) {
        Some(length) if status < 200 => {
            let next = read(&bytes[length..])?;
            Ok(next.map(|(response, more)| (response, length + more)))
        }
        Some(length) => Ok(Some((response, length))),
        None => Ok(None),
    }
}

/// How many bytes all chunks take, without trailers.
fn chunks(bytes: &[u8]) -> Result<Option<usize>, String> {
    let mut at = 0;
    loop {
        let size = httparse::parse_chunk_size(&bytes[at..]).map_err(|error| error.to_string())?;
        let httparse::Status::Complete((head, size)) = size else {
            return Ok(None);
        };
        let size = usize::try_from(size).map_err(|error| error.to_string())?;
        at = at
            .saturating_add(head)
            .saturating_add(size)
            .saturating_add("\r\n".len());
        if at > bytes.len() {
            return Ok(None);
        }
        if size == 0 {
            return Ok(Some(at));
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    fn status_and_length(text: &str) -> Option<(u16, usize)> {
        let (response, length) = read(text.as_bytes()).unwrap()?;
        Some((response.status.unwrap(), length))
    }

    #[test]
    fn an_answer_is_as_long_as_it_says() {
        for text in [
            "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc",
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n",
            "HTTP/1.1 204 No Content\r\n\r\n",
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n",
        ] {
            let (status, length) = status_and_length(text).unwrap();
            assert!(status >= 200);
            assert_eq!(length, text.len(), "{text}");
            assert_eq!(
                status_and_length(&format!("{text}HTTP/1.1")),
                Some((status, length))
            );
            for end in 0..text.len() {
                assert_eq!(status_and_length(&text[..end]), None, "{}", &text[..end]);
            }
        }
    }

    #[test]
    fn what_ends_with_the_connection_alone_is_told() {
        assert!(read(b"HTTP/1.1 200 OK\r\n\r\n").is_err());
        assert!(read(b"SMTP").is_err());
    }
}
