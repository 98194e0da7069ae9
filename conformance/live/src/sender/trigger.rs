//! The command that makes the sender deliver an event.

use std::process::{Child, Command, Stdio};

use anyhow::Context;

/// At most one runs at a time.
#[derive(Debug)]
pub(super) struct Trigger {
    command: String,
    running: Option<Child>,
}

impl Trigger {
    pub(super) fn new(command: String) -> Self {
        Self {
            command,
            running: None,
        }
    }

    /// Runs it, unless it still runs.
    pub(super) fn pull(&mut self) -> anyhow::Result<()> {
        if let Some(child) = &mut self.running {
            let Some(status) = child.try_wait()? else {
                return Ok(());
            };
            if !status.success() {
                eprintln!("--trigger: {status}");
            }
        }
        let shell = Command::new("sh")
            .args(["-c", &self.command])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn();
        self.running = Some(shell.context("--trigger")?);
        Ok(())
    }
}

impl Drop for Trigger {
    fn drop(&mut self) {
        if let Some(child) = &mut self.running {
            // It may have ended by itself.
            drop(child.kill());
            drop(child.wait());
        }
    }
}
