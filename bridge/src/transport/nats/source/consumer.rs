//! The consumer that a route wants, and what is changed where another one is found.

use std::collections::BTreeSet;
use std::time::Duration;

use async_nats::Client;
use async_nats::datetime::from_nanos;
use async_nats::jetstream::consumer::{
    AckPolicy, Config, DeliverPolicy, Info, IntoConsumerConfig, PriorityPolicy, ReplayPolicy, pull,
};
use serde_json::{Value, json};

use super::super::settings::StreamOrigin;
use crate::config::Start;
use crate::transport::SourceError;
use crate::transport::contract::SourceOpening;

/// One process of all in it reads at a time.
pub(super) const GROUP: &str = "cenl-bridge";
/// A process that requests nothing for so long loses its pin.
pub(super) const PIN_TIMEOUT: Duration = Duration::from_secs(5);
/// An ordered session repeats nothing; it may hold a message while a receiver is down over a long
/// weekend.
const ORDERED_ACK_WAIT: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// The version of the server, where it ignores nothing that the route needs.
pub(in crate::transport::nats) fn check_server(
    client: &Client,
    origin: &StreamOrigin,
    keeps_order: bool,
) -> Result<String, SourceError> {
    let is_at_least = |major, minor| client.is_server_compatible(major, minor, 0);
    let version = client.server_info().version;
    check_version(&version, is_at_least, origin, keeps_order).map(|()| version)
}

fn check_version(
    version: &str,
    is_at_least: impl Fn(i64, i64) -> bool,
    origin: &StreamOrigin,
    keeps_order: bool,
) -> Result<(), SourceError> {
    let detail = if keeps_order && !is_at_least(2, 14) {
        format!(
            "server {version} cannot reset a consumer, which an order needs, 2.14 can: use a newer \
             server, or write order = \"none\""
        )
    } else if origin.subjects.len() > 1 && !is_at_least(2, 10) {
        format!("server {version} takes one subject of a stream, 2.10 takes several: name one")
    } else {
        return Ok(());
    };
    Err(SourceError {
        reason: "nats-server-too-old",
        detail,
    })
}

/// `next` is the sequence behind the end of the stream: a reset of a consumer with the policy `new`
/// could pass what came since.
pub(super) fn wanted(origin: &StreamOrigin, opening: &SourceOpening, next: u64) -> Config {
    let (filter_subject, filter_subjects) = match origin.subjects.as_slice() {
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
        max_ack_pending: i64::try_from(opening.window.events).unwrap_or(i64::MAX),
        ..pull::Config::default()
    };
    if opening.keeps_order {
        config.ack_wait = ORDERED_ACK_WAIT;
        config.priority_policy = PriorityPolicy::PinnedClient;
        config.priority_groups = vec![GROUP.to_owned()];
        config.priority_timeout = PIN_TIMEOUT;
    }
    config.into_consumer_config()
}

/// Whether the consumer that was found can be made what is wanted.
pub(in crate::transport::nats) fn check_fit(found: &Config) -> Result<(), SourceError> {
    let mut unfit = Vec::new();
    if found.deliver_subject.is_some() {
        unfit.push("kind is push, needed is pull".to_owned());
    }
    if found.ack_policy != AckPolicy::Explicit {
        let policy = format!("{:?}", found.ack_policy).to_lowercase();
        unfit.push(format!("ack_policy is {policy}, needed is explicit"));
    }
    if found.replay_policy != ReplayPolicy::Instant {
        unfit.push("replay_policy is original, needed is instant".to_owned());
    }
    if unfit.is_empty() {
        return Ok(());
    }
    Err(SourceError {
        reason: "nats-consumer-unfit",
        detail: format!(
            "{}, which no server changes; delete the consumer, or name another durable",
            unfit.join("; ")
        ),
    })
}

/// The consumer that was found, changed to what is wanted; it keeps its position.
pub(super) fn updated(wanted: &Config, found: &Config) -> Result<Option<Config>, SourceError> {
    check_fit(found)?;
    let mut config = Config {
        max_deliver: wanted.max_deliver,
        headers_only: wanted.headers_only,
        backoff: wanted.backoff.clone(),
        inactive_threshold: wanted.inactive_threshold,
        priority_policy: wanted.priority_policy.clone(),
        priority_groups: wanted.priority_groups.clone(),
        priority_timeout: wanted.priority_timeout,
        max_ack_pending: wanted.max_ack_pending,
        ack_wait: wanted.ack_wait,
        // Limits of one request: a request above them is refused whole.
        max_batch: wanted.max_batch,
        max_bytes: wanted.max_bytes,
        max_expires: wanted.max_expires,
        ..found.clone()
    };
    if filters(wanted) != filters(found) {
        config.filter_subject.clone_from(&wanted.filter_subject);
        config.filter_subjects.clone_from(&wanted.filter_subjects);
    }
    Ok((config != *found).then_some(config))
}

/// Servers return several subjects in another order, and `>` for all.
fn filters(config: &Config) -> BTreeSet<&String> {
    let one = Some(&config.filter_subject).filter(|subject| !subject.is_empty() && *subject != ">");
    one.into_iter().chain(&config.filter_subjects).collect()
}

/// Whether the consumer that was found takes all that is wanted.
pub(super) fn covers(found: &Config, wanted: &Config) -> bool {
    let (found, wanted) = (filters(found), filters(wanted));
    found.is_empty() || !wanted.is_empty() && wanted.is_subset(&found)
}

pub(super) fn differences(before: &Config, after: &Config) -> Vec<(String, Value, Value)> {
    let [before, after] = [before, after].map(|config| json!(config));
    let configs = [&before, &after].into_iter().filter_map(Value::as_object);
    let names: BTreeSet<_> = configs.flat_map(|config| config.keys()).collect();
    let names = names.into_iter();
    let changed = names.filter(|name| before[*name] != after[*name]);
    let values = |name: &String| (name.clone(), before[name].clone(), after[name].clone());
    changed.map(values).collect()
}

pub(super) fn pinned(info: &Info) -> Option<&str> {
    let mut groups = info.priority_groups.iter();
    let own = groups.find(|group| group.group == GROUP)?;
    own.pinned_client_id.as_deref().filter(|id| !id.is_empty())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use cloudevents_nl_codec::Decoder;

    use super::*;
    use crate::delivery::share::Share;
    use crate::delivery::window::Capacity;
    use crate::transport::SourceStatus;

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
        let opening = SourceOpening {
            window: Capacity::SINGLE,
            share: Share::unbounded(),
            keeps_order,
            decoder: Decoder::default(),
            status: SourceStatus::default(),
        };
        wanted(&origin(subjects), &opening, 1)
    }

    #[test]
    fn old_servers_are_refused_for_what_they_would_ignore() {
        for (version, subjects, keeps_order, is_fine) in [
            ((2, 15), &["a", "b"][..], true, true),
            ((2, 14), &["a", "b"], true, true),
            ((2, 13), &["a"], true, false),
            ((2, 13), &["a", "b"], false, true),
            ((2, 9), &["a", "b"], false, false),
            ((2, 9), &["a"], false, true),
        ] {
            let is_at_least = |major, minor| version >= (major, minor);
            let checked = check_version("X", is_at_least, &origin(subjects), keeps_order);
            assert_eq!(
                checked.is_ok(),
                is_fine,
                "{version:?} {subjects:?} {keeps_order}"
            );
        }
        let refused = check_version("2.11.4", |_, _| false, &origin(&[]), true).unwrap_err();
        for said in ["server 2.11.4", "use a newer server", "\"none\""] {
            assert!(refused.detail.contains(said), "{}", refused.detail);
        }
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
        let config = updated(&wanted, &found).unwrap().unwrap();
        let differences = differences(&found, &config);
        let told: Vec<_> = differences.iter().map(|(name, ..)| &**name).collect();
        let expected = [
            "ack_wait",
            "backoff",
            "filter_subject",
            "headers_only",
            "max_deliver",
            "priority_groups",
            "priority_policy",
            "priority_timeout",
        ];
        assert_eq!(told, expected);
        let (_, before, after) = &differences[2];
        assert_eq!((before, after), (&json!("b"), &json!("a")));
        assert_eq!(updated(&wanted, &config).unwrap(), None);
        assert_eq!(config.deliver_policy, DeliverPolicy::New);
        assert!(config.metadata.contains_key("kept"));
    }

    #[test]
    fn what_no_server_changes_is_refused_with_both_values() {
        type Change = fn(&mut Config);
        let changes: [(Change, &str); 4] = [
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
            (
                |c| c.replay_policy = ReplayPolicy::Original,
                "replay_policy is original, needed is instant",
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
