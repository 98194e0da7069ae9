//! A receiver that changes its certificate while events flow.

use crate::issued::Issued;
use crate::support::bridge::Bridge;
use crate::support::brokers;
use crate::support::events::{Numbered, numbered};
use crate::support::kafka::Topic;
use crate::support::receiver::{Answer, Receiver, always};
use crate::support::settings::{Route, Settings};
use crate::support::verdict::Verdict;
use crate::support::wait::{SOON, until};

#[tokio::test]
async fn a_certificate_is_renewed_under_load() {
    changes(&[]).await;
}

#[tokio::test]
async fn a_certificate_that_expires_under_load_holds_the_route_until_it_is_renewed() {
    changes(&[("old", "expired")]).await;
}

#[tokio::test]
async fn a_certificate_that_is_revoked_under_load_holds_the_route_until_it_is_renewed() {
    changes(&[("revoked", "certificate revoked")]).await;
}

#[tokio::test]
async fn a_certificate_of_another_name_under_load_holds_the_route_until_it_is_corrected() {
    changes(&[("other", "another name")]).await;
}

/// From a good certificate over bad ones, of which the log says what is wrong, to a renewed one.
async fn changes(over: &[(&str, &str)]) {
    let broker = brokers::kafka();
    let (topic, dead) = (
        Topic::create(&broker, "certificate").await,
        Topic::create(&broker, "dead").await,
    );
    let sent = numbered(3000, 50);
    // However fast the bridge is, there is something to deliver with each certificate.
    let mut portions = sent.chunks(sent.len().div_ceil(over.len() + 2));
    let write = async |portion: &[Numbered]| {
        let records = portion.iter().map(|event| event.record(20));
        topic.write(records).await;
    };
    write(portions.next().unwrap()).await;
    let issued = Issued::new();
    let receiver =
        Receiver::start_tls_with(always(Answer::Status(204)), issued.certificate("good"));
    let route = Route::to_webhook(&topic, &receiver, &dead)
        .sink(&format!("ca_file = {:?}", issued.path("root.pem")))
        .sink(&format!("crl_files = [{:?}]", issued.path("root.crl")));
    let bridge = Bridge::start(&Settings::new(&broker).route(route)).await;
    until("events flow", SOON, || receiver.arrived() >= 300).await;
    for (certificate, cause) in over {
        receiver.show(&issued.certificate(certificate));
        write(portions.next().unwrap()).await;
        bridge.says(&["circuit open", cause]).await;
        assert_eq!(receiver.trusted(), 0, "{certificate}");
    }
    receiver.show(&issued.certificate("renewed"));
    write(portions.next().unwrap()).await;
    receiver.gets(&sent).await;
    assert!(receiver.trusted() > 0);
    bridge.stop().await;
    // What was under way to a connection that was closed comes again.
    let verdict = Verdict::of(&format!("{over:?}"), &sent, &receiver.accepted(), &[]);
    verdict.keeps_the_promise();
    assert!(verdict.repeats <= 64, "{verdict}");
    assert_eq!(dead.len().await, 0);
}
