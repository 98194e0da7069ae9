//! What an error of the producer means for an event.

use rdkafka::error::RDKafkaErrorCode as Code;

use crate::outcome::{Outcome, RefusedReason, UntrustedReason};
use crate::transport::kafka::client::is_authentication;

/// Another event of its batch was refused.
pub(super) const BATCH_REFUSED: Outcome = Outcome::Unreachable("batch-refused");

/// For an event alone in its batch.
pub(super) fn classify(code: Code) -> Outcome {
    match code {
        Code::MessageSizeTooLarge | Code::MessageBatchTooLarge => {
            Outcome::Refused(RefusedReason::TooLarge)
        }
        Code::InvalidRecord | Code::InvalidMessageSize | Code::PolicyViolation => {
            Outcome::Refused(RefusedReason::Other("invalid-record"))
        }
        Code::InvalidTimestamp => Outcome::Refused(RefusedReason::InvalidTimestamp),
        Code::InvalidDifferentRecord => BATCH_REFUSED,
        Code::TopicAuthorizationFailed
        | Code::ClusterAuthorizationFailed
        | Code::TransactionalIdAuthorizationFailed => {
            Outcome::Untrusted(UntrustedReason::NotAuthorised)
        }
        Code::SSL => Outcome::Untrusted(UntrustedReason::Other("tls")),
        code if is_authentication(code) => Outcome::Untrusted(UntrustedReason::NotAuthenticated),
        // As with an address that does not exist: somebody must create it, or correct the name.
        Code::UnknownTopic
        | Code::UnknownTopicOrPartition
        | Code::UnknownPartition
        | Code::InvalidTopic => Outcome::Untrusted(UntrustedReason::Other("unknown-topic")),
        Code::MessageTimedOut => Outcome::Unreachable("timeout"),
        Code::Fatal => Outcome::Unreachable("producer-failed"),
        Code::QueueFull => Outcome::Unreachable("queue-full"),
        // Every other error leaves open whether the event was written: not delivered.
        _ => Outcome::Unreachable("broker"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::Next;

    #[test]
    fn only_what_is_wrong_with_the_event_goes_to_the_dead_letters() {
        for (codes, expected) in [
            (
                &[
                    Code::MessageSizeTooLarge,
                    Code::MessageBatchTooLarge,
                    Code::InvalidRecord,
                    Code::InvalidMessageSize,
                    Code::InvalidTimestamp,
                    Code::PolicyViolation,
                ][..],
                Next::DeadLetter,
            ),
            (
                &[
                    Code::TopicAuthorizationFailed,
                    Code::ClusterAuthorizationFailed,
                    Code::SaslAuthenticationFailed,
                    Code::Authentication,
                    Code::SSL,
                    Code::UnknownTopic,
                    Code::UnknownTopicOrPartition,
                ],
                Next::Refused,
            ),
            (
                &[
                    Code::InvalidMessage,
                    Code::InvalidDifferentRecord,
                    Code::PurgeQueue,
                    Code::PurgeInflight,
                    Code::Fatal,
                    Code::QueueFull,
                    Code::MessageTimedOut,
                    Code::BrokerTransportFailure,
                    Code::AllBrokersDown,
                    Code::NotEnoughReplicas,
                    Code::NotEnoughReplicasAfterAppend,
                    Code::RequestTimedOut,
                    Code::KafkaStorageError,
                    Code::OutOfOrderSequenceNumber,
                    Code::Unknown,
                ],
                Next::Unavailable,
            ),
        ] {
            for &code in codes {
                assert_eq!(classify(code).next(), expected, "{code:?}");
            }
        }
    }
}
