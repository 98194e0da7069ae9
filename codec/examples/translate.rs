//! Structured JSON on standard input, Kafka headers and record value on standard output.
//!
//! ```text
//! cargo run -p cloudevents-nl-codec --example translate < event.json
//! ```

use std::error::Error;
use std::io::{self, Read, Write};

use cloudevents_nl_codec::{ContentMode, Decoder, HeaderList, KAFKA, encode};

/// Reads one JSON event and writes it as a Kafka record: headers, an empty line, the value.
pub(crate) fn translate(mut input: impl Read, mut out: impl Write) -> Result<(), Box<dyn Error>> {
    let mut text = Vec::new();
    input.read_to_end(&mut text)?;
    let event = Decoder::default().decode_structured(&text)?;
    let mut headers = HeaderList::default();
    let value = encode(&event, &KAFKA, ContentMode::Binary, headers.sink())?;
    for header in headers.iter() {
        let value = str::from_utf8(header.value.unwrap_or_default())?;
        writeln!(out, "{}: {value}", header.name)?;
    }
    writeln!(out)?;
    out.write_all(&value.unwrap_or_default())?;
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    translate(io::stdin().lock(), io::stdout().lock())
}
