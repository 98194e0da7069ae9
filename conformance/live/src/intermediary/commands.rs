//! The operator's commands, which end the intermediary in the middle of the load and start it again.

use std::time::Duration;

use anyhow::{Context, bail};
use cloudevents_nl_conformance::{Language, Text};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep};

use super::story::Incident;
use crate::command::shell;

/// See the module.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Commands<'c> {
    pub(crate) kill: Option<&'c str>,
    pub(crate) restart: Option<&'c str>,
    pub(crate) lang: Language,
}

const KILLED: Text = Text {
    en: "killed",
    nl: "afgebroken",
};
const RESTARTED: Text = Text {
    en: "restarted",
    nl: "herstart",
};

/// How long nothing is there between the two.
const PAUSE: Duration = Duration::from_millis(500);

impl Commands<'_> {
    /// Runs them once half of the load is in.
    pub(crate) async fn run_at(&self, half: &Notify) -> anyhow::Result<Vec<Incident>> {
        let mut incidents = Vec::new();
        half.notified().await;
        if let Some(command) = self.kill {
            incidents.push(Incident {
                what: KILLED,
                at: Instant::now(),
            });
            let status = shell(command)
                .status()
                .await
                .with_context(|| command.to_owned())?;
            if !status.success() {
                bail!("{command}: {status}");
            }
            eprintln!("{}", KILLED.told(self.lang));
            sleep(PAUSE).await;
        }
        if let Some(command) = self.restart {
            // It may be the intermediary itself, which runs on.
            let mut child = shell(command).spawn().with_context(|| command.to_owned())?;
            sleep(PAUSE).await;
            if let Some(status) = child.try_wait()?.filter(|status| !status.success()) {
                bail!("{command}: {status}");
            }
            incidents.push(Incident {
                what: RESTARTED,
                at: Instant::now(),
            });
            eprintln!("{}", RESTARTED.told(self.lang));
        }
        Ok(incidents)
    }
}
