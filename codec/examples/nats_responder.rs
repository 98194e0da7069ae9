//! Answers events on a NATS subject, whatever mode they are in, with events in structured mode.
//!
//! `cargo run -p cloudevents-nl-codec --example nats_responder -- 127.0.0.1:14222 zaken`

use std::borrow::Cow;
use std::env;
use std::error::Error;

use async_nats::{Client, HeaderMap, Message};
use cloudevents_nl_codec::{ContentMode, Decoder, Event, Header, NATS, encode};
use futures_util::StreamExt;

pub(crate) async fn answer(client: &Client, request: Message) -> Result<(), Box<dyn Error>> {
    let headers = request.headers.iter().flat_map(HeaderMap::iter);
    let headers = headers.flat_map(|(name, all)| all.iter().map(move |value| (name, value)));
    let headers = headers.map(Header::from);
    let event = Decoder::default().decode(&NATS, headers, Some(&request.payload))?;
    let answer = Event::new(event.id(), "/clerk", "nl.example.ontvangen")?;
    let mut headers = HeaderMap::new();
    let body = encode(&answer, &NATS, ContentMode::Structured, |name, value| {
        headers.insert(name, value);
    })?;
    let body = body.map_or(Vec::new(), Cow::into_owned).into();
    let to = request.reply.ok_or("nobody asks for an answer")?;
    Ok(client.publish_with_headers(to, headers, body).await?)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let (server, subject) = (env::args().nth(1), env::args().nth(2));
    let client = async_nats::connect(server.ok_or("which server?")?).await?;
    let subject = subject.ok_or("which subject?")?;
    let mut requests = client.subscribe(subject).await?;
    while let Some(request) = requests.next().await {
        if let Err(error) = answer(&client, request).await {
            eprintln!("{error}");
        }
    }
    Ok(())
}
