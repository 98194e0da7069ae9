//! Why an input cannot be read, and where.

use std::io;

use crate::capture::CaptureError;

/// Why an input cannot be read. Never holds a piece of it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// The file cannot be opened or read.
    #[error("cannot be read: {0}")]
    Io(#[from] io::Error),
    /// UTF-16, as some shells write it.
    #[error("the text is UTF-16: save it as UTF-8")]
    Utf16,
    /// A file that is compressed.
    #[error(
        "compressed with {with}: unpack it first (`{command} FILE | cenl-conformance check -`)"
    )]
    Compressed {
        /// With what.
        with: &'static str,
        /// What unpacks it.
        command: &'static str,
    },
    /// Something at a line.
    #[error("{fault}")]
    At {
        /// The line, from 1.
        line: u64,
        /// What is wrong there.
        fault: LineFault,
    },
    /// A line that is meant as a capture and is none.
    #[error("{error}")]
    NotACapture {
        /// The line the document begins on, from 1.
        line: u64,
        /// Why; its line counts from the document.
        error: CaptureError,
    },
    /// Nothing in it.
    #[error("holds no message")]
    Empty,
    /// A directory in which there is no file to read.
    #[error("the directory holds no file with messages")]
    NoFile,
    /// A pattern of paths that no file is of.
    #[error("no file is of this pattern")]
    NoMatch,
    /// A directory with more files than are read.
    #[error(
        "the directory holds more than {limit} files: hand in parts of it, or join them as JSON lines"
    )]
    TooManyFiles {
        /// The most that are read.
        limit: usize,
    },
    /// Messages of which none gave an event to judge.
    #[error("{}", no_event(*.messages, *.unread))]
    NoEvent {
        /// How many messages it holds.
        messages: u64,
        /// How many of them hold an event in a format that is not JSON.
        unread: u64,
    },
}

/// Why a message at a line cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LineFault {
    /// More bytes than are held at once, which is so many.
    #[error("the message is longer than {0} bytes")]
    TooLong(usize),
    /// A JSON document where captures were announced.
    #[error("no capture: a capture has the members \"protocol\" and \"headers\"")]
    NoCapture,
    /// A message that its transport could not read whole.
    #[error("the message could not be read whole when it was captured")]
    Defective,
    /// A body in a content coding, such as gzip, that nobody undid.
    #[error("the content coding was not undone, so the body is not judged: hand it in decoded")]
    Coded,
    /// Raw HTTP that begins with neither a request line nor a status line.
    #[error("neither a request line (POST /path) nor a status line (HTTP/1.1 200)")]
    NotHttp,
    /// A line among headers without a colon.
    #[error("no header: a header is a name, a colon and a value")]
    NotAHeader,
    /// A request of which only the head is shown.
    #[error("the body is not shown; curl -v leaves out what it sends: use a .http file")]
    BodyLeftOut,
    /// A body that `Content-Length` makes longer than what is there.
    #[error(
        "Content-Length announces {length} bytes of body, and {left} follow: capture it whole \
         (curl -i, not -I), or correct the length"
    )]
    BodyCutShort {
        /// What is announced.
        length: usize,
        /// How much is there.
        left: usize,
    },
    /// Something behind a message that is no other one.
    #[error(
        "no message begins here, where the one before it ends by its Content-Length, chunks or \
         status: correct the length, or leave it out"
    )]
    BodyGoesOn,
    /// A `Content-Length` that is not one number.
    #[error("Content-Length is not one whole number: correct it, or leave it out")]
    NotALength,
    /// A body in chunks that are not of the size they say.
    #[error(
        "no chunk of the size it says (Transfer-Encoding: chunked): capture it whole, or, where the \
         chunks were undone, leave the header out"
    )]
    NotAChunk,
    /// A `.http` file whose body is the name of a file.
    #[error("the body is in another file: write it here")]
    BodyElsewhere,
    /// YAML that cannot be read, or that no JSON says.
    #[error("YAML that cannot be read: {0}")]
    NotYaml(String),
}

impl LineFault {
    pub(crate) fn at(self, line: u64) -> InputError {
        InputError::At { line, fault: self }
    }
}

impl InputError {
    /// The line and the column it is about, from 1, where there are such.
    #[must_use]
    pub fn place(&self) -> Option<(u64, Option<usize>)> {
        match self {
            Self::At { line, .. } => Some((*line, None)),
            Self::NotACapture { line, error } => match *error {
                CaptureError::NotJson { line: at, column }
                | CaptureError::WrongShape { line: at, column } => {
                    Some((line + at.saturating_sub(1) as u64, Some(column)))
                }
                _ => Some((*line, None)),
            },
            _ => None,
        }
    }

    /// Whether what follows in the input can still be read.
    pub(super) fn is_local(&self) -> bool {
        match self {
            Self::Io(_) | Self::Utf16 | Self::Compressed { .. } => false,
            Self::At { fault, .. } => !matches!(fault, LineFault::TooLong(_)),
            _ => true,
        }
    }
}

fn no_event(messages: u64, unread: u64) -> String {
    match (messages, unread) {
        (0, _) => "no event to judge: there is no example or exchange with one in it; is this the \
                   right file?"
            .to_owned(),
        (_, 0) => format!(
            "no event to judge (messages: {messages}): they are empty batches, or nothing in \
             their headers says that they are events; is this the right file or topic?"
        ),
        _ => format!(
            "no event to judge (messages: {messages}): {unread} hold one in a format that is not \
             read, such as Avro or Protobuf, or a batch where the protocol has none; hand them in \
             as JSON, one in a message, or in binary mode"
        ),
    }
}
