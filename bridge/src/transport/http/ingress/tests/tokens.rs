//! Bearer tokens that a request must bring.

use super::*;

/// HOOK-AUTH-3 and HOOK-AUTH-4: any text is a token, and nothing is challenged but its absence.
#[test]
fn a_token_is_needed_where_a_file_names_them() {
    run(async {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokens");
        // With the byte order mark that editors of Windows begin it with.
        std::fs::write(&path, "\u{feff}first\n\nsecond\n").unwrap();
        let guarded = PathSettings {
            tokens_file: Some(path),
            ..settings()
        };
        let route = serve(&guarded, delivers);
        let mut client = Client::connect(route.address).await;
        for line in ["Bearer first", "bearer second", "BEARER  second"] {
            let line = format!("authorization: {line}");
            assert_eq!(
                client.post(&[STRUCTURED, &line], EVENT).await.status,
                202,
                "{line}"
            );
        }
        for line in [
            "Bearer third",
            "Bearer firstsecond",
            "Bearer firs",
            "Bearer First",
            "Bearer",
            "Bearer ",
            "Basic first",
            "first",
            "",
        ] {
            let line = format!("authorization: {line}");
            let answer = client.post(&[STRUCTURED, &line], EVENT).await;
            assert_eq!(answer.status, 401, "{line}");
            let challenge = answer
                .head
                .lines()
                .find_map(|line| line.strip_prefix("www-authenticate: "));
            let is_wrong = line.trim_end().contains("Bearer ");
            let expected = if is_wrong {
                r#"bearer error="invalid_token""#
            } else {
                "bearer"
            };
            assert_eq!(challenge, Some(expected), "{line}");
            answer.problem();
        }
        assert_eq!(client.post(&[STRUCTURED], EVENT).await.status, 401);
        assert_eq!(route.taken.get(), 3);
    });
}

/// HOOK-AUTH-2 and HOOK-AUTH-8.
#[test]
fn a_token_in_the_query_is_taken_only_where_the_settings_say_so() {
    run(async {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokens");
        std::fs::write(&path, "hunter2+/==\n").unwrap();
        let header_only = PathSettings {
            tokens_file: Some(path),
            ..settings()
        };
        let also_query = PathSettings {
            access_token_in_query: true,
            ..header_only.clone()
        };
        for (settings, in_query) in [(header_only, 401), (also_query, 202)] {
            let route = serve(&settings, |delivery| {
                let headers = &delivery.received.headers;
                assert!(!format!("{headers:?}").contains("hunter2"));
                delivery.settle(Verdict::Delivered);
            });
            let mut client = Client::connect(route.address).await;
            let header = "authorization: Bearer hunter2+/==";
            for (query, lines, expected) in [
                ("", &[STRUCTURED, header][..], 202),
                ("?access_token=hunter2%2B/==", &[STRUCTURED], in_query),
                (
                    "?a=b&access_token=hunter2%2B%2F%3D%3D",
                    &[STRUCTURED],
                    in_query,
                ),
                ("?access_token=hunter2", &[STRUCTURED], 401),
                ("?access_token=", &[STRUCTURED], 401),
            ] {
                let line = format!("POST /events{query}");
                let answer = client.request(&line, lines, EVENT).await;
                assert_eq!(answer.status, expected, "{query}");
                assert!(!answer.head.contains("hunter2") && !answer.body.contains("hunter2"));
                let is_private = answer.head.contains("\r\ncache-control: private\r\n");
                assert_eq!(
                    is_private,
                    answer.status == 202 && in_query == 202,
                    "{query}"
                );
            }
        }
    });
}

#[test]
fn an_empty_tokens_file_is_an_error_and_not_an_open_door() {
    run(async {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokens");
        std::fs::write(&path, " \n\n").unwrap();
        let guarded = PathSettings {
            tokens_file: Some(path),
            ..settings()
        };
        let opened = listen(false).0.route(guarded, &opening());
        let error = opened.err().unwrap();
        assert_eq!(error.detail, "tokens_file cannot be used: nothing in it");
    });
}
