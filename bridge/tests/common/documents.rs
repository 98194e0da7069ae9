//! Documents as the tests run them: the chapters of the site, and code blocks with what their fences say.
//!
//! ```text
//! sh                    a command that a test runs
//! sh (not run: REASON)  one that no test runs
//! text                  behind a command: what it prints, with … for what differs each time
//! json file=NAME        a file that the commands below it use; `add` lengthens it
//! toml                  settings, whole or as an addition
//! ```

use std::fs;
use std::path::Path;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) line: usize,
    pub(crate) language: String,
    fence: String,
    pub(crate) text: String,
}

impl Block {
    /// The name under which a reader saves it.
    pub(crate) fn file(&self) -> Option<&str> {
        let (_, rest) = self.fence.split_once(" file=")?;
        rest.split(' ').next()
    }

    /// Whether it is added to a file that is there.
    pub(crate) fn adds(&self) -> bool {
        self.fence.ends_with(" add")
    }

    /// Why no test runs it.
    pub(crate) fn not_run(&self) -> Option<&str> {
        let (_, why) = self.fence.split_once(" (not run: ")?;
        why.strip_suffix(')')
    }
}

/// The code blocks, in order.
pub(crate) fn blocks(document: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut lines = document.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        let Some(fence) = line.strip_prefix("```") else {
            continue;
        };
        let inside = lines.by_ref().map(|(_, line)| line);
        let text: Vec<_> = inside.take_while(|line| *line != "```").collect();
        blocks.push(Block {
            line: number + 1,
            language: fence.split([' ', ',']).next().unwrap().to_owned(),
            fence: fence.to_owned(),
            text: text.iter().flat_map(|line| [*line, "\n"]).collect(),
        });
    }
    blocks
}

/// The blocks of one language.
pub(crate) fn texts(document: &str, language: &str) -> Vec<String> {
    let blocks = blocks(document).into_iter();
    let blocks = blocks.filter(|block| block.language == language);
    blocks.map(|block| block.text).collect()
}

/// A page of the site.
pub(crate) struct Chapter {
    /// Below `docs/site/src`, where the page lies as what it includes lies in the repository.
    pub(crate) path: String,
    pub(crate) text: String,
}

/// Every page that `SUMMARY.md` names.
pub(crate) fn chapters(repository: &Path) -> Vec<Chapter> {
    let folder = repository.join("docs/site/src");
    let read = |path: &Path| {
        fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    };
    let summary = read(&folder.join("SUMMARY.md"));
    let links = summary.split("](").skip(1);
    let chapters: Vec<_> = links
        .map(|link| {
            let path = link.split(')').next().unwrap().to_owned();
            let own = read(&folder.join(&path));
            let included = own
                .strip_prefix("{{#include ")
                .map(|_| repository.join(&path));
            Chapter {
                text: included.map_or(own, |included| read(&included)),
                path,
            }
        })
        .collect();
    assert!(chapters.len() > 10);
    chapters
}
