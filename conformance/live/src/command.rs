//! What the commands have in common: values of arguments, and the shell that runs the operator's own.

use std::process::Stdio;
use std::time::Duration;

use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use cloudevents_nl_conformance::{Language, Mode, Profile};
use jiff::SignedDuration;
use tokio::process::Command;

fn one_of<T: Copy + Send + Sync + 'static, const N: usize>(
    all: [(&'static str, T); N],
) -> impl TypedValueParser<Value = T> {
    let words = PossibleValuesParser::new(all.map(|(word, _)| word));
    words.map(move |word| {
        let named = all.into_iter().find(|named| named.0 == word);
        named.expect("one of these words").1
    })
}

pub(crate) fn profile() -> impl TypedValueParser<Value = Profile> {
    one_of(Profile::ALL.map(|profile| (profile.name(), profile)))
}

pub(crate) fn language() -> impl TypedValueParser<Value = Language> {
    one_of([Language::Dutch, Language::English].map(|language| (language.tag(), language)))
}

/// Content modes, by the words for them.
const MODES: [(&str, Mode); 3] = [
    ("structured", Mode::Structured),
    ("binary", Mode::Binary),
    ("batch", Mode::Batched),
];

pub(crate) fn mode() -> impl TypedValueParser<Value = Mode> {
    one_of(MODES)
}

pub(crate) fn mode_word(mode: Mode) -> &'static str {
    let named = MODES.into_iter().find(|named| named.1 == mode);
    named.expect("only these are asked for").0
}

/// A value as it is spelled on the command line.
pub(crate) fn name(value: &impl ValueEnum) -> String {
    let value = value.to_possible_value().expect("none is left out");
    value.get_name().to_owned()
}

pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let duration = text.parse::<SignedDuration>();
    let duration = duration.and_then(Duration::try_from);
    duration.map_err(|error| error.to_string())
}

/// In a second. Below it, the moment of an event may be later than any that can be told.
const LOWEST_RATE: f64 = 0.001;

pub(crate) fn rate(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(rate) if f64::is_finite(rate) && rate >= LOWEST_RATE => Ok(rate),
        _ => Err(format!("not a number of at least {LOWEST_RATE}")),
    }
}

pub(crate) fn shell(command: &str) -> Command {
    let mut shell = Command::new("sh");
    shell
        .args(["-c", command])
        .stdin(Stdio::null())
        .stdout(Stdio::null());
    shell
}
