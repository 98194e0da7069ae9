//! The defects there are: one row each, with the rules that it breaks.

use super::WAYS;
use super::defect::Change::{
    Again, Attribute, Behind, Body, Header, Member, Raw, Several, Without,
};
use super::defect::Defect;
use crate::capture::Protocol::{self, File, Http, Kafka, Nats};
use crate::reading::Mode::{self, Batched, Binary, Structured};
use crate::rule::Profile::{CloudEvents10, NlGov11};

/// All defects, those of attributes first.
pub fn defects() -> impl Iterator<Item = &'static Defect> {
    [CLOUDEVENTS, NL_GOV].into_iter().flatten()
}

type Ways = &'static [(Protocol, Mode)];

const ANY: Ways = &WAYS;
/// Where the event is a JSON object.
const JSON: Ways = &[
    (File, Structured),
    (Http, Structured),
    (Http, Batched),
    (Kafka, Structured),
    (Nats, Structured),
];
/// Where the event is the whole body.
const ALONE: Ways = &[
    (File, Structured),
    (Http, Structured),
    (Kafka, Structured),
    (Nats, Structured),
];
/// Where attributes are headers.
const HEADERS: Ways = &[(Http, Binary), (Kafka, Binary), (Nats, Binary)];
/// Where names keep their case, and values are not percent-coded.
const PLAIN: Ways = &[
    (File, Structured),
    (Http, Structured),
    (Http, Batched),
    (Kafka, Structured),
    (Kafka, Binary),
    (Nats, Structured),
];
const IN_HTTP: Ways = &[(Http, Binary)];
const IN_KAFKA: Ways = &[(Kafka, Binary)];
const IN_NATS: Ways = &[(Nats, Binary)];

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
const NOT_MEDIA_TYPES: &[&str] = &["json", "application/", "/json", "application json", "a/b c"];

/// A row: name, rules, the messages that can have it, and how it comes about.
macro_rules! table {
    ($profile:expr; $($name:literal $rules:tt $on:expr => $change:expr;)*) => {
        &[$(Defect {
            name: $name,
            rules: &$rules,
            profile: $profile,
            on: $on,
            change: $change,
        }),*]
    };
}

const CLOUDEVENTS: &[Defect] = table! { CloudEvents10;
    // Attributes that are missing, malformed or misnamed, in any mode.
    "id-missing" ["CE-ID-1"] ANY => Without("id");
    "id-empty" ["CE-ID-2"] ANY => Attribute("id", &[""]);
    "source-missing" ["CE-SOURCE-1"] ANY => Without("source");
    "source-not-a-reference" ["CE-SOURCE-2"] ANY => Attribute("source", NOT_REFERENCES);
    "source-with-characters-of-no-uri" ["CE-SOURCE-2"] PLAIN =>
        Attribute("source", NOT_REFERENCES_IN_PLAIN);
    "source-relative" ["CE-SOURCE-3"] ANY => Attribute("source", &["/zaken", "zaken", "#a"]);
    "specversion-missing" ["CE-SPECVERSION-1"] ANY => Without("specversion");
    "specversion-empty" ["CE-SPECVERSION-2"] ANY => Attribute("specversion", &[""]);
    "specversion-other" ["CE-SPECVERSION-3"] ANY =>
        Attribute("specversion", &["0.3", "1.1", "1", "1.0.2", "v1.0"]);
    "type-missing" ["CE-TYPE-1"] ANY => Without("type");
    "type-empty" ["CE-TYPE-2"] ANY => Attribute("type", &[""]);
    "type-without-domain" ["CE-TYPE-3"] ANY => Attribute("type", &["PersonMoved", "moved"]);
    "subject-empty" ["CE-SUBJECT-1"] ANY => Attribute("subject", &[""]);
    "time-malformed" ["CE-TIME-1"] ANY => Attribute("time", NOT_TIMES);
    "dataschema-not-absolute" ["CE-DATASCHEMA-1"] ANY => Attribute("dataschema", NOT_URIS);
    "name-with-capitals" ["CE-NAME-1"] PLAIN => Attribute("myExtension", &["a"]);
    "name-with-punctuation" ["CE-NAME-1"] ANY => Attribute("my-extension", &["a"]);
    "name-empty" ["CE-NAME-1", "CE-NAME-6"] ANY => Attribute("", &["a"]);
    "name-long" ["CE-NAME-2"] ANY => Attribute("extensionwithalongname", &["a"]);
    "name-begins-with-digit" ["CE-NAME-4"] ANY => Attribute("2nd", &["a"]);
    "control-character" ["CE-TYPES-4"] ANY =>
        Attribute("extension", &["a\u{7}b", "\u{1f}", "a\u{85}b"]);
    "noncharacter" ["CE-TYPES-5"] ANY =>
        Attribute("extension", &["a\u{fffe}b", "\u{fdd0}", "\u{10ffff}"]);
    "sampledrate-not-positive" ["EXT-SAMPLE-1"] ANY => Attribute("sampledrate", &["0", "-1"]);
    "dataref-not-a-reference" ["EXT-DATAREF-1"] ANY =>
        Attribute("dataref", &["<a>", "http://[::1"]);
    "partitionkey-empty" ["EXT-PART-1"] ANY => Attribute("partitionkey", &[""]);
    "traceparent-malformed" ["EXT-TRACE-1"] ANY => Attribute("traceparent", &["1", "00-0-0-01"]);
    "severitynumber-negative" ["EXT-SEV-1"] ANY => Attribute("severitynumber", &["-1"]);

    // An event in the JSON format.
    "content-type-of-text-malformed" ["CE-DCT-1"] JSON =>
        Several(&[Member("data", &[r#""1""#]), Attribute("datacontenttype", NOT_MEDIA_TYPES)]);
    "lone-surrogate" ["CE-TYPES-6"] JSON => Member("extension", &[r#""a\ud83db""#, r#""\ude00""#]);
    "value-nested" ["CE-TYPES-1", "JSON-TYPE-3"] JSON => Member("extension", &["{}", "[1]"]);
    "integer-misspelt" ["JSON-TYPE-2"] JSON => Member("extension", &["1.5", "1e3", "5.0"]);
    "integer-too-large" ["CE-TYPES-3"] JSON =>
        Member("extension", &["2147483648", "-2147483649", "12345678901234567890"]);
    "id-not-text" ["CE-ID-2", "JSON-TYPE-1"] JSON => Member("id", &["1", "true"]);
    "time-not-text" ["CE-TIME-1", "JSON-TYPE-1"] JSON => Member("time", &["1639157460"]);
    "member-repeated" ["JSON-DUP-1"] JSON =>
        Behind(&[r#""id":"other""#, r#""\u0069d":"other""#, r#""source":"urn:nld:a""#]);
    "data-twice" ["JSON-DATA-3"] JSON => Behind(&[r#""data_base64":"e30=""#]);
    "data-not-base64" ["JSON-DATA-4"] JSON =>
        Several(&[
            Without("data"),
            Member("data_base64", &[r#""e30""#, r#""e3_=""#, r#"" e30=""#, "1"]),
        ]);
    "data-not-text" ["JSON-DATA-6"] JSON =>
        Member("datacontenttype", &[r#""text/plain""#, r#""application/xml""#]);
    "json-cut-short" ["JSON-SYNTAX-1"] JSON => Body(&[truncated]);
    "json-goes-on" ["JSON-SYNTAX-1"] JSON =>
        Body(&[|body| Some([&*body, b"}"].concat()), |body| Some([&*body, &*body].concat())]);
    "json-behind-a-mark" ["JSON-SYNTAX-1"] JSON =>
        Body(&[|body| Some([b"\xEF\xBB\xBF", &*body].concat())]);
    "json-not-utf-8" ["JSON-SYNTAX-1"] JSON => Body(&[not_utf_8]);
    "json-not-an-object" ["JSON-ENV-1"] ALONE =>
        Body(&[|_| Some(b"1".to_vec()), |_| Some(b"null".to_vec())]);
    "batch-not-an-array" ["JSON-BATCH-1"] &[(Http, Batched)] =>
        Body(&[|body| Some(body[1..body.len() - 1].to_vec())]);
    "record-empty" ["JSON-SYNTAX-1", "KAFKA-STR-4"] &[(Kafka, Structured)] => Body(&[|_| None]);

    // An event in binary mode.
    "content-type-malformed" ["CE-DCT-1"] HEADERS => Attribute("datacontenttype", NOT_MEDIA_TYPES);
    "name-is-data" ["CE-NAME-5"] HEADERS => Attribute("data", &["a"]);
    "data-not-its-type" ["CE-DATA-1"] HEADERS =>
        Body(&[truncated, |_| Some(b"huisnummer 1".to_vec())]);
    "header-repeated-on-http" ["HTTP-BIN-8"] IN_HTTP => Again("id");
    "header-repeated-on-kafka" ["KAFKA-BIN-7"] IN_KAFKA => Again("id");
    "header-repeated-on-nats" ["NATS-BIN-4"] IN_NATS => Again("id");
    "content-type-as-attribute-on-http" ["HTTP-BIN-2"] IN_HTTP =>
        Header("ce-datacontenttype", "application/json");
    "content-type-as-attribute-on-kafka" ["KAFKA-BIN-2"] IN_KAFKA =>
        Header("ce_datacontenttype", "application/json");
    "value-not-utf-8-on-kafka" ["KAFKA-BIN-4"] IN_KAFKA => Raw("extension", &[b"caf\xE9", b"\xFF"]);
    "value-not-utf-8-on-http" ["HTTP-DEC-5"] IN_HTTP => Raw("extension", &[b"caf%E9", b"%C3"]);
    "value-not-utf-8-on-nats" ["NATS-DEC-5"] IN_NATS => Raw("extension", &[b"caf%E9", b"%C3"]);
    "surrogates-encoded-on-http" ["HTTP-DEC-5", "HTTP-ENC-5"] IN_HTTP =>
        Raw("extension", &[b"%ED%A0%BD%ED%B8%80"]);
    "surrogates-encoded-on-nats" ["NATS-DEC-5", "NATS-ENC-5"] IN_NATS =>
        Raw("extension", &[b"%ED%A0%BD%ED%B8%80"]);
    "not-ascii-on-http" ["HTTP-ENC-1", "HTTP-ENC-2"] IN_HTTP =>
        Raw("extension", &["café".as_bytes()]);
    "not-ascii-on-nats" ["NATS-ENC-1", "NATS-ENC-2"] IN_NATS =>
        Raw("extension", &["café".as_bytes()]);
    "not-encoded-on-http" ["HTTP-ENC-2"] IN_HTTP => Raw("extension", &[b"a b", b"a\"b"]);
    "not-encoded-on-nats" ["NATS-ENC-2"] IN_NATS => Raw("extension", &[b"a b", b"a\"b"]);
    "stray-percent-on-http" ["HTTP-DEC-6"] IN_HTTP => Raw("extension", &[b"100%", b"%zz"]);
    "stray-percent-on-nats" ["NATS-DEC-6"] IN_NATS => Raw("extension", &[b"100%", b"%zz"]);
    "lower-case-code-on-http" ["HTTP-ENC-4"] IN_HTTP => Raw("extension", &[b"caf%c3%a9"]);
    "lower-case-code-on-nats" ["NATS-ENC-4"] IN_NATS => Raw("extension", &[b"caf%c3%a9"]);
    "quoted-on-http" ["HTTP-ENC-3"] IN_HTTP => Raw("extension", &[b"\"a\""]);
    "quoted-on-nats" ["NATS-ENC-3"] IN_NATS => Raw("extension", &[b"\"a\""]);
};

/// What the NL GOV profile forbids, and CloudEvents does not: in one mode, because the profile has an
/// opinion about the others too.
const NL_GOV: &[Defect] = table! { NlGov11;
    "source-not-nld" ["NL-SOURCE-1"] ALONE =>
        Attribute("source", &["https://example.com/zaken", "urn:example:zaken"]);
    "source-without-system" ["NL-SOURCE-2"] ALONE =>
        Attribute("source", &["urn:nld:oin:00000001823288444000"]);
    "source-with-a-short-oin" ["NL-SOURCE-4"] ALONE =>
        Attribute("source", &["urn:nld:oin:1823288444000:systeem:zaken"]);
    "source-with-a-short-kvk-number" ["NL-SOURCE-5"] ALONE =>
        Attribute("source", &["urn:nld:kvknr:9220932.zaken"]);
    "type-not-a-reverse-domain-name" ["NL-TYPE-1"] ALONE =>
        Attribute("type", &["PersonMoved", "moved"]);
    "type-with-a-version-of-three-numbers" ["NL-TYPE-10"] ALONE =>
        Attribute("type", &["nl.brp.persoon-verhuisd.v1.0.0"]);
    "data-not-json" ["NL-DCT-1"] ALONE =>
        Several(&[Member("datacontenttype", &[r#""text/plain""#]), Member("data", &[r#""1""#])]);
};

/// The end is missing.
fn truncated(mut body: Vec<u8>) -> Option<Vec<u8>> {
    body.pop();
    Some(body)
}

/// The first letter inside a string is a byte that begins nothing.
fn not_utf_8(mut body: Vec<u8>) -> Option<Vec<u8>> {
    let at = body.iter().position(|byte| *byte == b'"');
    body.insert(at.unwrap_or_default() + 1, 0xFF);
    Some(body)
}
