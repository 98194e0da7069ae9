//! YAML as JSON, each value on the line that it has in the YAML, so that a finding keeps its line.

use std::fmt::Write as _;

use saphyr_parser::{Event, Parser, ScalarStyle};
use serde_json::value::RawValue;

use crate::input::{InputError, LineFault};

/// How deep values may lie in one another.
const MOST_LEVELS: usize = 200;

/// The JSON of a text that is one document. Aliases are not followed: a few of them can stand for more than any memory
/// holds.
pub(super) fn as_json(text: &str, line: u64) -> Result<String, InputError> {
    let mut json = Json::default();
    let mut documents = 0;
    for event in Parser::new_from_str(text) {
        let unread = |at: usize, what: &str| {
            LineFault::NotYaml(what.to_owned()).at(line + (at as u64).saturating_sub(1))
        };
        let (event, span) = event.map_err(|error| unread(error.marker().line(), error.info()))?;
        let at = span.start.line();
        let refuse = |what| Err(unread(at, what));
        match event {
            Event::DocumentStart(_) if documents > 0 => {
                return refuse("a second document, which is not read: give it a file");
            }
            Event::DocumentStart(_) => documents += 1,
            Event::Scalar(text, style, _, tag) => {
                let is_bare = match tag.as_deref() {
                    None => style == ScalarStyle::Plain,
                    Some(tag) if !tag.is_yaml_core_schema() => {
                        return refuse("a tag (!name) that JSON does not know");
                    }
                    Some(tag) => tag.suffix != "str",
                };
                json.scalar(at, &text, is_bare);
            }
            Event::SequenceStart(..) | Event::MappingStart(..) if json.is_at_key() => {
                return refuse("a name that is no text");
            }
            Event::SequenceStart(..) | Event::MappingStart(..)
                if json.open.len() >= MOST_LEVELS =>
            {
                return refuse("values too deep in one another");
            }
            Event::SequenceStart(..) => json.open(at, '[', Next::Element),
            Event::MappingStart(..) => json.open(at, '{', Next::Name),
            Event::SequenceEnd => json.close(']'),
            Event::MappingEnd => json.close('}'),
            Event::Alias(_) => {
                return refuse("an alias (*name), which is not followed: write it out");
            }
            _ => {}
        }
    }
    Ok(json.text)
}

#[derive(Debug, Default)]
struct Json {
    text: String,
    /// Line breaks in it.
    lines: usize,
    open: Vec<Next>,
}

/// What comes next in what is open.
#[derive(Clone, Copy, Debug)]
enum Next {
    Element,
    Name,
    Value,
}

impl Json {
    fn is_at_key(&self) -> bool {
        matches!(self.open.last(), Some(Next::Name))
    }

    /// What stands before a node of this line.
    fn begin(&mut self, line: usize) {
        match self.open.last() {
            Some(Next::Value) => self.text.push(':'),
            Some(_) if !self.text.ends_with(['[', '{']) => self.text.push(','),
            _ => {}
        }
        while self.lines + 1 < line {
            self.text.push('\n');
            self.lines += 1;
        }
    }

    fn scalar(&mut self, line: usize, text: &str, is_bare: bool) {
        self.begin(line);
        let is_value = is_bare && !self.is_at_key();
        let bare = match text {
            _ if !is_value => None,
            "" | "~" | "null" | "Null" | "NULL" => Some("null"),
            "true" | "True" | "TRUE" => Some("true"),
            "false" | "False" | "FALSE" => Some("false"),
            number if is_number(number) => Some(number),
            _ => None,
        };
        match bare {
            Some(bare) => self.text.push_str(bare),
            None => {
                write!(self.text, "{}", serde_json::Value::from(text)).expect("a string takes all")
            }
        }
        self.end();
    }

    fn open(&mut self, line: usize, bracket: char, next: Next) {
        self.begin(line);
        self.text.push(bracket);
        self.open.push(next);
    }

    fn close(&mut self, bracket: char) {
        self.text.push(bracket);
        self.open.pop();
        self.end();
    }

    /// What follows a node.
    fn end(&mut self) {
        if let Some(next) = self.open.last_mut() {
            *next = match next {
                Next::Name => Next::Value,
                Next::Value => Next::Name,
                Next::Element => Next::Element,
            };
        }
    }
}

/// In the grammar of JSON, so that it can stand there as it is.
fn is_number(text: &str) -> bool {
    let begins_so = text.starts_with(|c: char| c == '-' || c.is_ascii_digit());
    begins_so && serde_json::from_str::<&RawValue>(text).is_ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn values_keep_their_lines_and_their_spelling() {
        let yaml = "a: 1.50\nb:\n  - x: 'y'\n    z: [2026-01-01, ~, \"1\"]\n  - |\n    two\n    lines\nc: {}\n1: on\n";
        let json = as_json(yaml, 1).unwrap();
        assert_eq!(
            json,
            "{\"a\":1.50,\n\"b\":\n[{\"x\":\"y\",\n\"z\":[\"2026-01-01\",null,\"1\"]},\n\n\"two\\nlines\\n\"],\n\n\"c\":{},\n\"1\":\"on\"}"
        );
    }

    #[test]
    fn what_cannot_be_json_is_told_with_its_line() {
        for (yaml, line) in [
            ("a: &x [1]\nb: *x\n", 11),
            ("[1]: 2\n", 10),
            ("a: [1\nb: 2\n", 11),
            ("a: b: c\n", 10),
            ("a: b\n---\nc: d\n", 11),
            ("a: !mine b\n", 10),
        ] {
            let error = as_json(yaml, 10).unwrap_err();
            assert_eq!(error.place(), Some((line, None)), "{yaml} {error}");
        }
        let deep = "- ".repeat(1_000_000);
        assert!(as_json(&deep, 1).unwrap_err().to_string().contains("deep"));
        for (yaml, json) in [
            ("%YAML 1.2\n---\na: !!int 3\n...\n", "\n\n{\"a\":3}"),
            ("a: !!str 3\nb: !!null \"\"\n", "{\"a\":\"3\",\n\"b\":null}"),
        ] {
            assert_eq!(as_json(yaml, 1).unwrap(), json);
        }
    }
}
