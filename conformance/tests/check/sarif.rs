//! SARIF, held against its schema.

use std::fs;
use std::path::Path;

use super::forms::{report, snapshot};
use super::run;

#[test]
fn sarif_is_of_its_schema() {
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/schemas/sarif-2.1.0.json");
    // The pattern of `language` in the schema has a stray bracket, which JavaScript takes for text.
    let text = fs::read_to_string(schema).unwrap();
    let mended = text.replace("[a-zA-Z]{2}]?$", "[a-zA-Z]{2}\\\\]?$");
    assert_ne!(mended, text);
    let schema: serde_json::Value = serde_json::from_str(&mended).unwrap();
    let schema = jsonschema::draft7::new(&schema).unwrap();
    for language in ["nl", "en"] {
        let text = report("sarif", language);
        let log: serde_json::Value = serde_json::from_str(&text).unwrap();
        let faults: Vec<_> = schema
            .iter_errors(&log)
            .map(|fault| fault.to_string())
            .collect();
        assert_eq!(faults, [""; 0]);
        snapshot(&format!("sarif_{language}"), &text);
    }
    // The schema would notice.
    let mut log: serde_json::Value = serde_json::from_str(&report("sarif", "nl")).unwrap();
    log["runs"][0]["results"][0]["level"] = "grave".into();
    assert!(!schema.is_valid(&log));
    // What could not be read is of the schema too.
    let said = run(
        &["check", "--format", "sarif", "-"],
        b"POST / HTTP/1.1\nx\n",
    );
    assert_eq!(said.code, Some(2));
    assert!(schema.is_valid(&serde_json::from_str(&said.out).unwrap()));
}
