//! Where a message ends that is shorter or longer than its head says.

use super::http::{BAD, BINARY, EVENT, GOOD, check};

#[test]
fn a_separator_ends_a_head() {
    let text = format!("GET https://a.nl/x\n###\nPOST /b\n{EVENT}\n{BAD}\n");
    check(&text, 1, 2, 1, &["CE-ID-2 6"], &[]);
    let chunks = format!(
        "POST /a\nTransfer-Encoding: chunked\n{BINARY}\n5\nhallo\n0\n### b\nPOST /b\n{EVENT}\n{BAD}\n"
    );
    check(
        &chunks.replace('\n', "\r\n").replace("\r\r", "\r"),
        1,
        2,
        2,
        &["CE-ID-2 16"],
        &[],
    );
}

#[test]
fn a_body_that_is_left_out_is_not_what_follows() {
    let head = format!("POST /a HTTP/1.1\r\n{EVENT}Content-Length: 10\r\n\r\n");
    for answer in [
        "HTTP/1.1 204 No Content\r\n",
        "POST /b HTTP/1.1\r\n",
        "\r\nHTTP/2 204\r\n",
    ] {
        let text = format!("{head}{answer}\r\n");
        check(&text, 2, 0, 0, &[], &[1]);
    }
}

#[test]
fn a_length_with_other_line_breaks_takes_nothing_from_other_messages() {
    // Counted with the line breaks of Windows, as some editors count and others save.
    let pretty = GOOD.replace(',', ",\n").replace('}', "\n}");
    let length = pretty.replace('\n', "\r\n").len();
    let head = format!("POST /a HTTP/1.1\n{EVENT}Content-Length: {length}\n\n");
    // What is behind a separator is judged all the same.
    let text = format!("{head}{pretty}\n### b\nPOST /b\n{EVENT}\n{BAD}\n");
    only_unix(&text, 2, 1, &["CE-ID-2 14"], &[10]);
    let text = format!("{head}{pretty}\nPOST /b HTTP/1.1\n{EVENT}\n{BAD}\n");
    only_unix(&text, 2, 0, &[], &[10]);
}

#[track_caller]
fn only_unix(text: &str, code: i32, messages: u64, errors: &[&str], problems: &[u64]) {
    check(
        &text.replace("\r\n", "\n"),
        code,
        messages,
        messages,
        errors,
        problems,
    );
}

#[test]
fn a_request_to_any_address_begins_behind_a_blank_line() {
    let text = format!("POST /a\n{BINARY}\nhallo\n\nPOST localhost:8080/b\n{EVENT}\n{BAD}\n");
    check(&text, 1, 2, 2, &["CE-ID-2 13"], &[]);
    // A sentence is longer.
    let text = format!("POST /a\n{BINARY}\nhallo\n\nPOST is een methode\n");
    check(&text, 0, 1, 1, &[], &[]);
}

#[test]
fn a_number_is_no_chunk() {
    let head = format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n{BINARY}\r\n");
    let head = head.replace("text/plain", "application/json");
    check(&format!("{head}42\r\n"), 0, 1, 1, &[], &[]);
    let two = format!("{head}42\r\nHTTP/1.1 200 OK\r\n{EVENT}\r\n{BAD}");
    check(&two, 1, 2, 2, &["CE-ID-2 13"], &[]);
    // A chunk that is cut is one.
    check(&format!("{head}42\r\n{{\"a\":\r\n"), 2, 0, 0, &[], &[9]);
}
