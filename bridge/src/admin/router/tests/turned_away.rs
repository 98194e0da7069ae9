//! Who may read from another machine, and what the log says of whoever may not.

use std::sync::{Arc, Mutex};

use tokio::time::advance;

use super::*;

#[test]
fn from_another_machine_reading_needs_the_token_too() {
    run(async {
        let of = |has_token| Port {
            peer: [192, 0, 2, 7].into(),
            ..Port::new(has_token, does_all)
        };
        let (without, with) = (of(false), of(true));
        for path in [
            "/",
            "/routes/a",
            "/settings",
            "/v1/overview",
            "/v1/routes/a",
        ] {
            assert_eq!(without.status("GET", path, &[BEARER]).await, 403, "{path}");
            assert_eq!(with.status("GET", path, &[]).await, 401, "{path}");
            assert_eq!(with.status("GET", path, &[BEARER]).await, 200, "{path}");
        }
        for path in ["/metrics", "/livez"] {
            assert_eq!(with.ask("GET", path, &[], "").await.status(), 200, "{path}");
        }
        // The description of the interface is for everybody.
        let foreign = ("origin", "https://tools.example");
        let answer = without.ask("GET", "/v1/openapi.json", &[foreign], "").await;
        assert_eq!(answer.status(), 200);
        assert_eq!(header(&answer, "access-control-allow-origin"), Some("*"));
        let other = with.ask("GET", "/v1/routes", &[BEARER], "").await;
        assert_eq!(header(&other, "access-control-allow-origin"), None);
    });
}

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn whoever_is_turned_away_and_whoever_gives_an_order_is_logged() {
    let log = Log::default();
    let lines = log.clone();
    let lines = tracing_subscriber::fmt().with_writer(move || lines.clone());
    let _guard = tracing::subscriber::set_default(lines.with_ansi(false).finish());
    run(async {
        let port = Port {
            peer: [192, 0, 2, 7].into(),
            ..Port::new(true, does_all)
        };
        let said = || String::from_utf8(std::mem::take(&mut *log.0.lock().unwrap())).unwrap();
        let guess = ("authorization", "Bearer hus");
        let pause = "/v1/routes/a/pause";
        // Both lines are known then, and no thread beside this one decides that nobody wants them.
        port.status("POST", pause, &[BEARER]).await;
        port.status("GET", "/", &[("host", "evil.example")]).await;
        tracing::callsite::rebuild_interest_cache();
        said();
        // A browser asks without a token first.
        port.status("POST", pause, &[]).await;
        assert_eq!(said(), "");
        for _ in 0..3 {
            port.status("POST", pause, &[guess]).await;
        }
        let line = said();
        assert_eq!(line.lines().count(), 1, "{line}");
        for word in ["WARN", "peer=192.0.2.7", "status=401", pause] {
            assert!(line.contains(word), "{word} in {line}");
        }
        port.status("POST", pause, &[BEARER, ("origin", "http://evil.example")])
            .await;
        assert!(said().contains("status=403"));
        advance(Duration::from_secs(31)).await;
        port.status("POST", pause, &[guess]).await;
        assert!(said().contains("held_back=2"));
        port.status("POST", pause, &[BEARER]).await;
        let line = said();
        for word in ["INFO", "peer=192.0.2.7", "status=200", pause] {
            assert!(line.contains(word), "{word} in {line}");
        }
        assert!(!line.contains("hush"), "{line}");
        // Whoever brings no token has none of it read.
        std::fs::remove_file(port._token.path()).unwrap();
        assert_eq!(port.status("POST", pause, &[]).await, 401);
    });
}
