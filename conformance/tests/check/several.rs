//! Several files, and directories of them.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use super::run;

fn event(id: &str, members: &str) -> String {
    let source = "urn:nld:oin:00000001823288444000:systeem:a";
    format!(r#"{{"specversion":"1.0","id":"{id}","source":"{source}","type":"nl.a.b"{members}}}"#)
}

fn report(words: &[&str], input: &[u8]) -> (Option<i32>, serde_json::Value) {
    let said = run(&[&["check", "--format", "json"], words].concat(), input);
    let report = serde_json::from_str(&said.out).expect(&said.errors);
    (said.code, report)
}

/// Rule and file of each finding.
fn found(report: &serde_json::Value) -> Vec<(&str, &str)> {
    let findings = report["findings"].as_array().unwrap().iter();
    findings
        .map(|finding| {
            (
                finding["rule"].as_str().unwrap(),
                finding["input"].as_str().unwrap(),
            )
        })
        .collect()
}

fn write(folder: &Path, name: &str, text: impl AsRef<[u8]>) -> String {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn several_files_are_one_stream() {
    let folder = tempfile::TempDir::new().unwrap();
    let sequence = |number: u8| format!(r#","sequence":"{number}","sequencetype":"Integer""#);
    let a = write(folder.path(), "a.json", event("1", &sequence(1)));
    let b = write(folder.path(), "b.json", event("2", &sequence(3)));
    let c = write(
        folder.path(),
        "c.json",
        event("1", &format!("{},\"subject\":\"s\"", sequence(2))),
    );
    // In this order the second leaves a gap, and the third one goes back and has an id of another.
    let (code, told) = report(&[&a, &b, &c], b"");
    let findings = found(&told);
    assert!(findings.contains(&("EXT-SEQ-3", &*b)), "{findings:?}");
    assert!(findings.contains(&("CE-ID-3", &*c)), "{findings:?}");
    assert!(findings.contains(&("EXT-SEQ-5", &*c)), "{findings:?}");
    assert_eq!(code, Some(1));
    let rules = told["rules"].as_array().unwrap();
    let stream = rules.iter().find(|rule| rule["id"] == "CE-ID-3").unwrap();
    assert_eq!(stream["applied"], 1);
    // In the other order nothing goes back.
    let (_, told) = report(&[&a, &c, &b], b"");
    let findings = found(&told);
    assert!(
        !findings.iter().any(|(rule, _)| rule.starts_with("EXT-SEQ")),
        "{findings:?}"
    );
    // Unrelated files are said to be so.
    let (code, told) = report(&["--stream", "unordered", &a, &b, &c], b"");
    assert_eq!((code, found(&told)), (Some(0), Vec::new()));
    // One event in a file of its own is no stream.
    let (_, told) = report(&[&a], b"");
    assert_eq!(
        told["rules"]
            .as_array()
            .unwrap()
            .iter()
            .find(|rule| rule["id"] == "CE-ID-3")
            .unwrap()["applied"],
        0
    );
}

#[test]
fn what_only_the_end_of_several_files_shows_is_told_at_the_last() {
    let folder = tempfile::TempDir::new().unwrap();
    let of = |id: &str, version: u8| event(id, "").replace("nl.a.b", &format!("nl.a.b.v{version}"));
    let a = write(
        folder.path(),
        "a.jsonl",
        [of("1", 1), of("2", 2)].join("\n"),
    );
    let b = write(folder.path(), "b.json", of("3", 2));
    let (_, told) = report(&["--stream", "complete", &a, &b], b"");
    assert!(found(&told).contains(&("NL-TYPE-6", &*b)), "{told}");
    // One with no message in it is not the last.
    let c = write(folder.path(), "c.json", "");
    let (_, told) = report(&["--stream", "complete", &a, &b, &c], b"");
    assert!(found(&told).contains(&("NL-TYPE-6", &*b)), "{told}");
}

#[test]
fn a_directory_is_read_whole_in_order() {
    let folder = tempfile::TempDir::new().unwrap();
    let root = folder.path().join("events");
    let names = ["10.json", "2.JSONL", "b/c/1.http", "b/x.txt", "b.json", "z"];
    let http = format!(
        "HTTP/1.1 200 OK\nContent-Type: application/cloudevents+json\n\n{}",
        event("h", "")
    );
    for (at, name) in names.iter().enumerate() {
        let text = if name.ends_with("http") {
            http.clone()
        } else {
            event(&at.to_string(), "")
        };
        write(&root, name, text);
    }
    // Read for its name, although it begins like nothing.
    write(&root, "y.json", "specversion: 1.0");
    let foreign = ["LEESMIJ.md", "waivers.toml", "plaatje.png", "leeg.txt"];
    write(&root, foreign[0], "# Gebeurtenissen\n");
    write(&root, foreign[1], "[[waiver]]\n");
    write(&root, foreign[2], b"\x89PNG\r\n");
    write(&root, foreign[3], "");
    write(&root, ".git/config.json", "{}");
    write(&root, "b/.verborgen.json", "{}");
    symlink(&root, root.join("b/kring")).unwrap();
    symlink(root.join("b.json"), root.join("koppeling")).unwrap();
    let pipe = root.join("pijp");
    assert!(
        std::process::Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );

    let (code, told) = report(&["--lang", "en", root.to_str().unwrap()], b"");
    let under = |name: &serde_json::Value| {
        let name = Path::new(name.as_str().unwrap())
            .strip_prefix(&root)
            .unwrap();
        name.to_str().unwrap().to_owned()
    };
    let inputs = told["inputs"].as_array().unwrap().iter();
    let inputs: Vec<_> = inputs.map(|input| under(&input["name"])).collect();
    let expected = [
        "10.json",
        "2.JSONL",
        "b/c/1.http",
        "b/x.txt",
        "b.json",
        "koppeling",
        "y.json",
        "z",
    ];
    assert_eq!(inputs, expected);
    let skipped = told["skipped"].as_array().unwrap().iter();
    let skipped: Vec<_> = skipped
        .map(|skipped| (under(&skipped["name"]), skipped["why"].as_str().unwrap()))
        .collect();
    let skipped: Vec<_> = skipped.iter().map(|(name, why)| (&**name, *why)).collect();
    let expected = [
        (".git", "hidden"),
        ("LEESMIJ.md", "foreign"),
        ("b/.verborgen.json", "hidden"),
        ("b/kring", "link to a directory"),
        ("leeg.txt", "foreign"),
        ("pijp", "not a file"),
        ("plaatje.png", "foreign"),
        ("waivers.toml", "foreign"),
    ];
    assert_eq!(skipped, expected);
    assert_eq!(
        (code, &told["counts"]["skipped"]),
        (Some(1), &expected.len().into())
    );

    // Every form names them.
    for format in ["table", "junit", "sarif", "html"] {
        for language in ["nl", "en"] {
            let words = [
                "check",
                "--format",
                format,
                "--lang",
                language,
                root.to_str().unwrap(),
            ];
            let said = run(&words, b"");
            for (name, _) in expected {
                assert!(said.out.contains(name), "{format}: {name}");
            }
        }
    }
}

#[test]
fn a_directory_without_a_file_to_read_is_not_checked() {
    let folder = tempfile::TempDir::new().unwrap();
    let root = folder.path().to_str().unwrap();
    for foreign in [false, true] {
        if foreign {
            write(folder.path(), "LEESMIJ.md", "# Niets\n");
        }
        let said = run(&["check", "good.json", root], b"");
        assert_eq!(said.code, Some(2), "{}", said.out);
        let expected = format!("{root}: de map bevat geen bestand met berichten");
        assert!(said.out.contains(&expected), "{}", said.out);
    }
    // Compressed events are not passed over as foreign.
    write(folder.path(), "events.gz", b"\x1F\x8B\x08\0");
    let (code, told) = report(&[root], b"");
    assert_eq!(
        (told["inputs"].as_array().unwrap().len(), code == Some(0)),
        (1, false)
    );
    // A link to nothing is no file that somebody left out on purpose.
    symlink("/no/such/file", folder.path().join("nergens.json")).unwrap();
    let said = run(&["check", root], b"");
    assert!(
        said.out
            .contains("nergens.json: kan niet worden gelezen: bestand bestaat niet"),
        "{}",
        said.out
    );
    assert_eq!(said.code, Some(2));
}

#[test]
fn what_a_pattern_does_not_name_stops_nothing() {
    let folder = tempfile::TempDir::new().unwrap();
    write(folder.path(), "a.json", event("1", ""));
    write(folder.path(), "x/c.json", event("2", ""));
    symlink("/no/such/file", folder.path().join("x/b.json")).unwrap();
    for (pattern, code, told) in [
        ("*.json", 0, "Voldoet: "),
        ("**/a.json", 0, "Voldoet: "),
        ("*.http", 2, "geen bestand past bij dit patroon"),
        ("x/*.json", 2, "b.json: kan niet worden gelezen"),
        // With what the system says of it.
        ("/proc/self/me?", 2, "os error 5"),
    ] {
        let pattern = folder.path().join(pattern);
        let said = run(&["check", pattern.to_str().unwrap()], b"");
        assert_eq!(said.code, Some(code), "{}", said.out);
        assert!(said.out.contains(told), "{told}: {}", said.out);
    }
}

#[test]
fn a_directory_holds_a_limited_number_of_files() {
    let folder = tempfile::TempDir::new().unwrap();
    for at in 0..=10_051 {
        let (ending, text) = match at % 201 {
            0 => ("http", event(&at.to_string(), "")),
            _ => ("json", String::new()),
        };
        fs::write(folder.path().join(format!("{at}.{ending}")), text).unwrap();
    }
    let said = run(&["check", folder.path().to_str().unwrap()], b"");
    assert_eq!(said.code, Some(2));
    assert!(
        said.out.contains("de map bevat meer dan 10000 bestanden"),
        "{}",
        said.out
    );
    // A pattern names those of it, wherever they are among the others.
    let pattern = folder.path().join("*.http");
    let (code, told) = report(&[pattern.to_str().unwrap()], b"");
    let messages = &told["counts"]["messages"];
    assert_eq!((code, messages), (Some(0), &51.into()), "{told}");
}
