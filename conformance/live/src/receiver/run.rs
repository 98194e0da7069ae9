//! Sends what scenarios ask for, no faster than allowed, and keeps what came of it.

use std::time::Duration;

use anyhow::{Context, bail};
use cloudevents_nl_conformance::{Capture, Exchange, Live, Protocol, Shown, Why};
use tokio::time::{Instant, sleep_until};

use super::scenario::{Allow, Known, Scenario, Seen, Try};
use super::{Arguments, rules};
use crate::client::{Client, Letters, Options, retry_after};
use crate::command;
use crate::record::Record;
use crate::shown::{self, nothing, text, why};

/// How long a receiver may ask to wait before the next request. For longer, nothing more is tried.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// Requests in a row that found no connection: one more ends the run.
const MOST_UNREACHED: u32 = 5;

/// Before something is sent again that was answered with a failure, or not at all.
pub(super) const PAUSE: Duration = Duration::from_secs(1);

pub(super) struct Runner<'a> {
    pub(super) arguments: &'a Arguments,
    pub(super) client: Client,
    pub(super) record: Record,
    /// Of scenarios.
    pub(super) all: usize,
    /// Between the beginnings of two requests.
    pub(super) spacing: Duration,
    pub(super) next: Instant,
    /// Until when the receiver asked to wait.
    pub(super) told_until: Instant,
    /// Requests in a row that found no connection; `None` where none found one yet.
    pub(super) unreached: Option<u32>,
    /// Answers that did not come whole.
    pub(super) cut_short: usize,
}

impl Runner<'_> {
    /// Sends no faster from now on than the receiver allows.
    pub(super) fn keep_rate(&mut self, known: &Known) {
        if let Some(rate) = known.allowed_rate() {
            self.spacing = self.spacing.max(Duration::from_secs(60) / rate);
        }
    }

    /// Sends a plain event in each mode, which everything else is held against.
    pub(super) async fn plain(&mut self, known: &mut Known) -> anyhow::Result<()> {
        self.each_plain(known).await?;
        let is_refused = known.structured.as_ref().is_some_and(Seen::is_refused);
        if known.takes_events() || !is_refused || self.has_to_wait_long() {
            return Ok(());
        }
        // Who knows UUIDs alone breaks HTTP-STR-4, and no rule beside.
        known.target.takes_uuids.set(true);
        let [_, event, ..] = first(known);
        if self.settled(&event).await?.is_accepted() {
            return self.each_plain(known).await;
        }
        known.target.takes_uuids.set(false);
        Ok(())
    }

    async fn each_plain(&mut self, known: &mut Known) -> anyhow::Result<()> {
        let [_, events @ ..] = first(known);
        let plain = [&mut known.structured, &mut known.binary, &mut known.batch];
        for (kept, event) in plain.into_iter().zip(&events) {
            let mut seen = self.settled(event).await?;
            if self.is_unreached() {
                bail!("{}: {}", self.remedy(), seen.told());
            }
            // Who knows names of headers in other letters alone breaks HTTP-BIN-6, and no rule beside.
            if seen.is_refused() && !self.has_to_wait_long() {
                let mut spelled = event.clone();
                spelled.request = spelled.request.spelled(Letters::Words);
                let again = self.settled(&spelled).await?;
                if again.is_accepted() {
                    known.target.letters.set(Letters::Words);
                    seen = again;
                }
            }
            *kept = Some(seen);
        }
        Ok(())
    }

    pub(super) async fn scenario(
        &mut self,
        scenario: &Scenario,
        known: &mut Known,
    ) -> anyhow::Result<()> {
        let shown = match planned(scenario, &self.arguments.allow, known) {
            Err(why) => Shown::Nothing(why),
            Ok(tries) if !tries.is_empty() && self.has_to_wait_long() => {
                Shown::Nothing(told_to_wait())
            }
            Ok(tries) => {
                let is_burst = scenario.allow == Some(Allow::Load);
                let seen = self.all(&tries, is_burst).await?;
                let is_limited = seen.iter().any(|seen| seen.status() == Some(429));
                match seen.last() {
                    Some(last) if self.is_unreached() => unreached(last),
                    _ if !is_burst && self.has_to_wait_long() => Shown::Nothing(told_to_wait()),
                    _ if !is_burst && is_limited => Shown::Nothing(limited()),
                    _ => (scenario.judge)(known, &seen),
                }
            }
        };
        let (number, all) = (known.shown.len() + 1, self.all);
        let told = shown::told(&shown, self.arguments.lang);
        eprintln!("[{number}/{all}] {} {told}", scenario.rule);
        let live = Live::new(scenario.rule, shown.clone());
        let live = live.with_context(|| format!("{} cannot be tried out", scenario.rule))?;
        self.record.live(&live)?;
        known.shown.push((scenario.rule, shown));
        Ok(())
    }

    /// Tells of something that no rule binds.
    pub(super) async fn note(&mut self, note: &Scenario, known: &Known) -> anyhow::Result<()> {
        let mut told = Vec::new();
        for one in planned(note, &self.arguments.allow, known).unwrap_or_default() {
            if self.has_to_wait_long() {
                return Ok(());
            }
            self.wait().await;
            let exchanges = match one.times {
                1 => self.send(&one).await.map(|exchange| vec![exchange]),
                times => {
                    self.next += self.spacing;
                    self.client.send_raw(&one.request, times).await
                }
            };
            let exchanges = exchanges.unwrap_or_else(|error| vec![unanswered(&one, &error)]);
            for exchange in exchanges {
                // Nowhere else does a body show for which an answer has no place.
                if one.times > 1 && exchange.response.status.is_some() {
                    self.record.exchange(&exchange)?;
                }
                let seen = Seen {
                    what: one.what.clone(),
                    line: 0,
                    exchange,
                };
                self.heed(&seen);
                told.push(seen.told());
            }
        }
        if !told.is_empty() {
            let language = self.arguments.lang;
            let word = text("beside", "terzijde").told(language);
            let does = note.does.told(language);
            eprintln!("{word}, {does}: {}", told.join("; "));
        }
        Ok(())
    }

    async fn all(&mut self, tries: &[Try], is_burst: bool) -> anyhow::Result<Vec<Seen>> {
        let mut all = Vec::new();
        for one in tries {
            let seen = match is_burst {
                true => self.once(one).await?,
                false => self.settled(one).await?,
            };
            let is_over = is_burst && !seen.is_accepted();
            all.push(seen);
            if is_over || self.has_to_wait_long() || self.is_unreached() {
                break;
            }
        }
        Ok(all)
    }

    /// What comes of it in the end: an outage, or a rate that is kept, is given a second chance.
    pub(super) async fn settled(&mut self, one: &Try) -> anyhow::Result<Seen> {
        if self.has_to_wait_long() {
            let seconds = self.told_until.duration_since(Instant::now()).as_secs();
            bail!("it asks with Retry-After to wait for {seconds} seconds");
        }
        self.wait().await;
        let seen = self.once(one).await?;
        let is_worth_another = matches!(seen.status(), None | Some(429 | 500..));
        if !is_worth_another || self.has_to_wait_long() {
            return Ok(seen);
        }
        self.next = self.next.max(Instant::now() + PAUSE);
        self.wait().await;
        self.once(one).await
    }

    async fn once(&mut self, one: &Try) -> anyhow::Result<Seen> {
        let sent = self.send(one).await;
        let exchange = match (sent, self.unreached) {
            (Ok(exchange), _) => {
                self.unreached = Some(0);
                exchange
            }
            (Err(error), Some(before)) if before < MOST_UNREACHED => {
                self.unreached = Some(before + 1);
                unanswered(one, &error)
            }
            (Err(error), _) => return Err(error.context(self.remedy())),
        };
        let response = &exchange.response;
        self.cut_short += usize::from(response.status.is_some() && response.defect.is_some());
        let line = self.record.exchange(&exchange);
        let line = line.context("cannot write the record")?;
        let seen = Seen {
            what: one.what.clone(),
            line,
            exchange,
        };
        self.heed(&seen);
        Ok(seen)
    }

    /// Waits with the next request as long as the answer asks.
    fn heed(&mut self, seen: &Seen) {
        let may_ask = matches!(seen.status(), Some(429 | 503));
        let pause = retry_after(&seen.exchange.response).filter(|_| may_ask);
        if let Some(pause) = pause {
            self.told_until = self.told_until.max(Instant::now() + pause);
            self.next = self.next.max(self.told_until);
        }
    }

    async fn send(&mut self, one: &Try) -> anyhow::Result<Exchange> {
        if let Some(before) = &one.before {
            self.next += self.spacing;
            let mut connection = self.client.connect().await?;
            connection.send(before).await?;
            return connection.send(&one.request).await;
        }
        let Some((version, tls)) = one.via else {
            return self.client.send(&one.request).await;
        };
        let options = Options {
            version,
            tls,
            ..self.arguments.options()
        };
        let client = Client::new(&one.request.url, &options)?;
        client.send(&one.request).await
    }

    async fn wait(&mut self) {
        sleep_until(self.next).await;
        self.next = Instant::now() + self.spacing;
    }

    pub(super) fn remedy(&self) -> &'static str {
        let remedy = text(
            "the receiver cannot be tried out: look whether the URL is right and the receiver runs, and name \
             its root certificate with --ca-file if it has one of its own",
            "de ontvanger kan niet worden beproefd: kijk of de URL klopt en de ontvanger draait, en noem \
             met --ca-file zijn rootcertificaat als hij een eigen heeft",
        );
        remedy.told(self.arguments.lang)
    }

    pub(super) fn is_unreached(&self) -> bool {
        self.unreached.is_some_and(|requests| requests > 0)
    }

    fn has_to_wait_long(&self) -> bool {
        self.told_until.saturating_duration_since(Instant::now()) > LONGEST_WAIT
    }
}

/// What everything begins with: a handshake, and an event in each mode.
pub(super) fn first(known: &Known) -> [Try; 4] {
    let target = &known.target;
    let handshake = target.options().with("webhook-request-rate", "120");
    [
        Try::new("OPTIONS", handshake),
        Try::new("structured", target.structured("")),
        Try::new("binary", target.binary(&[], "{\"test\":true}")),
        Try::new("batch", target.batch(&[""])),
    ]
}

fn unanswered(one: &Try, error: &anyhow::Error) -> Exchange {
    let mut response = Capture::new(Protocol::Http);
    response.defect = Some(format!("{error:#}"));
    one.request.exchange(response)
}

fn unreached(last: &Seen) -> Shown {
    let told = last.told();
    nothing(
        format!("there was no connection: {told}"),
        format!("er was geen verbinding: {told}"),
    )
}

fn limited() -> Why {
    why(
        "the receiver answered 429 twice: try again later, or with a lower --rate",
        "de ontvanger antwoordde twee keer 429: probeer het later, of met een lagere --rate",
    )
}

fn told_to_wait() -> Why {
    why(
        "the receiver asked with Retry-After to wait for more than a minute: try again after that",
        "de ontvanger vroeg met Retry-After om meer dan een minuut te wachten: probeer het daarna opnieuw",
    )
}

/// What is to be sent with what is allowed, or why there is nothing to try.
pub(super) fn planned(
    scenario: &Scenario,
    allowed: &[Allow],
    known: &Known,
) -> Result<Vec<Try>, Why> {
    if let Some(allow) = scenario.allow.filter(|allow| !allowed.contains(allow)) {
        let word = command::name(&allow);
        return Err(why(
            format!("it is tried only with --allow {word}"),
            format!("het wordt alleen met --allow {word} beproefd"),
        ));
    }
    if rules::WITH_EXTENSIONS.contains(&scenario.rule) {
        known.needs_extensions()?;
    }
    scenario.tries.of(known)
}
