//! What systemd hears, over a real socket.

use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};

use super::process::{Process, post, receiver, route, settings};
use super::{SOON, free_address};

/// The next state that is no sign of life.
fn next(socket: &UnixDatagram) -> String {
    loop {
        let state = receive(socket);
        if state != "WATCHDOG=1" {
            return state;
        }
    }
}

fn receive(socket: &UnixDatagram) -> String {
    let mut state = [0; 256];
    let length = socket.recv(&mut state).unwrap();
    String::from_utf8(state[..length].to_vec()).unwrap()
}

#[tokio::test]
async fn systemd_hears_of_readiness_reloads_the_stop_and_life() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notify");
    let name = format!("cenl-bridge-test-{}", std::process::id());
    let by_name = SocketAddr::from_abstract_name(&name).unwrap();
    for (variable, address) in [
        (
            path.to_str().unwrap().to_owned(),
            SocketAddr::from_pathname(&path).unwrap(),
        ),
        (format!("@{name}"), by_name),
    ] {
        let socket = UnixDatagram::bind_addr(&address).unwrap();
        socket.set_read_timeout(Some(SOON)).unwrap();
        let text = settings(free_address(), &[route("/a", receiver().await, "")]);
        // The socket has room for ten: those of a second are far fewer.
        let variables = [("NOTIFY_SOCKET", &*variable), ("WATCHDOG_USEC", "1000000")];
        let mut process = Process::start(&text, &variables).await;
        assert_eq!(next(&socket), "READY=1");
        for _ in 0..3 {
            assert_eq!(receive(&socket), "WATCHDOG=1");
        }
        process.reload(&text).await;
        let reloading = next(&socket);
        let moment = reloading.strip_prefix("RELOADING=1\nMONOTONIC_USEC=");
        assert!(moment.unwrap().parse::<u64>().unwrap() > 0, "{reloading}");
        assert_eq!(next(&socket), "READY=1");
        process.stop(0).await;
        assert_eq!(next(&socket), "STOPPING=1");
    }
}

/// A pipe that nobody writes to is as a file on a mount that hangs.
#[tokio::test]
async fn a_reload_that_waits_for_a_file_is_given_up_and_the_watchdog_is_fed_meanwhile() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notify");
    let socket = UnixDatagram::bind(&path).unwrap();
    socket.set_read_timeout(Some(SOON)).unwrap();
    let (listen, answers) = (free_address(), receiver().await);
    let sound = settings(listen, &[route("/a", answers, "")]);
    let variables = [
        ("NOTIFY_SOCKET", path.to_str().unwrap()),
        ("WATCHDOG_USEC", "100000"),
    ];
    let mut process = Process::start(&sound, &variables).await;
    let states = std::thread::spawn(move || {
        let mut states = Vec::new();
        while states.last().is_none_or(|last| last != "STOPPING=1") {
            states.push(receive(&socket));
        }
        states
    });
    let pipe = folder.path().join("tokens");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let hanging = route("/a", answers, &format!(", tokens_file = {pipe:?}"));
    process.write(&settings(listen, &[hanging]));
    process.signal("HUP").await;
    process.says("cannot be read in time").await;
    assert_eq!(post(listen, "/a", "").await, 202);
    let line = process.reload(&sound).await;
    assert!(line.contains("untouched=1"), "{line}");
    process.stop(0).await;
    let states = states.join().unwrap();
    let mut reloads = states.split(|state| state.starts_with("RELOADING=1"));
    let waited = reloads.nth(1).unwrap().split(|state| state == "READY=1");
    let fed = waited.into_iter().next().unwrap();
    assert!(fed.len() > 10 && fed.iter().all(|state| state == "WATCHDOG=1"));
}

/// A watchdog that another process was asked for is none.
#[tokio::test]
async fn a_watchdog_for_another_process_is_not_fed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notify");
    let socket = UnixDatagram::bind(&path).unwrap();
    socket.set_read_timeout(Some(SOON)).unwrap();
    let text = settings(free_address(), &[route("/a", receiver().await, "")]);
    let variables = [
        ("NOTIFY_SOCKET", path.to_str().unwrap()),
        ("WATCHDOG_USEC", "1000"),
        ("WATCHDOG_PID", "1"),
    ];
    let mut process = Process::start(&text, &variables).await;
    process.reload(&text).await;
    process.stop(0).await;
    let mut states = Vec::new();
    socket.set_nonblocking(true).unwrap();
    let mut state = [0; 256];
    while let Ok(length) = socket.recv(&mut state) {
        states.push(String::from_utf8(state[..length].to_vec()).unwrap());
    }
    let [ready, reloading, again, stopping] = &states[..] else {
        panic!("{states:?}");
    };
    assert!(reloading.starts_with("RELOADING=1"));
    let rest = [&**ready, again, stopping];
    assert_eq!(rest, ["READY=1", "READY=1", "STOPPING=1"]);
}
