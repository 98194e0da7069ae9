//! Several HTTP messages one after the other: lengths, chunks and start lines tell where each ends.

use super::run;

pub(super) const GOOD: &str = r#"{"specversion":"1.0","id":"1","source":"urn:nld:oin:00000001823288444000:systeem:a","type":"nl.a.b"}"#;
pub(super) const BAD: &str = r#"{"specversion":"1.0","id":"","source":"urn:nld:oin:00000001823288444000:systeem:a","type":"nl.a.b"}"#;
pub(super) const EVENT: &str = "Content-Type: application/cloudevents+json\r\n";
/// In binary mode, so that anything may stand in the body.
pub(super) const BINARY: &str = "ce-specversion: 1.0\r\nce-id: 1\r\nce-source: urn:nld:oin:00000001823288444000:systeem:a\r\nce-type: nl.a.b\r\nContent-Type: text/plain\r\n";

/// What comes of a text: the exit code, the messages and the events in it, `RULE line` of each error,
/// and the line of each problem.
#[derive(Debug, PartialEq)]
struct Judged {
    code: i32,
    messages: u64,
    events: u64,
    errors: Vec<String>,
    problems: Vec<u64>,
}

fn judge(text: &str, form: &str) -> (Judged, serde_json::Value) {
    let words = ["check", "--format", "json", "--profile", "cloudevents-1.0"];
    let words = [&words[..], &["--stream", "unordered", "--input", form, "-"]].concat();
    let said = run(&words, text.as_bytes());
    let report: serde_json::Value = serde_json::from_str(&said.out).expect(&said.errors);
    let list = |name: &str| report[name].as_array().unwrap().clone();
    let errors = list("findings").into_iter();
    let errors = errors.filter(|finding| finding["severity"] == "error");
    let judged = Judged {
        code: said.code.unwrap(),
        messages: report["counts"]["messages"].as_u64().unwrap(),
        events: report["counts"]["events"].as_u64().unwrap(),
        errors: errors
            .map(|finding| format!("{} {}", finding["rule"].as_str().unwrap(), finding["line"]))
            .collect(),
        problems: list("problems")
            .iter()
            .map(|problem| problem["line"].as_u64().unwrap_or_default())
            .collect(),
    };
    (judged, report)
}

/// As it stands, and with the line breaks of Unix.
#[track_caller]
pub(super) fn check(
    text: &str,
    code: i32,
    messages: u64,
    events: u64,
    errors: &[&str],
    problems: &[u64],
) {
    let expected = Judged {
        code,
        messages,
        events,
        errors: errors.iter().map(|error| (*error).to_owned()).collect(),
        problems: problems.to_vec(),
    };
    for text in [text.to_owned(), text.replace("\r\n", "\n")] {
        for form in ["auto", "http"] {
            let (judged, report) = judge(&text, form);
            assert_eq!(judged, expected, "{text}\n{}", report["problems"]);
        }
    }
}

fn answer(head: &str, body: &str) -> String {
    format!("HTTP/1.1 200 OK\r\n{head}\r\n{body}")
}

/// With the length of the body.
fn bounded(head: &str, body: &str) -> String {
    answer(&format!("{head}Content-Length: {}\r\n", body.len()), body)
}

#[test]
fn each_answer_of_curl_is_judged() {
    // `curl -si` writes one behind the other, without a line break between them.
    check(
        &[bounded(EVENT, GOOD), bounded(EVENT, BAD)].concat(),
        1,
        2,
        2,
        &["CE-ID-2 9"],
        &[],
    );
    // Before, the second one was part of a text that nothing is wrong with.
    check(
        &[bounded(BINARY, "hallo"), bounded(EVENT, BAD)].concat(),
        1,
        2,
        2,
        &["CE-ID-2 13"],
        &[],
    );
    check(
        &[
            bounded(BINARY, "hallo\n"),
            "\r\n".to_owned(),
            bounded(EVENT, BAD),
        ]
        .concat(),
        1,
        2,
        2,
        &["CE-ID-2 15"],
        &[],
    );
}

#[test]
fn a_redirection_hides_nothing() {
    let moved = "HTTP/1.1 301 Moved Permanently\r\nLocation: /b\r\nContent-Type: text/html\r\nContent-Length: 5\r\n\r\n<a>b\n";
    let empty = "HTTP/1.1 301 Moved Permanently\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n";
    check(
        &[moved, &bounded(EVENT, BAD)].concat(),
        1,
        2,
        1,
        &["CE-ID-2 11"],
        &[],
    );
    check(
        &[empty, &bounded(EVENT, BAD)].concat(),
        1,
        2,
        1,
        &["CE-ID-2 9"],
        &[],
    );
    check(&[empty, &bounded(EVENT, GOOD)].concat(), 0, 2, 1, &[], &[]);
}

#[test]
fn http_2_has_neither_length_nor_chunks() {
    let answer = |head: &str, body: &str| format!("HTTP/2 200 \r\n{head}\r\n{body}");
    for between in ["", "\r\n"] {
        let line = 8 + between.matches('\n').count();
        check(
            &[&answer(BINARY, "hallo"), between, &answer(EVENT, BAD)].concat(),
            1,
            2,
            2,
            &[&format!("CE-ID-2 {}", line + 3)],
            &[],
        );
    }
    // What only looks so stands inside of a text.
    let log = r#"{"log":"HTTP/1.1 200 OK"}"#;
    let event = GOOD.replacen('{', &format!("{{\"data\":{log},"), 1);
    check(
        &[&answer(EVENT, &event), answer(EVENT, BAD).as_str()].concat(),
        1,
        2,
        2,
        &["CE-ID-2 7"],
        &[],
    );
    check(&format!("{}\n\n", answer(EVENT, &event)), 0, 1, 1, &[], &[]);
    check(
        &answer(BINARY, "a: HTTP/1.1 200 OK\nb: c"),
        0,
        1,
        1,
        &[],
        &[],
    );
}

#[test]
fn chunks_are_undone_with_their_trailers() {
    let (one, two) = GOOD.split_at(20);
    let body = format!(
        "{:x};a=\"b\"\r\n{one}\r\n{:X}\r\n{two}\r\n0\r\nDigest: x\r\nce-id: 2\r\n\r\n",
        one.len(),
        two.len()
    );
    let chunked = answer(&format!("{EVENT}Transfer-Encoding: Chunked\r\n"), &body);
    check(&chunked, 0, 1, 1, &[], &[]);
    check(
        &[&chunked, &*bounded(EVENT, BAD)].concat(),
        1,
        2,
        2,
        &["CE-ID-2 17"],
        &[],
    );
    // The last line break is easily lost.
    check(chunked.trim_end(), 0, 1, 1, &[], &[]);
    // Chunks that are none.
    let broken = [
        chunked.replacen("0\r\nDigest", "zz\r\nDigest", 1),
        chunked.replacen("14;", "15;", 1),
    ];
    for (broken, line) in broken.iter().zip([9, 5]) {
        check(broken, 2, 0, 0, &[], &[line]);
    }
    let short = chunked.split("\r\n0\r\n").next().unwrap();
    check(short.get(..short.len() - 5).unwrap(), 2, 0, 0, &[], &[7]);
}

#[test]
fn what_curl_has_undone_already_is_taken_as_it_is() {
    let chunked = format!("{EVENT}Transfer-Encoding: chunked\r\n");
    let (text, is_told) = (answer(&chunked, GOOD), |report: &serde_json::Value| {
        report["inputs"][0]["bodies_taken_as_decoded"].clone()
    });
    check(&text, 0, 1, 1, &[], &[]);
    assert_eq!(is_told(&judge(&text, "auto").1), 1);
    assert!(is_told(&judge(&bounded(EVENT, GOOD), "auto").1).is_null());
    for between in ["", "\r\n"] {
        let text = [&text, between, &answer(&chunked, BAD)].concat();
        let line = 9 + between.matches('\n').count();
        check(&text, 1, 2, 2, &[&format!("CE-ID-2 {line}")], &[]);
        assert_eq!(is_told(&judge(&text, "auto").1), 2);
    }
    // With --compressed the length is that of the coding.
    let coded = format!("{EVENT}Content-Encoding: gzip\r\nContent-Length: 7\r\n");
    let text = [answer(&coded, GOOD), answer(&coded, BAD)].concat();
    check(&text, 1, 2, 2, &["CE-ID-2 11"], &[]);
    assert_eq!(is_told(&judge(&text, "auto").1), 2);
    // Two readers look at a table and at HTML.
    for format in ["table", "html"] {
        let words = ["check", "--lang", "en", "--format", format, "-"];
        let said = run(&words, text.as_bytes());
        assert!(said.out.contains("taken as decoded: 2"), "{}", said.out);
    }
}

#[test]
fn an_interim_answer_is_none() {
    let hints = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n";
    let proceed = "HTTP/1.1 100 Continue\r\n\r\n";
    check(
        &[
            proceed,
            &bounded(EVENT, GOOD),
            proceed,
            hints,
            &bounded(EVENT, BAD),
        ]
        .concat(),
        1,
        2,
        2,
        &["CE-ID-2 16"],
        &[],
    );
    let request = format!(
        "POST /a HTTP/1.1\r\n{EVENT}Content-Length: {}\r\n\r\n{BAD}",
        BAD.len()
    );
    let (judged, _) = judge(
        &[&request, proceed, "HTTP/1.1 204 No Content\r\n\r\n"].concat(),
        "auto",
    );
    assert_eq!((judged.messages, judged.events), (1, 1));
    assert!(
        judged.errors.contains(&"CE-ID-2 5".to_owned()),
        "{judged:?}"
    );
}

#[test]
fn requests_on_one_connection_are_judged_each() {
    let request = |head: &str, body: &str| {
        format!(
            "POST /a HTTP/1.1\r\n{head}Content-Length: {}\r\n\r\n{body}",
            body.len()
        )
    };
    check(
        &[request(BINARY, "hallo"), request(EVENT, BAD)].concat(),
        1,
        2,
        2,
        &["CE-ID-2 13"],
        &[],
    );
    let open = format!(
        "POST /a HTTP/1.1\r\n{BINARY}\r\nhallo\r\nPOST /b HTTP/1.1\r\n{EVENT}\r\n{BAD}\r\n"
    );
    check(&open, 1, 2, 2, &["CE-ID-2 12"], &[]);
    // As REST clients write it, but without ### between them.
    let bare = format!("POST /a\r\n{BINARY}\r\nhallo\r\n\r\nPOST /b\r\n{EVENT}\r\n{BAD}\r\n");
    check(&bare, 1, 2, 2, &["CE-ID-2 13"], &[]);
}

#[test]
fn a_length_is_taken_at_its_word() {
    // What looks like a start line, or like a separator, within the length is body.
    let text = "een regel\nHTTP/1.1 200 OK\nce-id: 3\n\n### kop\nPOST /a HTTP/1.1\n";
    check(&bounded(BINARY, text), 0, 1, 1, &[], &[]);
    check(
        &[bounded(BINARY, text), bounded(EVENT, BAD)].concat(),
        1,
        2,
        2,
        &["CE-ID-2 19"],
        &[],
    );
    // More is announced than there is.
    let long = answer(&format!("{BINARY}Content-Length: 6\r\n"), "hallo");
    check(&long, 2, 0, 0, &[], &[7]);
    let longer = long.replace("Length: 6", "Length: 9");
    check(
        &[&longer, "\r\n", &bounded(EVENT, BAD)].concat(),
        2,
        0,
        0,
        &[],
        &[10],
    );
    check(
        &answer(
            &format!("{EVENT}Content-Length: 99999999999999999999\r\n"),
            GOOD,
        ),
        2,
        0,
        0,
        &[],
        &[3],
    );
    check(
        &answer(&format!("{EVENT}Content-Length: 2, 3\r\n"), GOOD),
        2,
        0,
        0,
        &[],
        &[3],
    );
    // Less is announced than there is.
    let short = answer(&format!("{BINARY}Content-Length: 4\r\n"), "hallo");
    check(&short, 2, 1, 1, &[], &[9]);
    check(&format!("{short}\r\n\r\n"), 2, 1, 1, &[], &[9]);
    let blank = format!("{}\r\n\r\n", bounded(BINARY, "hallo"));
    check(&blank, 0, 1, 1, &[], &[]);
}

#[test]
fn some_answers_have_no_body_whatever_they_announce() {
    let unchanged = "HTTP/1.1 304 Not Modified\r\nContent-Length: 900\r\n\r\n";
    check(
        &[unchanged, &bounded(EVENT, BAD)].concat(),
        1,
        2,
        1,
        &["CE-ID-2 8"],
        &[],
    );
    let head = "HEAD /a HTTP/1.1\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n";
    check(
        &[head, &bounded(EVENT, BAD)].concat(),
        1,
        2,
        1,
        &["CE-ID-2 10"],
        &[],
    );
}

#[test]
fn a_fault_in_one_message_hides_no_others() {
    let text = format!(
        "### a\nPOST /a HTTP/1.1\nnonsense\n\n### b\nPOST /b HTTP/1.1\n{EVENT}\n{BAD}\n### c\nnothing\n"
    );
    check(&text, 2, 1, 1, &["CE-ID-2 9"], &[3, 11]);
}

#[test]
fn a_body_directly_below_the_headers_is_no_header() {
    let request = format!("POST /a HTTP/1.1\r\n{BINARY}{GOOD}\r\n");
    check(&request, 2, 0, 0, &[], &[7]);
}

#[test]
fn an_event_that_is_fetched_is_judged() {
    let fetched = |body: &str| {
        format!(
            "*   Trying 127.0.0.1:80...\r\n> GET /events/1 HTTP/1.1\r\n> Host: a\r\n> \r\n< HTTP/1.1 200 OK\r\n< Content-Type: application/cloudevents+json\r\n< \r\n{body}* Connection #0 to host a left intact\r\n"
        )
    };
    check(&fetched(BAD), 1, 1, 1, &["CE-ID-2 8"], &[]);
    check(&fetched(GOOD), 0, 1, 1, &[], &[]);
    let length = format!("< \r\n{GOOD}");
    let bounded = fetched(GOOD).replace(
        &length,
        &format!("< Content-Length: {}\r\n{length}", GOOD.len()),
    );
    check(&bounded, 0, 1, 1, &[], &[]);
}
