//! Pure: the consumer that a route wants, and what is changed where another one is found.

use std::collections::BTreeSet;
use std::time::Duration;

use async_nats::datetime::from_nanos;
use async_nats::jetstream::consumer::{
    AckPolicy, Config, DeliverPolicy, Info, IntoConsumerConfig, PriorityPolicy, pull,
};

use super::super::settings::StreamOrigin;
use crate::config::Start;
use crate::delivery::window::Capacity;
use crate::transport::SourceError;

/// The one priority group of a consumer that keeps order: one process of all reads at a time.
pub(super) const GROUP: &str = "cenl-bridge";
/// A process that asks for nothing for so long loses its pin.
pub(super) const PIN_TIMEOUT: Duration = Duration::from_secs(5);
/// An ordered session repeats nothing, so this only has to be longer than it may hold a message: a
/// receiver may be down over a long weekend.
const ORDERED_ACK_WAIT: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// Version of a server, major and minor.
type Version = (u32, u32);

/// Reads `2.11.4` or `2.12.0-RC.1`; what cannot be read is taken for very old.
pub(super) fn version(text: &str) -> Version {
    let numbers = text.trim_start_matches('v').split(['.', '-', '+']);
    let mut numbers = numbers.map(str::parse);
    match (numbers.next(), numbers.next()) {
        (Some(Ok(major)), Some(Ok(minor))) => (major, minor),
        _ => (0, 0),
    }
}

/// Refuses what a server of this version would ignore without a word.
pub(super) fn check_version(
    version: Version,
    origin: &StreamOrigin,
    keeps_order: bool,
) -> Result<(), SourceError> {
    let (major, minor) = version;
    let detail = if keeps_order && version < (2, 14) {
        format!(
            "server {major}.{minor} cannot reset a consumer, which an order needs, 2.14 can: \
             use a newer server, or write order = \"none\""
        )
    } else if origin.subjects.len() > 1 && version < (2, 10) {
        format!(
            "server {major}.{minor} takes one subject of a stream, 2.10 takes several: name one"
        )
    } else {
        return Ok(());
    };
    Err(SourceError {
        reason: "nats-server-too-old",
        detail,
    })
}

/// The consumer that is made where none is. `next` is the sequence behind the end of the stream: a
/// reset of a consumer with the policy `new` could pass what came since.
pub(super) fn wanted(
    origin: &StreamOrigin,
    keeps_order: bool,
    window: Capacity,
    next: u64,
) -> Config {
    let (filter_subject, filter_subjects) = match origin.subjects.as_slice() {
        [] => (String::new(), Vec::new()),
        [one] => (one.clone(), Vec::new()),
        several => (String::new(), several.to_vec()),
    };
    let mut config = pull::Config {
        durable_name: Some(origin.durable.clone()),
        description: Some("cenl-bridge".to_owned()),
        deliver_policy: match origin.start {
            Start::Earliest => DeliverPolicy::All,
            Start::Latest => DeliverPolicy::ByStartSequence {
                start_sequence: next,
            },
            Start::Time(time) => DeliverPolicy::ByStartTime {
                start_time: from_nanos(time.as_nanosecond()).expect("both know the years to 9999"),
            },
        },
        ack_policy: AckPolicy::Explicit,
        ack_wait: origin.ack_wait,
        max_deliver: -1,
        filter_subject,
        filter_subjects,
        max_ack_pending: i64::try_from(window.events).unwrap_or(i64::MAX),
        ..pull::Config::default()
    };
    if keeps_order {
        config.ack_wait = ORDERED_ACK_WAIT;
        config.priority_policy = PriorityPolicy::PinnedClient;
        config.priority_groups = vec![GROUP.to_owned()];
        config.priority_timeout = PIN_TIMEOUT;
    }
    config.into_consumer_config()
}

/// A setting of the consumer that is there, and not what the route needs.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Difference {
    pub(super) setting: &'static str,
    pub(super) wanted: String,
    pub(super) found: String,
}

type Show = fn(&Config) -> String;

/// What no server changes of a consumer that is there.
const FIXED: [(&str, Show); 2] = [
    ("kind", |config| match config.deliver_subject {
        None => "pull".to_owned(),
        Some(_) => "push".to_owned(),
    }),
    ("ack_policy", |config| {
        format!("{:?}", config.ack_policy).to_lowercase()
    }),
];

/// What is changed. Where a consumer starts is neither: it has its place already.
const CHANGED: [(&str, Show); 9] = [
    ("max_deliver", |config| limit(config.max_deliver)),
    ("filter_subjects", filters),
    ("headers_only", |config| config.headers_only.to_string()),
    ("backoff", |config| format!("{:?}", config.backoff)),
    ("inactive_threshold", |config| {
        format!("{:?}", config.inactive_threshold)
    }),
    ("priority", |config| {
        format!("{:?} {:?}", config.priority_policy, config.priority_groups)
    }),
    ("priority_timeout", |config| {
        format!("{:?}", config.priority_timeout)
    }),
    ("max_ack_pending", |config| limit(config.max_ack_pending)),
    ("ack_wait", |config| format!("{:?}", config.ack_wait)),
];

fn limit(limit: i64) -> String {
    match limit {
        ..=0 => "unlimited".to_owned(),
        limit => limit.to_string(),
    }
}

fn filters(config: &Config) -> String {
    let one = Some(&config.filter_subject).filter(|subject| !subject.is_empty() && *subject != ">");
    let all: BTreeSet<_> = one.into_iter().chain(&config.filter_subjects).collect();
    format!("{all:?}")
}

fn compare(settings: &[(&'static str, Show)], wanted: &Config, found: &Config) -> Vec<Difference> {
    let compared = settings.iter().map(|&(setting, show)| Difference {
        setting,
        wanted: show(wanted),
        found: show(found),
    });
    compared.filter(|d| d.wanted != d.found).collect()
}

/// The configuration that makes `found` what is wanted, and how it differs; nothing where it does
/// not. What cannot be changed is refused.
pub(super) fn updated(
    wanted: &Config,
    found: &Config,
) -> Result<Option<(Config, Vec<Difference>)>, SourceError> {
    let broken = compare(&FIXED, wanted, found);
    if !broken.is_empty() {
        let say = |d: &Difference| format!("{} is {}, needed is {}", d.setting, d.found, d.wanted);
        let said: Vec<_> = broken.iter().map(say).collect();
        return Err(SourceError {
            reason: "nats-consumer-unfit",
            detail: format!(
                "{}, which no server changes; delete the consumer, or name another durable",
                said.join("; ")
            ),
        });
    }
    let differences = compare(&CHANGED, wanted, found);
    let config = Config {
        max_deliver: wanted.max_deliver,
        filter_subject: wanted.filter_subject.clone(),
        filter_subjects: wanted.filter_subjects.clone(),
        headers_only: wanted.headers_only,
        backoff: wanted.backoff.clone(),
        inactive_threshold: wanted.inactive_threshold,
        priority_policy: wanted.priority_policy.clone(),
        priority_groups: wanted.priority_groups.clone(),
        priority_timeout: wanted.priority_timeout,
        max_ack_pending: wanted.max_ack_pending,
        ack_wait: wanted.ack_wait,
        ..found.clone()
    };
    Ok((!differences.is_empty()).then_some((config, differences)))
}

/// The process that may read, where only one may.
pub(super) fn pinned(info: &Info) -> Option<&str> {
    let groups = info.priority_groups.iter();
    let mut own = groups.filter(|group| group.group == GROUP);
    let id = own.next()?.pinned_client_id.as_deref();
    id.filter(|id| !id.is_empty())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
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
            on_offset_lost: Default::default(),
        }
    }

    fn config(subjects: &[&str], keeps_order: bool) -> Config {
        wanted(&origin(subjects), keeps_order, WINDOW, 1)
    }

    #[test]
    fn versions_are_compared_by_number() {
        assert!(version("2.9.10") < version("2.10.0"));
        assert!(version("2.11.0-RC.1") >= version("2.11"));
        assert!(version("dev") < version("2.9"));
    }

    #[test]
    fn old_servers_are_refused_for_what_they_would_ignore() {
        for (text, subjects, keeps_order, is_fine) in [
            ("2.15.2", &["a", "b"][..], true, true),
            ("2.14.0", &["a", "b"], true, true),
            ("2.13.9", &["a"], true, false),
            ("2.13.9", &["a", "b"], false, true),
            ("2.9.10", &["a", "b"], false, false),
            ("2.9.10", &["a"], false, true),
        ] {
            let checked = check_version(version(text), &origin(subjects), keeps_order);
            assert_eq!(
                checked.is_ok(),
                is_fine,
                "{text} {subjects:?} {keeps_order}"
            );
        }
        let refused = check_version(version("2.11.4"), &origin(&[]), true).unwrap_err();
        assert!(
            refused.detail.contains("use a newer server") && refused.detail.contains("\"none\"")
        );
    }

    #[test]
    fn what_was_made_as_wanted_is_not_changed() {
        for subjects in [&[][..], &["a"], &["a", "b"]] {
            for keeps_order in [true, false] {
                let config = config(subjects, keeps_order);
                assert_eq!(updated(&config, &config).unwrap(), None);
            }
        }
        // Servers may give several subjects back in another order, and `>` for all.
        for (wanted, found) in [(&["a", "b"][..], &["b", "a"][..]), (&[], &[">"])] {
            let (wanted, found) = (config(wanted, true), config(found, true));
            assert_eq!(updated(&wanted, &found).unwrap(), None);
        }
    }

    #[test]
    fn a_durable_is_changed_to_what_is_wanted_and_keeps_its_place() {
        let wanted = config(&["a"], true);
        let mut found = config(&["b"], false);
        found.deliver_policy = DeliverPolicy::New;
        found.max_deliver = 5;
        found.headers_only = true;
        found.backoff = vec![Duration::from_secs(1)];
        found.metadata.insert("kept".into(), "yes".into());
        let (config, differences) = updated(&wanted, &found).unwrap().unwrap();
        let told: Vec<_> = differences.iter().map(|d| d.setting).collect();
        let expected = [
            "max_deliver",
            "filter_subjects",
            "headers_only",
            "backoff",
            "priority",
            "priority_timeout",
            "ack_wait",
        ];
        assert_eq!(told, expected);
        assert_eq!(updated(&wanted, &config).unwrap(), None);
        assert_eq!(config.deliver_policy, DeliverPolicy::New);
        assert!(config.metadata.contains_key("kept"));
    }

    #[test]
    fn what_no_server_changes_is_refused_with_both_values() {
        type Change = fn(&mut Config);
        let changes: [(Change, &str); 3] = [
            (
                |c| c.ack_policy = AckPolicy::None,
                "ack_policy is none, needed is explicit",
            ),
            (
                |c| c.ack_policy = AckPolicy::All,
                "ack_policy is all, needed is explicit",
            ),
            (
                |c| c.deliver_subject = Some("x".into()),
                "kind is push, needed is pull",
            ),
        ];
        let wanted = config(&["a"], true);
        for (change, said) in changes {
            let mut found = wanted.clone();
            change(&mut found);
            let refused = updated(&wanted, &found).unwrap_err();
            assert_eq!(refused.reason, "nats-consumer-unfit");
            assert!(refused.detail.contains(said), "{}", refused.detail);
        }
    }
}
