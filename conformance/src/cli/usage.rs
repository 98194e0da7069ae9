//! What is wrong with a command line, in the language that it asks for.

use std::env;
use std::process::ExitCode;

use clap::Error;
use clap::error::{ContextKind, ErrorKind};

/// Tells it, or the help that was asked for.
pub(crate) fn tell(error: &Error) -> ExitCode {
    let words: Vec<_> = env::args_os().skip(1).collect();
    let words: Vec<_> = words.iter().filter_map(|word| word.to_str()).collect();
    match dutch(error) {
        Some(told) if error.use_stderr() && is_dutch(&words) => eprintln!("{told}"),
        // A terminal that cannot be written to is nobody's problem.
        _ => drop(error.print()),
    }
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}

/// Reports are in Dutch unless somebody asks for English; what runs vectors speaks no other language.
fn is_dutch(words: &[&str]) -> bool {
    let pairs = words.windows(2);
    let asked = pairs.filter_map(|pair| (*pair.first()? == "--lang").then_some(*pair.last()?));
    let mut asked = asked.chain(words.iter().filter_map(|word| word.strip_prefix("--lang=")));
    words.first() != Some(&"vectors") && !asked.any(|language| language == "en")
}

/// `None` for what has no Dutch words, such as help.
fn dutch(error: &Error) -> Option<String> {
    let of = |kind| error.get(kind).map(ToString::to_string);
    let argument = of(ContextKind::InvalidArg).unwrap_or_default();
    let value = of(ContextKind::InvalidValue).unwrap_or_default();
    let mut told = match error.kind() {
        ErrorKind::UnknownArgument if argument.starts_with('-') => {
            format!("onbekende optie: '{argument}'")
        }
        ErrorKind::UnknownArgument => format!("een woord te veel: '{argument}'"),
        ErrorKind::InvalidSubcommand => {
            let command = of(ContextKind::InvalidSubcommand).unwrap_or_default();
            format!("onbekende opdracht: '{command}'")
        }
        ErrorKind::MissingSubcommand => "er ontbreekt een opdracht".to_owned(),
        ErrorKind::MissingRequiredArgument => format!("er ontbreekt: {argument}"),
        ErrorKind::InvalidValue if value.is_empty() => {
            format!("er ontbreekt een waarde voor '{argument}'")
        }
        ErrorKind::InvalidValue => format!("ongeldige waarde '{value}' voor '{argument}'"),
        ErrorKind::ValueValidation => {
            let expected = match argument.ends_with("<DATE>") {
                true => "een datum zoals 2026-11-21",
                false => "een geheel getal",
            };
            format!("ongeldige waarde '{value}' voor '{argument}': verwacht wordt {expected}")
        }
        ErrorKind::ArgumentConflict => match of(ContextKind::PriorArg) {
            Some(other) if other != argument => {
                format!("'{argument}' en '{other}' gaan niet samen")
            }
            _ => format!("'{argument}' mag maar één keer voorkomen"),
        },
        ErrorKind::InvalidUtf8 => "een argument is geen UTF-8".to_owned(),
        _ => return None,
    };
    if let Some(known) = of(ContextKind::ValidValue).filter(|known| !known.is_empty()) {
        told.push_str(&format!("; mogelijk: {known}"));
    }
    let suggested = [ContextKind::SuggestedArg, ContextKind::SuggestedSubcommand];
    if let Some(suggested) = suggested.into_iter().find_map(of) {
        told.push_str(&format!("; bedoelde u '{suggested}'?"));
    }
    let usage = of(ContextKind::Usage).map_or_else(String::new, |usage| {
        let usage = usage.replace("Usage:", "Gebruik:");
        format!("\n\n{}", usage.replace("[OPTIONS]", "[OPTIES]"))
    });
    Some(format!(
        "cenl-conformance: {told}{usage}\n\nMeer uitleg geeft --help."
    ))
}
