//! Lines on their way to standard error, which a thread of its own writes: nothing waits for who reads them.

use std::fmt::Display;
use std::io::{self, Write};
use std::sync::{Mutex, OnceLock, mpsc};
use std::thread;
use std::time::Duration;

use prometheus_client::metrics::counter::Counter;
use tracing_appender::non_blocking::{NonBlocking, NonBlockingBuilder, WorkerGuard};

use crate::shared::lock;

/// Some hundred bytes each.
const LINES_MAX: usize = 8192;
/// At the end, where nobody reads.
const FLUSH_MAX: Duration = Duration::from_secs(1);

static QUEUE: OnceLock<Queue> = OnceLock::new();

struct Queue {
    lines: NonBlocking,
    unwritten: Counter,
    worker: Mutex<Option<WorkerGuard>>,
}

/// The worker keeps errors to itself.
struct Counted<W>(W, Counter);

/// What waits is written when this is dropped, after a panic too.
pub(crate) struct Flush;

/// For a process that serves. One that somebody waits for writes by itself.
pub(crate) fn queue() -> NonBlocking {
    let queue = QUEUE.get_or_init(|| Queue::start(io::stderr()));
    queue.lines.clone()
}

/// For people, behind what was logged before.
pub(crate) fn say(text: impl Display) {
    let line = format!("cenl-bridge: {text}\n");
    let said = match QUEUE.get() {
        Some(queue) => queue.lines.clone().write_all(line.as_bytes()),
        None => io::stderr().write_all(line.as_bytes()),
    };
    said.ok();
}

/// Lines that found no room, or could not be written.
pub(crate) fn lost() -> u64 {
    QUEUE.get().map_or(0, Queue::lost)
}

impl Queue {
    fn start(out: impl Write + Send + 'static) -> Self {
        let unwritten = Counter::default();
        let builder = NonBlockingBuilder::default().buffered_lines_limit(LINES_MAX);
        let builder = builder.thread_name("log");
        let (lines, worker) = builder.finish(Counted(out, unwritten.clone()));
        Self {
            lines,
            unwritten,
            worker: Mutex::new(Some(worker)),
        }
    }

    fn lost(&self) -> u64 {
        self.lines.error_counter().dropped_lines() as u64 + self.unwritten.get()
    }

    fn flush(&self) {
        let worker = lock(&self.worker).take();
        let (flushing, flushed) = mpsc::sync_channel::<()>(0);
        // Where the queue stays full the worker's guard says so on standard output, which may be full as well.
        let flush = move || drop((worker, flushing));
        thread::Builder::new().spawn(flush).ok();
        flushed.recv_timeout(FLUSH_MAX).ok();
    }
}

impl<W: Write> Write for Counted<W> {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let Self(out, unwritten) = self;
        let written = out.write_all(line);
        written.map(|()| line.len()).inspect_err(|_| {
            unwritten.inc();
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Drop for Flush {
    fn drop(&mut self) {
        QUEUE.get().into_iter().for_each(Queue::flush);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use std::sync::mpsc::SyncSender;

    use super::*;

    /// Takes a line where somebody reads, and none once he has gone.
    struct Pipe(SyncSender<Vec<u8>>);

    impl Write for Pipe {
        fn write(&mut self, line: &[u8]) -> io::Result<usize> {
            let sent = self.0.send(line.to_vec());
            sent.map(|()| line.len()).map_err(io::Error::other)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn nothing_waits_for_who_reads_and_what_finds_no_room_is_counted() {
        let (pipe, read) = mpsc::sync_channel(0);
        let queue = Queue::start(Pipe(pipe));
        let all = LINES_MAX as u64 + 100;
        for number in 0..all {
            let mut lines = queue.lines.clone();
            lines.write_all(&number.to_be_bytes()).unwrap();
        }
        let lost = queue.lost();
        // The worker may hold one.
        assert!((99..=100).contains(&lost), "{lost}");
        queue.flush();
        drop(queue);
        let read: Vec<_> = read.iter().collect();
        assert_eq!(read.len() as u64, all - lost);
        assert!(read.is_sorted());
    }

    #[test]
    fn a_flush_writes_what_waits_and_what_cannot_be_written_is_counted() {
        for is_read in [true, false] {
            let (pipe, read) = mpsc::sync_channel(3);
            let read = is_read.then_some(read);
            let queue = Queue::start(Pipe(pipe));
            for line in [b"1", b"2", b"3"] {
                queue.lines.clone().write_all(line).unwrap();
            }
            queue.flush();
            assert_eq!(queue.lost(), if is_read { 0 } else { 3 });
            let read: Vec<_> = read.iter().flat_map(mpsc::Receiver::try_iter).collect();
            assert_eq!(read.concat(), if is_read { &b"123"[..] } else { b"" });
        }
    }
}
