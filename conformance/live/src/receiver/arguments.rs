//! What may be said on the command line.

use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, bail};
use clap::Args;
use cloudevents_nl_conformance::{Language, Profile};
use jiff::Timestamp;

use super::scenario::Allow;
use super::target::Target;
use crate::client::Options;
use crate::command;

/// Tries out a receiver of webhooks: sends it what the specifications allow and forbid
#[derive(Args, Debug)]
#[command(after_long_help = "\
First a handshake and a plain event in each mode are sent; everything else is held against their answers. \
Then each rule is tried by itself. No redirect is followed. A cookie goes back \
once alone, to see whether it is asked for.

Safe for a test system of somebody else: --dry-run tells beforehand what would be sent, and how much. \
No more than --rate requests are sent per minute, and no more than the receiver allows in its handshake. \
A Retry-After is kept; one of more than a minute ends what is sent. \
Events are small, up to 64 KiB, and told to be tests by their source, type and id. They may create \
something at the receiver: do not point this at production.

What may do harm is sent only with --allow:
  load   more requests in a minute than the receiver allows, until it answers 429
  large  events above 64 KiB, up to 4 MiB
  slow   bodies that arrive in pieces over several seconds

A token is read from a file or from a variable of the environment, never from the command line, where \
others can see it. It is left out of what is written.

Exit codes: 0 it was tried out, whatever that showed; 2 it could not be, or took no plain event in any \
mode (without --only), and why.

Examples:
  cenl-conformance-live receiver https://example.nl/hook --dry-run
  cenl-conformance-live receiver https://example.nl/hook --token-file token | cenl-conformance check -
  cenl-conformance-live receiver https://example.nl/hook --origin zaken.example.nl --record run.jsonl
  cenl-conformance-live receiver https://localhost:8443/ --ca-file root.pem --rate 600 --allow load
  cenl-conformance-live receiver http://localhost:8080/ --only HOOK-RESP-11,CE-INT-2 --lang en")]
pub struct Arguments {
    /// The profile whose rules are tried out
    #[arg(long, default_value = "nl-gov-1.1", value_parser = command::profile())]
    pub(super) profile: Profile,
    /// The language of what is told
    #[arg(long, value_name = "LANGUAGE", default_value = "nl", value_parser = command::language())]
    pub(super) lang: Language,
    /// Try out these rules alone
    #[arg(long, value_name = "RULE", value_delimiter = ',', num_args = 1..)]
    pub(super) only: Vec<String>,
    /// Tell what would be sent, and send nothing
    #[arg(long)]
    pub(super) dry_run: bool,
    /// The most requests per minute
    #[arg(long, value_name = "NUMBER", default_value = "60")]
    pub(super) rate: NonZeroU32,
    /// Send what may do harm
    #[arg(long, value_enum, value_name = "WHAT", value_delimiter = ',')]
    pub(super) allow: Vec<Allow>,
    /// The file with the token that the receiver accepts
    #[arg(long, value_name = "FILE", conflicts_with = "token_env")]
    token_file: Option<PathBuf>,
    /// The variable of the environment that holds the token
    #[arg(long, value_name = "NAME")]
    token_env: Option<String>,
    #[command(flatten)]
    target: Target,
    /// Where to listen for that call
    #[arg(long, value_name = "ADDRESS", requires = "callback")]
    pub(super) callback_listen: Option<SocketAddr>,
    /// PEM files of certificate and key to show there; without them there is no TLS, as behind a proxy
    #[arg(long, value_names = ["CERTIFICATE", "KEY"], num_args = 2, requires = "callback")]
    pub(super) callback_identity: Vec<PathBuf>,
    /// How many seconds to wait for that call
    #[arg(long, value_name = "SECONDS", default_value = "30")]
    pub(super) callback_wait: u64,
    /// PEM file of root certificates to trust beside those of the system
    #[arg(long, value_name = "FILE")]
    ca_file: Option<PathBuf>,
    /// How many seconds to wait for a connection, and for an answer
    #[arg(long, value_name = "SECONDS", default_value = "30")]
    timeout: NonZeroU32,
    /// The file to write to instead of standard output
    #[arg(long, value_name = "FILE")]
    pub(super) record: Option<PathBuf>,
}

impl Arguments {
    pub(super) fn options(&self) -> Options {
        Options {
            timeout: Duration::from_secs(self.timeout.get().into()),
            ca_file: self.ca_file.clone(),
            ..Options::default()
        }
    }

    pub(super) fn target(&self) -> anyhow::Result<Target> {
        Ok(Target {
            token: self.token()?,
            run: format!("cenl-test-{}", Timestamp::now().as_second()),
            ..self.target.clone()
        })
    }

    fn token(&self) -> anyhow::Result<Option<String>> {
        let text = match (&self.token_file, &self.token_env) {
            (Some(path), _) => std::fs::read_to_string(path)
                .with_context(|| format!("cannot read the token of {}", path.display()))?,
            (None, Some(name)) => {
                std::env::var(name).with_context(|| format!("cannot read the token of {name}"))?
            }
            (None, None) => return Ok(None),
        };
        let token = text.trim();
        if token.is_empty() || !token.bytes().all(|byte| byte.is_ascii_graphic()) {
            bail!("the token is empty, or holds what a header cannot: write the token alone");
        }
        Ok(Some(token.to_owned()))
    }
}
