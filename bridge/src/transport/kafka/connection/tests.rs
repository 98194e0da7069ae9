#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
use super::*;
use crate::config::Problem;
use crate::config::tests::read;

/// `HUSH` is a file with that secret.
fn cluster(json: &str) -> Result<KafkaCluster, Vec<Problem>> {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "hush").unwrap();
    let place = format!(r#"{{ "file": {:?} }}"#, file.path());
    read(&json.replace("HUSH", &place), KafkaCluster::read)
}

fn keys(json: &str) -> Vec<String> {
    let problems = cluster(json).err().unwrap_or_default();
    problems.into_iter().map(|problem| problem.key).collect()
}

#[test]
fn every_problem_is_reported_at_once() {
    let json = r#"{ "brokers": "localhost", "properties": { "acks": 1, "bogus": true,
        "group.id": "g", "sasl.password": "x" }, "secrets": { "sasl.password": HUSH } }"#;
    assert_eq!(
        keys(json),
        [
            "brokers",
            "properties.acks",
            "properties.bogus",
            r#"properties."group.id""#,
            r#"properties."sasl.password""#
        ]
    );
}

#[test]
fn an_instance_is_a_name_and_goes_with_the_classic_protocol() {
    for instance in ["bridge-0", "a", "zaak.nl_1"] {
        let json = format!(r#"{{ "brokers": "b:9092", "instance": "{instance}" }}"#);
        assert_eq!(keys(&json), [""; 0], "{instance}");
    }
    let long = "x".repeat(101);
    for instance in ["", "bridge 0", "bridge/0", "$(POD_NAME)", &long] {
        let json = format!(r#"{{ "brokers": "b:9092", "instance": "{instance}" }}"#);
        assert_eq!(keys(&json), ["instance"], "{instance}");
    }
    let json = r#"{ "brokers": "b:9092", "instance": "bridge-0", "properties": { "group.protocol": "Consumer" } }"#;
    assert_eq!(keys(json), ["instance"]);
    let json = r#"{ "brokers": "b:9092", "properties": { "group.instance.id": "bridge-0" } }"#;
    assert_eq!(keys(json), [r#"properties."group.instance.id""#]);
}

/// What is wrong with `[kafka.main]` that names credentials of this kind.
fn with_credentials(kind: &str, brokers: &str, properties: &str) -> Vec<String> {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "hush").unwrap();
    let text = format!(
        "[kafka.main]\nbrokers = \"{brokers}\"\ncredentials = \"c\"\n{properties}\n[credentials.c]\n{}",
        kind.replace("FILE", &format!("{{ file = {:?} }}", file.path()))
    );
    let read = |root: &Table<'_>| {
        root.know_all();
        let main = root.named("kafka", "main").unwrap();
        main.section(KafkaCluster::read).map(drop)
    };
    let problems = crate::config::tests::toml(&text, read).err();
    let problems = problems.unwrap_or_default();
    assert!(!format!("{problems:?}").contains("hush"), "{problems:?}");
    problems.into_iter().map(|problem| problem.key).collect()
}

#[test]
fn credentials_imply_oauthbearer_and_what_contradicts_them_is_refused() {
    let token = "token = FILE";
    let oauth = "token_url = \"https://a.example/token\"\nclient_id = \"b\"\nclient_secret = FILE";
    for (properties, expected) in [
        ("", None),
        (r#"properties = { "sasl.mechanism" = "oauthbearer" }"#, None),
        (r#"properties = { "security.protocol" = "SASL_SSL" }"#, None),
        (
            r#"properties = { "sasl.mechanisms" = "PLAIN" }"#,
            Some(r#"kafka.main.properties."sasl.mechanisms""#),
        ),
        (
            r#"properties = { "security.protocol" = "ssl" }"#,
            Some(r#"kafka.main.properties."security.protocol""#),
        ),
        (
            r#"properties = { "security.protocol" = "sasl_plaintext" }"#,
            Some(r#"kafka.main.properties."security.protocol""#),
        ),
        (
            r#"properties = { "sasl.oauthbearer.config" = "x" }"#,
            Some(r#"kafka.main.properties."sasl.oauthbearer.config""#),
        ),
        (
            r#"secrets = { "sasl.password" = { file = "/etc/hostname" } }"#,
            Some(r#"kafka.main.secrets."sasl.password""#),
        ),
    ] {
        for kind in [token, oauth] {
            let found = with_credentials(kind, "b:9092", properties);
            assert_eq!(found, Vec::from_iter(expected), "{properties}");
        }
    }
    let plain = r#"properties = { "security.protocol" = "sasl_plaintext" }"#;
    for (brokers, is_sound) in [
        ("127.0.0.1:9092, localhost:9093", true),
        ("sasl_plaintext://[::1]:9092", true),
        ("127.0.0.1:9092,b:9092", false),
    ] {
        let found = with_credentials(token, brokers, plain);
        assert_eq!(found.is_empty(), is_sound, "{brokers}: {found:?}");
    }
    let password = with_credentials("user = \"u\"\npassword = FILE", "b:9092", "");
    assert_eq!(password, ["kafka.main.credentials"]);
    let without = r#"{ "brokers": "b:9092", "properties": { "sasl.mechanism": "OAUTHBEARER" } }"#;
    assert_eq!(keys(without), [r#"properties."sasl.mechanism""#]);
}

#[test]
fn clusters_with_other_credentials_have_other_clients() {
    let config = |token: &str| {
        let mut cluster = KafkaCluster::new("b:9092", &[]);
        let token = BearerToken::Fixed(token.into());
        let imply = |table: &Table<'_>| {
            token::imply(
                table,
                Some(&token),
                "b:9092",
                &BTreeMap::new(),
                &mut cluster.properties,
            );
            Ok(())
        };
        read("{}", imply).unwrap();
        let config = cluster.client_config(&[], &[]);
        let told = |name: &str| config.get(name).map(str::to_owned);
        assert_eq!(told("sasl.mechanisms").as_deref(), Some("OAUTHBEARER"));
        assert_eq!(told("security.protocol").as_deref(), Some("sasl_ssl"));
        assert!(!format!("{:?}", config.config_map()).contains("hush"));
        told("sasl.oauthbearer.config")
    };
    assert_eq!(config("hush-1"), config("hush-1"));
    assert_ne!(config("hush-1"), config("hush-2"));
}

#[test]
fn properties_are_checked_together() {
    let gssapi = r#"{ "brokers": "b:9092", "properties": { "security.protocol": "sasl_plaintext",
        "sasl.mechanism": "GSSAPI" } }"#;
    assert_eq!(keys(gssapi), ["properties"]);
    let no_file = r#"{ "brokers": "b:9092", "properties": { "security.protocol": "ssl",
        "ssl.ca.location": "/nonexistent/ca.pem" } }"#;
    assert_eq!(keys(no_file), [r#"properties."ssl.ca.location""#]);
    let scram = r#"{ "brokers": "b:9092", "properties": { "security.protocol": "sasl_ssl",
        "sasl.mechanism": "SCRAM-SHA-512", "sasl.username": "u" },
        "secrets": { "sasl.password": HUSH } }"#;
    assert_eq!(keys(scram), [""; 0]);
}

#[test]
fn nothing_that_could_be_secret_is_printed() {
    let json = r#"{ "brokers": "b:9092", "properties": { "sasl.username": "u", "sasl.password": "hush" } }"#;
    let cluster = cluster(json).unwrap();
    let config = cluster.client_config(&[], &[]);
    for text in [format!("{cluster:?}"), format!("{config:?}")] {
        assert!(text.contains("sasl.username"), "{text}");
        assert!(!text.contains("hush"), "{text}");
    }
}

#[test]
fn a_secret_is_not_repeated_in_a_problem() {
    let json = r#"{ "brokers": "b:9092", "secrets": { "ssl.key.pem": HUSH, "linger.ms": HUSH, "compression.codec": HUSH } }"#;
    let problems = cluster(json).unwrap_err();
    assert!(!problems.is_empty());
    assert!(!format!("{problems:?}").contains("hush"), "{problems:?}");
}

#[test]
fn the_operator_overrides_defaults_but_not_what_is_owned() {
    let json = r#"{ "brokers": "b:9092", "properties": { "linger.ms": 7 } }"#;
    let cluster = cluster(json).unwrap();
    let config = cluster.client_config(&[("linger.ms", "0")], &[("acks", "all")]);
    assert_eq!(config.get("linger.ms"), Some("7"));
    assert_eq!(config.get("acks"), Some("all"));
    assert_eq!(config.get("ssl.ca.location"), Some("probe"));
    assert_eq!(config.get("bootstrap.servers"), Some("b:9092"));
    for (name, other) in TWO_NAMES {
        let known = ClientConfig::new().create_native_config().unwrap();
        assert_eq!(known.get(name).unwrap(), known.get(other).unwrap());
        let properties = BTreeMap::from([((*other).to_owned(), "1".to_owned())]);
        let cluster = KafkaCluster {
            name: String::new(),
            properties,
            instance: None,
            token: None,
        };
        let config = cluster.client_config(&[(name, "5")], &[]);
        assert_eq!(
            (config.get(name), config.get(other)),
            (None, Some("1")),
            "{name}"
        );
    }
}
