//! The paths that a source file mentions, wherever they stand: `use` trees, expressions, types,
//! arguments of macros. Comments and strings mention nothing.

use std::iter::Peekable;

use proc_macro2::token_stream::IntoIter;
use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// One path, from its first word on; `crate`, `self` and `super` are resolved.
pub(crate) struct Mention {
    pub(crate) line: usize,
    segments: Vec<String>,
}

impl Mention {
    /// Whether the path, or a stretch of it, is this one.
    pub(crate) fn names(&self, path: &str) -> bool {
        let wanted: Vec<&str> = path.split("::").collect();
        self.segments
            .windows(wanted.len())
            .any(|stretch| stretch == wanted)
    }
}

/// Reads a source file, leaving out what is under `#[cfg(test)]`.
pub(crate) fn mentions(file: &str, text: &str) -> Vec<Mention> {
    let tokens: TokenStream = text
        .parse()
        .unwrap_or_else(|error| panic!("{file}: {error}"));
    let mut found = Vec::new();
    walk(tokens, &[], &mut found);
    let module = module_of(file);
    for mention in &mut found {
        resolve(&mut mention.segments, &module);
    }
    found
}

/// `bridge/src/transport/kafka.rs` is `crate::transport::kafka`.
fn module_of(file: &str) -> Vec<String> {
    let inside = file.split_once("/src/").map_or(file, |(_, inside)| inside);
    let names = inside.trim_end_matches(".rs").split('/');
    let names = names.filter(|name| !["lib", "main"].contains(name));
    std::iter::once("crate")
        .chain(names)
        .map(str::to_owned)
        .collect()
}

fn resolve(segments: &mut Vec<String>, module: &[String]) {
    let ups = segments
        .iter()
        .take_while(|segment| *segment == "super")
        .count();
    let own = ups > 0 || segments.first().is_some_and(|segment| segment == "self");
    if own && segments.len() > 1 {
        let base = &module[..module.len().saturating_sub(ups)];
        segments.splice(..ups.max(1), base.iter().cloned());
    }
}

/// Collects the paths of a stream; each starts with `prefix`, the path before a `use` group.
fn walk(tokens: TokenStream, prefix: &[String], found: &mut Vec<Mention>) {
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Punct(punct) if punct.as_char() == '#' => skip_test_item(&mut tokens),
            TokenTree::Group(group) => walk(group.stream(), &[], found),
            TokenTree::Ident(first) => {
                let line = first.span().start().line;
                let mut segments = [prefix, &[first.to_string()]].concat();
                let group = rest_of_path(&mut tokens, &mut segments);
                match group {
                    Some(group) => walk(group, &segments, found),
                    None => found.push(Mention { line, segments }),
                }
            }
            _ => {}
        }
    }
}

/// Takes `::word` as long as it comes, and returns the group of `::{…}` if the path ends in one.
fn rest_of_path(
    tokens: &mut Peekable<IntoIter>,
    segments: &mut Vec<String>,
) -> Option<TokenStream> {
    let is_colon = |token: &TokenTree| matches!(token, TokenTree::Punct(p) if p.as_char() == ':');
    while tokens.next_if(is_colon).is_some() {
        // A single colon ends the path: it stands before a type.
        tokens.next_if(is_colon)?;
        match tokens.next_if(|token| !matches!(token, TokenTree::Punct(_)))? {
            TokenTree::Ident(word) => segments.push(word.to_string()),
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
                return Some(group.stream());
            }
            _ => return None,
        }
    }
    None
}

/// After `#`: skips `[cfg(test)]` and the item that it governs.
fn skip_test_item(tokens: &mut Peekable<IntoIter>) {
    let is_test = |token: &TokenTree| matches!(token, TokenTree::Group(group) if group.stream().to_string() == "cfg (test)");
    if tokens.next_if(is_test).is_none() {
        return;
    }
    for token in tokens {
        match token {
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => return,
            TokenTree::Punct(punct) if punct.as_char() == ';' => return,
            _ => {}
        }
    }
}
