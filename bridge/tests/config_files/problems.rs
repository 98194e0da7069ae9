//! What is wrong is told with its line or variable, key, value and remedy.

use super::*;

#[test]
fn problems_of_the_transports_name_line_key_value_and_remedy() {
    for (from, to, line, key, value, what, remedy) in [
        (
            r#""linger.ms" = 5"#,
            r#""linger.msec" = 5"#,
            4,
            r#"kafka.main.properties."linger.msec""#,
            None,
            "librdkafka has no such property",
            "did you mean \"linger.ms\"?",
        ),
        (
            r#""linger.ms" = 5"#,
            r#""session.timeout.ms" = 0"#,
            4,
            r#"kafka.main.properties."session.timeout.ms""#,
            Some("0"),
            "range",
            "CONFIGURATION.md",
        ),
        (
            r#""linger.ms" = 5"#,
            r#""sasl.password" = ["hunter2"]"#,
            4,
            r#"kafka.main.properties."sasl.password""#,
            None,
            "expected text",
            "correct",
        ),
        (
            r#"{ "linger.ms" = 5 }"#,
            "{}\nsecrets = { \"sasl.password\" = { file = \"/nonexistent/password\" } }",
            5,
            r#"kafka.main.secrets."sasl.password".file"#,
            Some(r#""/nonexistent/password""#),
            "cannot be read",
            "make the file readable",
        ),
        (
            r#"{ "linger.ms" = 5 }"#,
            "{}\nsecrets = { \"sasl.password\" = \"hunter2\" }",
            5,
            r#"kafka.main.secrets."sasl.password""#,
            Some("***"),
            "exactly one of the keys \"file\", \"env\"",
            "correct",
        ),
        (
            "127.0.0.1:1",
            "kafka",
            3,
            "kafka.main.brokers",
            Some(r#""kafka""#),
            "is not a list of host:port",
            "kafka-1:9092",
        ),
        (
            "127.0.0.1:8080",
            "0.0.0.0:8080",
            7,
            "http.in.listen",
            Some(r#""0.0.0.0:8080""#),
            "what comes in would be unprotected",
            "behind_proxy",
        ),
        (
            "127.0.0.1:8080",
            "127.0.0.1:99999",
            7,
            "http.in.listen",
            Some(r#""127.0.0.1:99999""#),
            "not an IP address with a port",
            "127.0.0.1:8080",
        ),
        (
            "/events\"",
            "/events\"\ntokens_file = \"/nonexistent/tokens\"",
            14,
            "route[0].source.tokens_file",
            Some(r#""/nonexistent/tokens""#),
            "cannot be used",
            "one token per line",
        ),
        (
            "https://receiver.example/hook",
            "http://receiver.example/hook?token=hunter2",
            25,
            "route[1].sink.url",
            Some(r#""http://receiver.example/hook?***""#),
            "plain HTTP leaves this machine",
            "use https",
        ),
        (
            "https://receiver.example/hook",
            "https://me:hunter2@receiver.example/hook",
            25,
            "route[1].sink.url",
            Some(r#""https://***@receiver.example/hook""#),
            "credentials in a URL",
            "[credentials.NAME]",
        ),
        (
            "https://receiver.example/hook",
            "me:hunter2@receiver.example?hunter2",
            25,
            "route[1].sink.url",
            Some(r#""***@receiver.example?***""#),
            "not a",
            "https://host/path",
        ),
        (
            "hook\"",
            "hook\"\ntoken_file = \"/nonexistent/token\"",
            26,
            "route[1].sink.token_file",
            Some(r#""/nonexistent/token""#),
            "cannot be used",
            "make it one token",
        ),
        (
            "hook\"",
            "hook\"\ntoken_env = \"CENL_TEST_NO_SUCH_VARIABLE\"",
            26,
            "route[1].sink.token_env",
            Some(r#""CENL_TEST_NO_SUCH_VARIABLE""#),
            "not set",
            "make it one token",
        ),
        (
            "hook\"",
            "hook\"\nca_file = \"/nonexistent/ca.pem\"",
            26,
            "route[1].sink.ca_file",
            Some(r#""/nonexistent/ca.pem""#),
            "cannot be used",
            "PEM",
        ),
        (
            "hook\"",
            "hook\"\nexchange_timeout = 30",
            26,
            "route[1].sink.exchange_timeout",
            Some("30"),
            "a span of time with its unit",
            "correct",
        ),
        (
            "group = \"g\"\n",
            "",
            20,
            "route[1].source.group",
            None,
            "is missing",
            "add `group = …` to [route.source]",
        ),
        (
            "group = \"g\"",
            "group = \"g\"\ndrain = \"60s\"",
            24,
            "route[1].source.drain",
            Some(r#""60s""#),
            "a minute or more",
            "shorter",
        ),
        (
            "kafka = \"main\"\ntopic = \"zaken.dead\"",
            "url = \"https://dead.example/?hunter2\"",
            27,
            "route[1].dead_letter.url",
            Some("\"https://dead.example/?***\""),
            "cannot keep dead letters",
            "a Kafka topic",
        ),
    ] {
        assert_eq!(SOUND.matches(from).count(), 1, "{from}");
        let problem = problem(&SOUND.replace(from, to), &[]);
        assert_eq!(problem.origin, format!("bridge.toml:{line}"), "{problem}");
        assert_eq!(problem.key, key);
        assert_eq!(problem.value.as_deref(), value, "{key}");
        assert!(problem.what.contains(what), "{problem}");
        assert!(problem.remedy.contains(remedy), "{problem}");
    }
}

#[test]
fn a_variable_is_named_where_it_holds_the_problem() {
    for (variable, value, key) in [
        (
            "CENL__KAFKA__MAIN__PROPERTIES__LINGER_MS",
            "soon",
            r#"kafka.main.properties."linger.ms""#,
        ),
        (
            "CENL__KAFKA__MAIN__SECRETS__SASL_PASSWORD__FILE",
            "/nonexistent",
            r#"kafka.main.secrets."sasl.password".file"#,
        ),
        ("CENL__HTTP__IN__LISTEN", "80", "http.in.listen"),
        ("CENL__HTTP__IN__BEHIND_PROXY", "ja", "http.in.behind_proxy"),
    ] {
        let problem = problem(SOUND, &[(variable, value)]);
        assert_eq!(problem.origin, format!("environment variable {variable}"));
        assert_eq!(problem.key, key);
        assert_eq!(problem.value, Some(format!("{value:?}")));
    }
}
