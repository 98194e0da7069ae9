//! A request byte by byte: with header names in any spelling, and more than once at once on one connection,
//! before any answer (RFC 9112, section 9.3.2).

use cloudevents_nl_conformance::{Capture, Exchange, Protocol};
use jiff::Timestamp;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::timeout;

use super::connection::Stream;
use super::{Client, Request};

/// Of an answer: longer ones are given up.
const MOST_BYTES: usize = 1 << 20;
const MOST_HEADERS: usize = 100;

impl Client {
    /// Sends it so many times in HTTP/1.1. A response that does not come says why.
    pub(crate) async fn send_raw(
        &self,
        request: &Request,
        times: usize,
    ) -> anyhow::Result<Vec<Exchange>> {
        let stream = self.dial().await?;
        let (mut answers, mut received) = (Vec::new(), Vec::new());
        let exchanged = exchange(stream, request, times, &mut received, &mut answers);
        let answered = timeout(self.timeout, exchanged).await;
        // Of one that does not end, what came.
        if answered.is_err()
            && let Ok(Some((mut response, _))) = read(&received, true)
        {
            response.defect = Some(format!("no end of it within {:?}", self.timeout));
            answers.push(response);
        }
        let late = |_| format!("not all answers within {:?}", self.timeout);
        let mut none = Capture::new(Protocol::Http);
        none.defect = answered.map_err(late).flatten().err();
        answers.resize(times, none);
        let exchanges = answers.into_iter().map(|mut answer| {
            answer.timestamp = Some(Timestamp::now().to_string());
            request.exchange(answer)
        });
        Ok(exchanges.collect())
    }
}

async fn exchange(
    mut stream: Box<dyn Stream>,
    request: &Request,
    times: usize,
    received: &mut Vec<u8>,
    answers: &mut Vec<Capture>,
) -> Result<(), String> {
    let failed = |error: std::io::Error| error.to_string();
    let all = request.text().repeat(times);
    stream.write_all(&all).await.map_err(failed)?;
    stream.flush().await.map_err(failed)?;
    let mut is_closed = false;
    while answers.len() < times {
        let begins = match answers.last_mut() {
            Some(last) => next_begins(last, received),
            None => true,
        };
        if begins && let Some((response, length)) = read(received, is_closed)? {
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
        if is_closed {
            return Err(format!("closed after {} of {times} answers", answers.len()));
        }
        is_closed = stream.read_buf(received).await.map_err(failed)? == 0;
    }
    Ok(())
}

/// Whether the next answer begins. What stands before it is a body for which the last one had no place, as
/// after 204, and is kept as that.
fn next_begins(last: &mut Capture, received: &mut Vec<u8>) -> bool {
    let mut fives = received.windows(5);
    let Some(at) = fives.position(|five| five == b"HTTP/") else {
        return false;
    };
    let stray: Vec<_> = received.drain(..at).collect();
    // Chunks that hold nothing are no body.
    if !matches!(stray.trim_ascii(), b"" | b"0") {
        last.defect = Some(format!("{} bytes behind it", stray.len()));
        last.body = Some(stray);
    }
    true
}

/// An answer, and how many bytes it takes; `None` where not all of it is there. Of one that is cut off, what came.
fn read(bytes: &[u8], is_closed: bool) -> Result<Option<(Capture, usize)>, String> {
    let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
    let mut parsed = httparse::Response::new(&mut headers);
    let head = parsed.parse(bytes).map_err(|error| error.to_string())?;
    let (httparse::Status::Complete(head), Some(status)) = (head, parsed.code) else {
        return Ok(None);
    };
    let mut response = Capture::new(Protocol::Http);
    response.status = Some(status);
    for header in parsed.headers {
        response = response.with_header(header.name, header.value);
    }
    let coding = response.header("transfer-encoding");
    let last = coding.and_then(|coding| coding.rsplit(',').next());
    let is_chunked = last.is_some_and(|last| last.trim().eq_ignore_ascii_case("chunked"));
    let rest = bytes.get(head..).unwrap_or_default();
    let body = match response.header("content-length") {
        _ if matches!(status, 100..=199 | 204 | 304) => Some(0),
        _ if is_chunked => chunks(rest)?,
        Some(length) => Some(length.parse().map_err(|_| "a length that is no number")?),
        // It ends with the connection.
        None => is_closed.then_some(rest.len()),
    };
    let body = match body.and_then(|length| rest.get(..length)) {
        Some(body) => body,
        None if is_closed => {
            response.defect = Some("closed before the end of the body".to_owned());
            rest
        }
        None => return Ok(None),
    };
    // Chunks are not undone: they announce a body that is not kept.
    if !is_chunked {
        response.body = Some(body.to_vec());
    }
    Ok(Some((response, head + body.len())))
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

    use http::Method;

    use super::*;

    fn status_and_length(text: &str) -> Option<(u16, usize)> {
        let (response, length) = read(text.as_bytes(), false).unwrap()?;
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
    fn without_a_length_it_ends_with_the_connection() {
        let text = b"HTTP/1.1 200 OK\r\n\r\nabc";
        assert_eq!(read(text, false), Ok(None));
        let (response, length) = read(text, true).unwrap().unwrap();
        assert_eq!((response.body(), length), (&b"abc"[..], text.len()));
        assert!(read(b"SMTP", false).is_err());
    }

    #[test]
    fn one_that_is_cut_off_is_what_came_of_it() {
        for (announced, expected) in [
            ("content-length: 4\r\n\r\nabc", "abc"),
            ("transfer-encoding: chunked\r\n\r\n4\r\nabc", ""),
        ] {
            let text = format!("HTTP/1.1 200 OK\r\n{announced}");
            assert_eq!(read(text.as_bytes(), false), Ok(None));
            let (response, length) = read(text.as_bytes(), true).unwrap().unwrap();
            assert_eq!((response.status, length), (Some(200), text.len()));
            assert_eq!(response.body(), expected.as_bytes());
            assert!(response.defect.is_some());
        }
        assert_eq!(read(b"HTTP/1.1 200 OK\r\nallow: ", true), Ok(None));
    }

    #[tokio::test]
    async fn what_stands_between_two_answers_is_the_body_of_the_first() {
        let nothing = "HTTP/1.1 204 No Content\r\n\r\n";
        let chunked = "HTTP/1.1 204 No Content\r\ntransfer-encoding: chunked\r\n\r\n";
        for (first, between, expected) in [
            (nothing, "", ""),
            (nothing, "ok", "ok"),
            (chunked, "2\r\nok\r\n0\r\n\r\n", "2\r\nok\r\n0\r\n\r\n"),
            (chunked, "0\r\n\r\n", ""),
        ] {
            let (stream, mut other) = tokio::io::duplex(1 << 10);
            let text = format!("{first}{between}{nothing}");
            other.write_all(text.as_bytes()).await.unwrap();
            let request = Request::new(Method::POST, &"http://a.example/".parse().unwrap());
            let (mut received, mut answers) = (Vec::new(), Vec::new());
            let exchanged =
                exchange(Box::new(stream), &request, 2, &mut received, &mut answers).await;
            assert_eq!(answers[0].defect.is_some(), !expected.is_empty());
            let bodies: Vec<_> = answers.iter().map(Capture::body).collect();
            assert_eq!(
                (exchanged, &*bodies),
                (Ok(()), &[expected.as_bytes(), b""][..])
            );
        }
    }
}
