//! What can be wrong with an event in the JSON format.

use super::{ALONE, JSON, NOT_MEDIA_TYPES, core, truncated};
use crate::capture::Protocol::{Http, Kafka};
use crate::generate::defect::{Change, Defect};
use crate::reading::Mode::{Batched, Structured};

pub(super) const DEFECTS: &[Defect] = &[
    core(
        "content-type-of-text-malformed",
        &["CE-DCT-1"],
        JSON,
        Change::Several(&[
            Change::Member("data", &[r#""1""#]),
            Change::Attribute("datacontenttype", NOT_MEDIA_TYPES),
        ]),
    ),
    core(
        "lone-surrogate",
        &["CE-TYPES-6"],
        JSON,
        Change::Member("extension", &[r#""a\ud83db""#, r#""\ude00""#]),
    ),
    core(
        "value-nested",
        &["CE-TYPES-1", "JSON-TYPE-3"],
        JSON,
        Change::Member("extension", &["{}", "[1]"]),
    ),
    core(
        "integer-misspelt",
        &["JSON-TYPE-2"],
        JSON,
        Change::Member("extension", &["1.5", "1e3", "5.0"]),
    ),
    core(
        "integer-too-large",
        &["CE-TYPES-3"],
        JSON,
        Change::Member(
            "extension",
            &["2147483648", "-2147483649", "12345678901234567890"],
        ),
    ),
    core(
        "id-not-text",
        &["CE-ID-2", "JSON-TYPE-1"],
        JSON,
        Change::Member("id", &["1", "true"]),
    ),
    core(
        "time-not-text",
        &["CE-TIME-1", "JSON-TYPE-1"],
        JSON,
        Change::Member("time", &["1639157460"]),
    ),
    core(
        "member-repeated",
        &["JSON-DUP-1"],
        JSON,
        Change::Behind(&[
            r#""id":"other""#,
            r#""\u0069d":"other""#,
            r#""source":"urn:nld:a""#,
        ]),
    ),
    core(
        "data-twice",
        &["JSON-DATA-3"],
        JSON,
        Change::Behind(&[r#""data_base64":"e30=""#]),
    ),
    core(
        "data-not-base64",
        &["JSON-DATA-4"],
        JSON,
        Change::Several(&[
            Change::Without("data"),
            Change::Member("data_base64", &[r#""e30""#, r#""e3_=""#, r#"" e30=""#, "1"]),
        ]),
    ),
    core(
        "data-not-text",
        &["JSON-DATA-6"],
        JSON,
        Change::Member(
            "datacontenttype",
            &[r#""text/plain""#, r#""application/xml""#],
        ),
    ),
    core(
        "json-cut-short",
        &["JSON-SYNTAX-1"],
        JSON,
        Change::Body(&[truncated]),
    ),
    core(
        "json-goes-on",
        &["JSON-SYNTAX-1"],
        JSON,
        Change::Body(&[
            |body| Some([&*body, b"}"].concat()),
            |body| Some([&*body, &*body].concat()),
        ]),
    ),
    core(
        "json-behind-a-mark",
        &["JSON-SYNTAX-1"],
        JSON,
        Change::Body(&[|body| Some([b"\xEF\xBB\xBF", &*body].concat())]),
    ),
    core(
        "json-not-utf-8",
        &["JSON-SYNTAX-1"],
        JSON,
        Change::Body(&[not_utf_8]),
    ),
    core(
        "json-not-an-object",
        &["JSON-ENV-1"],
        ALONE,
        Change::Body(&[|_| Some(b"1".to_vec()), |_| Some(b"null".to_vec())]),
    ),
    core(
        "batch-not-an-array",
        &["JSON-BATCH-1"],
        &[(Http, Batched)],
        Change::Body(&[|body| Some(body[1..body.len() - 1].to_vec())]),
    ),
    core(
        "record-empty",
        &["JSON-SYNTAX-1", "KAFKA-STR-4"],
        &[(Kafka, Structured)],
        Change::Body(&[|_| None]),
    ),
];

/// The first letter inside a string is a byte that begins nothing.
fn not_utf_8(mut body: Vec<u8>) -> Option<Vec<u8>> {
    let at = body
        .iter()
        .position(|&byte| byte == b'"')
        .unwrap_or_default();
    body.insert(at + 1, 0xFF);
    Some(body)
}
