//! Rules of the webhook specification that no message can show, and the tests that show that the bridge keeps
//! them, in the role that each binds.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value as Json;

/// Rule, file of a test below `bridge/`, and its name. A rule may have several.
const SHOWN: &[(&str, &str, &str)] = &[
    (
        "HOOK-TLS-1",
        "src/transport/http/webhook/settings.rs",
        "takes_https_anywhere_and_plain_http_on_loopback",
    ),
    (
        "HOOK-TLS-1",
        "tests/live_delivery/security.rs",
        "https_with_a_private_root_and_a_token_delivers",
    ),
    (
        "HOOK-RESP-1",
        "src/transport/http/ingress/tests.rs",
        "accepts_what_the_route_settles_and_keeps_the_connection",
    ),
    (
        "HOOK-RESP-2",
        "tests/live_delivery/receivers.rs",
        "a_redirect_is_never_followed",
    ),
    (
        "HOOK-RESP-5",
        "src/transport/http/ingress/tests.rs",
        "accepts_what_the_route_settles_and_keeps_the_connection",
    ),
    (
        "HOOK-RESP-6",
        "src/transport/http/ingress/tests/handshake.rs",
        "a_retired_path_is_gone",
    ),
    (
        "HOOK-RESP-7",
        "tests/live_delivery/receivers.rs",
        "a_receiver_that_is_gone_holds_the_route_until_an_operator_acts",
    ),
    (
        "HOOK-RESP-8",
        "src/transport/http/ingress/tests/handshake.rs",
        "above_the_rate_a_sender_waits_and_others_do_not",
    ),
    (
        "HOOK-RESP-10",
        "tests/live_delivery/receivers.rs",
        "answer_429_is_honoured",
    ),
    (
        "HOOK-RESP-10",
        "src/transport/http/webhook/tests.rs",
        "retry_after_is_read_in_both_forms",
    ),
    (
        "HOOK-RESP-11",
        "src/transport/http/ingress/tests.rs",
        "refusals_of_the_route_become_statuses",
    ),
    (
        "HOOK-RESP-12",
        "tests/live_delivery/receivers.rs",
        "an_answer_200_counts_whatever_becomes_of_its_body",
    ),
    (
        "HOOK-AUTH-2",
        "src/transport/http/ingress/tests/tokens.rs",
        "a_token_in_the_query_is_taken_only_where_the_settings_say_so",
    ),
    (
        "HOOK-AUTH-3",
        "src/transport/http/ingress/tests/tokens.rs",
        "a_token_is_needed_where_a_file_names_them",
    ),
    (
        "HOOK-AUTH-4",
        "src/transport/http/ingress/tests/tokens.rs",
        "a_token_is_needed_where_a_file_names_them",
    ),
    (
        "HOOK-ABUSE-1",
        "src/transport/http/ingress/tests/handshake.rs",
        "consent_is_two_headers_and_only_for_origins_that_are_allowed",
    ),
    (
        "HOOK-ABUSE-2",
        "src/transport/http/webhook/tests/consent.rs",
        "a_receiver_without_the_handshake_is_sent_to_where_that_will_do",
    ),
    (
        "HOOK-VRES-9",
        "tests/live_delivery/consent.rs",
        "a_bridge_that_asked_too_early_is_called_back_by_another",
    ),
    (
        "HOOK-CB-1",
        "src/transport/http/webhook/tests/callback.rs",
        "a_receiver_may_consent_later_by_get_or_post",
    ),
    (
        "HOOK-CB-2",
        "src/transport/http/ingress/tests/consent_later.rs",
        "who_asked_is_called_back_once_the_origin_is_allowed",
    ),
    (
        "HOOK-RATE-1",
        "src/transport/http/webhook/tests/consent.rs",
        "the_granted_rate_is_kept_by_all_who_send_there",
    ),
];

#[test]
fn every_rule_that_only_a_running_bridge_can_show_has_a_test() {
    let bridge = Path::new(env!("CARGO_MANIFEST_DIR"));
    let rules = fs::read(bridge.join("../conformance/catalogue/rules.json")).unwrap();
    let rules: Json = serde_json::from_slice(&rules).unwrap();
    let rules = rules.as_array().unwrap();
    let is_live = |rule: &&Json| rule["checkable"] == "live";
    let ids = rules
        .iter()
        .filter(is_live)
        .filter_map(|rule| rule["id"].as_str());
    let live: BTreeSet<_> = ids.filter(|id| id.starts_with("HOOK-")).collect();
    let shown: BTreeSet<_> = SHOWN.iter().map(|(rule, ..)| *rule).collect();
    assert_eq!(shown, live);
}

#[test]
fn every_test_that_is_named_is_there() {
    let bridge = Path::new(env!("CARGO_MANIFEST_DIR"));
    for (rule, file, name) in SHOWN {
        let text = fs::read_to_string(bridge.join(file)).unwrap();
        let (before, _) = text
            .split_once(&format!("fn {name}()"))
            .unwrap_or_else(|| panic!("{rule}: no test {name} in {file}"));
        let attributes = before.rsplit("\n\n").next().unwrap();
        let is_test = ["#[test]", "#[tokio::test]"]
            .iter()
            .any(|it| attributes.contains(it));
        assert!(
            is_test && !attributes.contains("#[ignore"),
            "{rule}: {name} in {file} is no test"
        );
    }
}
