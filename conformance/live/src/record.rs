//! What is kept of a run: exchanges and messages, then what was shown, a line each.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use anyhow::Context;
use cloudevents_nl_conformance::{Capture, Exchange, Header, Live, Shown};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// What is shorter stands in texts by chance, and is left out of credentials alone.
pub(crate) const SHORTEST_SECRET: usize = 8;

const MASKED: &str = "masked";

/// What is no token is no secret (HOOK-AUTH-5).
const NO_TOKENS: [&str; 6] = ["bearer", "undefined", "null", "none", "[object", "object]"];

/// Writes lines that `cenl-conformance check` reads. Credentials are left out.
pub(crate) struct Record {
    out: Box<dyn Write>,
    lines: u64,
    /// Tokens as they are, and in percent code.
    secrets: Vec<String>,
}

impl Record {
    /// An empty one, which is written as it comes.
    pub(crate) fn new(out: impl Write + 'static) -> Self {
        Self {
            out: Box::new(out),
            lines: 0,
            secrets: Vec::new(),
        }
    }

    /// One that is written to a file, or else to standard output.
    pub(crate) fn open(file: Option<&Path>) -> anyhow::Result<Self> {
        let Some(path) = file else {
            return Ok(Self::new(io::stdout()));
        };
        let file = File::create(path).with_context(|| path.display().to_string())?;
        Ok(Self::new(file))
    }

    /// Leaves these out wherever they stand: an answer may repeat the token that it was given.
    pub(crate) fn without(mut self, secrets: impl IntoIterator<Item = String>) -> Self {
        let secrets = secrets.into_iter();
        let secrets = secrets.filter(|secret| secret.len() >= SHORTEST_SECRET);
        let secrets = secrets.flat_map(|secret| [coded(&secret), secret]);
        self.secrets = secrets.collect();
        self
    }

    /// Keeps an exchange, and tells its line.
    pub(crate) fn exchange(&mut self, exchange: &Exchange) -> io::Result<u64> {
        let mut exchange = exchange.clone();
        self.mask(&mut exchange.request);
        self.mask(&mut exchange.response);
        let registered = exchange.registered_url.as_deref();
        exchange.registered_url = registered.map(|url| self.masked(&without_token(url)));
        let origin = exchange.handshake_origin.as_deref();
        exchange.handshake_origin = origin.map(|origin| self.masked(origin));
        self.line(&exchange.to_line())
    }

    /// Keeps a message, and tells its line.
    pub(crate) fn message(&mut self, message: &Capture) -> io::Result<u64> {
        let mut message = message.clone();
        self.mask(&mut message);
        self.line(&message.to_line())
    }

    pub(crate) fn live(&mut self, live: &Live) -> io::Result<u64> {
        let mut live = live.clone();
        match &mut live.shown {
            Shown::Met => {}
            Shown::Broken(all) => {
                for evidence in all {
                    evidence.seen = self.masked(&evidence.seen);
                }
            }
            Shown::Nothing(why) => {
                why.en = self.masked(&why.en);
                why.nl = self.masked(&why.nl);
            }
        }
        self.line(&live.to_line())
    }

    fn mask(&self, capture: &mut Capture) {
        mask(capture);
        let values = capture.headers.iter_mut();
        let values = values.filter_map(|header| header.value.as_mut());
        for bytes in values.chain(&mut capture.body).chain(&mut capture.key) {
            // Each byte as a character, as not all of them need be text.
            let text: String = bytes.iter().map(|byte| char::from(*byte)).collect();
            if self.secrets.iter().any(|secret| text.contains(&**secret)) {
                let masked = self.masked(&text);
                *bytes = masked.chars().map(|one| one as u8).collect();
            }
        }
        let texts = [&mut capture.target, &mut capture.subject];
        let others = [&mut capture.position, &mut capture.defect];
        for text in texts.into_iter().chain(others).flatten() {
            *text = self.masked(text);
        }
    }

    /// Of values alone: a token may be spelled as a name in the line is.
    fn masked(&self, text: &str) -> String {
        let secrets = self.secrets.iter();
        secrets.fold(text.to_owned(), |text, secret| {
            text.replace(&**secret, MASKED)
        })
    }

    fn line(&mut self, text: &str) -> io::Result<u64> {
        writeln!(self.out, "{text}")?;
        self.out.flush()?;
        self.lines += 1;
        Ok(self.lines)
    }
}

/// Leaves out what proves who somebody is: the rules want to see that it is there, and how it is sent.
fn mask(capture: &mut Capture) {
    for Header { name, value } in &mut capture.headers {
        let Some(value) = value else { continue };
        // A scheme without a token has nothing to leave out.
        let is_scheme_alone = value.trim_ascii().eq_ignore_ascii_case(b"bearer");
        match &*name.to_ascii_lowercase() {
            "authorization" | "proxy-authorization" if !is_scheme_alone => {
                let text = String::from_utf8_lossy(value);
                let (scheme, token) = text.split_at(text.find(' ').map_or(0, |at| at + 1));
                *value = format!("{scheme}{}", without_words(token)).into_bytes();
            }
            "cookie" | "set-cookie" => *value = b"masked".to_vec(),
            "webhook-request-callback" => {
                *value = without_secrets(&String::from_utf8_lossy(value)).into_bytes();
            }
            // Who redirects may repeat the query.
            "location" | "content-location" | "referer" => {
                *value = without_token(&String::from_utf8_lossy(value)).into_bytes();
            }
            _ => {}
        }
    }
    if let Some(target) = &mut capture.target {
        *target = without_token(target);
    }
}

/// A token, masked but for what shows that it is none: which letter it is beyond ASCII does not matter.
fn without_words(token: &str) -> String {
    let is_odd = |letter: char| matches!(letter, '"' | ' ' | '\t') || !letter.is_ascii();
    let parts = token.split_inclusive(is_odd).map(|part| {
        let (word, odd) = part.split_at(part.trim_end_matches(is_odd).len());
        let is_kept = word.is_empty() || NO_TOKENS.iter().any(|no| no.eq_ignore_ascii_case(word));
        let word = if is_kept { word } else { MASKED };
        [word, if odd.is_ascii() { odd } else { "é" }].concat()
    });
    parts.collect()
}

/// A target with the value of `access_token` masked, whatever stands before it.
fn without_token(target: &str) -> String {
    let parts = target
        .split('&')
        .map(|part| match part.split_once("access_token=") {
            Some((before, _)) => format!("{before}access_token=masked"),
            None => part.to_owned(),
        });
    parts.collect::<Vec<_>>().join("&")
}

/// A URL with what may be a secret in it masked. The mask may be one just as well, for HOOK-VREQ-4.
pub(crate) fn without_secrets(url: &str) -> String {
    let rest = url.find("://").map_or(0, |at| at + "://".len());
    let (scheme, rest) = url.split_at(rest);
    let mut parts = rest.split_inclusive(['/', '?', '&', ';', '=', '#']);
    let host = parts.next().unwrap_or_default();
    let host = match host.rsplit_once('@') {
        Some((_, host)) => format!("{MASKED}@{host}"),
        None => host.to_owned(),
    };
    let parts = parts.map(|part| {
        let end = part.trim_end_matches(['/', '?', '&', ';', '=', '#']).len();
        let (text, end) = part.split_at(end);
        let has_digit = text.contains(|letter: char| letter.is_ascii_digit());
        match text.len() >= 20 || text.len() >= SHORTEST_SECRET && has_digit {
            true => format!("{MASKED}-secret-1{end}"),
            false => part.to_owned(),
        }
    });
    format!("{scheme}{host}{}", parts.collect::<String>())
}

/// All but letters, digits and what needs no code anywhere (RFC 3986, 2.3).
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// With that in percent code.
pub(crate) fn coded(text: &str) -> String {
    utf8_percent_encode(text, RESERVED).to_string()
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use cloudevents_nl_conformance::{Protocol, Purpose};

    use super::*;

    #[test]
    fn credentials_are_left_out() {
        let mut capture = Capture::new(Protocol::Http)
            .with_header("Authorization", "Bearer secret")
            .with_header("cookie", "secret")
            .with_header("Location", "/hook/?access_token=secret");
        capture.target = Some("https://a.example/hook?x=1&access_token=secret".to_owned());
        mask(&mut capture);
        let line = capture.to_line();
        assert!(!line.contains("secret"), "{line}");
        assert!(
            line.contains("Bearer masked") && line.contains("x=1&access_token=masked"),
            "{line}"
        );
    }

    #[test]
    fn a_token_that_is_run_into_another_parameter_is_left_out() {
        for (target, expected) in [
            (
                "/a?x=1?access_token=b&y=2",
                "/a?x=1?access_token=masked&y=2",
            ),
            ("/a?x=1;access_token=b", "/a?x=1;access_token=masked"),
            ("/a?access_token=b;c", "/a?access_token=masked"),
            ("/a?x=1&y", "/a?x=1&y"),
            ("/a", "/a"),
        ] {
            assert_eq!(without_token(target), expected);
        }
    }

    /// HOOK-AUTH-1 and HOOK-AUTH-5 tell these apart.
    #[test]
    fn a_scheme_alone_stays_and_a_token_alone_does_not() {
        for (value, expected) in [
            ("Bearer", "Bearer"),
            ("bearer ", "bearer"),
            ("secret", "masked"),
            ("Bearer secret", "Bearer masked"),
            ("Bearer \"secret\"", "Bearer \"masked\""),
            ("Bearer bearer secret", "Bearer bearer masked"),
            ("Bearer Bearer \"secret", "Bearer Bearer \"masked"),
            ("Bearer {\"a\":secret}", "Bearer masked\"masked\"masked"),
            ("Bearer sécret", "Bearer maskedémasked"),
            ("Bearer undefined", "Bearer undefined"),
            ("Bearer [object Object]", "Bearer [object Object]"),
            ("\"secret\"", "\"masked\""),
        ] {
            let mut capture = Capture::new(Protocol::Http).with_header("Authorization", value);
            mask(&mut capture);
            assert_eq!(capture.header("authorization"), Some(expected));
        }
    }

    #[test]
    fn the_secret_of_a_callback_is_left_out() {
        for (url, expected) in [
            (
                "https://a.example/confirm?id=12345&key=geheim-7f3a9c",
                "https://a.example/confirm?id=12345&key=masked-secret-1",
            ),
            (
                "https://me:hush@a.example/c/0f8fad5b-d9cb-469f-a165-70867728950e",
                "https://masked@a.example/c/masked-secret-1",
            ),
            (
                "https://receiver20.a.example/",
                "https://receiver20.a.example/",
            ),
        ] {
            let mut capture =
                Capture::new(Protocol::Http).with_header("WebHook-Request-Callback", url);
            mask(&mut capture);
            assert_eq!(capture.header("webhook-request-callback"), Some(expected));
        }
    }

    #[test]
    fn a_token_that_an_answer_repeats_is_left_out() {
        let record = Record::new(io::sink()).without(Some("1234-abcd".to_owned()));
        let mut capture = Capture::new(Protocol::Http).with_header("X-Told", "1234-abcd?");
        capture.body = Some(b"\xE9, no such token: 1234-abcd.".to_vec());
        record.mask(&mut capture);
        assert_eq!(capture.header("x-told"), Some("masked?"));
        assert_eq!(capture.body.unwrap(), b"\xE9, no such token: masked.");
    }

    #[test]
    fn a_token_in_percent_code_is_left_out() {
        let record = Record::new(io::sink()).without(Some("1234+abcd=".to_owned()));
        let mut capture = Capture::new(Protocol::Http).with_header("X-Told", "1234%2Babcd%3D");
        capture.target = Some("/1234%2Babcd%3D/1234+abcd=".to_owned());
        record.mask(&mut capture);
        assert_eq!(capture.header("x-told"), Some("masked"));
        assert_eq!(capture.target.as_deref(), Some("/masked/masked"));
    }

    #[test]
    fn a_token_that_is_a_name_in_the_line_leaves_it() {
        let (mut written, out) = io::pipe().unwrap();
        let mut record = Record::new(out).without(Some("protocol".to_owned()));
        let request = Capture::new(Protocol::Http).with_header("X-Told", "no protocol");
        let response = Capture::new(Protocol::Http);
        let exchange = Exchange::new(Purpose::Delivery, request, response);
        record.exchange(&exchange).unwrap();
        drop(record);
        let mut line = String::new();
        written.read_to_string(&mut line).unwrap();
        let told = line.replace("\"protocol\":", "");
        assert!(
            line.contains("\"protocol\":") && !told.contains("protocol"),
            "{line}"
        );
    }
}
