//! The public interface as a list, so that a change of it is seen in review and told in the changelog.
//!
//! There is no release to hold it against; when there is one, cargo-semver-checks can say which changes
//! break users.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "it runs rustdoc and reads a file, which the codec itself never does"
)]

use std::path::Path;
use std::process::Command;
use std::{env, fs};

#[test]
fn the_public_interface_is_the_one_that_is_written_down() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("public-interface");
    let rustdoc = Command::new(env!("CARGO"))
        .args(["rustdoc", "--quiet", "--locked", "--all-features", "--lib"])
        .args([
            "--manifest-path".as_ref(),
            root.join("Cargo.toml").as_os_str(),
        ])
        .args(["--target-dir".as_ref(), target.as_os_str()])
        .args(["--", "-Z", "unstable-options", "--output-format", "json"])
        // The list in JSON is not stable yet.
        .env("RUSTC_BOOTSTRAP", "1")
        .output()
        .expect("cargo runs");
    let told = String::from_utf8_lossy(&rustdoc.stderr);
    assert!(rustdoc.status.success(), "{told}");
    let json = target.join("doc/cloudevents_nl_codec.json");
    let interface = public_api::Builder::from_rustdoc_json(json)
        .omit_blanket_impls(true)
        .omit_auto_trait_impls(true)
        .omit_auto_derived_impls(true)
        .build()
        .expect("a list in JSON")
        .to_string();

    let written = root.join("public-interface.txt");
    if env::var_os("CENL_WRITE_INTERFACE").is_some() {
        fs::write(&written, &interface).expect("written");
    }
    let expected = fs::read_to_string(&written).expect("readable");
    let (gone, new) = (
        missing(&expected, &interface),
        missing(&interface, &expected),
    );
    assert!(
        gone.is_empty() && new.is_empty(),
        "the public interface changed\n  gone:\n{}\n  new:\n{}\nWhere that is meant, tell it in CHANGELOG.md, and \
         write it down: CENL_WRITE_INTERFACE=1 cargo test --all-features -p cloudevents-nl-codec --test public_interface",
        gone.join("\n"),
        new.join("\n"),
    );
}

/// The lines of one list that another lacks.
fn missing<'l>(of: &'l str, from: &str) -> Vec<&'l str> {
    let from: Vec<_> = from.lines().collect();
    of.lines().filter(|line| !from.contains(line)).collect()
}
