//! Plays a receiver, and judges the sender that delivers to it.
//!
//! It consents, takes, fails, slows down, redirects, breaks off and retires, a scenario after the other,
//! and judges what comes meanwhile. It sends nothing but answers, and the consent to a callback that it
//! was offered.

mod consent;
mod journal;
mod order;
mod play;
mod rules;
mod scenario;
mod told;
mod verdicts;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context;
use clap::{Args, ValueEnum};
use cloudevents_nl_conformance::{Language, Profile, Why};

use crate::command;
use crate::given::Given;
use crate::listener::{Listener, server_config};
use crate::record::Record;
use crate::shown::why;
use play::Play;
use scenario::{Need, Scenario};

/// What is asked on the command line.
#[derive(Args, Debug)]
#[command(after_long_help = "\
Let the sender deliver to the address that is told, and run on: scenarios are played one after another over \
the deliveries as they come, each for --patience at most. With --trigger a command is run whenever a \
delivery is needed and none comes, up to ten times a second while --rate is tried. Nothing is sent, but \
answers, and calls to a callback that the sender offers. What comes is kept with credentials masked, for \
`cenl-conformance check`; progress is told on standard error.

The sender fails deliveries meanwhile, so its events may end up as dead letters: use a test system. Some \
scenarios take more than that, and are played only when they are allowed: `--allow refuse` (handshakes \
get no consent for ten seconds, which a sender may take for good) and `--allow retire` (410 at the end, which \
ends the subscription; nothing may come after it for --patience).

Without a certificate deliveries come over plain HTTP, so that HOOK-TLS-1 and CE-SEC-3 are not shown, unless \
--url says that TLS ends before us; nor is HOOK-AUTH-1 where the first delivery has no token, unless \
--expect-token says that the sender was given one. Rules about `sequence` are asked with --order key alone, of \
events of one key. --order key holds against the sender that an event overtook another of its \
`partitionkey` (or else its `subject`) and `source`. No rule of the catalogue demands that, so it is told \
on standard error, and by the exit code.

Exit codes: 0 the scenarios were played, whatever they showed; 1 the order was not kept; 2 no delivery \
came, or we could not listen.

Examples:
  cenl-conformance-live sender --dry-run
  cenl-conformance-live sender --listen 127.0.0.1:8443 --tls-cert cert.pem --tls-key key.pem \\
      --trigger './send-an-event' --record record.jsonl && cenl-conformance check record.jsonl
  cenl-conformance-live sender --listen 0.0.0.0:8080 --url https://hook.example.nl/events \\
      --asks-consent --rate 120 --order key --allow retire --lang en --record record.jsonl
  cenl-conformance-live sender --listen 127.0.0.1:8080 --only HOOK-RESP-10,HOOK-RESP-2")]
#[allow(clippy::struct_excessive_bools, reason = "options of a command")]
pub struct Options {
    /// Where to listen
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8443")]
    listen: SocketAddr,
    /// The URL that the sender was given, where it is another than the address of --listen
    ///
    /// Where it is named, handshakes at another URL are held against the sender (HOOK-VREQ-1).
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// Certificates to show, in PEM, ours first
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// The key of the certificate, in PEM
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// A certificate that the sender must refuse, one that expired or is for another name, and its key, in PEM
    ///
    /// May be given again. One that nobody trusts is shown in any case, where there is TLS.
    #[arg(long, value_names = ["FILE", "KEY"], num_args = 2, requires = "tls_cert")]
    tls_faulty: Vec<PathBuf>,
    /// Root certificates to trust at the callback, in PEM, beside those of the system
    #[arg(long, value_name = "FILE")]
    callback_ca: Option<PathBuf>,
    /// A shell command that makes the sender deliver an event
    #[arg(long, value_name = "COMMAND")]
    trigger: Option<String>,
    /// How many seconds a scenario waits at most
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    patience: u64,
    /// The rules to try out; else all
    #[arg(long, value_name = "RULE", value_delimiter = ',', num_args = 1..)]
    only: Vec<String>,
    /// What may be played that may end a subscription
    #[arg(long, value_enum, value_name = "WHAT", value_delimiter = ',')]
    allow: Vec<Allow>,
    /// Requests per minute to grant in a handshake; else what is asked for
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    rate: Option<u32>,
    /// The sender says that it asks for consent before its first delivery
    #[arg(long)]
    asks_consent: bool,
    /// Batches were agreed on
    #[arg(long)]
    batches_agreed: bool,
    /// The sender was given a token, so that no delivery may come without
    #[arg(long)]
    expect_token: bool,
    /// The sender passes on events of others, with their `traceparent`
    #[arg(long)]
    relays: bool,
    /// The order that the sender says it keeps
    #[arg(long, value_enum, default_value_t = Order::None)]
    order: Order,
    /// The profile whose rules are tried out
    #[arg(long, default_value = "nl-gov-1.1", value_parser = command::profile())]
    profile: Profile,
    /// The language of what is told
    #[arg(long, default_value = "nl", value_parser = command::language())]
    lang: Language,
    /// Tell what would be played, and do nothing
    #[arg(long)]
    dry_run: bool,
    /// Where to keep what came and what it showed; else standard output
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Allow {
    /// No consent, for ten seconds
    Refuse,
    /// 410 at the end
    Retire,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Order {
    /// By `partitionkey`, or else `subject`, of a `source`
    Key,
    /// None
    None,
}

/// Plays what is asked for.
///
/// # Errors
/// When we cannot listen, or what came cannot be kept.
pub async fn run(options: Options) -> anyhow::Result<ExitCode> {
    let known = rules::all();
    if let Some(rule) = options.only.iter().find(|rule| !known.contains(&&***rule)) {
        anyhow::bail!(
            "--only {rule}: no rule that is tried out on senders; these are: {}",
            known.join(", ")
        );
    }
    if options.dry_run {
        told::dry_run(&options);
        return Ok(ExitCode::SUCCESS);
    }
    let tls = match (&options.tls_cert, &options.tls_key) {
        (Some(certificates), Some(key)) => Some(server_config(certificates, key)?),
        _ => None,
    };
    let listener = Listener::bind(options.listen, tls.clone()).await;
    let listener = listener.with_context(|| format!("--listen {}", options.listen))?;
    let record = Record::open(options.record.as_deref())?;
    Play::new(options, listener, tls, record)?.run().await
}

impl Options {
    fn hinders(&self, scenario: &Scenario) -> Option<Why> {
        let rules = match scenario.needs {
            Need::Rate => &["HOOK-RATE-1"],
            _ => scenario.rules,
        };
        let is_wanted = self.only.is_empty() || rules.iter().any(|rule| self.asks(rule));
        match scenario.needs {
            Need::Always => None,
            _ if !is_wanted => Some(unasked()),
            Need::Tls if self.tls_cert.is_none() => Some(why(
                "takes a certificate: --tls-cert and --tls-key",
                "vraagt een certificaat: --tls-cert en --tls-key",
            )),
            Need::Rate if self.rate.is_none() => Some(why(
                "takes a rate to grant: --rate N",
                "vraagt een tempo om toe te staan: --rate N",
            )),
            Need::Allowed(allow) if !self.allow.contains(&allow) => {
                let word = command::name(&allow);
                Some(why(
                    format!("may end the subscription: --allow {word} plays it"),
                    format!("kan het abonnement beëindigen: --allow {word} speelt het"),
                ))
            }
            _ => None,
        }
    }

    fn asks(&self, rule: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|only| only == rule)
    }

    fn given(&self) -> Given {
        let ends_before = self.url.as_deref().unwrap_or_default();
        Given {
            tls: self.tls_cert.is_some() || ends_before.starts_with("https:"),
            token: self.expect_token,
        }
    }

    fn patience(&self) -> Duration {
        Duration::from_secs(self.patience)
    }
}

fn unasked() -> Why {
    why(
        "not among the rules that --only names",
        "hoort niet bij de regels die --only noemt",
    )
}
