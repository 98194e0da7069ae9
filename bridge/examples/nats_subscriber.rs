//! A NATS subscriber that embeds the codec: it takes the events of a subject, in whatever mode they
//! come, and answers requests with a receipt in binary mode.
//!
//! ```text
//! cargo run -p cloudevents-nl-bridge --example nats_subscriber -- 127.0.0.1:19096 zaken
//! ```

use std::env;
use std::error::Error;

use async_nats::header::HeaderName;
use async_nats::{Client, HeaderMap, Subscriber};
use cloudevents_nl_codec::{Decoder, Event, Header, HeaderSink, JsonText, NATS, encode_binary};
use futures_util::StreamExt;

/// Headers of a message, straight from the codec, whose values have no line break on NATS.
#[derive(Default)]
struct MessageHeaders(HeaderMap);

impl HeaderSink for MessageHeaders {
    fn header(&mut self, name: &str, value: &str) {
        self.0.insert(name, value);
    }

    fn static_header(&mut self, name: &'static str, value: &str) {
        self.0.insert(HeaderName::from_static(name), value);
    }
}

/// Takes one message; nothing when there will be none any more.
pub(crate) async fn take(
    client: &Client,
    subscriber: &mut Subscriber,
) -> Result<Option<()>, Box<dyn Error>> {
    let Some(request) = subscriber.next().await else {
        return Ok(None);
    };
    let headers = request.headers.iter().flat_map(HeaderMap::iter);
    let headers = headers.flat_map(|(name, values)| values.iter().map(move |value| (name, value)));
    let headers = headers.map(Header::from);
    let event = Decoder::default().decode(&NATS, headers, Some(&request.payload))?;
    if let Some(reply) = request.reply.clone() {
        let receipt = receipt(&event)?;
        let mut headers = MessageHeaders::default();
        let body = encode_binary(&receipt, &NATS, &mut headers)?;
        let body = body.unwrap_or_default().into_owned().into();
        client.publish_with_headers(reply, headers.0, body).await?;
    }
    Ok(Some(()))
}

fn receipt(event: &Event<'_>) -> Result<Event<'static>, Box<dyn Error>> {
    let id = format!("receipt-of-{}", event.id());
    let receipt = Event::new(id, "/clerk", "nl.example.ontvangen")?;
    Ok(receipt.with_json(JsonText::of_value(&(event.source(), event.id()))?))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [server, subject] = arguments.as_slice() else {
        return Err("usage: nats_subscriber SERVER SUBJECT".into());
    };
    let client = async_nats::connect(server).await?;
    let mut subscriber = client.subscribe(subject.clone()).await?;
    while take(&client, &mut subscriber).await?.is_some() {}
    Ok(())
}
