//! `${VARIABLE}` in values, and paths that are relative to the file.

use super::*;

fn with(from: &str, to: &str) -> String {
    assert_eq!(SOUND.matches(from).count(), 1, "{from}");
    SOUND.replace(from, to)
}

#[test]
fn a_reference_reaches_routes_and_values_that_are_no_text() {
    let text = SOUND
        .replace("127.0.0.1:1", "${HOST}:${PORT:-9092}")
        .replace(r#""linger.ms" = 5"#, r#""linger.ms" = "${LINGER}""#)
        .replace("zaken.dead", "${STAGE:-test}.dead")
        .replace("receiver.example", "${RECEIVER}")
        .replace("group = \"g\"", "group = \"$${g}\"\ndrain = \"${DRAIN}\"")
        .replace("name = \"out\"", "name = \"out\"\nin_flight = \"${MOST}\"");
    let variables = [
        ("HOST", "kafka-host"),
        ("LINGER", "7"),
        ("RECEIVER", "other.example"),
        ("DRAIN", "11s"),
        ("MOST", "3"),
    ];
    let plan = prove(&text, &variables).unwrap();
    let route = format!("{:?}", plan.routes[1]);
    for word in [
        "in_flight_max: 3",
        "test.dead",
        "${g}",
        "drain: 11s",
        "other.example",
    ] {
        assert!(route.contains(word), "{word} in {route}");
    }
    let shown = plan.to_string();
    for line in [
        r#"kafka.main.brokers = "${HOST}:${PORT:-9092}""#,
        r#"route[1].in_flight = "${MOST}""#,
        r#"route[1].source.drain = "${DRAIN}""#,
        r#"route[1].sink.url = "https://${RECEIVER}/hook""#,
    ] {
        assert!(shown.contains(line), "{line} in {shown}");
    }
    assert!(!shown.contains("kafka-host"), "{shown}");
    // Routes differ where their variables do.
    let again = prove(&text, &variables).unwrap();
    assert_eq!(plan.routes, again.routes);
    let mut others = variables;
    others[2].1 = "third.example";
    let other = prove(&text, &others).unwrap();
    assert_eq!(plan.routes[0], other.routes[0]);
    assert_ne!(plan.routes[1], other.routes[1]);
}

#[test]
fn a_reference_that_leads_nowhere_is_told_with_its_place() {
    for (from, to, line, key, what) in [
        (
            "group = \"g\"",
            "group = \"${NO_SUCH}\"",
            23,
            "route[1].source.group",
            "the variable NO_SUCH is not set",
        ),
        (
            r#""linger.ms" = 5"#,
            r#""linger.ms" = "${NO_SUCH}""#,
            4,
            r#"kafka.main.properties."linger.ms""#,
            "the variable NO_SUCH is not set",
        ),
        (
            "name = \"out\"",
            "name = \"out\"\nin_flight = \"1${NINE}\"",
            20,
            "route[1].in_flight",
            "is composed with a variable",
        ),
        (
            "group = \"g\"",
            "group = \"${NINE\"",
            23,
            "route[1].source.group",
            "holds `${` without",
        ),
    ] {
        let problem = problem(&with(from, to), &[("NINE", "9")]);
        assert_eq!(problem.origin, format!("bridge.toml:{line}"), "{problem}");
        assert_eq!(problem.key, key);
        assert!(problem.what.contains(what), "{problem}");
        let written = to.rsplit(" = ").next();
        assert_eq!(problem.value.as_deref(), written, "{problem}");
    }
}

#[test]
fn what_a_variable_holds_is_in_no_fault() {
    for (from, to) in [
        ("127.0.0.1:1\"", "${VALUE}\""),
        (r#""linger.ms" = 5"#, r#""compression.type" = "${VALUE}""#),
        (
            "kafka = \"main\"\ntopic = \"zaken\"\n\n",
            "kafka = \"${VALUE}\"\ntopic = \"zaken\"\n\n",
        ),
        ("hook\"", "hook\"\nforward_headers = [\"${VALUE} x\"]"),
        ("hook\"", "hook\"\nca_file = \"/${VALUE}/ca.pem\""),
        ("hook\"", "hook\"\ntoken_file = \"${VALUE}\""),
        ("group = \"g\"", "group = \"g\"\ndrain = \"${VALUE}\""),
    ] {
        // `problem` looks for it.
        problem(&with(from, to), &[("VALUE", HIDDEN)]);
    }
}

#[test]
fn paths_are_relative_to_the_file() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("token"), "t0ken").unwrap();
    fs::write(folder.path().join("password"), HIDDEN).unwrap();
    let text = with("hook\"", "hook\"\ntoken_file = \"token\"")
        .replace(
            r#"properties = { "linger.ms" = 5 }"#,
            r#"secrets = { "sasl.password" = { file = "./password" } }"#,
        )
        .replace(
            "kafka = \"main\"\ntopic = \"zaken.dead\"",
            "file = \"dead.jsonl\"",
        );
    let file = folder.path().join("bridge.toml");
    let document = Document::parse(&file, &text, [], &["kafka", "nats", "http"]).unwrap();
    let plan = Plan::prove(&document, TRANSPORTS).unwrap();
    let folder = folder.path().canonicalize().unwrap();
    let route = format!("{:?}", plan.routes[1]);
    assert!(
        route.contains(folder.join("dead.jsonl").to_str().unwrap()),
        "{route}"
    );
    assert_eq!(prove(&text, &[]).unwrap_err().iter().len(), 2);
}
