//! The files in a directory, in the order of their names, and those that are passed over.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use cloudevents_nl_conformance::report::Skip;
use cloudevents_nl_conformance::{InputError, is_like_messages};

use super::glob;
use super::reports::{Reports, again, whole};

/// Files that are read of one directory, with all in it: each has its place in the report.
const MOST_FILES: usize = 10_000;

/// Names that say that a file holds messages, whatever is in it.
const EXTENSIONS: [&str; 4] = ["json", "jsonl", "ndjson", "http"];

/// The files to read in a directory. Those of a pattern are, whatever is in them; without one, those that
/// hold messages, and what is passed over is noted. So is what cannot be read, unless no file of the
/// pattern is missed by that. What the run writes, or knows findings by, is not read.
pub(super) fn files(
    reports: &mut Reports,
    directory: &Path,
    pattern: Option<&Path>,
) -> Vec<PathBuf> {
    let named = pattern.unwrap_or(directory);
    let name = named.display().to_string();
    let names = pattern.map(Path::to_string_lossy);
    let (mut files, mut has_problem) = (Vec::new(), false);
    // Directories go back on the heap at the place of their name, so that no depth is too much.
    let mut ahead = vec![directory.to_owned()];
    // A pattern may name few of many.
    let most = pattern.map_or(MOST_FILES + 1, |_| usize::MAX);
    while let Some(path) = ahead.pop() {
        let (is_root, shown) = (path == directory, path.strip_prefix(".").unwrap_or(&path));
        let is = |part: fn(&str, &str) -> bool| {
            let mut names = names.iter();
            names.all(|names| part(names, &shown.to_string_lossy()))
        };
        let leads_on = is_root || path.is_dir() && is(glob::reaches);
        let is_of = is(glob::matches);
        if !is_of && !leads_on {
            continue;
        }
        if reports.own.contains(&whole(&path)) {
            if pattern.is_none() {
                let name = path.display().to_string();
                reports.first(named).skip(&name, Skip::Own);
            }
            continue;
        }
        match (look(&path, is_root, most), pattern) {
            (Ok(Look::Directory(mut entries)), _) => {
                entries.reverse();
                ahead.append(&mut entries);
            }
            (Ok(Look::File), None) => files.push(path),
            (Ok(Look::Skip(why)), None) => {
                reports.first(named).skip(&path.display().to_string(), why);
            }
            (Ok(Look::File | Look::Skip(Skip::Foreign)), Some(_)) if is_of => {
                files.push(shown.to_owned());
            }
            (Err(error), _) if leads_on || !path.is_dir() => {
                has_problem = true;
                let name = path.display().to_string();
                reports.each(&path, |assessment| {
                    assessment.problem(&name, InputError::Io(again(&error)));
                });
            }
            (_, Some(_)) | (Err(_), None) => {}
        }
        // Without a pattern, all that is ahead is likely to be read.
        let likely = if pattern.is_none() { ahead.len() } else { 0 };
        if files.len() + likely > MOST_FILES {
            let limit = MOST_FILES;
            reports.each(named, |assessment| {
                assessment.problem(&name, InputError::TooManyFiles { limit });
            });
            return Vec::new();
        }
    }
    if files.is_empty() && !has_problem {
        reports.each(named, |assessment| {
            let nothing = pattern.map_or(InputError::NoFile, |_| InputError::NoMatch);
            assessment.problem(&name, nothing);
        });
    }
    files
}

/// What is at a path.
enum Look {
    /// What is in it, in the order of names.
    Directory(Vec<PathBuf>),
    File,
    Skip(Skip),
}

fn look(path: &Path, is_named: bool, most: usize) -> io::Result<Look> {
    let name = path.file_name().unwrap_or_default();
    if !is_named && name.as_encoded_bytes().starts_with(b".") {
        return Ok(Look::Skip(Skip::Hidden));
    }
    // Files are read through links: some systems mount every file as one.
    let kind = fs::metadata(path)?;
    if kind.is_dir() {
        if !is_named && path.is_symlink() {
            return Ok(Look::Skip(Skip::Link));
        }
        let entries = fs::read_dir(path)?.take(most);
        let entries = entries.map(|entry| entry.map(|entry| entry.path()));
        let mut entries = entries.collect::<io::Result<Vec<_>>>()?;
        entries.sort();
        return Ok(Look::Directory(entries));
    }
    if !kind.is_file() {
        return Ok(Look::Skip(Skip::Special));
    }
    let extension = path.extension().unwrap_or_default();
    let is_its = |known: &&str| extension.eq_ignore_ascii_case(known);
    if EXTENSIONS.iter().any(is_its) {
        return Ok(Look::File);
    }
    let mut beginning = Vec::new();
    File::open(path)?.take(4096).read_to_end(&mut beginning)?;
    Ok(match is_like_messages(&beginning) {
        true => Look::File,
        false => Look::Skip(Skip::Foreign),
    })
}
