//! Where events come from or go to; equal for two routes that mean the same place.

use std::fmt;
use std::net::IpAddr;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Address {
    pub transport: &'static str,
    pub server: String,
    pub name: String,
}

impl Address {
    /// Servers are lists; one without a port may be at any.
    pub fn shares_server(&self, other: &Self) -> bool {
        let is_same = |own: &str, other: &str| {
            let ((host, port), (other, at)) = (host_and_port(own), host_and_port(other));
            host == other && (port.is_none() || at.is_none() || port == at)
        };
        let mut own = self.server.split(',');
        self.transport == other.transport
            && own.any(|own| other.server.split(',').any(|other| is_same(own, other)))
    }
}

/// All loopback addresses are one host.
fn host_and_port(text: &str) -> (String, Option<u16>) {
    let text = text.trim();
    let text = text.split_once("://").map_or(text, |(_, rest)| rest);
    let parts = text.rsplit_once(':');
    let parts = parts.and_then(|(host, port)| Some((host, Some(port.parse().ok()?))));
    let (host, port) = parts.unwrap_or((text, None));
    let address = host.trim_matches(['[', ']']).parse();
    let is_here = address.is_ok_and(|ip: IpAddr| ip.is_loopback() || ip.is_unspecified());
    let host = if is_here { "localhost" } else { host };
    (host.to_ascii_lowercase(), port)
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.transport, self.server, self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_the_same_however_it_is_written() {
        let at = |server: &str| Address {
            transport: "nats",
            server: server.to_owned(),
            name: String::new(),
        };
        for (one, other, expected) in [
            ("a:1,b:2", "c:3, B:2", true),
            ("a:1", "a:2", false),
            ("nats://a:1", "a", true),
            ("a", "b", false),
            ("127.0.0.1:1", "localhost:1", true),
            ("[::1]:1", "0.0.0.0:1", true),
        ] {
            let (one, other) = (at(one), at(other));
            assert_eq!(one.shares_server(&other), expected, "{one} {other}");
            assert_eq!(other.shares_server(&one), expected, "{other} {one}");
        }
    }
}
