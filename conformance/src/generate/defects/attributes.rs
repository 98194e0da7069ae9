//! Attributes that are missing, malformed or misnamed, in any mode.

use super::{ANY, PLAIN, core};
use crate::generate::defect::{Change, Defect};

const NOT_TIMES: &[&str] = &[
    "",
    "today",
    "2021-12-10",
    "2021-12-10 17:31:00Z",
    "2021-12-10T17:31:00",
    "2021-13-10T17:31:00Z",
    "2021-02-29T17:31:00Z",
    "2021-12-10T24:00:00Z",
    "2021-12-10T17:31Z",
    "2021-12-10T17:31:00+0100",
    "1639157460",
];
const NOT_REFERENCES: &[&str] = &["", "http://[::1", "/a\\b", "<a>"];
/// Percent-coded, these look like references that were not encoded, which is another defect.
const NOT_REFERENCES_IN_PLAIN: &[&str] = &["a b", "/a%zz", "/é"];
const NOT_URIS: &[&str] = &["", "/schema.json", "schema", "//example.com/a"];

pub(super) const DEFECTS: &[Defect] = &[
    core("id-missing", &["CE-ID-1"], ANY, Change::Without("id")),
    core(
        "id-empty",
        &["CE-ID-2"],
        ANY,
        Change::Attribute("id", &[""]),
    ),
    core(
        "source-missing",
        &["CE-SOURCE-1"],
        ANY,
        Change::Without("source"),
    ),
    core(
        "source-not-a-reference",
        &["CE-SOURCE-2"],
        ANY,
        Change::Attribute("source", NOT_REFERENCES),
    ),
    core(
        "source-with-characters-of-no-uri",
        &["CE-SOURCE-2"],
        PLAIN,
        Change::Attribute("source", NOT_REFERENCES_IN_PLAIN),
    ),
    core(
        "source-relative",
        &["CE-SOURCE-3"],
        ANY,
        Change::Attribute("source", &["/zaken", "zaken", "#a"]),
    ),
    core(
        "specversion-missing",
        &["CE-SPECVERSION-1"],
        ANY,
        Change::Without("specversion"),
    ),
    core(
        "specversion-empty",
        &["CE-SPECVERSION-2"],
        ANY,
        Change::Attribute("specversion", &[""]),
    ),
    core(
        "specversion-other",
        &["CE-SPECVERSION-3"],
        ANY,
        Change::Attribute("specversion", &["0.3", "1.1", "1", "1.0.2", "v1.0"]),
    ),
    core("type-missing", &["CE-TYPE-1"], ANY, Change::Without("type")),
    core(
        "type-empty",
        &["CE-TYPE-2"],
        ANY,
        Change::Attribute("type", &[""]),
    ),
    core(
        "type-without-domain",
        &["CE-TYPE-3"],
        ANY,
        Change::Attribute("type", &["PersonMoved", "moved"]),
    ),
    core(
        "subject-empty",
        &["CE-SUBJECT-1"],
        ANY,
        Change::Attribute("subject", &[""]),
    ),
    core(
        "time-malformed",
        &["CE-TIME-1"],
        ANY,
        Change::Attribute("time", NOT_TIMES),
    ),
    core(
        "dataschema-not-absolute",
        &["CE-DATASCHEMA-1"],
        ANY,
        Change::Attribute("dataschema", NOT_URIS),
    ),
    core(
        "name-with-capitals",
        &["CE-NAME-1"],
        PLAIN,
        Change::Attribute("myExtension", &["a"]),
    ),
    core(
        "name-with-punctuation",
        &["CE-NAME-1"],
        ANY,
        Change::Attribute("my-extension", &["a"]),
    ),
    core(
        "name-empty",
        &["CE-NAME-1", "CE-NAME-6"],
        ANY,
        Change::Attribute("", &["a"]),
    ),
    core(
        "name-long",
        &["CE-NAME-2"],
        ANY,
        Change::Attribute("extensionwithalongname", &["a"]),
    ),
    core(
        "name-begins-with-digit",
        &["CE-NAME-4"],
        ANY,
        Change::Attribute("2nd", &["a"]),
    ),
    core(
        "control-character",
        &["CE-TYPES-4"],
        ANY,
        Change::Attribute("extension", &["a\u{7}b", "\u{1f}", "a\u{85}b"]),
    ),
    core(
        "noncharacter",
        &["CE-TYPES-5"],
        ANY,
        Change::Attribute("extension", &["a\u{fffe}b", "\u{fdd0}", "\u{10ffff}"]),
    ),
    core(
        "sampledrate-not-positive",
        &["EXT-SAMPLE-1"],
        ANY,
        Change::Attribute("sampledrate", &["0", "-1"]),
    ),
    core(
        "dataref-not-a-reference",
        &["EXT-DATAREF-1"],
        ANY,
        Change::Attribute("dataref", &["<a>", "http://[::1"]),
    ),
    core(
        "partitionkey-empty",
        &["EXT-PART-1"],
        ANY,
        Change::Attribute("partitionkey", &[""]),
    ),
    core(
        "traceparent-malformed",
        &["EXT-TRACE-1"],
        ANY,
        Change::Attribute("traceparent", &["1", "00-0-0-01"]),
    ),
    core(
        "severitynumber-negative",
        &["EXT-SEV-1"],
        ANY,
        Change::Attribute("severitynumber", &["-1"]),
    ),
];
