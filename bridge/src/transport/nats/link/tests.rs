//! What a client reports, and when it ends.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpListener;

use super::*;

/// As a server answers the next client, and closes.
async fn answer(listener: &TcpListener, answer: &[u8]) {
    let (stream, _) = listener.accept().await.unwrap();
    let mut stream = BufReader::new(stream);
    stream.write_all(b"INFO {}\r\n").await.unwrap();
    let mut asked = String::new();
    while !asked.ends_with("PING\r\n") {
        assert_ne!(stream.read_line(&mut asked).await.unwrap(), 0);
    }
    stream.write_all(answer).await.unwrap();
}

#[tokio::test]
async fn a_client_whose_last_link_is_dropped_ends_although_it_is_refused() {
    const REFUSAL: &[u8] = b"-ERR 'Authorization Violation'\r\n";
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let addresses = [address.parse::<ServerAddr>().unwrap()];
    let connecting = connect(
        &addresses,
        options(ConnectOptions::new(), "_INBOX"),
        Arc::default(),
    );
    let (link, ()) = tokio::join!(connecting, answer(&listener, b"PONG\r\n"));
    answer(&listener, REFUSAL).await;
    let ended = link.state.ended.clone();
    drop(link.clone());
    // It connects again as long as a link is left.
    answer(&listener, REFUSAL).await;
    drop(link);
    let goes_on = async {
        for _ in 0..5 {
            answer(&listener, REFUSAL).await;
        }
    };
    tokio::select! {
        () = ended.cancelled() => {}
        () = goes_on => panic!("it connects again for nobody"),
    }
}

fn said(state: &ConnectionState, error: &str) {
    state.record(&Event::ServerError(ServerError::Other(error.to_owned())));
}

#[test]
fn a_refused_write_is_counted_and_a_refused_read_lasts_as_long_as_its_connection() {
    let state = ConnectionState::new(Arc::default());
    for error in ["Permissions Violation", "Authorization Violation", ""] {
        said(&state, error);
    }
    assert_eq!(state.refused().publishes, 0);
    said(&state, "Permissions Violation for Publish to \"a.b\"");
    said(&state, "permissions violation for publish to \"a.b\"");
    assert!(!state.refused().stream_info && !state.refused().subscription);
    said(
        &state,
        "Permissions Violation for Publish to \"$JS.API.STREAM.INFO.S\"",
    );
    said(
        &state,
        "Permissions Violation for Subscription to \"q\" using queue \"w\"",
    );
    assert!(state.refused().stream_info && state.refused().subscription);
    state.record(&Event::Disconnected);
    assert!(!state.refused().stream_info && !state.refused().subscription);
    assert_eq!(state.refused().publishes, 2);
}

#[test]
fn a_refusal_names_what_is_asked_of_jetstream_and_no_subject() {
    let told = |subject: &str| without_subject(&format!("Violation for \"{subject}\""));
    assert_eq!(told("a.b"), "Violation for");
    let reset = "Violation for $JS.API.CONSUMER.RESET";
    assert_eq!(told("$JS.API.CONSUMER.RESET.S.d"), reset);
    assert_eq!(told("$JS.ACK.S.d.1.2.3.4.5"), "Violation for $JS.ACK.S.d");
    assert_eq!(without_subject("timed out"), "timed out");
}

#[test]
fn a_failure_of_tls_is_known_until_a_server_is_connected_to() {
    let failure = TlsFailure::default();
    let state = ConnectionState::new(Arc::clone(&failure));
    let error = "IO error: received fatal alert: CertificateRequired";
    state.failed([error.to_owned()]);
    let kind = ClientError::Other(ConnectErrorKind::Io.to_string());
    state.record(&Event::ClientError(kind));
    let known = lock(&failure).clone();
    assert_eq!(known.unwrap().word(), "client certificate");
    state.record(&Event::Connected);
    assert_eq!(*lock(&failure), None);
    state.failed([error, "timed out"].map(str::to_owned));
    assert!(lock(&failure).is_some());
    state.failed(["timed out".to_owned()]);
    assert_eq!(*lock(&failure), None);
}

#[test]
fn no_number_of_refusals_hides_the_next() {
    let state = ConnectionState::new(Arc::default());
    for number in 1..=100 {
        let echo = format!("Permissions Violation for Publish to \"_INBOX.x.{number}\"");
        said(&state, &echo);
        assert_eq!(state.refused().publishes, number);
    }
    said(&state, "Permissions Violation for Publish to \"a.b\"");
    assert_eq!(state.refused().publishes, 101);
}

#[test]
fn the_wait_grows_to_a_bound_and_is_never_nothing() {
    for (attempt, least, most) in [
        (0, 50, 100),
        (1, 50, 100),
        (2, 100, 200),
        (4, 400, 800),
        (9, 1000, 2000),
        (usize::MAX, 1000, 2000),
    ] {
        let waited = delay(attempt).as_millis();
        assert!((least..=most).contains(&waited), "{attempt}: {waited}");
    }
}
