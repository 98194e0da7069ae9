//! What the commands have in common: values of arguments, and the shell that runs the operator's own.

use std::process::Stdio;

use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use cloudevents_nl_conformance::{Language, Mode, Profile};
use tokio::process::Command;

pub(crate) fn profile() -> impl TypedValueParser<Value = Profile> {
    let names = PossibleValuesParser::new(Profile::ALL.map(Profile::name));
    names.map(|name| {
        let mut all = Profile::ALL.into_iter();
        let named = all.find(|profile| profile.name() == name);
        named.expect("one of these names")
    })
}

pub(crate) fn language() -> impl TypedValueParser<Value = Language> {
    let tags = PossibleValuesParser::new(["nl", "en"]);
    tags.map(|tag| match &*tag {
        "en" => Language::English,
        _ => Language::Dutch,
    })
}

/// Content modes, by the words for them.
const MODES: [(&str, Mode); 3] = [
    ("structured", Mode::Structured),
    ("binary", Mode::Binary),
    ("batch", Mode::Batched),
];

pub(crate) fn mode() -> impl TypedValueParser<Value = Mode> {
    let words = PossibleValuesParser::new(MODES.map(|(word, _)| word));
    words.map(|word| {
        let named = MODES.into_iter().find(|named| named.0 == word);
        named.expect("one of these words").1
    })
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

pub(crate) fn shell(command: &str) -> Command {
    let mut shell = Command::new("sh");
    shell
        .args(["-c", command])
        .stdin(Stdio::null())
        .stdout(Stdio::null());
    shell
}
