//! What cannot work is refused, and what was hardly meant is warned of.

use super::*;

#[test]
fn what_cannot_work_is_refused_with_its_remedy() {
    let brokers = "127.0.0.1:1\"";
    let listen = "127.0.0.1:8080\"";
    let hook = "https://receiver.example/hook\"";
    for (from, to, key, remedy) in [
        (
            brokers,
            "a:99999\"",
            "kafka.main.brokers",
            "from 1 to 65535",
        ),
        (
            brokers,
            "kafka://a:9092\"",
            "kafka.main.brokers",
            "leave out what stands before",
        ),
        (
            brokers,
            "a:9092;b:9092\"",
            "kafka.main.brokers",
            "put commas",
        ),
        (brokers, "a:9092, b\"", "kafka.main.brokers", "kafka-1:9092"),
        (
            listen,
            "127.0.0.1:99999\"",
            "http.in.listen",
            "such as 127.0.0.1:8080",
        ),
        (listen, ":8080\"", "http.in.listen", "behind_proxy = true"),
        (
            listen,
            "localhost:9464\"",
            "http.in.listen",
            "a port of its own",
        ),
        (
            hook,
            "https://receiver.example:99999/hook\"",
            "route[1].sink.url",
            "below 65536",
        ),
        (
            hook,
            "http://127.0.0.1/hook\"\nca_file = \"/nonexistent/ca.pem\"",
            "route[1].sink.ca_file",
            "PEM",
        ),
        (
            r#""linger.ms" = 5"#,
            r#""ssl.ca.location" = "/nonexistent/ca.pem""#,
            r#"kafka.main.properties."ssl.ca.location""#,
            "name a file that the bridge may read",
        ),
        (
            r#""linger.ms" = 5"#,
            r#""sasl.password" = """#,
            r#"kafka.main.properties."sasl.password""#,
            "put the secret there",
        ),
        (
            r#"properties = { "linger.ms" = 5 }"#,
            r#"secrets = { "sasl.password" = { file = "/dev/null" } }"#,
            r#"kafka.main.secrets."sasl.password".file"#,
            "put the secret there",
        ),
        (
            "name = \"out\"",
            "name = \"out\"\norder = \"kye\"",
            "route[1].order",
            "did you mean \"key\"?",
        ),
        (
            "group = \"g\"",
            "group = \"g\"\nstart = \"latst\"",
            "route[1].source.start",
            "did you mean \"latest\"?",
        ),
    ] {
        assert_eq!(SOUND.matches(from).count(), 1, "{from}");
        let problem = problem(&SOUND.replace(from, to), &[]);
        assert_eq!(problem.key, key, "{problem}");
        assert!(problem.remedy.contains(remedy), "{problem}");
    }
}

#[test]
fn one_port_is_for_one_listener() {
    let second = "\n[[route]]\nname = \"second\"\n[route.source]\nhttp = \"second\"\npath = \"/x\"\n\
                  [route.sink]\nkafka = \"main\"\ntopic = \"x\"\n";
    let with = |listen: &str, route: &str| {
        format!("{SOUND}{route}\n[http.second]\nlisten = \"{listen}\"\nbehind_proxy = true\n")
    };
    for listen in [
        "localhost:8080",
        "0.0.0.0:8080",
        "[::]:9464",
        "127.0.0.1:9464",
    ] {
        let problem = problem(&with(listen, second), &[]);
        assert_eq!(problem.key, "http.second.listen", "{listen}");
    }
    for listen in ["127.0.0.1:8081", "127.0.0.2:8080", "[::1]:8080"] {
        prove(&with(listen, second), &[]).unwrap();
    }
    // What no route uses does not listen.
    let plan = prove(&with("localhost:8080", ""), &[]).unwrap();
    assert_eq!(plan.warnings[0].key, "http.second");
}

#[test]
fn an_address_may_be_written_short() {
    for (listen, meant) in [
        ("localhost:8081", "127.0.0.1:8081"),
        ("[::1]:8081", "[::1]:8081"),
        (":8081", "0.0.0.0:8081"),
    ] {
        let written = format!("{listen}\"\nbehind_proxy = true");
        let plan = prove(&SOUND.replace("127.0.0.1:8080\"", &written), &[]).unwrap();
        let route = format!("{:?}", plan.routes[0]);
        assert!(route.contains(meant), "{route}");
    }
}

#[test]
fn connections_without_a_route_and_secrets_in_the_file_are_warned_of() {
    let warnings = |text: &str, variables: &[(&str, &str)]| {
        let plan = prove(text, variables).unwrap();
        let shown = plan.to_string();
        assert!(!shown.contains(HIDDEN), "{shown}");
        let line = |warning: &Problem| {
            assert!(shown.contains(&format!("warning: {warning}")), "{shown}");
            format!("{}: {}; {}", warning.origin, warning.key, warning.remedy)
        };
        plan.warnings.iter().map(line).collect::<Vec<_>>()
    };
    assert_eq!(warnings(SOUND, &[]), [""; 0]);
    let misspelt = ("CENL__KAFKA__MIAN__BROKERS", "a:9092");
    assert_eq!(
        warnings(SOUND, &[misspelt]),
        ["environment variable CENL__KAFKA__MIAN__BROKERS: kafka.mian; did you mean [kafka.main]?"]
    );
    let unused = format!("{SOUND}\n[nats.old]\nservers = \"a\"\n");
    assert_eq!(
        warnings(&unused, &[]),
        ["bridge.toml:30: nats.old; name it in a route, or remove it"]
    );
    let with =
        |password: &str| SOUND.replace("5 }", &format!("5, \"sasl.password\" = {password} }}"));
    assert_eq!(
        warnings(&with("\"hunter2\""), &[]),
        ["bridge.toml:4: kafka.main.properties.\"sasl.password\"; \
             write it as secrets = { \"sasl.password\" = { file = \"…\" } }"]
    );
    assert_eq!(
        warnings(&with("\"${PASSWORD}\""), &[("PASSWORD", HIDDEN)]),
        [""; 0]
    );
    for written in [
        "\"${PASSWORD:-hunter2}\"",
        "\"hunter2$${\"",
        "\"$${hunter2}\"",
    ] {
        assert_eq!(warnings(&with(written), &[]).len(), 1, "{written}");
    }
    let variable = ("CENL__KAFKA__MAIN__PROPERTIES__SASL_PASSWORD", HIDDEN);
    assert_eq!(warnings(SOUND, &[variable]), [""; 0]);
}
