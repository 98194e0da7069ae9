//! A webhook receiver of the Rust SDK in axum: 204 for an event; what the SDK refuses its extractor answers with 400.

use axum::{Router, http::StatusCode, routing::post};
use cloudevents::{AttributesReader, Event};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let port: u16 = std::env::args().nth(1).ok_or("a port")?.parse()?;
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", port)).await?;
    axum::serve(listener, Router::new().route("/", post(receive))).await?;
    Ok(())
}

async fn receive(event: Event) -> StatusCode {
    println!("{}", event.id());
    StatusCode::NO_CONTENT
}
