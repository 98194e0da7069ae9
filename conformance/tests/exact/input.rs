//! Messages and journeys as bytes that a fuzzer can change and a person can read.

use cloudevents_nl_codec::{Binding, ContentMode, HTTP, KAFKA, NATS};

/// A message of a protocol, as received.
#[derive(Debug)]
pub(crate) struct Received<'i> {
    pub(crate) binding: &'static Binding,
    pub(crate) headers: Vec<(&'i str, Option<&'i [u8]>)>,
    pub(crate) body: Option<&'i [u8]>,
}

const PROTOCOLS: [&Binding; 3] = [&KAFKA, &NATS, &HTTP];

/// Reads a message: one byte for the protocol (`k`, `n`, `h`, or any), then a line per header, as
/// `name:value` or, for a null value, as `name`. An empty line and the body follow; without the empty
/// line there is no body.
pub(crate) fn message(input: &[u8]) -> Option<Received<'_>> {
    let (&protocol, mut rest) = input.split_first()?;
    let mut received = Received {
        binding: protocol_of(protocol),
        headers: Vec::new(),
        body: None,
    };
    while !rest.is_empty() {
        let end = rest.iter().position(|&byte| byte == b'\n');
        let line = &rest[..end.unwrap_or(rest.len())];
        rest = end.map_or(&[], |end| &rest[end + 1..]);
        if line.is_empty() {
            received.body = Some(rest);
            break;
        }
        let (name, value) = match line.iter().position(|&byte| byte == b':') {
            Some(colon) => (&line[..colon], Some(&line[colon + 1..])),
            None => (line, None),
        };
        received.headers.push((str::from_utf8(name).ok()?, value));
    }
    Some(received)
}

/// One step of a journey: on which protocol, in which mode.
pub(crate) type Hop = (&'static Binding, ContentMode);

/// Reads a journey: a line with a byte per hop (`K`, `N`, `H` for structured mode, in lower case for
/// binary, or any), and the text of the event that makes it.
pub(crate) fn journey(input: &[u8]) -> Option<(Vec<Hop>, &[u8])> {
    let end = input.iter().position(|&byte| byte == b'\n')?;
    let hops = input[..end].iter().take(HOPS_MAX).map(|&byte| {
        let mode = match byte.is_ascii_uppercase() {
            true => ContentMode::Structured,
            false => ContentMode::Binary,
        };
        (protocol_of(byte), mode)
    });
    Some((hops.collect(), &input[end + 1..]))
}

const HOPS_MAX: usize = 8;

fn protocol_of(byte: u8) -> &'static Binding {
    match byte.to_ascii_lowercase() {
        b'k' => &KAFKA,
        b'n' => &NATS,
        b'h' => &HTTP,
        other => PROTOCOLS[usize::from(other) % PROTOCOLS.len()],
    }
}
