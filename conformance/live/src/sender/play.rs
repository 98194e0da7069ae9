//! Plays the scenarios over what comes.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use std::{iter, mem};

use anyhow::Context;
use cloudevents_nl_conformance::{Purpose, Shown};
use http::Method;
use rustls::ServerConfig;
use tokio::process::Child;
use tokio::time::{Instant, timeout_at};

use super::consent::Consent;
use super::journal::{Delivery, Journal};
use super::rules::{self, SCENARIOS};
use super::scenario::{ELSEWHERE, Need, QUIET, Reply, Scenario, Scene, TAKEN, UNAVAILABLE, origin};
use super::verdicts::Verdicts;
use super::{Allow, Options, Order, order, told, unasked};
use crate::client::retry_after;
use crate::command::shell;
use crate::given::Given;
use crate::listener::{Answer, Arrival, Listener, Received};
use crate::record::Record;
use crate::shown::{self, say, why};
use crate::tls::{from_pem, server_config};

/// Of one run, which ends there.
const MOST_DELIVERIES: usize = 50_000;
/// Of one run; the rest is answered, and not kept.
const MOST_HANDSHAKES: usize = 1000;
const REFUSES: Need = Need::Allowed(Allow::Refuse);
/// For connections that show an earlier certificate to end.
const RENEWAL: Duration = Duration::from_secs(1);

pub(super) struct Play {
    options: Options,
    listener: Listener,
    tls: Option<Arc<ServerConfig>>,
    faulty: Vec<Arc<ServerConfig>>,
    record: Record,
    consent: Consent,
    /// The command that makes the sender deliver, while it runs.
    triggered: Option<Child>,
    /// Whether a delivery waits for an answer that never comes.
    hangs: bool,
    journal: Journal,
    verdicts: Verdicts,
}

impl Play {
    pub(super) fn new(
        options: Options,
        listener: Listener,
        tls: Option<Arc<ServerConfig>>,
        record: Record,
    ) -> anyhow::Result<Self> {
        Ok(Self {
            faulty: faulty(&options.tls_faulty)?,
            consent: Consent::default(),
            triggered: None,
            hangs: false,
            options,
            listener,
            tls,
            record,
            journal: Journal::default(),
            verdicts: Verdicts::default(),
        })
    }

    pub(super) async fn run(mut self) -> anyhow::Result<ExitCode> {
        let scheme = if self.tls.is_some() { "https" } else { "http" };
        let address = format!("{scheme}://{}", self.listener.address());
        told::listening(&self.options, &address);
        for scenario in SCENARIOS {
            match self.options.hinders(scenario) {
                Some(why) => self.verdicts.add(scenario.rules, &Shown::Nothing(why)),
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
        let language = self.options.lang;
        eprintln!("{}: {}", scenario.name, scenario.does.told(language));
        if scenario.needs == Need::Tls {
            for faulty in self.faulty.clone() {
                self.renew(Some(faulty)).await?;
                self.act(scenario).await?;
            }
            // What comes from here on is no part of it.
            return self.renew(self.tls.clone()).await;
        }
        self.act(scenario).await?;
        // Who is refused may wait for the callback, and not ask again for long.
        if scenario.needs == REFUSES
            && let Some(asked) = self.journal.handshakes.last_mut()
        {
            self.consent.call(&self.options, asked).await;
        }
        // A hanging request would hold up its sender in all that follows.
        if mem::take(&mut self.hangs) {
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
    async fn play(&mut self, scenario: &Scenario, mark: [usize; 3]) -> anyhow::Result<()> {
        let begun = Instant::now();
        let (mut end, mut is_done) = (begun + self.options.patience(), false);
        let mut trigger_at = begun;
        loop {
            let scene = self.journal.scene(mark, &self.options);
            let given = scene.given();
            if !is_done && (scenario.is_done)(&scene) {
                is_done = true;
                end = Instant::now() + scenario.aftermath;
                if scenario.needs == Need::Allowed(Allow::Retire) {
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
            let wake = trigger_at.min(end);
            if let Ok(arrival) = timeout_at(wake, self.next()).await {
                let reply = scenario.replies.get(given).unwrap_or(&scenario.then);
                let refuses = scenario.needs == REFUSES;
                self.take(arrival, *reply, refuses).await?;
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
        while let Ok(arrival) = timeout_at(end, self.next()).await {
            self.take(arrival, UNAVAILABLE, false).await?;
        }
        Ok(())
    }

    /// Waits for what comes next, and answers who only looks whether we are there.
    async fn next(&mut self) -> Arrival {
        loop {
            match self.listener.next().await {
                Arrival::Request(look) if look.is_a_look() && !is_followed(&look) => {
                    look.answer(Answer::status(204));
                }
                arrival => return arrival,
            }
        }
    }

    async fn take(&mut self, arrival: Arrival, reply: Reply, refuses: bool) -> anyhow::Result<()> {
        let received = match arrival {
            Arrival::Refused(mut refused) => {
                eprintln!("  – {}", refused.error);
                let plain = refused.plain.take();
                if self.journal.refused.len() < MOST_HANDSHAKES {
                    self.journal.refused.push(refused);
                }
                // Who never came over TLS may have been given an address without it, and others look for open ports.
                let mut before = self.journal.deliveries.iter();
                let falls_back = before.any(|delivery| delivery.is_secure);
                let Some(received) = plain.filter(|it| falls_back && it.has_event()) else {
                    return Ok(());
                };
                received
            }
            Arrival::Request(mut received) => {
                if let Some(url) = &self.options.url {
                    let target = received.head.uri.path_and_query();
                    let target = target.map_or("/", |it| it.as_str());
                    received.url = format!("{}{target}", origin(url));
                }
                received
            }
        };
        match received.is_handshake() && !is_followed(&received) {
            true => self.handshake(*received, refuses).await,
            false => self.delivery(*received, reply),
        }
    }

    async fn handshake(&mut self, received: Received, refuses: bool) -> anyhow::Result<()> {
        let consent = &mut self.consent;
        let (answer, mut asked) = consent.answer(&self.options, &received, refuses);
        let mut exchange = received.answer(answer);
        exchange.registered_url.clone_from(&self.options.url);
        asked.line = self.record.exchange(&exchange).context("--record")?;
        if !refuses {
            self.consent.call(&self.options, &mut asked).await;
        }
        if self.journal.handshakes.len() < MOST_HANDSHAKES {
            self.journal.handshakes.push(asked);
        }
        Ok(())
    }

    fn delivery(&mut self, received: Received, reply: Reply) -> anyhow::Result<()> {
        let mut delivery = Delivery::of(&received, &received.capture());
        let reply = if delivery.is_elsewhere { TAKEN } else { reply };
        // Not when it came: it may have waited for a callback.
        let now = Instant::now();
        let answer = reply(&received);
        self.hangs |= answer == Answer::Hang;
        delivery.answered = match &answer {
            Answer::Response(_, after) => now + *after,
            Answer::BreakOff | Answer::Hang => now,
        };
        let mut exchange = received.answer(answer);
        exchange.purpose = Purpose::Delivery;
        // The order of one key is that of its events alone.
        let first = self.journal.deliveries.iter().find_map(Delivery::lane);
        let is_of_first = |lane: u64| first.is_none_or(|first| first == lane);
        let is_declared = self.options.order == Order::Key;
        let is_ordered = is_declared && delivery.lane().is_some_and(is_of_first);
        self.given().spare(&mut exchange, is_ordered);
        let mut handshakes = self.journal.handshakes.iter().rev();
        let agreed = handshakes.find(|asked| asked.has_consent);
        // Where the handshake named none, deliveries cannot name another.
        let origin = agreed.map(|asked| asked.origin.clone());
        exchange.handshake_origin = origin.filter(|origin| !origin.is_empty());
        exchange.registered_url.clone_from(&self.options.url);
        delivery.line = self.record.exchange(&exchange).context("--record")?;
        delivery.status = exchange.response.status;
        delivery.until = retry_after(&exchange.response).map(|wait| now + wait);
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

    fn finish(mut self) -> anyhow::Result<ExitCode> {
        let language = self.options.lang;
        let scene = self.journal.scene([0; 3], &self.options);
        for (rules, judge) in rules::WHOLE {
            let is_asked = rules.iter().any(|rule| self.options.asks(rule));
            if is_asked && !scene.deliveries.is_empty() {
                self.verdicts.add(rules, &judge(&scene));
            }
        }
        let why = match scene.deliveries.is_empty() {
            true => why("no delivery came", "er kwam geen aflevering"),
            false if self.journal.is_full() => why(
                "more deliveries came before than are looked at: let the sender send fewer",
                "er kwamen eerder meer afleveringen dan er bekeken worden: laat de afzender er minder versturen",
            ),
            false => unasked(),
        };
        let given = self.given().hinders();
        for (rule, why) in given.filter(|_| !self.journal.deliveries.is_empty()) {
            self.verdicts.fill(&[rule], &Shown::Nothing(why));
        }
        self.verdicts.fill(&rules::all(), &Shown::Nothing(why));
        for live in self.verdicts.of(self.options.profile) {
            eprintln!("{} {}", live.rule.id, shown::told(&live.shown, language));
            self.record.live(&live).context("--record")?;
        }
        let overtakers = order::overtakers(&self.journal.deliveries);
        if let Some(first) = overtakers.first() {
            let (count, seen, line) = (overtakers.len(), &first.seen, first.line);
            say(
                language,
                format!("order: {count} overtook another event of their key: {seen} (line {line})"),
                format!(
                    "volgorde: {count} haalden een andere gebeurtenis van hun sleutel in: {seen} (line {line})"
                ),
            );
        }
        if self.journal.deliveries.is_empty() {
            told::nothing_came(&self.journal.refused, language);
            return Ok(ExitCode::from(2));
        }
        let is_broken = self.options.order == Order::Key && !overtakers.is_empty();
        Ok(ExitCode::from(u8::from(is_broken)))
    }
}

/// Who follows a redirect by GET may leave out the event, and still ask for a rate.
fn is_followed(received: &Received) -> bool {
    let query = received.head.uri.query().unwrap_or_default();
    query.contains(ELSEWHERE) && received.head.method != Method::OPTIONS
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

    /// Where it stands: how many deliveries, handshakes and refusals it has.
    fn mark(&self) -> [usize; 3] {
        let (deliveries, handshakes) = (self.deliveries.len(), self.handshakes.len());
        [deliveries, handshakes, self.refused.len()]
    }

    /// What came since.
    fn scene<'s>(&'s self, mark: [usize; 3], options: &'s Options) -> Scene<'s> {
        let [deliveries, handshakes, refused] = mark;
        Scene {
            deliveries: self.deliveries.get(deliveries..).unwrap_or_default(),
            handshakes: self.handshakes.get(handshakes..).unwrap_or_default(),
            refused: self.refused.get(refused..).unwrap_or_default(),
            options,
        }
    }
}
