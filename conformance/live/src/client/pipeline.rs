//! A request twice at once on one connection, before any answer (RFC 9112, section 9.3.2).

use cloudevents_nl_conformance::{Capture, Exchange, Header, Protocol};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::timeout;

use super::connection::Stream;
use super::{Client, Request};

/// Of an answer: longer ones are given up.
const MOST_BYTES: usize = 1 << 20;
const MOST_HEADERS: usize = 100;

impl Client {
    /// Sends it twice in HTTP/1.1. A response that does not come says why.
    pub(crate) async fn send_twice(&self, request: &Request) -> anyhow::Result<Vec<Exchange>> {
        let stream = self.in_time(self.dial()).await?;
        let mut answers = Vec::new();
        let answered = timeout(self.timeout, exchange(stream, request, &mut answers)).await;
        let late = |_| format!("no answer to both within {:?}", self.timeout);
        let mut none = Capture::new(Protocol::Http);
        none.defect = answered.map_err(late).flatten().err();
        answers.resize(2, none);
        let exchanges = answers.into_iter().map(|answer| request.exchange(answer));
        Ok(exchanges.collect())
    }
}

async fn exchange(
    mut stream: Box<dyn Stream>,
    request: &Request,
    answers: &mut Vec<Capture>,
) -> Result<(), String> {
    let failed = |error: std::io::Error| error.to_string();
    let twice = request.text().repeat(2);
    stream.write_all(&twice).await.map_err(failed)?;
    stream.flush().await.map_err(failed)?;
    let mut received = Vec::new();
    while answers.len() < 2 {
        if let Some((response, length)) = read(&received)? {
            received.drain(..length);
            // Others are on the way to it.
            if response.status.is_some_and(|status| status >= 200) {
                answers.push(response);
            }
            continue;
        }
        if received.len() > MOST_BYTES {
            return Err(format!("the answer is longer than {MOST_BYTES} bytes"));
        }
        if stream.read_buf(&mut received).await.map_err(failed)? == 0 {
            return Err(format!("closed after {} of two answers", answers.len()));
        }
    }
    Ok(())
}

/// An answer, and how many bytes it takes; `None` where not all of it is there.
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
    let coding = response.header("transfer-encoding");
    let last = coding.and_then(|coding| coding.rsplit(',').next());
    let is_chunked = last.is_some_and(|last| last.trim().eq_ignore_ascii_case("chunked"));
    let rest = bytes.get(head..).unwrap_or_default();
    let body = match response.header("content-length") {
        _ if matches!(status, 100..=199 | 204 | 304) => Some(0),
        _ if is_chunked => chunks(rest)?,
        Some(length) => Some(length.parse().map_err(|_| "a length that is no number")?),
        None => return Err("an answer without a length, after which none can come".to_owned()),
    };
    let is_there = |body: &usize| *body <= rest.len();
    Ok(body.filter(is_there).map(|body| (response, head + body)))
}

/// How many bytes chunks and trailers take.
fn chunks(bytes: &[u8]) -> Result<Option<usize>, String> {
    let mut at = 0;
    loop {
        let Some(rest) = bytes.get(at..) else {
            return Ok(None);
        };
        let size = httparse::parse_chunk_size(rest).map_err(|error| error.to_string())?;
        let httparse::Status::Complete((head, size)) = size else {
            return Ok(None);
        };
        if size == 0 {
            let end = trailers(rest.get(head..).unwrap_or_default());
            return Ok(end.map(|end| at + head + end));
        }
        let size = usize::try_from(size).map_err(|error| error.to_string())?;
        let end = at.saturating_add(head).saturating_add(size);
        at = end.saturating_add("\r\n".len());
    }
}

/// How many bytes they take, the empty line behind them included.
fn trailers(bytes: &[u8]) -> Option<usize> {
    if bytes.starts_with(b"\r\n") {
        return Some(2);
    }
    let mut ends = bytes.windows(4);
    ends.position(|four| four == b"\r\n\r\n").map(|at| at + 4)
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
            "HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n1\r\na\r\n0\r\na: b\r\nc: d\r\n\r\n",
            "HTTP/1.1 100 Continue\r\n\r\n",
        ] {
            let (status, length) = status_and_length(text).unwrap();
            assert_eq!(length, text.len(), "{text}");
            assert_eq!(
                status_and_length(&format!("{text}HTTP/1.1")),
                Some((status, length))
            );
            for end in 0..text.len() {
                let cut = text.get(..end).unwrap();
                assert_eq!(status_and_length(cut), None, "{cut}");
            }
        }
    }

    #[test]
    fn what_ends_with_the_connection_alone_is_told() {
        assert!(read(b"HTTP/1.1 200 OK\r\n\r\n").is_err());
        assert!(read(b"SMTP").is_err());
    }
}
