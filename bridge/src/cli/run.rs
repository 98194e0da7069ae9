//! `cenl-bridge run`

use std::io;
use std::process;
use std::thread;
use std::time::Duration;

use tokio::runtime::Runtime;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::time::sleep;

use super::{ConfigFile, DONE, FAILED, ToolError};
use crate::admin;
use crate::config::{LogFormat, Problem, Words as _};
use crate::logging;
use crate::plan::Plan;
use crate::runtime::{Running, Stopper};
use crate::telemetry::Telemetry;

/// Until a signal, or until every route has ended by itself.
pub(super) fn run(config: &ConfigFile) -> Result<u8, ToolError> {
    let (_, plan) = config.prove()?;
    let carried = carry(plan).map_err(|error| ToolError::Failed(format!("{error:#}")));
    carried.map(|()| DONE)
}

fn carry(plan: Plan) -> anyhow::Result<()> {
    let is_json = plan.log.format == LogFormat::Json;
    logging::start(plan.log.level.word(), is_json).map_err(|error| anyhow::anyhow!(error))?;
    // Before anything answers: who sees it may want it to stop.
    let signals = Signals::listen()?;
    let telemetry = Telemetry::new(plan.routes.iter().map(|route| route.name.clone()));
    let admin = admin::start(plan.admin.listen, telemetry.clone())
        .map_err(|error| anyhow::anyhow!("[admin] listen = {}: {error}", plan.admin.listen))?;
    for Problem {
        origin,
        key: setting,
        route,
        what,
        remedy,
        ..
    } in &plan.warnings
    {
        tracing::warn!(
            route,
            origin,
            setting,
            what,
            remedy,
            "a warning about the settings"
        );
    }
    let (routes, deadline) = (plan.routes.len(), plan.shutdown_deadline);
    let running = Running::start(plan, &telemetry)?;
    signals.stop(running.stopper(), deadline)?;
    tracing::info!(routes, %admin, version = env!("CARGO_PKG_VERSION"), "running");
    running.join()?;
    tracing::info!("stopped");
    Ok(())
}

/// For sources to commit and to leave their groups after the deadline.
const LEAVE_GRACE: Duration = Duration::from_secs(15);

/// SIGTERM and SIGINT, which end the process no more by themselves.
struct Signals {
    runtime: Runtime,
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    fn listen() -> io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let inside = runtime.enter();
        let terminate = signal(SignalKind::terminate())?;
        let interrupt = signal(SignalKind::interrupt())?;
        drop(inside);
        Ok(Self {
            runtime,
            terminate,
            interrupt,
        })
    }

    /// The first signal starts a drain; a second one ends the process, as does the end of the deadline.
    fn stop(self, stopper: Stopper, deadline: Duration) -> io::Result<()> {
        let Self {
            runtime,
            mut terminate,
            mut interrupt,
        } = self;
        let signals = thread::Builder::new().name("signals".to_owned());
        signals.spawn(move || {
            runtime.block_on(async {
                either(&mut terminate, &mut interrupt).await;
                let deadline_s = deadline.as_secs_f64();
                tracing::info!(deadline_s, "stopping: finishing what is in flight");
                stopper.stop(deadline);
                let reason = tokio::select! {
                    () = either(&mut terminate, &mut interrupt) => "second signal",
                    () = sleep(deadline + LEAVE_GRACE) => "deadline passed",
                };
                tracing::warn!(reason, "cut off: what is in flight stays with its source");
            });
            // What is not settled is not committed: nothing is lost.
            process::exit(FAILED.into())
        })?;
        Ok(())
    }
}

async fn either(terminate: &mut Signal, interrupt: &mut Signal) {
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
}
