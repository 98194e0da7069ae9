//! Answers that the client cannot read to the end of their head: the status line decides.

use super::certificates::Certificates;
use super::*;

fn fields(count: usize) -> String {
    (0..count)
        .map(|field| format!("x-{field}: y\r\n"))
        .collect()
}

#[test]
fn a_head_that_cannot_be_read_counts_by_its_status() {
    let long = format!("x: {}\r\n", "y".repeat(1 << 20));
    let early = "HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n";
    run(async {
        for (before, unreadable) in [
            ("", fields(101).as_str()),
            ("", &fields(3_000)),
            ("", &fields(40_000)),
            ("", &long),
            ("", "no colon\r\n"),
            ("", "sp ace: x\r\n"),
            ("", ": x\r\n"),
            ("", "x: a\0b\r\n"),
            ("", "x: a\rb\r\n"),
            ("", "x: a\r\n folded\r\n"),
            ("", "content-length: nine\r\n"),
            ("", "content-length: 1\r\ncontent-length: 2\r\n"),
            (early, "no colon\r\n"),
            ("\r\n", "no colon\r\n"),
        ] {
            for (code, expected) in [
                (200, Outcome::Delivered),
                (204, Outcome::Delivered),
                (
                    410,
                    Outcome::Status {
                        code: 410,
                        retry_after: None,
                        error_body: None,
                    },
                ),
                (
                    503,
                    Outcome::Status {
                        code: 503,
                        retry_after: None,
                        error_body: None,
                    },
                ),
            ] {
                let answer = format!("{before}HTTP/1.1 {code} x\r\n{unreadable}\r\n");
                let outcome = outcome_of(Reply::Answer(answer)).await;
                let shown: String = unreadable.chars().take(40).collect();
                assert_eq!(outcome, expected, "{code} {before:?} {shown:?}");
            }
        }
    });
}

#[test]
fn an_unreadable_head_costs_the_connection_and_says_nothing_of_the_next_exchange() {
    run(async {
        let (address, seen) = start(None, |number| match number {
            0 => Reply::status("200 OK"),
            1 => Reply::Answer("HTTP/1.1 200 OK\r\nno colon\r\n\r\n".to_owned()),
            2 => Reply::status("500 x"),
            _ => Reply::Answer("nonsense\r\n\r\n".to_owned()),
        })
        .await;
        let webhook = to(&address);
        let retry_after = None;
        for expected in [
            Outcome::Delivered,
            Outcome::Delivered,
            Outcome::Status {
                code: 500,
                retry_after,
                error_body: None,
            },
            Outcome::Unanswered("malformed answer"),
        ] {
            assert_eq!(webhook.send(batch()).await, expected);
        }
        assert_eq!((seen.opened.get(), seen.requests.borrow().len()), (2, 4));
    });
}

/// Whoever closes in the middle of a head may not have meant what it began to say.
#[test]
fn a_head_that_breaks_off_is_no_answer() {
    run(async {
        for cut in [
            "HTTP/1.1 200",
            "HTTP/1.1 200 OK\r\n",
            "HTTP/1.1 200 OK\r\nx: y\r\n",
        ] {
            let outcome = outcome_of(Reply::Close(cut.to_owned())).await;
            assert_eq!(outcome, Outcome::Unanswered("closed early"), "{cut:?}");
        }
    });
}

#[test]
fn an_unreadable_head_over_tls_counts_by_its_status_too() {
    run(async {
        let certificates = Certificates::new();
        let answer = format!("HTTP/1.1 200 OK\r\n{}\r\n", fields(300));
        let script = move |_| Reply::Answer(answer.clone());
        let (address, _seen) = start(Some(certificates.acceptor(false)), script).await;
        let mut trusting = settings(format!("https://{address}/"));
        trusting.tls.ca_file = Some(certificates.root());
        assert_eq!(open(&trusting).send(batch()).await, Outcome::Delivered);
    });
}

/// Its first KiB, as one line that any header carries.
#[test]
fn what_is_said_of_a_refusal_is_kept_where_it_is_wanted() {
    run(async {
        let (long, kept) = ("x".repeat(2_000), "x".repeat(1_024));
        for (body, expected) in [
            ("", None),
            (" \r\n", None),
            (
                "{\"error\":\r\n \"no zaak\"}",
                Some("{\"error\":   \"no zaak\"}"),
            ),
            (&*long, Some(&*kept)),
        ] {
            let length = body.len();
            let answer = format!("HTTP/1.1 422 x\r\ncontent-length: {length}\r\n\r\n{body}");
            let (address, seen) = start(None, move |_| Reply::Answer(answer.clone())).await;
            let target = settings(format!("http://{address}/"));
            let mut webhook = WebhookSink::open(&target, false, 1).unwrap();
            webhook.keeps_error_body = true;
            let webhook = Rc::new(webhook);
            for _ in 0..2 {
                assert_eq!(webhook.send(batch()).await.error_body(), expected);
            }
            assert_eq!(seen.opened.get(), 1);
            assert_eq!(to(&address).send(batch()).await.error_body(), None);
        }
    });
}
