//! SIGHUP, and files with secrets that change.

use std::net::SocketAddr;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Stdio;

use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::process::Command;
use tokio::time::{Instant, sleep, timeout};

use super::process::{Process, begin_post, post, receiver, route, settings, shows, status};
use super::{SOON, free_address};

const ANSWER: &[u8] = b"HTTP/1.1 204 No Content\r\n\r\n";

#[tokio::test]
async fn a_reload_changes_what_differs_and_nothing_else() {
    let (listen, answers) = (free_address(), receiver().await);
    let hanging = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let keep = route("/keep", hanging.local_addr().unwrap(), "");
    let gone = route("/gone", answers, "");
    let mut process = Process::start(&settings(listen, &[keep.clone(), gone]), &[]).await;
    let sender = begin_post(listen, "/keep", "").await;
    let (mut exchange, _) = timeout(SOON, hanging.accept()).await.unwrap().unwrap();
    assert_eq!(post(listen, "/gone", "").await, 202);
    let new = route("/new", answers, "");
    let routes = [new.clone(), format!("# A comment.\n{keep}")];
    let line = process.reload(&settings(listen, &routes)).await;
    let counts = "started=1 restarted=0 stopped=1 untouched=1";
    assert!(line.contains(counts), "{line}");
    assert_ne!(post(listen, "/gone", "").await, 202);
    assert_eq!(post(listen, "/new", "").await, 202);
    // A default that is written out is no change; another value is one.
    let same = route("/new", answers, ", body_timeout = \"30s\"");
    let line = process
        .reload(&settings(listen, &[keep.clone(), same]))
        .await;
    assert!(line.contains("restarted=0 stopped=0 untouched=2"), "{line}");
    let other = route("/new", answers, ", body_timeout = \"31s\"");
    let line = process.reload(&settings(listen, &[keep, other])).await;
    assert!(line.contains("restarted=1 stopped=0 untouched=1"), "{line}");
    assert_eq!(post(listen, "/new", "").await, 202);
    // What was under way all the time has one exchange, and its sender still waits.
    exchange.write_all(ANSWER).await.unwrap();
    assert_eq!(status(sender).await, 202);
    process.stop(0).await;
}

#[tokio::test]
async fn a_faulty_file_changes_nothing_and_every_fault_is_told() {
    let (listen, answers) = (free_address(), receiver().await);
    let sound = settings(listen, &[route("/a", answers, "")]);
    let mut process = Process::start(&sound, &[]).await;
    let faulty = sound.replace("http://", "ftp://hush:hush@") + "ordre = \"key\"\n";
    for (text, faults) in [(faulty, 2), ("[[route".to_owned(), 1)] {
        process.write(&text);
        process.signal("HUP").await;
        for _ in 0..faults {
            let line = process.says("a fault in the settings").await;
            assert!(line.contains("bridge.toml:"), "{line}");
            assert!(line.contains("remedy="), "{line}");
            assert!(!line.contains("hush"), "{line}");
        }
        let line = process.says("not taken over").await;
        assert!(line.contains(&format!("faults={faults}")), "{line}");
        assert_eq!(post(listen, "/a", "").await, 202);
    }
    std::fs::remove_file(process.path("bridge.toml")).unwrap();
    process.signal("HUP").await;
    process.says("not taken over").await;
    let line = process.reload(&sound).await;
    assert!(line.contains("untouched=1"), "{line}");
    let other = sound.replace("127.0.0.1:0", "127.0.0.1:1");
    process.write(&other);
    process.signal("HUP").await;
    let line = process.says("takes effect at the next start").await;
    assert!(line.contains("[admin]"), "{line}");
    process.stop(0).await;
}

#[tokio::test]
async fn what_cannot_start_stays_as_it_was() {
    let (listen, answers) = (free_address(), receiver().await);
    let mut process = Process::start(&settings(listen, &[route("/a", answers, "")]), &[]).await;
    let taken = TcpListener::bind(free_address()).await.unwrap();
    let elsewhere = settings(taken.local_addr().unwrap(), &[route("/a", answers, "")]);
    process.write(&elsewhere);
    process.signal("HUP").await;
    process.says("settings taken over").await;
    let line = process.says("goes on as it was").await;
    assert!(line.contains("route=a cause=listen"), "{line}");
    assert_eq!(post(listen, "/a", "").await, 202);
    // Once the port is free, the same settings can be had.
    let address = taken.local_addr().unwrap();
    drop(taken);
    let line = process.reload(&elsewhere).await;
    assert!(line.contains("restarted=1"), "{line}");
    assert_eq!(post(address, "/a", "").await, 202);
    process.stop(0).await;
}

#[tokio::test]
async fn a_storm_of_signals_is_one_reload_after_another() {
    let (listen, answers) = (free_address(), receiver().await);
    let with = |seconds: usize| {
        let more = format!(", body_timeout = \"{seconds}s\"");
        settings(listen, &[route("/a", answers, &more)])
    };
    let mut process = Process::start(&with(1), &[]).await;
    for seconds in 2..22 {
        // As an editor does: never half of a file.
        let new = process.path("new");
        std::fs::write(&new, with(seconds)).unwrap();
        std::fs::rename(new, process.path("bridge.toml")).unwrap();
        process.signal("HUP").await;
    }
    process.says("settings taken over").await;
    let rest = process.stop(0).await;
    let steps = ["reloading the settings", "settings taken over", "stopping"];
    let seen: Vec<_> = rest
        .lines()
        .filter_map(|line| steps.into_iter().find(|step| line.contains(step)))
        .collect();
    let reloads = seen.iter().take_while(|step| **step != "stopping");
    for (at, step) in reloads.enumerate() {
        assert_eq!(*step, steps[at % 2], "{rest}");
    }
    assert!(!rest.contains("fault in the settings"), "{rest}");
}

/// The settings come through a pipe, so that the bridge waits for them as long as the test wants.
#[tokio::test]
async fn a_hangup_before_the_bridge_runs_is_a_reload_once_it_does() {
    let (listen, answers) = (free_address(), receiver().await);
    let text = settings(listen, &[route("/a", answers, "")]);
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("bridge.toml");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let mut process = Process::spawn(folder, &[]);
    let status = format!("/proc/{}/status", process.bridge.id().unwrap());
    let takes_hangup = || {
        let status = std::fs::read_to_string(&status).unwrap();
        let caught = status.lines().find_map(|it| it.strip_prefix("SigCgt:\t"));
        u64::from_str_radix(caught.unwrap(), 16).unwrap() & 1 == 1
    };
    let deadline = Instant::now() + SOON;
    while !takes_hangup() {
        assert!(Instant::now() < deadline, "SIGHUP would end it");
        sleep(std::time::Duration::from_millis(10)).await;
    }
    process.signal("HUP").await;
    for words in [" running ", "settings taken over"] {
        let (pipe, text) = (pipe.clone(), text.clone());
        let written = tokio::task::spawn_blocking(move || std::fs::write(pipe, text));
        timeout(SOON, written).await.unwrap().unwrap().unwrap();
        process.says(words).await;
    }
    process.stop(0).await;
}

#[tokio::test]
async fn a_stop_during_a_reload_is_a_stop() {
    let listen = free_address();
    let hanging = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = hanging.local_addr().unwrap();
    let mut process = Process::start(&settings(listen, &[route("/a", url, "")]), &[]).await;
    let sender = begin_post(listen, "/a", "").await;
    let (mut exchange, _) = timeout(SOON, hanging.accept()).await.unwrap().unwrap();
    process.write(&settings(
        listen,
        &[route("/a", url, ", body_timeout = \"1s\"")],
    ));
    process.signal("HUP").await;
    process.says("a route stops").await;
    // Until the route hears of it, what is no event is refused as that.
    loop {
        let mut nothing = TcpStream::connect(listen).await.unwrap();
        let request =
            b"POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
        nothing.write_all(request).await.unwrap();
        if status(nothing).await == 503 {
            break;
        }
    }
    process.signal("TERM").await;
    process.says("stopping").await;
    exchange.write_all(ANSWER).await.unwrap();
    assert_eq!(status(sender).await, 202);
    let rest = process.ends(0).await;
    assert!(!rest.contains("taken over"), "{rest}");
}

#[tokio::test]
async fn an_exchange_that_the_deadline_cuts_off_is_told_by_the_exit_code() {
    let listen = free_address();
    let hanging = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let routes = [route("/a", hanging.local_addr().unwrap(), "")];
    let text = settings(listen, &routes)
        .replace("shutdown_deadline = \"1h\"", "shutdown_deadline = \"1s\"");
    let process = Process::start(&text, &[]).await;
    let sender = begin_post(listen, "/a", "").await;
    let _exchange = timeout(SOON, hanging.accept()).await.unwrap().unwrap();
    let rest = process.stop(1).await;
    assert!(rest.contains("cut off"), "{rest}");
    assert_eq!(status(sender).await, 503);
}

/// It may never end the head, or never begin it.
#[tokio::test]
async fn half_a_head_of_a_request_holds_up_neither_a_reload_nor_a_stop() {
    let (listen, answers) = (free_address(), receiver().await);
    let text = |path: &str| settings(listen, &[route(path, answers, "")]);
    let mut process = Process::start(&text("/a"), &[]).await;
    let half = async || {
        let mut half = TcpStream::connect(listen).await.unwrap();
        half.write_all(b"POST /a HTTP/1.1\r\nHost: a\r\n")
            .await
            .unwrap();
        (half, TcpStream::connect(listen).await.unwrap())
    };
    let first = half().await;
    // Later than these, so that they are accepted.
    assert_eq!(post(listen, "/a", "").await, 202);
    let begun = Instant::now();
    let line = process.reload(&text("/b")).await;
    assert!(line.contains("started=1 restarted=0 stopped=1"), "{line}");
    let second = half().await;
    assert_eq!(post(listen, "/b", "").await, 202);
    process.stop(0).await;
    // A head may take 30 s.
    assert!(begun.elapsed().as_secs() < 20, "{:?}", begun.elapsed());
    drop((first, second));
}

/// As Kubernetes changes a secret: `data` leads to another folder.
fn link(folder: &Path, version: &str) {
    let new = folder.join("new");
    symlink(version, &new).unwrap();
    std::fs::rename(new, folder.join("data")).unwrap();
}

fn in_effect(is: u8) -> String {
    format!("\ncenl_config_last_reload_successful{{}} {is}\n")
}

#[tokio::test]
async fn a_file_of_tokens_that_changes_is_taken_over_without_a_signal() {
    let (listen, admin, answers) = (free_address(), free_address(), receiver().await);
    let folder = tempfile::tempdir().unwrap();
    for (version, token) in [("1", "hush-one"), ("2", "hush-two"), ("3", "")] {
        std::fs::create_dir(folder.path().join(version)).unwrap();
        std::fs::write(folder.path().join(version).join("tokens"), token).unwrap();
    }
    let link = |version: &str| link(folder.path(), version);
    link("1");
    let file = folder.path().join("data/tokens");
    let guarded = route("/a", answers, &format!(", tokens_file = {file:?}"));
    let text = settings(listen, &[guarded, route("/b", answers, "")]);
    let text = text.replace("127.0.0.1:0", &admin.to_string());
    let mut process = Process::start(&text, &[]).await;
    assert_eq!(post(listen, "/a", "hush-one").await, 202);
    assert_eq!(post(listen, "/a", "hush-two").await, 401);
    // Somebody is writing the settings meanwhile.
    process.write("[[route");
    link("2");
    let line = process.says("settings taken over").await;
    assert!(line.contains("restarted=1 stopped=0 untouched=1"), "{line}");
    assert_eq!(post(listen, "/a", "hush-one").await, 401);
    assert_eq!(post(listen, "/a", "hush-two").await, 202);
    shows(admin, "/metrics", &in_effect(1)).await;
    // A file without a token is a fault, told once in the log, and the former tokens stay.
    link("3");
    let line = process.says("a fault in the settings").await;
    assert!(line.contains("tokens_file"), "{line}");
    shows(admin, "/metrics", &in_effect(0)).await;
    shows(admin, "/v1/overview", "source.tokens_file").await;
    assert_eq!(post(listen, "/a", "hush-two").await, 202);
    // Nor does a file that is well again mend settings that are refused.
    process.signal("HUP").await;
    shows(admin, "/v1/overview", "bridge.toml:1").await;
    link("2");
    let line = process.says("settings taken over").await;
    assert!(line.contains("restarted=0 stopped=0 untouched=2"), "{line}");
    shows(admin, "/v1/overview", "bridge.toml:1").await;
    process.reload(&text).await;
    shows(admin, "/metrics", &in_effect(1)).await;
    // But one that is well again before anybody has looked needs no other reload.
    link("3");
    process.signal("HUP").await;
    process.says("a fault in the settings").await;
    shows(admin, "/metrics", &in_effect(0)).await;
    link("2");
    shows(admin, "/metrics", &in_effect(1)).await;
    assert!(!process.stop(0).await.contains("hush"));
}

#[tokio::test]
async fn the_certificate_of_a_listener_that_changes_starts_nothing_anew_and_its_fault_is_told() {
    let (listen, admin, answers) = (free_address(), free_address(), receiver().await);
    let folder = tempfile::tempdir().unwrap();
    for version in ["1", "2", "3"] {
        std::fs::create_dir(folder.path().join(version)).unwrap();
        let arguments = format!(
            "req -x509 -days 2 -nodes -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 \
             -subj /CN=listener-{version} -keyout server.key -out server.pem"
        );
        let issued = Command::new("openssl")
            .args(arguments.split_whitespace())
            .current_dir(folder.path().join(version))
            .output();
        assert!(issued.await.unwrap().status.success());
    }
    std::fs::write(folder.path().join("3/server.key"), "hush").unwrap();
    let link = |version: &str| link(folder.path(), version);
    link("1");
    let at = |file: &str| folder.path().join("data").join(file);
    let (certificate, key) = (at("server.pem"), at("server.key"));
    let files = format!("certificate_file = {certificate:?}\nkey_file = {key:?}\n");
    let text = settings(listen, &[route("/a", answers, "")]);
    let text = text.replace("127.0.0.1:0", &admin.to_string());
    let text = text.replace("[http.in]\n", &format!("[http.in]\n{files}"));
    let mut process = Process::start(&text, &[]).await;
    let shown = async || {
        let client = Command::new("openssl")
            .args(["s_client", "-connect", &listen.to_string()])
            .stdin(Stdio::null())
            .output();
        let output = timeout(SOON, client).await.unwrap().unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    assert!(shown().await.contains("listener-1"));
    for version in ["2", "1"] {
        link(version);
        let line = process.says("settings taken over").await;
        assert!(line.contains("restarted=0 stopped=0 untouched=1"), "{line}");
        let served = format!("listener-{version}");
        assert!(shown().await.contains(&served));
        shows(admin, "/metrics", &in_effect(1)).await;
        link("3");
        let line = process.says("a fault in the settings").await;
        assert!(line.contains("key_file"), "{line}");
        shows(admin, "/metrics", &in_effect(0)).await;
        shows(admin, "/v1/overview", "key_file").await;
        assert!(shown().await.contains(&served));
    }
    assert!(!process.stop(0).await.contains("hush"));
}

/// With the admin port `admin`, at which `hush` may act.
fn with_admin(settings: &str, admin: SocketAddr, token: &Path) -> String {
    let open = format!("listen = \"{admin}\"\ntoken = {{ file = {token:?} }}\nhosts = [\"a\"]");
    settings.replace("listen = \"127.0.0.1:0\"", &open)
}

#[tokio::test]
async fn a_pause_outlives_a_new_start_of_its_route() {
    let (listen, admin, answers) = (free_address(), free_address(), receiver().await);
    let token = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(token.path(), "hush").unwrap();
    let text = |more: &str| {
        let text = settings(listen, &[route("/a", answers, more)]);
        with_admin(&text, admin, token.path())
    };
    let mut process = Process::start(&text(""), &[]).await;
    assert_eq!(post(listen, "/a", "").await, 202);
    assert_eq!(post(admin, "/v1/routes/a/pause", "hush").await, 200);
    assert_eq!(post(listen, "/a", "").await, 503);
    let line = process.reload(&text(", body_timeout = \"31s\"")).await;
    assert!(line.contains("restarted=1"), "{line}");
    assert_eq!(post(listen, "/a", "").await, 503);
    assert_eq!(post(admin, "/v1/routes/a/resume", "hush").await, 200);
    assert_eq!(post(listen, "/a", "").await, 202);
    process.stop(0).await;
}

#[tokio::test]
async fn what_is_ordered_in_a_long_reload_is_not_done_after_its_asker_has_left() {
    let (listen, admin, answers) = (free_address(), free_address(), receiver().await);
    let token = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(token.path(), "hush").unwrap();
    let text = settings(listen, &[route("/a", answers, "")]);
    let text = with_admin(&text, admin, token.path());
    let mut process = Process::start(&text, &[]).await;
    // Settings that come only when somebody writes them.
    let file = process.path("bridge.toml");
    std::fs::remove_file(&file).unwrap();
    let made = Command::new("mkfifo").arg(&file).status();
    assert!(made.await.unwrap().success());
    process.signal("HUP").await;
    process.says("reloading the settings").await;
    assert_eq!(post(admin, "/v1/routes/a/pause", "hush").await, 504);
    std::fs::write(&file, &text).unwrap();
    process.says("settings taken over").await;
    assert_eq!(post(listen, "/a", "").await, 202);
    process.stop(0).await;
}
