//! What a sender may choose costs no more than its bytes.

use cloudevents_nl_codec::{Limits, Register};

use super::*;
use crate::tests::linear;

const MANY: usize = 400_000;

/// Without limits, which would end every loop early.
fn route_config() -> RouteConfig {
    let mut limits = Limits::default();
    limits.event_bytes = usize::MAX;
    limits.headers = usize::MAX;
    limits.attributes = usize::MAX;
    let mut config = super::route_config((&NATS, WriteMode::Binary));
    config.decoder = Decoder::new(limits, Register::default());
    config.target.forward_headers = vec!["x".into()];
    config
}

#[test]
fn many_headers_cost_no_more_than_their_bytes() {
    linear(|| {
        let mut headers = HeaderList::default();
        for (name, value) in [
            ("specversion", "1.0"),
            ("id", "1"),
            ("source", "/"),
            ("type", "t"),
        ] {
            headers.push(&format!("ce_{name}"), Some(value.as_bytes()));
        }
        for number in 0..MANY {
            headers.push(&format!("ce_a{number:06}"), Some(b"1"));
            headers.push(&format!("ce_b{number:06}"), None);
            headers.push("x", Some(b"1"));
        }
        let prepared = prepare(
            &route_config(),
            &received(&KAFKA, headers, Some(b"{}".to_vec())),
        );
        let outgoing = prepared.unwrap().unwrap();
        assert!(outgoing.headers.len() > 2 * MANY);
    });
}

#[test]
fn many_members_cost_no_more_than_their_bytes() {
    linear(|| {
        let mut text =
            r#"{"specversion":"1.0","id":"1","source":"/","type":"t","data":1"#.to_owned();
        for number in 0..MANY {
            text += &format!(r#","a{number:06}":"1","b{number:06}":null,"\u0063{number:06}":1"#);
        }
        text.push('}');
        let mut headers = HeaderList::default();
        headers.push("content-type", Some(b"application/cloudevents+json"));
        let prepared = prepare(
            &route_config(),
            &received(&KAFKA, headers, Some(text.into_bytes())),
        );
        let outgoing = prepared.unwrap().unwrap();
        assert!(outgoing.headers.len() > 2 * MANY);
    });
}
