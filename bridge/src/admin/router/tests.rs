#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod documented;
mod turned_away;
mod waited_for;

use std::io::Write as _;
use std::net::IpAddr;

use axum::body::Body;
use http::{Request, Response};
use http_body_util::BodyExt;
use tokio::runtime::Builder;
use tokio::sync::mpsc;
use tower_service::Service as _;

use super::super::overview::{Handled, TakenOver};
use super::*;
use crate::config::{self, SecretPlace};
use crate::telemetry::{Places, Telemetry};

const BEARER: (&str, &str) = ("authorization", "Bearer hush");
/// `anybody:hush`
const BASIC: (&str, &str) = ("authorization", "Basic YW55Ym9keTpodXNo");

/// An admin port with the route "a", whose orders `carry_out` answers.
struct Port {
    router: Router,
    telemetry: Telemetry,
    peer: IpAddr,
    _token: tempfile::NamedTempFile,
}

fn places() -> Places {
    Places {
        dead_letters: Some("file dead.jsonl".to_owned()),
        ..Places::default()
    }
}

impl Port {
    fn new(has_token: bool, carry_out: impl Fn(OperatorOrder) + Send + 'static) -> Self {
        let (orders, mut ordered) = mpsc::channel(4);
        tokio::spawn(async move {
            while let Some(order) = ordered.recv().await {
                carry_out(order);
            }
        });
        Self::to(has_token, orders)
    }

    fn to(has_token: bool, orders: mpsc::Sender<OperatorOrder>) -> Self {
        let mut token = tempfile::NamedTempFile::new().unwrap();
        writeln!(token, "hush").unwrap();
        let bare = ("bare".into(), Places::default());
        let telemetry = Telemetry::new([("a".into(), places()), bare]);
        let admin = Admin {
            telemetry: telemetry.clone(),
            settings: config::AdminSettings {
                listen: "127.0.0.1:0".parse().unwrap(),
                token: has_token.then(|| SecretPlace::File(token.path().to_owned())),
                hosts: vec!["bridge.example".to_owned()],
                count_dead_letters_every: None,
            }
            .into(),
            orders,
            started: Timestamp::UNIX_EPOCH,
            notices: Default::default(),
            letters: Default::default(),
            turned_away: Default::default(),
        };
        Self {
            router: router(admin),
            telemetry,
            peer: [127, 0, 0, 1].into(),
            _token: token,
        }
    }

    async fn ask(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Response<String> {
        let mut request = Request::builder().method(method).uri(path);
        if headers.iter().all(|(name, _)| *name != "host") {
            request = request.header("host", "127.0.0.1:9464");
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.extension(self.peer);
        let request = request.body(Body::from(body.to_owned())).unwrap();
        let (head, body) = self
            .router
            .clone()
            .call(request)
            .await
            .unwrap()
            .into_parts();
        let body = body.collect().await.unwrap().to_bytes();
        Response::from_parts(head, String::from_utf8(body.to_vec()).unwrap())
    }

    async fn status(&self, method: &str, path: &str, headers: &[(&str, &str)]) -> u16 {
        let answer = self.ask(method, path, headers, "").await;
        if path.starts_with("/v1") {
            documented::has(method, path, answer.status());
            assert_eq!(header(&answer, "api-version"), Some("1.0.0"), "{path}");
            if !answer.status().is_success() {
                let format = header(&answer, "content-type");
                assert_eq!(format, Some("application/problem+json"), "{method} {path}");
                let problem: serde_json::Value = serde_json::from_str(answer.body()).unwrap();
                assert_eq!(problem["status"], answer.status().as_u16());
            }
        }
        let policy = header(&answer, "content-security-policy").unwrap();
        assert!(policy.starts_with("default-src 'none'; "), "{policy}");
        answer.status().as_u16()
    }
}

fn header<'a>(answer: &'a Response<String>, name: &str) -> Option<&'a str> {
    answer.headers().get(name)?.to_str().ok()
}

fn run(test: impl Future<Output = ()>) {
    let mut runtime = Builder::new_current_thread();
    let runtime = runtime.enable_all().start_paused(true).build().unwrap();
    runtime.block_on(test);
}

fn does_all(order: OperatorOrder) {
    match order {
        OperatorOrder::Route(_, RouteCommand::Act(_, reply)) => reply.send(()).unwrap(),
        OperatorOrder::Route(_, RouteCommand::Waiting(id, reply)) => {
            assert!(id.is_none_or(|id| id == "a b/é"));
            reply.send(WaitingEvents::default()).unwrap();
        }
        OperatorOrder::DeadLetters(_, reply) => reply.send(Ok(Vec::new())).unwrap(),
        OperatorOrder::Handle(choice, reply) => {
            assert_eq!(choice.positions, ["kafka:dead/0/1", "kafka:dead/0/2"]);
            let delivered = 2;
            let handled = Handled {
                delivered,
                ..Handled::default()
            };
            reply.send(Ok(handled)).unwrap();
        }
        OperatorOrder::Settings(reply) => reply.send(Ok("a = 1\n\nb = 2\n".to_owned())).unwrap(),
        OperatorOrder::Reload(reply) => reply.send(Ok(TakenOver::default())).unwrap(),
    }
}

#[test]
fn everybody_who_may_reach_the_port_may_read() {
    run(async {
        let port = Port::new(false, does_all);
        for path in [
            "/",
            "/settings",
            "/page.css",
            "/page.js",
            "/routes/a",
            "/v1/overview",
            "/v1/routes",
            "/v1/routes/a",
            "/v1/routes/a/waiting-events",
            "/v1/routes/a/dead-letters",
            "/v1/routes/bare/dead-letters",
            "/routes/bare",
            "/v1/routes/a/waiting-events?id=a+b%2F%C3%A9",
            "/v1/ingress-refusals",
            "/v1/settings",
            "/v1/openapi.json",
        ] {
            assert_eq!(port.status("GET", path, &[]).await, 200, "{path}");
            assert_eq!(port.status("HEAD", path, &[]).await, 200, "{path}");
        }
        let settings = port.ask("GET", "/v1/settings", &[], "").await;
        assert_eq!(settings.body(), r#"{"lines":["a = 1","b = 2"]}"#);
        for (method, path, status) in [
            ("GET", "/v1", 404),
            ("GET", "/v1/routes/", 404),
            ("GET", "/v1/routes/b", 404),
            ("GET", "/v1/routes/b/dead-letters", 404),
            ("GET", "/routes/b", 404),
            ("GET", "/else", 404),
            ("GET", "/v1/reload", 405),
            ("GET", "/v1/routes/a/pause", 405),
        ] {
            assert_eq!(
                port.status(method, path, &[]).await,
                status,
                "{method} {path}"
            );
        }
    });
}

#[test]
fn only_whoever_has_the_token_may_act() {
    run(async {
        const ACTS: [&str; 5] = [
            "/v1/routes/a/pause",
            "/v1/routes/a/retry",
            "/routes/a/resume",
            "/v1/reload",
            "/reload",
        ];
        let without = Port::new(false, |order| panic!("{order:?}"));
        let with = Port::new(true, does_all);
        for path in ACTS {
            assert_eq!(without.status("POST", path, &[BEARER]).await, 403, "{path}");
            let done = if path.starts_with("/v1") { 200 } else { 303 };
            for (headers, status) in [
                (&[BEARER][..], done),
                (&[BASIC], done),
                (&[], 401),
                (&[("authorization", "Bearer hus")], 401),
                (&[("authorization", "Bearer")], 401),
                (&[("authorization", "Basic aHVzaA==")], 401),
                (&[("authorization", "Basic hush")], 401),
                (&[BEARER, ("origin", "http://127.0.0.1:9464")], done),
                (&[BEARER, ("origin", "http://127.0.0.1:80")], 403),
                (&[BEARER, ("origin", "https://evil.example")], 403),
                (&[BEARER, ("origin", "null")], 403),
                (&[BEARER, ("host", "evil.example")], 421),
                (&[BEARER, ("host", "bridge.example")], done),
                (&[BEARER, ("host", "[::1]:9464")], done),
                (&[BEARER, ("host", "LOCALHOST")], done),
                (&[BEARER, BASIC], 400),
                (&[BEARER, ("host", "[::1]"), ("host", "localhost")], 400),
            ] {
                assert_eq!(
                    with.status("POST", path, headers).await,
                    status,
                    "{path} {headers:?}"
                );
            }
        }
        let asked = with.ask("POST", "/routes/a/pause", &[], "").await;
        assert!(
            header(&asked, "www-authenticate")
                .unwrap()
                .starts_with("Basic realm=")
        );
        for path in ["/", "/v1/routes"] {
            assert_eq!(
                with.status("GET", path, &[("host", "evil.example")]).await,
                421
            );
            assert_eq!(
                with.status("GET", path, &[("origin", "http://evil.example")])
                    .await,
                403
            );
        }
        // Whatever monitors the process may call it as it likes.
        for path in ["/livez", "/metrics"] {
            let answer = with.ask("GET", path, &[("host", "evil.example")], "").await;
            assert_eq!(answer.status(), 200, "{path}");
        }
        std::fs::remove_file(with._token.path()).unwrap();
        assert_eq!(with.status("POST", ACTS[0], &[BEARER]).await, 500);
    });
}

#[test]
fn what_is_ordered_is_answered_as_it_came_out() {
    run(async {
        let port = Port::new(true, does_all);
        let both = r#"{"positions":["kafka:dead/0/1","kafka:dead/0/2"]}"#;
        let replay = "/v1/routes/a/dead-letters/replay";
        for (path, body, status, expected) in [
            ("/v1/routes/a/pause", "", 200, r#"{"done":"paused"}"#),
            ("/v1/reload", "", 200, r#""restarted":0"#),
            (replay, both, 200, r#"{"done":"deadLetters","delivered":2,"#),
            (
                "/v1/routes/a/dead-letters/dismiss",
                both,
                200,
                r#""delivered":2"#,
            ),
            (replay, r#"{"positions":[]}"#, 400, "names no dead letter"),
            (replay, r#"{"position":"x"}"#, 400, "unknown field"),
            (replay, "", 400, "EOF"),
            ("/v1/routes/a/stop", "", 404, "no such action"),
            (
                "/v1/routes/a/dead-letters/burn",
                both,
                404,
                "no such action",
            ),
        ] {
            let answer = port.ask("POST", path, &[BEARER], body).await;
            assert_eq!(answer.status().as_u16(), status, "{path} {answer:?}");
            assert!(answer.body().contains(expected), "{path} {answer:?}");
        }
        for (problem, status) in [
            (ProblemDetails::no_route("a"), 404),
            (
                ProblemDetails::new(StatusCode::CONFLICT, "does not run"),
                409,
            ),
            (
                ProblemDetails::new(StatusCode::UNPROCESSABLE_ENTITY, "faults"),
                422,
            ),
            (
                ProblemDetails::new(StatusCode::BAD_GATEWAY, "unreadable"),
                502,
            ),
            (ProblemDetails::not_now("busy"), 503),
        ] {
            let port = Port::new(true, move |order| match order {
                OperatorOrder::Handle(_, reply) => reply.send(Err(problem.clone())).unwrap(),
                order => panic!("{order:?}"),
            });
            let answer = port.ask("POST", replay, &[BEARER], both).await;
            assert_eq!(answer.status(), status, "{answer:?}");
            documented::has("POST", replay, answer.status());
        }
    });
}

#[test]
fn a_form_leads_back_to_its_page_which_says_what_was_done() {
    run(async {
        let port = Port::new(true, does_all);
        let own = ("referer", "http://127.0.0.1:9464/routes/a?lang=en");
        let bare = ("referer", "http://127.0.0.1:9464?lang=en");
        let foreign = ("referer", "http://evil.example/routes/a");
        let form = "position=kafka%3Adead%2F0%2F1&position=kafka%3Adead%2F0%2F2";
        let path = "/routes/a/dead-letters/replay";
        for (referer, place) in [
            (own, "/routes/a?lang=en"),
            (bare, "/?lang=en"),
            (foreign, "/"),
        ] {
            let answer = port.ask("POST", path, &[BASIC, referer], form).await;
            assert_eq!(answer.status(), 303);
            assert_eq!(header(&answer, "location"), Some(place));
        }
        let page = port.ask("GET", "/routes/a", &[], "").await;
        assert!(page.body().contains('2'), "{}", page.body());
        let answer = port.ask("POST", "/routes/b/pause", &[BASIC, own], "").await;
        assert_eq!(answer.status(), 404);
    });
}

#[test]
fn a_reload_by_a_form_is_told_with_every_fault() {
    use crate::plan::Plan;
    use crate::transport::registry::TRANSPORTS;

    run(async {
        let port = Port::new(true, |order| match order {
            OperatorOrder::Settings(reply) => reply.send(Ok("a = 1".to_owned())).unwrap(),
            OperatorOrder::Reload(reply) => {
                let text = "[[route]]\nname = 1\n";
                let file = std::path::Path::new("bridge.toml");
                let document = config::Document::parse(file, text, Vec::new(), &[]).unwrap();
                let faults = Plan::prove(&document, TRANSPORTS).unwrap_err();
                reply.send(Err((&faults).into())).unwrap();
            }
            order => panic!("{order:?}"),
        });
        let own = ("referer", "http://127.0.0.1:9464/settings?lang=en");
        let answer = port.ask("POST", "/reload", &[BASIC, own], "").await;
        assert_eq!(answer.status(), 303);
        assert_eq!(header(&answer, "location"), Some("/settings?lang=en"));
        for (path, name) in [
            ("/settings?lang=en", "Settings: "),
            ("/?lang=nl", "Instellingen: "),
        ] {
            let page = port.ask("GET", path, &[], "").await;
            for words in [name, "nothing was done", "route[0].sink", "remedy:"] {
                assert!(page.body().contains(words), "{words} in {}", page.body());
            }
        }
    });
}
