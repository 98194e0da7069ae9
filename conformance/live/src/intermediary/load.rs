//! Many small events in an order per key, to be carried through whatever happens meanwhile.

use cloudevents_nl_codec::{Event, JsonText};
use jiff::Timestamp;

use super::message::{Message, Writer};
use super::specimens::{SOURCE, TYPE};

/// What the name of each run begins with. Events of an earlier one may still be on their way.
pub(crate) const RUN: &str = "cenl-";
/// The name of all events of the load.
pub(crate) const LOAD: &str = "load";

/// A name for a run.
pub(crate) fn run() -> String {
    format!("{RUN}{}", Timestamp::now().as_microsecond())
}

/// The event of a key with a number.
pub(crate) fn numbered(
    run: &str,
    writer: &Writer,
    key: usize,
    number: usize,
    bytes: usize,
) -> Option<Message> {
    let data = format!(r#"{{"nummer":{number},"vulling":"{}"}}"#, "x".repeat(bytes));
    let event = Event::new(id(run, key, number), SOURCE, TYPE).ok()?;
    let event = event
        .with_extension("partitionkey", format!("k{key}"))
        .ok()?;
    let event = event.with_json(JsonText::new(data).ok()?);
    let mut messages = writer.write(vec![(LOAD, event)]);
    let mut message = messages.pop()?;
    // The order is that of the key.
    if message.capture.key.is_some() {
        message.capture.key = Some(format!("k{key}").into_bytes());
    }
    Some(message)
}

fn id(run: &str, key: usize, number: usize) -> String {
    format!("{run}/load/{key}/{number}")
}

/// Key and number of an id of this run.
pub(crate) fn place_of(run: &str, id: &str) -> Option<(usize, usize)> {
    let rest = id.strip_prefix(run)?.strip_prefix("/load/")?;
    let (key, number) = rest.split_once('/')?;
    Some((key.parse().ok()?, number.parse().ok()?))
}
