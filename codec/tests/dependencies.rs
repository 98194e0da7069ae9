//! What the codec brings along: no client, no runtime, whatever its examples use.

#[test]
fn no_client_and_no_runtime_comes_with_the_codec() {
    let manifest = include_str!("../Cargo.toml");
    let (_, after) = manifest.split_once("\n[dependencies]\n").expect("a table");
    let names = after.lines().take_while(|line| !line.is_empty());
    let names: Vec<_> = names.filter_map(|line| line.split('.').next()).collect();
    let expected = [
        "base64-simd",
        "chrono = { workspace = true, optional = true }",
        "http = { workspace = true, optional = true }",
        "iri-string",
        "jiff = { workspace = true, optional = true }",
        "memchr",
        "percent-encoding",
        "serde",
        "serde_json",
        "simdutf8",
        "smallvec",
        "thiserror",
        "wide",
    ];
    assert_eq!(names, expected);
}
