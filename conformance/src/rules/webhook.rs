//! Rules of the webhook specification.

mod allowed_rate_not_a_number;
mod answer_body_not_announced;
mod asked_rate_not_a_number;
mod asked_rate_unanswered;
mod callback_guessable;
mod callback_not_https;
mod callback_rate_refused;
mod callback_refused;
mod consent_before_callback;
mod consent_to_another;
mod delivery_empty;
mod empty_answer;
mod half_consent;
mod method_not_post;
mod options_not_refused;
mod origin_not_a_dns_name;
mod origin_not_repeated;
mod plain_http;
mod post_not_allowed;
mod rate_not_told;
mod rate_question_refused;
mod redirected;
mod retry_after_missing;
mod token_answer_shared;
pub(super) mod token_in_query;
mod token_missing;
mod token_not_bearer;
mod token_not_separated;
mod token_request_stored;
mod validated_elsewhere;

use super::Definition;
use crate::rule::Example;

/// Headers of the handshake, which the specification names.
const ALLOWED_ORIGIN: &str = "WebHook-Allowed-Origin";
const ALLOWED_RATE: &str = "WebHook-Allowed-Rate";
const REQUEST_ORIGIN: &str = "WebHook-Request-Origin";
const REQUEST_RATE: &str = "WebHook-Request-Rate";
const REQUEST_CALLBACK: &str = "WebHook-Request-Callback";

/// A delivery in which everything is as it should be.
const DELIVERY: Example = Example::Delivery(
    "POST https://ontvanger.example/hook\nContent-Type: application/cloudevents+json\nAuthorization: Bearer abc\n→ 204",
);

/// Such a handshake.
const HANDSHAKE: Example = Example::Validation(
    "OPTIONS https://ontvanger.example/hook\nWebHook-Request-Origin: eventemitter.example.com\nWebHook-Request-Rate: 120\n→ 200\nAllow: POST, OPTIONS\nWebHook-Allowed-Origin: eventemitter.example.com\nWebHook-Allowed-Rate: 120",
);

/// One that is answered later, by a callback.
const LATER: Example = Example::Validation(
    "OPTIONS https://ontvanger.example/hook\nWebHook-Request-Origin: eventemitter.example.com\nWebHook-Request-Callback: https://eventemitter.example.com/confirm?id=12345&key=geheim-7f3a9c\n→ 202\nAllow: POST, OPTIONS",
);

pub(super) const RULES: &[Definition] = &[
    allowed_rate_not_a_number::RULE,
    answer_body_not_announced::RULE,
    asked_rate_not_a_number::RULE,
    asked_rate_unanswered::RULE,
    callback_guessable::RULE,
    callback_not_https::RULE,
    callback_rate_refused::RULE,
    callback_refused::RULE,
    consent_before_callback::RULE,
    consent_to_another::RULE,
    delivery_empty::RULE,
    empty_answer::RULE,
    half_consent::RULE,
    method_not_post::RULE,
    options_not_refused::RULE,
    origin_not_a_dns_name::RULE,
    origin_not_repeated::RULE,
    plain_http::RULE,
    post_not_allowed::RULE,
    rate_not_told::RULE,
    rate_question_refused::RULE,
    redirected::RULE,
    retry_after_missing::RULE,
    token_answer_shared::RULE,
    token_in_query::RULE,
    token_missing::RULE,
    token_not_bearer::RULE,
    token_not_separated::RULE,
    token_request_stored::RULE,
    validated_elsewhere::RULE,
];
