//! What can be wrong with an event in binary mode.

use super::{HEADERS, IN_HTTP, IN_KAFKA, IN_NATS, NOT_MEDIA_TYPES, core, truncated};
use crate::generate::defect::{Change, Defect};

pub(super) const DEFECTS: &[Defect] = &[
    core(
        "content-type-malformed",
        &["CE-DCT-1"],
        HEADERS,
        Change::Attribute("datacontenttype", NOT_MEDIA_TYPES),
    ),
    core(
        "name-is-data",
        &["CE-NAME-5"],
        HEADERS,
        Change::Attribute("data", &["a"]),
    ),
    core(
        "data-not-its-type",
        &["CE-DATA-1"],
        HEADERS,
        Change::Body(&[truncated, |_| Some(b"huisnummer 1".to_vec())]),
    ),
    core(
        "header-repeated-on-http",
        &["HTTP-BIN-8"],
        IN_HTTP,
        Change::Again("id"),
    ),
    core(
        "header-repeated-on-kafka",
        &["KAFKA-BIN-7"],
        IN_KAFKA,
        Change::Again("id"),
    ),
    core(
        "header-repeated-on-nats",
        &["NATS-BIN-4"],
        IN_NATS,
        Change::Again("id"),
    ),
    core(
        "content-type-as-attribute-on-http",
        &["HTTP-BIN-2"],
        IN_HTTP,
        Change::Header("ce-datacontenttype", "application/json"),
    ),
    core(
        "content-type-as-attribute-on-kafka",
        &["KAFKA-BIN-2"],
        IN_KAFKA,
        Change::Header("ce_datacontenttype", "application/json"),
    ),
    core(
        "value-not-utf-8-on-kafka",
        &["KAFKA-BIN-4"],
        IN_KAFKA,
        Change::Raw("extension", &[b"caf\xE9", b"\xFF"]),
    ),
    core(
        "value-not-utf-8-on-http",
        &["HTTP-DEC-5"],
        IN_HTTP,
        Change::Raw("extension", &[b"caf%E9", b"%C3"]),
    ),
    core(
        "value-not-utf-8-on-nats",
        &["NATS-DEC-5"],
        IN_NATS,
        Change::Raw("extension", &[b"caf%E9", b"%C3"]),
    ),
    core(
        "surrogates-encoded-on-http",
        &["HTTP-DEC-5", "HTTP-ENC-5"],
        IN_HTTP,
        Change::Raw("extension", &[b"%ED%A0%BD%ED%B8%80"]),
    ),
    core(
        "surrogates-encoded-on-nats",
        &["NATS-DEC-5", "NATS-ENC-5"],
        IN_NATS,
        Change::Raw("extension", &[b"%ED%A0%BD%ED%B8%80"]),
    ),
    core(
        "not-ascii-on-http",
        &["HTTP-ENC-1", "HTTP-ENC-2"],
        IN_HTTP,
        Change::Raw("extension", &["café".as_bytes()]),
    ),
    core(
        "not-ascii-on-nats",
        &["NATS-ENC-1", "NATS-ENC-2"],
        IN_NATS,
        Change::Raw("extension", &["café".as_bytes()]),
    ),
    core(
        "not-encoded-on-http",
        &["HTTP-ENC-2"],
        IN_HTTP,
        Change::Raw("extension", &[b"a b", b"a\"b"]),
    ),
    core(
        "not-encoded-on-nats",
        &["NATS-ENC-2"],
        IN_NATS,
        Change::Raw("extension", &[b"a b", b"a\"b"]),
    ),
    core(
        "stray-percent-on-http",
        &["HTTP-DEC-6"],
        IN_HTTP,
        Change::Raw("extension", &[b"100%", b"%zz"]),
    ),
    core(
        "stray-percent-on-nats",
        &["NATS-DEC-6"],
        IN_NATS,
        Change::Raw("extension", &[b"100%", b"%zz"]),
    ),
    core(
        "lower-case-code-on-http",
        &["HTTP-ENC-4"],
        IN_HTTP,
        Change::Raw("extension", &[b"caf%c3%a9"]),
    ),
    core(
        "lower-case-code-on-nats",
        &["NATS-ENC-4"],
        IN_NATS,
        Change::Raw("extension", &[b"caf%c3%a9"]),
    ),
    core(
        "quoted-on-http",
        &["HTTP-ENC-3"],
        IN_HTTP,
        Change::Raw("extension", &[b"\"a\""]),
    ),
    core(
        "quoted-on-nats",
        &["NATS-ENC-3"],
        IN_NATS,
        Change::Raw("extension", &[b"\"a\""]),
    ),
];
