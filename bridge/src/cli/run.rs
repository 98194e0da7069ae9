//! `cenl-bridge run`: the process, which signals stop and reload.

mod orders;
mod systemd;

use std::process;
use std::sync::Arc;
use std::time::Duration;

use http::StatusCode;
use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::{Semaphore, mpsc};
use tokio::task::{JoinHandle, spawn, spawn_blocking};
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};

use super::{ConfigFile, DONE, FAILED, ToolError};
use crate::admin;
use crate::admin::orders::OperatorOrder;
use crate::admin::problem::ProblemDetails;
use crate::config::{AdminSettings, Document, Files, Inputs, Log, Problem, Problems, read_again};
use crate::logging;
use crate::plan::Plan;
use crate::runtime::{LEAVE_GRACE, StartError, StopError, Supervisor, TakenOver, places};
use crate::telemetry::Telemetry;
use crate::traces::Exporter;
use crate::transport::registry::TRANSPORTS;

/// Between two looks at files with tokens, keys and certificates.
const LOOK: Duration = Duration::from_secs(10);
/// For a reload to read the settings and the files they name: five hundred routes need a tenth of it.
const READ_MAX: Duration = Duration::from_secs(30);

/// What operators have ordered and is not carried out yet.
const ORDERS_MAX: usize = 16;
const WORK_MAX: usize = 4;

/// Until a signal, or until every route has ended by itself.
pub(super) fn run(config: &ConfigFile) -> Result<u8, ToolError> {
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(anyhow::Error::from)?;
    // What listens to signals needs to know it.
    let inside = runtime.enter();
    // Before all else: it would end a process that does not listen.
    let hangup = signal(SignalKind::hangup()).map_err(anyhow::Error::from)?;
    let (document, plan) = config.prove()?;
    let exporter = plan.traces.as_ref().map(Exporter::start).transpose();
    let (traces, exporter) = exporter.map_err(anyhow::Error::from)?.unzip();
    let routes = plan.routes.iter();
    let routes = routes.map(|route| (Arc::clone(&route.config.name), places(route)));
    let mut telemetry = Telemetry::new(routes);
    telemetry.traces = traces;
    let mut bridge = Bridge {
        config: config.clone(),
        document: Arc::new(document),
        files: plan.files(),
        admin: plan.admin.clone(),
        log: plan.log.clone(),
        traces: plan.traces.as_ref().map(|it| it.inputs.clone()),
        look: None,
        shutdown_deadline: plan.shutdown_deadline,
        effective: plan.to_string(),
        refused: None,
        readers: Arc::new(Semaphore::new(WORK_MAX)),
        replayers: Arc::new(Semaphore::new(WORK_MAX)),
        counter: Arc::new(Semaphore::new(1)),
        supervisor: Supervisor::new(telemetry.clone()),
        telemetry,
    };
    let carried = bridge.carry(&runtime, hangup, plan);
    exporter.into_iter().for_each(Exporter::stop);
    // A file on a mount that hangs may still be waited for.
    drop(inside);
    runtime.shutdown_background();
    carried?;
    Ok(DONE)
}

struct Bridge {
    config: ConfigFile,
    document: Arc<Document>,
    /// As they were when they were last looked at.
    files: Files,
    look: Option<JoinHandle<Files>>,
    admin: AdminSettings,
    log: Log,
    /// What its settings were read from.
    traces: Option<Inputs>,
    shutdown_deadline: Duration,
    /// As `check-config` prints it.
    effective: String,
    /// Why the last reload changed nothing.
    refused: Option<String>,
    /// Places for those who read dead letters at the admin port.
    readers: Arc<Semaphore>,
    replayers: Arc<Semaphore>,
    counter: Arc<Semaphore>,
    telemetry: Telemetry,
    supervisor: Supervisor,
}

impl Bridge {
    fn carry(&mut self, runtime: &Runtime, mut hangup: Signal, plan: Plan) -> anyhow::Result<()> {
        logging::start(plan.log.format, plan.log.level, logging::queue())?;
        // Before anything answers: who sees it may want it to stop.
        let mut ends = [
            signal(SignalKind::terminate())?,
            signal(SignalKind::interrupt())?,
        ];
        let (orders, mut ordered) = mpsc::channel(ORDERS_MAX);
        let admin = admin::start(&plan.admin, self.telemetry.clone(), orders)
            .map_err(|error| anyhow::anyhow!("[admin] listen = {}: {error}", plan.admin.listen))?;
        runtime.block_on(async {
            spawn(systemd::watchdog(self.telemetry.clone()));
            let run = async {
                let routes = plan.routes.len();
                log_warnings(&plan.warnings);
                self.supervisor.start(plan).await?;
                systemd::ready();
                tracing::info!(routes, %admin, version = env!("CARGO_PKG_VERSION"), "running");
                anyhow::Ok(self.follow(&mut hangup, &mut ordered).await?)
            };
            tokio::select! {
                ended = run => ended?,
                () = either(&mut ends) => self.stop(&mut ends).await?,
            }
            tracing::info!("stopped");
            Ok(())
        })
    }

    /// Until every route has ended by itself. One change after another: signals that come meanwhile are one.
    async fn follow(
        &mut self,
        hangup: &mut Signal,
        orders: &mut mpsc::Receiver<OperatorOrder>,
    ) -> Result<(), StopError> {
        let mut look = interval(LOOK);
        look.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let every = self.admin.count_dead_letters_every;
        let mut count = interval(every.unwrap_or(LOOK));
        loop {
            tokio::select! {
                _ = hangup.recv() => drop(self.reload().await),
                Some(order) = orders.recv() => self.carry_out(order).await,
                _ = look.tick() => {
                    self.look_at_files().await;
                    self.take_over_late().await;
                }
                _ = count.tick(), if every.is_some() => self.count_dead_letters(),
                () = self.supervisor.next() => self.take_over_late().await,
            }
            self.supervisor.goes_on()?;
        }
    }

    async fn reload(&mut self) -> Result<TakenOver, ProblemDetails> {
        tracing::info!("reloading the settings");
        let config = self.config.clone();
        self.change(move || config.load().map(Arc::new), true).await
    }

    async fn look_at_files(&mut self) {
        let before = &self.files;
        let look = self.look.get_or_insert_with(|| {
            let before = before.clone();
            spawn_blocking(move || read_again(&before))
        });
        // A mount that hangs holds up nothing else.
        let Ok(files) = timeout(LOOK / 10, look).await else {
            return;
        };
        self.look = None;
        if let Some(files) = files.ok().filter(|files| *files != self.files) {
            tracing::info!("a file with tokens, keys or certificates has changed");
            self.files = files;
            self.take_over_again().await;
        }
    }

    /// A route that has left late starts with the settings of now. Where they cannot be proven, the next look tries
    /// again.
    async fn take_over_late(&mut self) {
        if self.supervisor.has_left_late() {
            tracing::info!("a route has left late: the settings are taken over again");
            self.take_over_again().await;
        }
    }

    /// Not from the settings file, which somebody may be writing.
    async fn take_over_again(&mut self) {
        let document = Arc::clone(&self.document);
        self.change(move || Ok(document), false).await.ok();
    }

    /// Nothing changes unless all is proven. Only an operator starts what has ended by itself.
    async fn change(
        &mut self,
        read: impl FnOnce() -> Result<Arc<Document>, Problems> + Send + 'static,
        starts_ended: bool,
    ) -> Result<TakenOver, ProblemDetails> {
        systemd::reloading();
        let (before, files) = (Arc::clone(&self.document), self.files.clone());
        let prove = move || -> Result<_, (Problems, Option<_>)> {
            let document = read().map_err(|problems| (problems, None))?;
            let files = (*document == *before).then(|| read_again(&files));
            let plan = Plan::prove(&document, TRANSPORTS);
            let plan = plan.map_err(|problems| (problems, files))?;
            Ok((document, plan))
        };
        // As they are where one of them, and not the settings, is at fault.
        let mut at_fault = None;
        let changed = match timeout(READ_MAX, spawn_blocking(prove)).await {
            Ok(Ok(Ok((document, plan)))) => {
                self.document = document;
                Ok(self.take_over(plan, starts_ended).await)
            }
            Ok(Ok(Err((problems, files)))) => {
                log_faults(&problems);
                at_fault = files;
                Err((&problems).into())
            }
            // It goes on by itself, and what it says then is not asked for any more.
            Err(_) => {
                let limit_s = READ_MAX.as_secs();
                tracing::error!(
                    limit_s,
                    "the settings are not taken over, they or a file they name cannot be read in time: look for a mount that hangs, and reload"
                );
                let detail = "the settings or a file they name cannot be read in time: look for a mount that hangs";
                Err(ProblemDetails::new(StatusCode::GATEWAY_TIMEOUT, detail))
            }
            Ok(Err(fault)) => {
                tracing::error!(%fault, "the settings cannot be proven: a fault of the bridge, please report it");
                let detail = "the settings cannot be proven: a fault of the bridge, see the log";
                let status = StatusCode::INTERNAL_SERVER_ERROR;
                Err(ProblemDetails::new(status, detail))
            }
        };
        let refused = changed.as_ref().err().map(ProblemDetails::summary);
        let taken = changed.as_ref().ok();
        let not_started = taken.and_then(|taken| taken.not_started.first().cloned());
        // A file that is taken over does not mend settings that were refused.
        if starts_ended {
            self.refused = refused.clone().filter(|_| at_fault.is_none());
        }
        if let Some(files) = at_fault {
            self.files = files;
        }
        let fault = not_started.or(refused).or_else(|| self.refused.clone());
        self.telemetry.settings_read(fault);
        systemd::ready();
        changed
    }

    async fn take_over(&mut self, plan: Plan, starts_ended: bool) -> TakenOver {
        let traces = plan.traces.as_ref().map(|it| &it.inputs);
        for (table, is_same) in [
            ("[admin]", self.admin == plan.admin),
            ("[log]", self.log == plan.log),
            ("[traces]", self.traces.as_ref() == traces),
        ] {
            if !is_same {
                tracing::warn!(table, "a change that takes effect at the next start");
            }
        }
        log_warnings(&plan.warnings);
        self.files = plan.files();
        // One that is under way looks at those of before.
        self.look = None;
        self.shutdown_deadline = plan.shutdown_deadline;
        self.effective = plan.to_string();
        let (taken, not_started) = self.supervisor.apply(plan, starts_ended).await;
        for StartError { route, cause } in not_started {
            tracing::error!(%route, %cause, "a route cannot start; one that ran goes on as it was, unless that fails too: correct what the cause names, and reload");
        }
        taken
    }

    /// A second signal ends the process, as does the end of the deadline.
    async fn stop(&mut self, ends: &mut [Signal; 2]) -> Result<(), StopError> {
        systemd::stopping();
        let deadline = self.shutdown_deadline;
        let deadline_s = deadline.as_secs_f64();
        tracing::info!(deadline_s, "stopping: finishing what is in flight");
        let reason = tokio::select! {
            stopped = self.supervisor.stop(deadline) => return stopped,
            () = either(ends) => "second signal",
            () = sleep(deadline + LEAVE_GRACE) => "deadline passed",
        };
        tracing::warn!(reason, "cut off: what is in flight stays with its source");
        drop(logging::Flush);
        // What is not settled is not committed: nothing is lost.
        process::exit(FAILED.into())
    }
}

/// SIGTERM and SIGINT, which end the process no more by themselves.
async fn either([terminate, interrupt]: &mut [Signal; 2]) {
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
}

fn log_warnings(warnings: &[Problem]) {
    for warning in warnings {
        let setting = &*warning.key;
        tracing::warn!(
            origin = warning.origin,
            setting,
            route = warning.route,
            what = warning.what,
            remedy = warning.remedy,
            "a warning about the settings"
        );
    }
}

/// Each with its place and its remedy.
fn log_faults(problems: &Problems) {
    for problem in problems.iter() {
        let setting = &*problem.key;
        tracing::error!(
            origin = problem.origin,
            setting,
            route = problem.route,
            value = problem.value,
            what = problem.what,
            remedy = problem.remedy,
            "a fault in the settings"
        );
    }
    let faults = problems.iter().len();
    tracing::error!(
        faults,
        "the settings are not taken over: all goes on as before"
    );
}
