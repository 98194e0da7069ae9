//! Plays the scenarios over what comes.

use std::iter;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use cloudevents_nl_conformance::{Purpose, Shown};
use http::Method;
use rustls::ServerConfig;
use tokio::process::Child;
use tokio::time::{Instant, timeout_at};

use super::consent::Consent;
use super::journal::{Delivery, Journal};
use super::rules::{self, SCENARIOS};
use super::scenario::{ELSEWHERE, Need, QUIET, Reply, Scenario, Scene, origin};
use super::verdicts::Verdicts;
use super::{Hindrance, Options, order, told};
use crate::command::shell;
use crate::given::Given;
use crate::listener::{Arrival, Listener, Received, from_pem, server_config};
use crate::record::Record;

/// Of one run, which ends there.
const MOST_DELIVERIES: usize = 50_000;
/// Of one run; the rest is answered, and not kept.
const MOST_HANDSHAKES: usize = 1000;
/// For connections that show an earlier certificate to end.
const RENEWAL: Duration = Duration::from_secs(1);

pub(super) struct Play {
    options: Options,
    listener: Listener,
    tls: Option<Arc<ServerConfig>>,
    /// Certificates that no sender may trust.
    faulty: Vec<Arc<ServerConfig>>,
    record: Record,
    consent: Consent,
    /// The command that makes the sender deliver, while it runs.
    triggered: Option<Child>,
    journal: Journal,
    verdicts: Verdicts,
}

/// What came of it.
pub(super) struct Played {
    pub(super) deliveries: usize,
    pub(super) keeps_order: bool,
}

/// Where the journal stood.
#[derive(Clone, Copy, Default)]
struct Mark {
    deliveries: usize,
    handshakes: usize,
    refused: usize,
}

impl Play {
    pub(super) fn new(
        mut options: Options,
        listener: Listener,
        tls: Option<Arc<ServerConfig>>,
        record: Record,
    ) -> anyhow::Result<Self> {
        Ok(Self {
            faulty: faulty(&options.tls_faulty)?,
            consent: Consent::new(options.rate, options.callback_ca.take()),
            triggered: None,
            options,
            listener,
            tls,
            record,
            journal: Journal::default(),
            verdicts: Verdicts::default(),
        })
    }

    pub(super) async fn run(mut self) -> anyhow::Result<Played> {
        let scheme = if self.tls.is_some() { "https" } else { "http" };
        told::listening(
            &self.options,
            &format!("{scheme}://{}", self.listener.address()),
        );
        for scenario in SCENARIOS {
            match self.options.hinders(scenario) {
                Some(hindrance) => self.verdicts.add(scenario.rules, &hindrance.shown()),
                None => self.scenario(scenario).await?,
            }
            let is_over = scenario.needs == Need::Always && self.journal.deliveries.is_empty();
            if is_over || self.journal.is_full() {
                break;
            }
        }
        self.finish()
    }

    async fn scenario(&mut self, scenario: &Scenario) -> anyhow::Result<()> {
        told::scenario(scenario, self.options.lang);
        if scenario.needs == Need::Tls {
            for faulty in self.faulty.clone() {
                if self.journal.is_full() {
                    break;
                }
                self.renew(Some(faulty)).await?;
                self.act(scenario).await?;
            }
            // What comes from here on is no part of it.
            return self.renew(self.tls.clone()).await;
        }
        self.act(scenario).await?;
        // Who is refused may wait for the callback, and not ask again for long.
        if scenario.needs == Need::Refuse
            && let Some(asked) = self.journal.handshakes.last_mut()
        {
            self.consent.call(asked).await;
        }
        // A hanging request would hold up its sender in all that follows.
        if scenario
            .replies
            .iter()
            .any(|reply| matches!(reply, Reply::Hang))
        {
            self.listener.renew(self.tls.clone());
        }
        Ok(())
    }

    async fn act(&mut self, scenario: &Scenario) -> anyhow::Result<()> {
        let mark = self.journal.mark();
        self.play(scenario, mark).await?;
        let scene = self.journal.scene(mark, &self.options);
        told::came(scene.deliveries, self.options.lang);
        let shown = (scenario.judge)(&scene);
        // Of a scenario that was cut off only what is broken shows.
        if !self.journal.is_full() || matches!(shown, Shown::Broken(_)) {
            self.verdicts.add(scenario.rules, &shown);
        }
        Ok(())
    }

    /// Takes and answers until nothing more needs to come, or patience ends.
    async fn play(&mut self, scenario: &Scenario, mark: Mark) -> anyhow::Result<()> {
        let begun = Instant::now();
        let (mut end, mut is_done) = (begun + self.options.patience(), false);
        let mut trigger_at = begun;
        loop {
            let scene = self.journal.scene(mark, &self.options);
            let given = scene.given();
            if !is_done && (scenario.is_done)(&scene) {
                is_done = true;
                end = Instant::now() + scenario.aftermath;
                if scenario.needs == Need::Retire {
                    end += self.options.patience();
                }
            }
            let now = Instant::now();
            if now >= end || self.journal.is_full() {
                return Ok(());
            }
            if now >= trigger_at {
                self.trigger()?;
                trigger_at = now + QUIET;
            }
            let wake = if self.options.trigger.is_some() {
                trigger_at.min(end)
            } else {
                end
            };
            if let Ok(arrival) = timeout_at(wake, self.listener.next()).await {
                let reply = scenario
                    .replies
                    .get(given)
                    .copied()
                    .unwrap_or(scenario.then);
                self.take(arrival, reply, scenario.needs == Need::Refuse)
                    .await?;
                let may_repeat = given >= scenario.replies.len() && !is_done;
                trigger_at = Instant::now() + (scenario.quiet)(may_repeat);
            }
        }
    }

    /// Runs the command of the operator, unless it still runs.
    fn trigger(&mut self) -> anyhow::Result<()> {
        let Some(command) = &self.options.trigger else {
            return Ok(());
        };
        if let Some(child) = &mut self.triggered {
            let Some(status) = child.try_wait()? else {
                return Ok(());
            };
            if !status.success() {
                eprintln!("--trigger: {status}");
            }
        }
        let child = shell(command).kill_on_drop(true).spawn();
        self.triggered = Some(child.context("--trigger")?);
        Ok(())
    }

    /// Shows another certificate from now on, once all connections with the earlier one have ended.
    async fn renew(&mut self, tls: Option<Arc<ServerConfig>>) -> anyhow::Result<()> {
        self.listener.renew(tls);
        let end = Instant::now() + RENEWAL;
        while let Ok(arrival) = timeout_at(end, self.listener.next()).await {
            self.take(arrival, Reply::Status(503), false).await?;
        }
        Ok(())
    }

    async fn take(&mut self, arrival: Arrival, reply: Reply, refuses: bool) -> anyhow::Result<()> {
        match arrival {
            Arrival::Refused(refused) => {
                eprintln!("  – {}", refused.error);
                if self.journal.refused.len() < MOST_HANDSHAKES {
                    self.journal.refused.push(refused);
                }
                Ok(())
            }
            Arrival::Request(mut received) => {
                if let Some(url) = &self.options.url {
                    let target = received
                        .head
                        .uri
                        .path_and_query()
                        .map_or("/", |it| it.as_str());
                    received.url = format!("{}{target}", origin(url));
                }
                // Who follows a redirect by GET may leave out the event, and still ask for a rate.
                let query = received.head.uri.query().unwrap_or_default();
                let is_followed =
                    query.contains(ELSEWHERE) && received.head.method != Method::OPTIONS;
                match received.is_handshake() && !is_followed {
                    true => self.handshake(*received, refuses).await,
                    false => self.delivery(*received, reply),
                }
            }
        }
    }

    async fn handshake(&mut self, received: Received, refuses: bool) -> anyhow::Result<()> {
        let (answer, mut asked) = self.consent.answer(&received, refuses);
        let mut exchange = received.answer(answer);
        exchange.registered_url.clone_from(&self.options.url);
        asked.line = self.record.exchange(&exchange).context("--record")?;
        asked.deliveries = self.journal.deliveries.len();
        if !refuses {
            self.consent.call(&mut asked).await;
        }
        if self.journal.handshakes.len() < MOST_HANDSHAKES {
            self.journal.handshakes.push(asked);
        }
        Ok(())
    }

    fn delivery(&mut self, received: Received, reply: Reply) -> anyhow::Result<()> {
        let mut delivery = Delivery::of(&received, &received.capture());
        let reply = if delivery.is_elsewhere {
            Reply::Status(204)
        } else {
            reply
        };
        // Not when it came: it may have waited for a callback.
        let now = Instant::now();
        let (answer, until) = reply.answer(&received, now);
        let mut exchange = received.answer(answer);
        exchange.purpose = Purpose::Delivery;
        self.given().spare(&mut exchange);
        let mut handshakes = self.journal.handshakes.iter().rev();
        let agreed = handshakes.find(|asked| asked.has_consent);
        // Where the handshake named none, deliveries cannot name another.
        let origin = agreed.map(|asked| asked.origin.clone());
        exchange.handshake_origin = origin.filter(|origin| !origin.is_empty());
        exchange.registered_url.clone_from(&self.options.url);
        delivery.line = self.record.exchange(&exchange).context("--record")?;
        delivery.status = exchange.response.status;
        delivery.answered = now + reply.delay();
        delivery.until = until;
        if !self.journal.is_full() {
            self.journal.deliveries.push(delivery);
        }
        Ok(())
    }

    /// Who sends a token at first was given one.
    fn given(&self) -> Given {
        let first = self.journal.deliveries.first();
        let given = self.options.given();
        Given {
            token: given.token || first.is_some_and(|first| first.has_token),
            ..given
        }
    }

    fn finish(mut self) -> anyhow::Result<Played> {
        let language = self.options.lang;
        let scene = self.journal.scene(Mark::default(), &self.options);
        for (rules, judge) in rules::WHOLE {
            let is_asked = rules.iter().any(|rule| self.options.asks(rule));
            if is_asked && !scene.deliveries.is_empty() {
                self.verdicts.add(rules, &judge(&scene));
            }
        }
        let why = match scene.deliveries.is_empty() {
            true => Hindrance::NothingCame,
            false if self.journal.is_full() => Hindrance::Enough,
            false => Hindrance::Unasked,
        };
        let given = self.given().hinders();
        for (rule, why) in given.filter(|_| !self.journal.deliveries.is_empty()) {
            self.verdicts.fill(&[rule], &Shown::Nothing(why));
        }
        self.verdicts.fill(&rules::all(), &why.shown());
        for live in self.verdicts.of(self.options.profile) {
            told::shown(&live, language);
            self.record.live(&live).context("--record")?;
        }
        let overtakers = order::overtakers(&self.journal.deliveries);
        if let Some(first) = overtakers.first() {
            let seen = format!("{} (line {})", first.seen, first.line);
            told::order(overtakers.len(), &seen, language);
        }
        Ok(Played {
            deliveries: self.journal.deliveries.len(),
            keeps_order: overtakers.is_empty(),
        })
    }
}

/// Certificates that no sender may trust: ours, and those of the operator with their keys.
fn faulty(files: &[PathBuf]) -> anyhow::Result<Vec<Arc<ServerConfig>>> {
    let certificate = include_bytes!("untrusted.pem");
    let untrusted = from_pem(certificate, include_bytes!("untrusted.key"));
    let named = files.as_chunks().0.iter();
    let named = named.map(|[certificate, key]| server_config(certificate, key));
    iter::once(untrusted).chain(named).collect()
}

impl Journal {
    fn is_full(&self) -> bool {
        self.deliveries.len() >= MOST_DELIVERIES
    }

    fn mark(&self) -> Mark {
        Mark {
            deliveries: self.deliveries.len(),
            handshakes: self.handshakes.len(),
            refused: self.refused.len(),
        }
    }

    fn scene<'s>(&'s self, since: Mark, options: &'s Options) -> Scene<'s> {
        Scene {
            deliveries: self.deliveries.get(since.deliveries..).unwrap_or_default(),
            handshakes: self.handshakes.get(since.handshakes..).unwrap_or_default(),
            refused: self.refused.get(since.refused..).unwrap_or_default(),
            granted: self.granted(),
            options,
        }
    }

    /// The rate that was last granted.
    fn granted(&self) -> Option<u32> {
        let mut handshakes = self.handshakes.iter().rev();
        handshakes.find(|asked| asked.has_consent)?.granted
    }
}
