//! The settings that the demo runs the bridge with: a text, as in a file.

use std::net::SocketAddr;

/// The names of one run.
pub(super) struct Names {
    /// Tells its ids and topics from those of other runs.
    pub(super) run: String,
    pub(super) topic: String,
    pub(super) dead_letters: String,
}

impl Names {
    pub(super) fn new(run: String) -> Self {
        Self {
            topic: format!("cenl-demo-{run}"),
            dead_letters: format!("cenl-demo-{run}.dead"),
            run,
        }
    }
}

/// The text of the settings.
pub(super) fn text(brokers: &str, names: &Names, receiver: SocketAddr) -> String {
    let Names {
        topic,
        dead_letters,
        ..
    } = names;
    format!(
        r#"[kafka.demo]
brokers = "{brokers}"
# Small waits suit a demo on one machine.
properties = {{ "fetch.wait.max.ms" = 10, "session.timeout.ms" = 6000, "heartbeat.interval.ms" = 500 }}

[[route]]
name = "registers-to-webhook"

[route.source]
kafka = "demo"
topic = "{topic}"
group = "{topic}"

[route.sink]
url = "http://{receiver}/events"

[route.retry]
maximum = "2s"

[route.dead_letter]
kafka = "demo"
topic = "{dead_letters}"
"#
    )
}
