//! Ports for what a test starts.

use std::net::{Ipv4Addr, TcpListener};
use std::sync::atomic::{AtomicU16, Ordering};

/// The first of `count` consecutive ports on which nothing listens.
///
/// They lie below the range from which systems number outgoing connections, so that nobody takes
/// one between this look and its use.
pub(crate) fn free_ports(count: u16) -> u16 {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let start = u16::try_from(std::process::id() % 400).unwrap() * 16;
    for _ in 0..1000 {
        let first = 24_000 + (start + NEXT.fetch_add(count, Ordering::Relaxed)) % 8_000;
        let is_free = |port| TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok();
        if (first..first + count).all(is_free) {
            return first;
        }
    }
    panic!("no {count} free ports in a row");
}
