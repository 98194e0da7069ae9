//! Every log line of the bridge: one constant message, no field that could show what an event holds or what is
//! secret, no text of `Debug`. What a route starts takes along the span that names it in every line.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};

const LEVELS: [&str; 5] = ["error", "warn", "info", "debug", "trace"];

/// Words that name content or secrets, or a value that holds some of either.
const BANNED: [&str; 20] = [
    "body", "data", "delivery", "event", "headers", "key", "message", "outgoing", "batch",
    "password", "payload", "plan", "query", "received", "record", "request", "response", "subject",
    "token", "url",
];

struct LogLine {
    message: String,
    /// Each field, its words one by one.
    fields: Vec<Vec<String>>,
}

/// The log lines in a source.
fn log_lines(tokens: TokenStream, found: &mut Vec<LogLine>) {
    let tokens: Vec<_> = tokens.into_iter().collect();
    for (at, token) in tokens.iter().enumerate() {
        let TokenTree::Group(group) = token else {
            continue;
        };
        log_lines(group.stream(), found);
        let before: Vec<_> = tokens[..at].iter().map(ToString::to_string).collect();
        if let [.., path, first, second, level, "!"] = before
            .iter()
            .map(String::as_str)
            .collect::<Vec<_>>()
            .as_slice()
            && (*path, *first, *second) == ("tracing", ":", ":")
            && LEVELS.contains(level)
        {
            found.push(log_line(group.stream()));
        }
    }
}

fn log_line(arguments: TokenStream) -> LogLine {
    let arguments: Vec<_> = arguments.into_iter().collect();
    let mut parts: Vec<Vec<String>> = arguments
        .split(|token| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ','))
        .map(|part| part.iter().flat_map(words).collect())
        .filter(|part: &Vec<String>| !part.is_empty())
        .collect();
    let message = parts.pop().unwrap_or_default().concat();
    LogLine {
        message,
        fields: parts,
    }
}

fn words(token: &TokenTree) -> Vec<String> {
    match token {
        TokenTree::Group(group) => group.stream().into_iter().flat_map(|t| words(&t)).collect(),
        other => vec![other.to_string()],
    }
}

/// What is started beside a route: the name of the function, and what it is given.
fn started(tokens: TokenStream, found: &mut Vec<(String, String)>) {
    let tokens: Vec<_> = tokens.into_iter().collect();
    for (at, token) in tokens.iter().enumerate() {
        let TokenTree::Group(group) = token else {
            continue;
        };
        let before: Vec<_> = tokens[..at].iter().map(ToString::to_string).collect();
        match before.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            [.., "mod", "tests"] => continue,
            [.., name @ ("spawn" | "spawn_local" | "spawn_blocking")] => {
                found.push((name.to_owned(), group.stream().to_string()));
            }
            _ => {}
        }
        started(group.stream(), found);
    }
}

/// What is wrong with a log line.
fn fault(line: &LogLine) -> Option<String> {
    let message = &line.message;
    if !message.starts_with('"') || message.contains('{') {
        return Some(format!("the message {message} is not constant"));
    }
    let banned = |field: &Vec<String>| {
        // What is asked of a value last is what is shown: `delivery.received.position`.
        let shown = field.iter().rfind(|word| {
            let first = word.chars().next();
            first.is_some_and(|letter| letter.is_alphabetic())
        });
        let name = field.iter().find(|word| *word != "%" && *word != "?");
        let is_banned = |word: &String| BANNED.contains(&word.as_str());
        let is_debug = |word: &String| word == "?" || word.contains(":?");
        shown.is_some_and(is_banned) || name.is_some_and(is_banned) || field.iter().any(is_debug)
    };
    let field = line.fields.iter().find(|&field| banned(field))?;
    Some(format!("{message} shows {}", field.concat()))
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found
}

#[test]
fn no_log_line_shows_content_or_secrets() {
    let mut count = 0;
    let mut faults = Vec::new();
    for file in sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src")) {
        let mut lines = Vec::new();
        log_lines(
            fs::read_to_string(&file).unwrap().parse().unwrap(),
            &mut lines,
        );
        count += lines.len();
        faults.extend(
            lines
                .iter()
                .filter_map(fault)
                .map(|fault| format!("{}: {fault}", file.display())),
        );
    }
    assert!(count > 20, "the log lines are not where this test looks");
    assert!(faults.is_empty(), "{faults:#?}");
}

/// Fragments of what logs nothing, or has a span of its own.
const NEEDS_NO_SPAN: [&str; 5] = [
    // The callbacks of a Kafka client hold it.
    "drop (client)",
    "poll",
    // They log nothing.
    "state_file ::",
    "LINGER_TIME",
    // A listener, which is not one route's.
    "server :: serve",
];

#[test]
fn what_a_route_starts_takes_its_span_along() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = sources(&source.join("transport"));
    files.extend(sources(&source.join("runtime")));
    files.push(source.join("server.rs"));
    files.retain(|file| {
        let mut parts = file.iter();
        !parts.any(|part| part == "tests" || part == "tests.rs")
    });
    let (mut count, mut faults) = (0, Vec::new());
    for file in files {
        let mut all = Vec::new();
        let text = fs::read_to_string(&file).unwrap();
        started(text.parse().unwrap(), &mut all);
        count += all.len();
        all.retain(|(_, given)| {
            let takes = ["in_current_span", "instrument", "in_scope"];
            let mut takes = takes.iter().chain(&NEEDS_NO_SPAN);
            !takes.any(|word| given.contains(word))
        });
        let faults_of = |(name, given)| format!("{}: {name} ({given})", file.display());
        faults.extend(all.into_iter().map(faults_of));
    }
    assert!(count > 15, "what is started is not where this test looks");
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn no_line_inside_the_span_of_a_route_names_it_again() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for room in ["route", "transport"] {
        for file in sources(&source.join(room)) {
            let (mut lines, text) = (Vec::new(), fs::read_to_string(&file).unwrap());
            log_lines(text.parse().unwrap(), &mut lines);
            let named = |line: &LogLine| {
                let names = |field: &Vec<String>| field.first().is_some_and(|it| it == "route");
                line.fields.iter().any(names)
            };
            let file = file.display();
            assert!(!lines.iter().any(named), "{file}: two fields of one name");
        }
    }
}

#[test]
fn the_test_sees_what_must_not_be_logged() {
    for (text, is_sound) in [
        (r#"tracing::warn!("constant");"#, true),
        (
            r#"{ tracing::warn!(code = %code(&error), reason, "constant",) }"#,
            true,
        ),
        (r#"tracing::warn!(?partitions, "constant");"#, false),
        (
            r#"tracing::warn!(code = ?code(&error), "constant");"#,
            false,
        ),
        (
            r#"tracing::warn!(code = format!("{:?}", it), "constant");"#,
            false,
        ),
        (
            r#"tracing::info!(position = %delivery.received.position, "constant");"#,
            true,
        ),
        (r#"tracing::warn!("no {id}");"#, false),
        (r#"tracing::warn!("no {}", id);"#, false),
        (r#"if x { tracing::debug!(?delivery, "no"); }"#, false),
        (r#"tracing::error!(key = %text, "no");"#, false),
        (
            r#"tracing::error!(text = %delivery.received.key, "no");"#,
            false,
        ),
    ] {
        let mut lines = Vec::new();
        log_lines(text.parse().unwrap(), &mut lines);
        assert_eq!(lines.len(), 1, "{text}");
        assert_eq!(fault(&lines[0]).is_none(), is_sound, "{text}");
    }
}
