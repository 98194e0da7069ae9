//! Ports that a program is told.

use tokio::net::TcpSocket;

/// One that the system gives to nobody else while this is there. Who asks for it by number may listen at it, and
/// until then nobody does.
pub(crate) fn reserved() -> TcpSocket {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_reuseaddr(true).unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    socket
}
