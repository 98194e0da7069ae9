//! What may be a secret is never shown, wherever it was put.

use super::*;

/// A secret under a misspelt key, or in a shape or a place that nobody asked for.
#[test]
fn a_value_that_may_be_a_secret_is_not_shown() {
    let sink = "https://receiver.example/hook\"";
    for (from, to, key, remedy) in [
        (
            "/events\"",
            "/events\"\npasword = \"hunter2\"".to_owned(),
            "route[0].source.pasword",
            "remove it; the keys here are",
        ),
        (
            sink,
            format!("{sink}\ntken_file = \"hunter2\""),
            "route[1].sink.tken_file",
            "did you mean \"token_file\"?",
        ),
        (
            sink,
            format!("{sink}\npsk = [\"hunter2\"]"),
            "route[1].sink.psk",
            "remove it; the keys here are",
        ),
        (
            r#"properties = { "linger.ms" = 5 }"#,
            r#"propertis = { "sasl.password" = "hunter2" }"#.to_owned(),
            "kafka.main.propertis",
            "did you mean \"properties\"?",
        ),
        (
            r#""linger.ms" = 5"#,
            r#""sasl.pasword" = "hunter2""#.to_owned(),
            r#"kafka.main.properties."sasl.pasword""#,
            "did you mean \"sasl.password\"?",
        ),
        (
            r#""linger.ms" = 5"#,
            r#""sasl.pasword" = ["hunter2"]"#.to_owned(),
            r#"kafka.main.properties."sasl.pasword""#,
            "correct the value",
        ),
        (
            r#"{ "linger.ms" = 5 }"#,
            r#""sasl.password=hunter2""#.to_owned(),
            "kafka.main.properties",
            "write it as a table",
        ),
        (
            "[http.in]",
            "[nats]\nmain = \"nats://me:hunter2@nats.example\"\n[http.in]".to_owned(),
            "nats.main",
            "write it as a table: main = { … }",
        ),
        (
            sink,
            format!("{sink}\ntoken_file = \"hunter2\""),
            "route[1].sink.token_file",
            "make it one token",
        ),
        (
            "/events\"",
            "/events\"\ntokens_file = \"hunter2\"".to_owned(),
            "route[0].source.tokens_file",
            "one token per line",
        ),
        (
            sink,
            format!("{sink}\nca_file = [\"hunter2\"]"),
            "route[1].sink.ca_file",
            "correct the value",
        ),
        (
            "127.0.0.1:1\"",
            "me:hunter2@127.0.0.1:z\"".to_owned(),
            "kafka.main.brokers",
            "kafka-1:9092",
        ),
    ] {
        assert_eq!(SOUND.matches(from).count(), 1, "{from}");
        let problem = problem(&SOUND.replace(from, &to), &[]);
        assert!(problem.origin.starts_with("bridge.toml:"), "{problem}");
        assert_eq!(problem.key, key);
        assert!(problem.remedy.contains(remedy), "{problem}");
    }
    for (variable, key) in [
        ("CENL__HTTP__IN__PASWORD", "http.in.pasword"),
        ("CENL__KAFKA__MAIN__SASL_PASWORD", "kafka.main.sasl_pasword"),
        ("CENL__KAFKA__MAIN__PROPERTIES", "kafka.main.properties"),
        ("CENL__PASWORD", "pasword"),
    ] {
        let problem = problem(SOUND, &[(variable, HIDDEN)]);
        assert_eq!(problem.origin, format!("environment variable {variable}"));
        assert_eq!(problem.key, key);
    }
}

#[test]
fn a_secret_that_librdkafka_refuses_is_not_repeated() {
    let folder = tempfile::tempdir().unwrap();
    let secret = folder.path().join("secret");
    fs::write(&secret, HIDDEN).unwrap();
    for property in ["security.protocol", "linger.ms", "compression.codec"] {
        let secrets = format!("secrets = {{ {property:?} = {{ file = {secret:?} }} }}");
        let text = SOUND.replace(r#"properties = { "linger.ms" = 5 }"#, &secrets);
        problem(&text, &[]);
    }
}

#[test]
fn check_config_shows_no_secret() {
    let folder = tempfile::tempdir().unwrap();
    let token = folder.path().join("token");
    fs::write(&token, HIDDEN).unwrap();
    let file = folder.path().join("bridge.toml");
    let text = SOUND
        .replace("5 }", "5, \"sasl.password\" = \"hunter2\" }")
        .replace(
            "/hook\"",
            &format!("/hook?access_token=hunter2\"\ntoken_file = {token:?}"),
        );
    fs::write(&file, text).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_cenl-bridge"))
        .args(["check-config", "--config"])
        .arg(&file)
        .output()
        .unwrap();
    let shown = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(!shown.contains(HIDDEN), "{shown}");
    for line in [
        "kafka.main.properties.\"sasl.password\" = ***",
        "route[1].sink.url = \"https://receiver.example/hook?***\"",
    ] {
        assert!(shown.contains(line), "{line} in {shown}");
    }
}

#[test]
fn a_line_that_is_not_toml_is_named_and_not_repeated() {
    for line in [
        "token = hunter2",
        "token = \"hunter2",
        "x = {\n \"a\" = \"hunter2\",\n b }",
        "\"hunter2\"",
    ] {
        let problem = problem(&format!("[log]\n{line}\n"), &[]);
        assert!(problem.what.starts_with("is not TOML"), "{problem}");
    }
}
