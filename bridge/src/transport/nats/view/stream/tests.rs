//! What is made of the answers of a stream that grows meanwhile.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use serde_json::json;

use super::*;

fn message(sequence: u64, data_bytes: usize) -> StoredMessage {
    let data = "A".repeat(data_bytes);
    let time = "2026-01-31T12:00:00Z";
    let message = json!({ "subject": "s", "seq": sequence, "data": data, "time": time });
    serde_json::from_value(json!({ "message": message })).unwrap()
}

fn sequences(found: Vec<Option<u64>>) -> Vec<u64> {
    let found = found.into_iter();
    let found = found.map(|sequence| sequence.map(|sequence| message(sequence, 0)));
    in_order(found.collect()).into_keys().collect()
}

#[test]
fn behind_a_place_without_a_message_nothing_is_believed() {
    // Message 4 came after its place was asked about and before the place behind it was.
    assert_eq!(sequences(vec![Some(3), None, Some(5)]), [3]);
    assert_eq!(sequences(vec![None, Some(5)]), [0; 0]);
    // Nothing in the places 3 and 4 comes through.
    assert_eq!(sequences(vec![Some(5), Some(5), Some(5), Some(6)]), [5, 6]);
}

#[test]
fn as_many_are_asked_for_as_fit_into_a_round() {
    let width_after = |requests: u64, count: u64, bytes: usize| {
        let found = (0..count).map(|sequence| (sequence, message(sequence, bytes)));
        next_requests(requests, &found.collect())
    };
    assert_eq!(width_after(1, 1, 100), 2);
    assert_eq!(width_after(16, 16, 100), REQUESTS_MAX);
    assert_eq!(
        width_after(8, 7, 100),
        1,
        "what is between them is not wanted"
    );
    assert_eq!(width_after(8, 8, 1 << 20), 4);
    assert_eq!(width_after(1, 1, 5 << 20), 1);
    assert_eq!(width_after(2, 2, 0), 4);
}
