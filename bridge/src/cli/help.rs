//! What `--help` says below the options of each command.

pub(super) const LONG_HELP: &str = "\
Examples:
  cenl-bridge demo
  cenl-bridge check-config --config config/bridge.toml
  cenl-bridge run --config config/bridge.toml
  cenl-bridge tail --config config/bridge.toml --route zaken-to-webhook --id 5f1c
  cenl-bridge replay --config config/bridge.toml --route zaken-to-webhook --all
  CENL__KAFKA__MAIN__BROKERS=kafka:9092 cenl-bridge run --config config/bridge.toml

Environment:
  CENL__TABLE__KEY sets a key of a table, over what the file says; see config/README.md.

Exit codes:
  0   the work was done, or was stopped and drained
  1   the work could not be started, ended by itself, or was cut off, or standard output took no
      more
  64  the command line or the settings are wrong; nothing was started";

pub(super) const RUN_HELP: &str = "\
Examples:
  cenl-bridge run --config config/bridge.toml
  CENL__LOG__FORMAT=json cenl-bridge run --config config/bridge.toml

Environment:
  CENL__TABLE__KEY sets a key of a table, over what the file says, but for routes:
  CENL__KAFKA__MAIN__BROKERS is `brokers` of [kafka.main]. See config/README.md.

Signals:
  SIGTERM, SIGINT  take nothing more, finish what is in flight until [limits] shutdown_deadline,
                   commit and leave; what is left is delivered after the next start
  a second one     leave at once
  SIGHUP           read and prove the settings again: only routes that differ stop, drained, and
                   start. A fault changes nothing and is logged. Files with tokens, keys and
                   certificates need no signal: they are compared every 10 s

systemd hears of readiness, reloads and the stop where NOTIFY_SOCKET is set, and with WATCHDOG_USEC
that no route stands still.

On [admin] listen: the operations page, the same as JSON under /v1, and health and metrics as
/livez, /readyz and /metrics. Routes are changed there only where [admin] token is set. Logs go to
standard error.

Exit codes:
  0   stopped by a signal, and left in order; events that were not under way come again
  1   a port, file or client could not be had, a route ended by itself, or an exchange was cut off
  64  the command line or the settings are wrong; nothing was started";

pub(super) const CHECK_CONFIG_HELP: &str = "\
Prints what is in effect, key by key, with warnings before it. Opens no port and no connection.
Files and variables that hold secrets are read, and never shown; what ${VARIABLE} stands for is not
shown either.

With --check-connections it also asks every source, sink and place of dead letters, at most 30 s for
each: brokers, topics and the rights to read and write them, servers, streams and consumers, and
receivers (TCP, TLS and OPTIONS, with the bearer token). It takes part in nothing: it joins no
group, makes no consumer, and writes and posts no event.

Examples:
  cenl-bridge check-config --config config/bridge.toml
  cenl-bridge check-config --config config/bridge.toml --check-connections
  CENL__ADMIN__LISTEN=127.0.0.1:9000 cenl-bridge check-config --config config/bridge.toml

Environment:
  CENL__TABLE__KEY sets a key of a table, over what the file says; see config/README.md.

Exit codes:
  0   the settings are sound; what they come to is on standard output
  1   --check-connections: something failed; standard output has each cause and remedy
  64  the command line or the settings are wrong; every problem is on standard error, with its
      line or variable, its key and value, and a remedy";

pub(super) const SCHEMA_HELP: &str = "\
For editors that complete and check TOML by a schema (taplo, Even Better TOML). check-config knows
more: what settings mean together, and whether files and properties serve.

Examples:
  cenl-bridge schema > bridge.schema.json

In the settings file, as its first line:
  #:schema ./bridge.schema.json

Exit codes:
  0   the schema is on standard output
  1   standard output took no more";

pub(super) const STATUS_HELP: &str = "\
Asks the bridge that runs with these settings, at [admin] listen: each route with its state, its
rate, what it delivered, its lag, what waits, and what is wrong with it, with the remedy; then the
newest requests that the ingress did not accept.

Examples:
  cenl-bridge status --config bridge.toml
  cenl-bridge status --config bridge.toml --json | jq '.routes[] | select(.state != \"running\")'

Environment:
  CENL__TABLE__KEY sets a key of a table, over what the file says; see config/README.md.

Exit codes:
  0   the bridge is ready
  1   it is not ready, as /readyz says, or no bridge answers
  64  the command line or the settings are wrong";

pub(super) const TAIL_USAGE: &str = "\
cenl-bridge tail --config <FILE> --route <NAME> [OPTIONS]
       cenl-bridge tail --config <FILE> --kafka <NAME> --topic <TOPIC> [OPTIONS]
       cenl-bridge tail --config <FILE> --nats <NAME> --subject <SUBJECT> [OPTIONS]
       cenl-bridge tail --config <FILE> --dead-letters <ROUTE> [OPTIONS]";

pub(super) const TAIL_HELP: &str = "\
Shows the newest 10 messages that are there, by their times, and ends. --since shows all from then
on, --since earliest everything, --follow what arrives.

One line per message: time, position, type, source, id, mode and size in bytes; of dead letters the
time at which they died, the kind, status, attempts, route, first position, and state=dead-letter,
replayed or dismissed. Neither data nor subject is shown, unless you ask for whole messages with
--show capture. A message that is no event is shown with what is wrong in it. Messages come in the
order of each partition. Of a subject every stream that keeps it is shown.

It takes part in nothing: it joins no group, commits no offset and leaves nothing behind. Of the
settings it reads what it needs: another route may lack its secrets.

With --route and --id it says what became of the event:
  state=delivered    below what the route has committed, and not among its dead letters;
                     delivered-or-discarded where on_error is \"discard\". What was there before the
                     group or consumer began counts as delivered, too
  state=filtered     as delivered, and the filter of the route does not want it
  state=waiting      behind what is committed: it, or one before it, is not settled; with attempts,
                     last answer and next attempt where the running bridge holds it and answers
  state=dead-letter  refused, with kind, status, attempts and the position of the dead letter;
                     replayed or dismissed where somebody has dealt with it

Examples:
  cenl-bridge tail --config bridge.toml --route zaken-to-webhook --id 5f1c
  cenl-bridge tail --config bridge.toml --route zaken-to-webhook --follow
  cenl-bridge tail --config bridge.toml --kafka main --topic zaken --last 50
  cenl-bridge tail --config bridge.toml --dead-letters zaken-to-webhook --since 7d
  cenl-bridge tail --config bridge.toml --dead-letters zaken-to-webhook --id 5f1c --show capture |
    cenl-bridge convert --to structured

Environment:
  CENL__TABLE__KEY sets a key of a table, over what the file says; see config/README.md.

Exit codes:
  0   all was shown up to the end that was there at the start; or --count messages; or ctrl-c ended
      --follow; or the reader of standard output went away
  1   the place could not be read, or there is no event with the id of --id
  64  the command line or the settings are wrong
  130 ctrl-c ended it before the end";

pub(super) const REPLAY_HELP: &str = "\
Each dead letter becomes the message that was first received, and goes the way of the route as its
settings are now: filter, mode, retries. One line on standard output says what became of it:
delivered, filtered (not wanted any more; it stays a dead letter), failed (with the reason; it stays
one too, and is not written a second time), cut-off, or unreadable (it is no dead letter, or not a
whole one, and is left alone). Correct the cause before you replay.

It is safe to repeat. What was delivered is noted beside the dead letters: for a Kafka topic as what
the group cenl-replay-ROUTE has committed. So --all sends what no replay has delivered; --id sends
what you name, also again. When events of several sources have one id, --source says which is meant.
A crash or ctrl-c loses nothing: what is not noted is sent again, with the same source and id. A
second replay of a route is refused while one runs; the bridge may run beside it.

A place of dead letters that says nothing for --deadline, and for 10 s at least, ends it.
After ctrl-c what is under way has [limits] shutdown_deadline to end, and the last notes 3 s.

What is never to be delivered, --dismiss takes out of --all: with --id, or with --all for whatever
is left, unreadable ones included. Nothing is sent or removed; each is named on standard output,
their number in the log, and --id still sends them. So --all can end with 0.

Examples:
  cenl-bridge replay --config bridge.toml --route zaken-to-webhook --all --dry-run
  cenl-bridge replay --config bridge.toml --route zaken-to-webhook --all
  cenl-bridge replay --config bridge.toml --route zaken-to-webhook --id 5f1c 5f1d
  cenl-bridge replay --config bridge.toml --route zaken-to-webhook --dismiss --id 5f1e

Environment:
  CENL__TABLE__KEY sets a key of a table, over what the file says; see config/README.md.

Exit codes:
  0   everything that was asked for is delivered or dismissed, not wanted by the filter any more, or
      there is nothing to replay
  1   something failed again, was not tried, not readable or not found; standard error says which
  64  the command line or the settings are wrong; nothing was sent
  130 ctrl-c ended it; a second one ends it at once";

pub(super) const COMPLETIONS_HELP: &str = "\
Examples:
  source <(cenl-bridge completions bash)
  cenl-bridge completions fish > ~/.config/fish/completions/cenl-bridge.fish";
