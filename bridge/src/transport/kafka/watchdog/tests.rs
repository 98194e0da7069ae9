//! What the statistics of a client say of its brokers and partitions.

use futures_util::FutureExt;

use super::*;

const NONE: &str = r#"{"name":"x","brokers":{ },"topics":{}}"#;
const LOGICAL: &str =
    r#"{"brokers":{"GroupCoordinator":{"nodeid":-1,"source":"logical","toppars":{}}}}"#;
const ONE: &str = r#"{"brokers":{"b:9092/1":{"nodeid":1,"source":"learned","toppars":{}}}}"#;
const FIRST: &str = r#"{"brokers":{"b:9092/bootstrap":{"nodeid":-1,"source":"configured"}}}"#;

fn check(told: &[&str], is_alarmed: bool) {
    let watchdog = Watchdog::default();
    for statistics in told {
        watchdog.read_statistics(statistics.as_bytes());
    }
    let found = watchdog.triggered().now_or_never().is_some();
    assert_eq!(found, is_alarmed, "{told:?}");
}

#[test]
fn a_client_without_brokers_twice_is_noticed() {
    check(&[NONE, NONE], true);
    check(&[ONE, LOGICAL, NONE, NONE], true);
    check(&[NONE], false);
    check(&[NONE, ONE, NONE], false);
    check(&[LOGICAL, FIRST, LOGICAL], false);
    check(&[ONE, ONE, FIRST], false);
    check(&["no statistics", "{}", "{}"], false);
}

#[test]
fn a_client_counts_as_disconnected_only_once_it_said_so() {
    const UP: &str = r#"{"brokers":{"b:9092/1":{"nodeid":1,"source":"learned","state":"UP"}}}"#;
    let watchdog = Watchdog::default();
    assert_eq!(watchdog.state().connected, None);
    for (statistics, expected) in [(NONE, false), (UP, true), (ONE, false)] {
        watchdog.read_statistics(statistics.as_bytes());
        assert_eq!(watchdog.state().connected, Some(expected), "{statistics}");
    }
}

#[test]
fn a_client_that_no_broker_lets_in_is_noticed_where_something_waits() {
    for (told, is_alarmed) in [
        (&[("AUTH_REQ", 1), ("TRY_CONNECT", 1)][..], true),
        (&[("AUTH_REQ", 1)], false),
        (&[("AUTH_REQ", 0), ("AUTH_REQ", 0)], false),
        (&[("AUTH_REQ", 1), ("UP", 1), ("AUTH_REQ", 1)], false),
        (&[("UP", 1), ("CONNECT", 1), ("CONNECT", 1)], false),
    ] {
        let watchdog = Watchdog::default();
        watchdog.state().authentication_error = Some(RDKafkaErrorCode::Authentication);
        for (state, waiting) in told {
            let brokers = format!(r#"{{"b:9092/1":{{"source":"learned","state":"{state}"}}}}"#);
            let statistics = format!(r#"{{"msg_cnt":{waiting},"brokers":{brokers}}}"#);
            watchdog.read_statistics(statistics.as_bytes());
        }
        let found = watchdog.triggered().now_or_never().is_some();
        assert_eq!(found, is_alarmed, "{told:?}");
    }
}

/// A connection is authenticated anew whenever a token expires.
#[test]
fn a_client_without_a_broker_for_a_moment_is_not_refused() {
    const UP: &str = r#"{"brokers":{"b:9092/1":{"source":"learned","state":"UP"}}}"#;
    let watchdog = Watchdog::default();
    let refused = RDKafkaErrorCode::Authentication;
    for (statistics, expected) in [
        (ONE, None),
        (UP, None),
        (ONE, None),
        (ONE, Some(refused)),
        (ONE, Some(refused)),
        (UP, None),
    ] {
        watchdog.state().authentication_error.get_or_insert(refused);
        watchdog.read_statistics(statistics.as_bytes());
        assert_eq!(watchdog.state().not_authenticated(), expected);
    }
}

#[test]
fn a_partition_that_is_paused_may_stand_still() {
    const STILL: &str = r#"{"brokers":{},"topics":{"t":{"partitions":{
        "3":{"partition":3,"fetch_state":"active","fetchq_cnt":0,"next_offset":7}}}}}"#;
    let watchdog = Watchdog::default();
    watchdog.state().paused.insert(3);
    watchdog.read_statistics(STILL.as_bytes());
    assert!(watchdog.state().positions.is_empty());
    watchdog.state().paused.remove(&3);
    watchdog.read_statistics(STILL.as_bytes());
    assert_eq!(watchdog.state().positions.len(), 1);
    assert_eq!(watchdog.state().partition_count, 4);
}

#[test]
fn one_that_found_back_may_be_noticed_again() {
    let watchdog = Watchdog::default();
    for told in [NONE, NONE, NONE] {
        watchdog.read_statistics(told.as_bytes());
    }
    assert!(watchdog.triggered().now_or_never().is_some());
    assert!(watchdog.triggered().now_or_never().is_none());
    for told in [ONE, NONE, NONE] {
        watchdog.read_statistics(told.as_bytes());
    }
    assert!(watchdog.triggered().now_or_never().is_some());
}
