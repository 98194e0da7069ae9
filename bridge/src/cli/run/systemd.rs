//! What systemd is told where it asks for it, by `NOTIFY_SOCKET` and `WATCHDOG_USEC`: sd_notify(3).

use std::env;
use std::ffi::OsStr;
use std::io;
#[cfg(target_os = "linux")]
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::process;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use tokio::time::interval;

use crate::telemetry::Telemetry;

pub(super) fn ready() {
    tell("READY=1");
}

/// Until the next `ready`.
pub(super) fn reloading() {
    let now = clock_gettime(ClockId::Monotonic);
    let microseconds = now.tv_sec * 1_000_000 + now.tv_nsec / 1_000;
    tell(&format!("RELOADING=1\nMONOTONIC_USEC={microseconds}"));
}

pub(super) fn stopping() {
    tell("STOPPING=1");
}

/// Twice as often as is asked for, and no more once a route stands still.
pub(super) async fn watchdog(telemetry: Telemetry) {
    let number = |name| env::var(name).ok()?.parse::<u64>().ok();
    let this = u64::from(process::id());
    let is_meant = number("WATCHDOG_PID").is_none_or(|process| process == this);
    let asked = number("WATCHDOG_USEC").filter(|asked| *asked > 1 && is_meant);
    let Some(asked) = asked else { return };
    let mut tick = interval(Duration::from_micros(asked / 2));
    loop {
        tick.tick().await;
        if !telemetry.is_stuck() {
            tell("WATCHDOG=1");
        }
    }
}

fn tell(state: &str) {
    if let Some(socket) = env::var_os("NOTIFY_SOCKET")
        && let Err(error) = send(&socket, state)
    {
        tracing::warn!(%error, "systemd cannot be told the state of the bridge");
    }
}

fn send(to: &OsStr, state: &str) -> io::Result<()> {
    let socket = UnixDatagram::unbound()?;
    // A reader that is behind holds up nobody.
    socket.set_nonblocking(true)?;
    let address = match to.as_bytes().strip_prefix(b"@") {
        #[cfg(target_os = "linux")]
        Some(name) => SocketAddr::from_abstract_name(name),
        _ => SocketAddr::from_pathname(to),
    };
    socket.send_to_addr(state.as_bytes(), &address?).map(drop)
}
