//! `cenl-bridge run`: the process, which signals stop and reload.

mod systemd;

use std::process;
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::task::{spawn, spawn_blocking};
use tokio::time::{MissedTickBehavior, interval, sleep};

use super::{ConfigFile, DONE, FAILED, ToolError};
use crate::admin;
use crate::config::{Admin, Document, Files, Log, LogFormat, Problems, Words as _, read_again};
use crate::logging;
use crate::plan::Plan;
use crate::runtime::{LEAVE_GRACE, StopError, Supervisor};
use crate::telemetry::Telemetry;
use crate::transport::registry::TRANSPORTS;

/// Between two looks at files with tokens, keys and certificates.
const LOOK: Duration = Duration::from_secs(10);

/// Until a signal, or until every route has ended by itself.
pub(super) fn run(config: &ConfigFile) -> Result<u8, ToolError> {
    let failed = |error: anyhow::Error| ToolError::Failed(format!("{error:#}"));
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| failed(error.into()))?;
    // Before all else: it would end a process that does not take it.
    let hangup = take(&runtime, SignalKind::hangup()).map_err(failed)?;
    let (document, plan) = config.prove()?;
    let carried = carry(&runtime, hangup, config, document, plan);
    carried.map(|()| DONE).map_err(failed)
}

fn take(runtime: &Runtime, kind: SignalKind) -> anyhow::Result<Signal> {
    let _inside = runtime.enter();
    Ok(signal(kind)?)
}

fn carry(
    runtime: &Runtime,
    mut hangup: Signal,
    config: &ConfigFile,
    document: Document,
    plan: Plan,
) -> anyhow::Result<()> {
    let is_json = plan.log.format == LogFormat::Json;
    logging::start(plan.log.level.word(), is_json).map_err(|error| anyhow::anyhow!(error))?;
    // Before anything answers: who sees it may want it to stop.
    let mut ends = Ends {
        terminate: take(runtime, SignalKind::terminate())?,
        interrupt: take(runtime, SignalKind::interrupt())?,
    };
    let telemetry = Telemetry::new(plan.routes.iter().map(|route| route.name.clone()));
    let admin = admin::start(plan.admin.listen, telemetry.clone())
        .map_err(|error| anyhow::anyhow!("[admin] listen = {}: {error}", plan.admin.listen))?;
    let mut bridge = Bridge {
        config: config.clone(),
        document: Arc::new(document),
        files: plan.files(),
        admin: plan.admin.clone(),
        log: plan.log.clone(),
        shutdown_deadline: plan.shutdown_deadline,
        supervisor: Supervisor::new(telemetry.clone()),
    };
    runtime.block_on(async {
        spawn(systemd::watchdog(telemetry));
        let routes = plan.routes.len();
        let run = async {
            bridge.supervisor.start(plan).await?;
            systemd::ready();
            tracing::info!(routes, %admin, version = env!("CARGO_PKG_VERSION"), "running");
            anyhow::Ok(bridge.follow(&mut hangup).await?)
        };
        tokio::select! {
            ended = run => ended?,
            () = ends.next() => bridge.stop(&mut ends).await?,
        }
        tracing::info!("stopped");
        Ok(())
    })
}

/// SIGTERM and SIGINT, which end the process no more by themselves.
struct Ends {
    terminate: Signal,
    interrupt: Signal,
}

impl Ends {
    async fn next(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}

struct Bridge {
    config: ConfigFile,
    document: Arc<Document>,
    /// As they were when they were last looked at.
    files: Files,
    admin: Admin,
    log: Log,
    shutdown_deadline: Duration,
    supervisor: Supervisor,
}

impl Bridge {
    /// Until every route has ended by itself. One change after another: signals that come meanwhile are one.
    async fn follow(&mut self, hangup: &mut Signal) -> Result<(), StopError> {
        let mut look = interval(LOOK);
        look.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                _ = hangup.recv() => self.reload().await,
                _ = look.tick() => self.look_at_files().await,
                () = self.supervisor.next() => {}
            }
            self.supervisor.goes_on()?;
        }
    }

    async fn reload(&mut self) {
        tracing::info!("reloading the settings");
        let config = self.config.clone();
        let proven = spawn_blocking(move || config.prove()).await;
        let proven = proven.map(|proven| proven.map(|(document, plan)| (Arc::new(document), plan)));
        self.change(proven).await;
    }

    /// The settings stay as they were read: somebody may be writing them.
    async fn look_at_files(&mut self) {
        let before = self.files.clone();
        let Ok(files) = spawn_blocking(move || read_again(&before)).await else {
            return;
        };
        if files == self.files {
            return;
        }
        tracing::info!("a file with tokens, keys or certificates has changed");
        self.files = files;
        let document = Arc::clone(&self.document);
        let proven = spawn_blocking(move || {
            let plan = Plan::prove(&document, TRANSPORTS)?;
            Ok((document, plan))
        });
        self.change(proven.await).await;
    }

    /// Nothing changes unless all is proven. The error is a panic.
    async fn change<E: std::fmt::Display>(
        &mut self,
        proven: Result<Result<(Arc<Document>, Plan), Problems>, E>,
    ) {
        let (document, plan) = match proven {
            Ok(Ok(proven)) => proven,
            Ok(Err(problems)) => return refuse(&problems),
            Err(fault) => {
                tracing::error!(%fault, "the settings cannot be proven: a fault of the bridge, please report it");
                return;
            }
        };
        systemd::reloading();
        self.warn_of_next_start(&plan);
        self.document = document;
        self.files = plan.files();
        self.shutdown_deadline = plan.shutdown_deadline;
        let (applied, errors) = self.supervisor.apply(plan).await;
        for error in errors {
            tracing::error!(%error, "a route cannot start and stays as it was before: change the settings and reload");
        }
        let (started, restarted) = (applied.started, applied.restarted);
        let (stopped, untouched) = (applied.stopped, applied.untouched);
        tracing::info!(
            started,
            restarted,
            stopped,
            untouched,
            "settings taken over"
        );
        systemd::ready();
    }

    fn warn_of_next_start(&self, plan: &Plan) {
        let is_other = [
            ("[admin]", self.admin != plan.admin),
            ("[log]", self.log != plan.log),
        ];
        for (table, _) in is_other.into_iter().filter(|(_, is_other)| *is_other) {
            tracing::warn!(table, "a change that takes effect at the next start");
        }
    }

    /// A second signal ends the process, as does the end of the deadline.
    async fn stop(&mut self, ends: &mut Ends) -> Result<(), StopError> {
        systemd::stopping();
        let deadline = self.shutdown_deadline;
        let deadline_s = deadline.as_secs_f64();
        tracing::info!(deadline_s, "stopping: finishing what is in flight");
        let reason = tokio::select! {
            stopped = self.supervisor.stop(deadline) => return stopped,
            () = ends.next() => "second signal",
            () = sleep(deadline + LEAVE_GRACE) => "deadline passed",
        };
        tracing::warn!(reason, "cut off: what is in flight stays with its source");
        // What is not settled is not committed: nothing is lost.
        process::exit(FAILED.into())
    }
}

/// Every fault with its place and its remedy.
fn refuse(problems: &Problems) {
    for problem in problems.iter() {
        let setting = &*problem.key;
        let (origin, what) = (&*problem.origin, &*problem.what);
        let (value, remedy) = (problem.value.as_deref(), &*problem.remedy);
        let route = problem.route.as_deref();
        tracing::error!(
            origin,
            setting,
            route,
            value,
            what,
            remedy,
            "a fault in the settings"
        );
    }
    let faults = problems.iter().len();
    tracing::error!(
        faults,
        "the settings are not taken over: all goes on as before"
    );
}
