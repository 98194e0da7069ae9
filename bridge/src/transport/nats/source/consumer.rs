//! Pure: the consumer that a route wants, and how the one that is there differs from it.

use std::collections::BTreeSet;
use std::fmt;
use std::time::Duration;

use async_nats::datetime::from_nanos;
use async_nats::jetstream::consumer::{
    AckPolicy, Config, DeliverPolicy, PriorityPolicy, ReplayPolicy, pull,
};

use super::super::settings::StreamOrigin;
use crate::config::Start;
use crate::delivery::window::Capacity;
use crate::transport::SourceError;

/// The one priority group of a consumer that keeps order: one process of all reads at a time.
pub(super) const GROUP: &str = "cenl-bridge";
/// A process that asks for nothing for so long loses its place to one that waits.
const PIN_TIMEOUT: Duration = Duration::from_secs(5);

/// Version of a server, as far as it decides what can be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Version(u32, u32);

impl Version {
    /// Reads `2.11.4` or `2.12.0-RC.1`; what cannot be read is taken for very old.
    pub(super) fn of(text: &str) -> Self {
        let mut numbers = text
            .trim_start_matches('v')
            .split(['.', '-', '+'])
            .map(str::parse);
        match (numbers.next(), numbers.next()) {
            (Some(Ok(major)), Some(Ok(minor))) => Self(major, minor),
            _ => Self(0, 0),
        }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.0, self.1)
    }
}

/// Refuses what a server of this version would ignore without a word.
pub(super) fn check_version(
    version: Version,
    origin: &StreamOrigin,
    keeps_order: bool,
) -> Result<(), SourceError> {
    let detail = if keeps_order && version < Version(2, 11) {
        format!(
            "server {version} cannot keep two processes from reading at once, 2.11 can: \
             write order = \"none\", or use a newer server"
        )
    } else if origin.subjects.len() > 1 && version < Version(2, 10) {
        format!("server {version} takes one subject of a stream, 2.10 takes several: name one")
    } else {
        return Ok(());
    };
    Err(SourceError {
        reason: "nats-server-too-old",
        detail,
    })
}

/// The consumer that is made where none is.
pub(super) fn wanted(origin: &StreamOrigin, keeps_order: bool, window: Capacity) -> pull::Config {
    let (filter_subject, filter_subjects) = match origin.subjects.as_slice() {
        [] => (String::new(), Vec::new()),
        [one] => (one.clone(), Vec::new()),
        several => (String::new(), several.to_vec()),
    };
    let ordered = pull::Config {
        priority_policy: PriorityPolicy::PinnedClient,
        priority_groups: vec![GROUP.to_owned()],
        priority_timeout: PIN_TIMEOUT,
        ..pull::Config::default()
    };
    pull::Config {
        durable_name: Some(origin.durable.clone()),
        description: Some("cenl-bridge".to_owned()),
        deliver_policy: deliver_policy(origin.start),
        ack_policy: AckPolicy::Explicit,
        ack_wait: origin.ack_wait,
        max_deliver: -1,
        filter_subject,
        filter_subjects,
        max_ack_pending: i64::try_from(window.events).unwrap_or(i64::MAX),
        ..if keeps_order {
            ordered
        } else {
            pull::Config::default()
        }
    }
}

fn deliver_policy(start: Start) -> DeliverPolicy {
    match start {
        Start::Earliest => DeliverPolicy::All,
        Start::Latest => DeliverPolicy::New,
        Start::Time(time) => DeliverPolicy::ByStartTime {
            start_time: from_nanos(time.as_nanosecond()).expect("both know the years to 9999"),
        },
    }
}

/// A setting of the consumer that is there and not what the route needs.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Difference {
    pub(super) setting: &'static str,
    pub(super) wanted: String,
    pub(super) found: String,
    /// Whether the promise could not be kept with it.
    pub(super) breaks_the_promise: bool,
}

/// How a consumer differs. Where it starts is not compared: it has its place already.
pub(super) fn differences(wanted: &Config, found: &Config) -> Vec<Difference> {
    let mut differences = Vec::new();
    let mut compare = |setting, wanted: String, found: String, breaks_the_promise| {
        if wanted != found {
            differences.push(Difference {
                setting,
                wanted,
                found,
                breaks_the_promise,
            });
        }
    };
    let unlimited = |limit: i64| {
        if limit <= 0 {
            "unlimited".to_owned()
        } else {
            limit.to_string()
        }
    };
    let kind = |config: &Config| match config.deliver_subject {
        None => "pull".to_owned(),
        Some(_) => "push".to_owned(),
    };
    let pinning =
        |config: &Config| format!("{:?} {:?}", config.priority_policy, config.priority_groups);
    let steps = |config: &Config| format!("{:?}", config.backoff);
    let replay = |config: &Config| match config.replay_policy {
        ReplayPolicy::Instant => "instant".to_owned(),
        ReplayPolicy::Original => "original".to_owned(),
    };
    let threshold = |config: &Config| format!("{:?}", config.inactive_threshold);
    compare("kind", kind(wanted), kind(found), true);
    compare("ack_policy", ack(wanted), ack(found), true);
    compare(
        "max_deliver",
        unlimited(wanted.max_deliver),
        unlimited(found.max_deliver),
        true,
    );
    compare("filter_subjects", filters(wanted), filters(found), true);
    compare(
        "headers_only",
        wanted.headers_only.to_string(),
        found.headers_only.to_string(),
        true,
    );
    compare("backoff", steps(wanted), steps(found), true);
    compare(
        "inactive_threshold",
        threshold(wanted),
        threshold(found),
        true,
    );
    compare("priority", pinning(wanted), pinning(found), true);
    let pending = (
        unlimited(wanted.max_ack_pending),
        unlimited(found.max_ack_pending),
    );
    compare("max_ack_pending", pending.0, pending.1, false);
    compare(
        "ack_wait",
        format!("{:?}", wanted.ack_wait),
        format!("{:?}", found.ack_wait),
        false,
    );
    let timeout = |config: &Config| format!("{:?}", config.priority_timeout);
    compare("priority_timeout", timeout(wanted), timeout(found), false);
    compare("replay_policy", replay(wanted), replay(found), false);
    differences
}

fn ack(config: &Config) -> String {
    match config.ack_policy {
        AckPolicy::Explicit => "explicit".to_owned(),
        AckPolicy::None => "none".to_owned(),
        AckPolicy::All => "all".to_owned(),
        AckPolicy::FlowControl => "flow_control".to_owned(),
    }
}

fn filters(config: &Config) -> String {
    let one = Some(&config.filter_subject).filter(|subject| !subject.is_empty() && *subject != ">");
    let all: BTreeSet<_> = one.into_iter().chain(&config.filter_subjects).collect();
    format!("{all:?}")
}

/// Refuses a consumer that cannot keep the promise; returns what is only worth a warning.
pub(super) fn check(wanted: &Config, found: &Config) -> Result<Vec<Difference>, SourceError> {
    let (broken, tolerable): (Vec<_>, Vec<_>) = differences(wanted, found)
        .into_iter()
        .partition(|difference| difference.breaks_the_promise);
    if broken.is_empty() {
        return Ok(tolerable);
    }
    let told = |d: &Difference| format!("{} is {}, needed is {}", d.setting, d.found, d.wanted);
    let told: Vec<_> = broken.iter().map(told).collect();
    let detail = format!(
        "{}; change the consumer, or name another durable",
        told.join("; ")
    );
    Err(SourceError {
        reason: "nats-consumer-unfit",
        detail,
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use async_nats::jetstream::consumer::IntoConsumerConfig;

    use super::*;

    const WINDOW: Capacity = Capacity {
        events: 1000,
        bytes: 1,
    };

    fn origin(subjects: &[&str]) -> StreamOrigin {
        StreamOrigin {
            stream: "S".into(),
            durable: "d".into(),
            subjects: subjects.iter().map(ToString::to_string).collect(),
            start: Start::Earliest,
            ack_wait: Duration::from_secs(30),
        }
    }

    fn config(subjects: &[&str], keeps_order: bool) -> Config {
        wanted(&origin(subjects), keeps_order, WINDOW).into_consumer_config()
    }

    #[test]
    fn versions_are_compared_by_number() {
        assert!(Version::of("2.9.10") < Version::of("2.10.0"));
        assert!(Version::of("2.11.0-RC.1") >= Version::of("2.11"));
        assert!(Version::of("dev") < Version::of("2.9"));
    }

    #[test]
    fn old_servers_are_refused_for_what_they_would_ignore() {
        for (version, subjects, keeps_order, is_fine) in [
            ("2.15.2", &["a", "b"][..], true, true),
            ("2.11.0", &["a", "b"], true, true),
            ("2.10.27", &["a", "b"], false, true),
            ("2.10.27", &["a"], true, false),
            ("2.9.10", &["a", "b"], false, false),
            ("2.9.10", &["a"], false, true),
        ] {
            let checked = check_version(Version::of(version), &origin(subjects), keeps_order);
            assert_eq!(
                checked.is_ok(),
                is_fine,
                "{version} {subjects:?} {keeps_order}"
            );
        }
    }

    #[test]
    fn what_was_made_as_wanted_does_not_differ() {
        for subjects in [&[][..], &["a"], &["a", "b"]] {
            for keeps_order in [true, false] {
                let config = config(subjects, keeps_order);
                assert_eq!(differences(&config, &config), []);
            }
        }
        // Servers may give several subjects back in another order, and `>` for all.
        assert_eq!(
            differences(&config(&["a", "b"], true), &config(&["b", "a"], true)),
            []
        );
        assert_eq!(differences(&config(&[], true), &config(&[">"], true)), []);
    }

    type Change = fn(&mut Config);

    #[test]
    fn a_consumer_that_breaks_the_promise_is_refused_with_both_values() {
        let changes: &[(Change, &str)] = &[
            (
                |c| c.ack_policy = AckPolicy::None,
                "ack_policy is none, needed is explicit",
            ),
            (
                |c| c.ack_policy = AckPolicy::All,
                "ack_policy is all, needed is explicit",
            ),
            (
                |c| c.max_deliver = 5,
                "max_deliver is 5, needed is unlimited",
            ),
            (
                |c| c.deliver_subject = Some("x".into()),
                "kind is push, needed is pull",
            ),
            (
                |c| c.filter_subject = "b".into(),
                "filter_subjects is {\"b\"}, needed is {\"a\"}",
            ),
            (
                |c| c.filter_subject = String::new(),
                "filter_subjects is {}, needed is {\"a\"}",
            ),
            (
                |c| c.headers_only = true,
                "headers_only is true, needed is false",
            ),
            (
                |c| c.backoff = vec![Duration::from_secs(1)],
                "backoff is [1s], needed is []",
            ),
            (
                |c| c.priority_policy = PriorityPolicy::None,
                "priority is None",
            ),
            (
                |c| c.inactive_threshold = Duration::from_secs(9),
                "inactive_threshold is 9s",
            ),
        ];
        let wanted = config(&["a"], true);
        for (change, said) in changes {
            let mut found = wanted.clone();
            change(&mut found);
            let refused = check(&wanted, &found).unwrap_err();
            assert_eq!(refused.reason, "nats-consumer-unfit");
            assert!(refused.detail.contains(said), "{}", refused.detail);
        }
    }

    #[test]
    fn other_bounds_are_only_told() {
        let wanted = config(&["a"], true);
        let mut found = wanted.clone();
        found.max_ack_pending = 10;
        found.ack_wait = Duration::from_secs(5);
        found.priority_timeout = Duration::from_secs(120);
        let told = check(&wanted, &found).unwrap();
        let told: Vec<_> = told
            .iter()
            .map(|d| (d.setting, &*d.wanted, &*d.found))
            .collect();
        assert_eq!(
            told,
            [
                ("max_ack_pending", "1000", "10"),
                ("ack_wait", "30s", "5s"),
                ("priority_timeout", "5s", "120s"),
            ]
        );
    }
}
