//! Memory does not grow with the input.

use std::io::{self, BufReader, Read};

use cloudevents_nl_conformance::{Assessment, Form, Options, Profile};

/// Events, one per line, for as long as somebody reads.
struct Lines {
    left: u64,
    line: Vec<u8>,
}

impl Read for Lines {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.line.is_empty() && self.left > 0 {
            self.left -= 1;
            let (id, padding) = (self.left, "a".repeat(900));
            let source = "urn:nld:oin:00000001823288444000:systeem:BRP-component";
            // Every second one breaks a rule.
            let time = if id % 2 == 0 {
                "2026-11-21T10:00:00Z"
            } else {
                "gisteren"
            };
            self.line = format!(
                "{{\"specversion\":\"1.0\",\"id\":\"{id}\",\"source\":\"{source}\",\"type\":\"nl.brp.a\",\"time\":\"{time}\",\"data\":\"{padding}\"}}\n"
            )
            .into_bytes();
        }
        let read = self.line.as_slice().read(into)?;
        self.line.drain(..read);
        Ok(read)
    }
}

/// The most that was held at once while so many events were checked, in bytes.
fn peak(events: u64) -> u64 {
    let mut options = Options::new(Profile::NlGov11, "2026-11-21".parse().unwrap());
    // Stream rules remember what they saw, up to a bound of their own that is beyond this test.
    options.stream = cloudevents_nl_conformance::Stream::Unordered;
    let info = allocation_counter::measure(|| {
        let mut assessment = Assessment::new(options);
        let lines = Lines {
            left: events,
            line: Vec::new(),
        };
        assessment.read("lines", BufReader::new(lines), Form::Recognised);
        let report = assessment.finish();
        assert_eq!(report.counts.messages, events);
        assert_eq!(report.counts.failed, events / 2);
        assert_eq!(
            report.counts.left_out,
            report.counts.errors + report.counts.warnings + report.counts.notices
                - report.findings.len() as u64
        );
    });
    info.bytes_max
}

#[test]
fn ten_times_the_lines_take_no_more_memory() {
    // The first run makes what is made once for the process.
    peak(1_000);
    let (few, many) = (peak(2_000), peak(20_000));
    assert!(few > 1_000, "nothing was counted: {few}");
    assert!(many <= few + few / 10, "{few} bytes grew to {many}");
}
