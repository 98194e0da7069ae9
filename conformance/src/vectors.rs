//! A folder of vector files, held against a codec, and against the rules.

pub(crate) mod compare;
mod events;
pub(crate) mod file;
mod json_equal;
mod messages;
mod not_met;
mod report;
mod rules;

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use serde_json::value::RawValue;

use crate::capture::Capture;
use crate::codec::{Codec, Guarded};

pub use not_met::NotMet;
pub use report::{Difference, Fault, FileReport, Report, Unmet};

/// The format this runner reads.
const FORMAT: &str = "cloudevents-nl-vectors/1";

/// Why no verdict could be reached.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VectorsError {
    /// The folder or a file in it cannot be read.
    #[error("{path}: cannot be read")]
    Unreadable {
        /// What was to be read.
        path: PathBuf,
        /// Why it was not.
        source: std::io::Error,
    },
    /// There is no `*.json` file in the folder.
    #[error("{path}: holds no *.json file")]
    Empty {
        /// The folder.
        path: PathBuf,
    },
    /// A file is no vector file, or one case in it is not of its kind.
    #[error("{path}: not of its format")]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What serde_json said.
        source: serde_json::Error,
    },
    /// A file of another format.
    #[error("{path}: format {format:?} is not known; this program reads {FORMAT:?}")]
    UnknownFormat {
        /// The file.
        path: PathBuf,
        /// What it says it is.
        format: String,
    },
    /// A file of a kind that this program has never heard of.
    #[error("{path}: kind {kind:?} is not known")]
    UnknownKind {
        /// The file.
        path: PathBuf,
        /// What it says it holds.
        kind: String,
    },
    /// A file that holds another number of cases than it says.
    #[error("{path}: says it holds {count} cases, but holds {found}")]
    WrongCount {
        /// The file.
        path: PathBuf,
        /// What it says.
        count: usize,
        /// What is there.
        found: usize,
    },
}

/// What one case showed.
pub(crate) enum Verdict {
    /// Judged; met when there is no difference.
    Judged(Vec<Difference>),
    /// Only rules can decide it.
    NotJudged,
    /// The codec says that it has no such thing.
    NotSupported(String),
}

/// The kinds of files there are.
const KINDS: [&str; 9] = [
    "events-valid",
    "events-invalid",
    "binary-kafka",
    "binary-http",
    "binary-nats",
    "type-names",
    "sources",
    "webhook",
    "streams",
];

/// Judges one case of a file of a kind.
type Judge<'j> = dyn Fn(&str, &RawValue) -> Result<Verdict, serde_json::Error> + 'j;

/// Runs every `*.json` file of a folder against a codec, in the order of names.
///
/// ```
/// use cloudevents_nl_conformance::codec::Ours;
/// use cloudevents_nl_conformance::vectors::{self, NotMet};
///
/// # let folder = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/vectors"));
/// let report = vectors::run(&Ours, folder, &NotMet::default())?;
/// // What is not met, and not listed as such with a reason.
/// assert_eq!(report.failed(), 1);
/// # Ok::<(), vectors::VectorsError>(())
/// ```
///
/// # Errors
/// When a file cannot be read or is not of the format; a difference is no error.
pub fn run(codec: &impl Codec, folder: &Path, not_met: &NotMet) -> Result<Report, VectorsError> {
    let codec = Guarded(codec);
    run_with(folder, not_met, &|kind, vector| {
        by_codec(&codec, kind, vector)
    })
}

/// As [`run`], against the rules: the verdicts and rules that the cases expect.
///
/// # Errors
/// As [`run`].
pub fn run_rules(folder: &Path, not_met: &NotMet) -> Result<Report, VectorsError> {
    run_with(folder, not_met, &rules::check)
}

fn run_with(folder: &Path, not_met: &NotMet, judge: &Judge<'_>) -> Result<Report, VectorsError> {
    let mut report = Report::default();
    for path in json_files(folder)? {
        report.files.push(run_file(&path, not_met, judge)?);
    }
    report.stale = not_met.unknown_to(&report.files);
    Ok(report)
}

fn json_files(folder: &Path) -> Result<Vec<PathBuf>, VectorsError> {
    let entries = std::fs::read_dir(folder).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let entries = entries.map_err(|source| unreadable(folder, source))?;
    let mut paths: Vec<_> = entries.into_iter().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "json"));
    paths.sort();
    if paths.is_empty() {
        let path = folder.to_owned();
        return Err(VectorsError::Empty { path });
    }
    Ok(paths)
}

/// The messages of all cases of a folder, each with the name of its file and its own. Exchanges and
/// streams are left out.
///
/// # Errors
/// As [`run`].
pub fn messages(folder: &Path) -> Result<Vec<(String, Capture)>, VectorsError> {
    let mut messages = Vec::new();
    for path in json_files(folder)? {
        let (file, malformed) = (read(&path)?, |source| malformed(&path, source));
        for vector in &file.vectors {
            let case: file::Named = serde_json::from_str(vector.get()).map_err(malformed)?;
            if let Some(message) = rules::message(&file.kind, vector).map_err(malformed)? {
                messages.push((format!("{}, {}", name_of(&path), case.name), message));
            }
        }
    }
    Ok(messages)
}

fn name_of(path: &Path) -> Cow<'_, str> {
    path.file_name().unwrap_or_default().to_string_lossy()
}

fn unreadable(path: &Path, source: std::io::Error) -> VectorsError {
    let path = path.to_owned();
    VectorsError::Unreadable { path, source }
}

fn malformed(path: &Path, source: serde_json::Error) -> VectorsError {
    let path = path.to_owned();
    VectorsError::Malformed { path, source }
}

fn read(path: &Path) -> Result<file::File, VectorsError> {
    let text = std::fs::read(path).map_err(|source| unreadable(path, source))?;
    let file: file::File =
        serde_json::from_slice(&text).map_err(|source| malformed(path, source))?;
    if file.format != FORMAT {
        let (path, format) = (path.to_owned(), file.format);
        return Err(VectorsError::UnknownFormat { path, format });
    }
    if file.count != file.vectors.len() {
        let (path, count, found) = (path.to_owned(), file.count, file.vectors.len());
        return Err(VectorsError::WrongCount { path, count, found });
    }
    Ok(file)
}

fn run_file(path: &Path, not_met: &NotMet, judge: &Judge<'_>) -> Result<FileReport, VectorsError> {
    let (file, malformed) = (read(path)?, |source| malformed(path, source));
    if !KINDS.contains(&&*file.kind) {
        let (path, kind) = (path.to_owned(), file.kind);
        return Err(VectorsError::UnknownKind { path, kind });
    }
    let mut report = FileReport {
        file: name_of(path).into_owned(),
        ..FileReport::default()
    };
    for vector in &file.vectors {
        let case: file::Named = serde_json::from_str(vector.get()).map_err(malformed)?;
        let verdict = judge(&file.kind, vector).map_err(malformed)?;
        report.add(&case, verdict, not_met);
    }
    Ok(report)
}

/// As far as it is for a codec to decide.
fn by_codec(
    codec: &Guarded<'_, impl Codec>,
    kind: &str,
    vector: &RawValue,
) -> Result<Verdict, serde_json::Error> {
    match kind {
        "events-valid" => events::valid(codec, vector),
        "events-invalid" | "binary-kafka" | "binary-http" | "binary-nats" => {
            messages::check(codec, kind, vector)
        }
        _ => Ok(Verdict::NotJudged),
    }
}
