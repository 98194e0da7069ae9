//! Whole hops as users make them, from the types of one client to those of another: this codec beside
//! cloudevents-sdk, in one process.
//!
//! `cargo bench --bench hops` prints the tables, with what each hop allocates (what librdkafka allocates for
//! its list of headers is not counted). Events are those of `floors`, all of them distinct; each hop's result
//! is held against them before anything is timed, and `--test` does only that.

#[path = "../floors/cell.rs"]
#[expect(dead_code, reason = "floors uses the rest")]
mod cell;
mod ours;
mod sdk;

use allocation_counter::measure;
use async_nats::Message as NatsMessage;
use bytes::Bytes;
use cell::slices;
use cloudevents_nl_benches::comparison::SEED;
use cloudevents_nl_benches::corpus::{CASE_BYTES, Case, Kind, SIZES, SMOKE_BYTES};
use cloudevents_nl_benches::{machine, mode};
use cloudevents_nl_codec::{ContentMode, Decoder, Event, encode_http};
use http::{HeaderMap, Request};
use rdkafka::Timestamp;
use rdkafka::message::{Header, Headers, OwnedHeaders, OwnedMessage};

/// What goes to Kafka; the value borrows from what came in where an engine can.
type Record<V> = (OwnedHeaders, Option<V>);

/// The events of a case, as the clients hand them out.
struct Inputs<'c> {
    case: &'c Case,
    /// Binary mode.
    http: Vec<(HeaderMap, Bytes)>,
    /// Binary mode.
    kafka: Vec<OwnedMessage>,
    /// Structured mode, the only one that the SDK reads from NATS.
    nats: Vec<NatsMessage>,
}

fn main() {
    let bytes = match mode::is_smoke() {
        true => SMOKE_BYTES,
        false => CASE_BYTES,
    };
    println!("# Hops from client to client\n");
    for (title, hop) in [
        ("HTTP, binary, to Kafka, binary", from_http as Hop),
        ("Kafka, binary, to HTTP, structured", from_kafka),
        ("NATS, structured, to Kafka, binary", from_nats),
    ] {
        println!("## {title}\n");
        println!(
            "| size of event | ours | cloudevents-sdk | allocations, ours | cloudevents-sdk |\n|---|---|---|---|---|"
        );
        for size in SIZES {
            let case = Case::generate(Kind::Compact, size, bytes, SEED);
            let inputs = Inputs::of(&case);
            let mut runs = hop(&inputs);
            let allocations: Vec<_> = runs.iter_mut().map(|run| per_event(&case, run)).collect();
            if mode::is_smoke() {
                continue;
            }
            let cells = slices(&case, &mut runs);
            let (ours, sdk) = (cells[0].beside(cells[1]), cells[1].beside(cells[1]));
            let allocated = allocations.join(" | ");
            println!("| {} | {ours} | {sdk} | {allocated} |", size.name);
        }
        println!();
    }
    println!("{}", machine::description());
}

type Run<'i> = Box<dyn FnMut(usize) + 'i>;
/// Checks a hop of both engines, and gives them to be timed.
type Hop = for<'i> fn(&'i Inputs<'_>) -> Vec<Run<'i>>;

fn from_http<'i>(inputs: &'i Inputs<'_>) -> Vec<Run<'i>> {
    for (at, (headers, body)) in inputs.http.iter().enumerate() {
        inputs.check_record(at, &ours::http_to_kafka(headers, body), true);
        inputs.check_record(at, &sdk::http_to_kafka(headers, body), false);
    }
    let input = |at: usize| (&inputs.http[at].0, &inputs.http[at].1);
    vec![
        run(move |at| ours::http_to_kafka(input(at).0, input(at).1)),
        run(move |at| sdk::http_to_kafka(input(at).0, input(at).1)),
    ]
}

fn from_kafka<'i>(inputs: &'i Inputs<'_>) -> Vec<Run<'i>> {
    for (at, message) in inputs.kafka.iter().enumerate() {
        inputs.check_request(at, &ours::kafka_to_http(message), true);
        inputs.check_request(at, &sdk::kafka_to_http(message), false);
    }
    vec![
        run(|at| ours::kafka_to_http(&inputs.kafka[at])),
        run(|at| sdk::kafka_to_http(&inputs.kafka[at])),
    ]
}

fn from_nats<'i>(inputs: &'i Inputs<'_>) -> Vec<Run<'i>> {
    for (at, message) in inputs.nats.iter().enumerate() {
        inputs.check_record(at, &ours::nats_to_kafka(message), true);
        inputs.check_record(at, &sdk::nats_to_kafka(message), false);
    }
    vec![
        run(|at| ours::nats_to_kafka(&inputs.nats[at])),
        run(|at| sdk::nats_to_kafka(&inputs.nats[at])),
    ]
}

fn run<'i, T>(hop: impl Fn(usize) -> T + 'i) -> Run<'i> {
    Box::new(move |at| drop(std::hint::black_box(hop(at))))
}

/// How often an event makes a hop allocate, and how much.
fn per_event(case: &Case, run: &mut Run<'_>) -> String {
    let events = case.samples.len();
    let all = measure(|| (0..events).for_each(&mut *run));
    let each = |count: u64| count as f64 / events as f64;
    let (count, bytes) = (each(all.count_total), each(all.bytes_total));
    format!("{count:.1}, {bytes:.0} B")
}

impl<'c> Inputs<'c> {
    fn of(case: &'c Case) -> Self {
        let decoder = Decoder::default();
        let http = |text: &'c [u8]| {
            let event = decoder.decode_structured(text).expect("a valid event");
            let (headers, body) = encode_http(&event, ContentMode::Binary).expect("it has room");
            (headers, Bytes::from(body.into_owned()))
        };
        let samples = case.samples.iter().enumerate();
        let kafka = samples.map(|(offset, sample)| {
            let headers = sample
                .headers()
                .fold(OwnedHeaders::new(), |headers, (key, value)| {
                    headers.insert(Header {
                        key,
                        value: Some(value),
                    })
                });
            let (body, time) = (Some(sample.body.clone()), Timestamp::NotAvailable);
            OwnedMessage::new(
                body,
                None,
                "t".to_owned(),
                time,
                0,
                offset as i64,
                Some(headers),
            )
        });
        let nats = case.texts().map(|text| {
            let mut headers = async_nats::HeaderMap::new();
            headers.insert("content-type", "application/cloudevents+json");
            NatsMessage {
                subject: "t".into(),
                reply: None,
                payload: Bytes::copy_from_slice(text),
                headers: Some(headers),
                status: None,
                description: None,
                length: text.len(),
            }
        });
        Self {
            http: case.texts().map(http).collect(),
            kafka: kafka.collect(),
            nats: nats.collect(),
            case,
        }
    }

    /// A record has every header of the event, and its data.
    fn check_record(&self, at: usize, record: &Record<impl AsRef<[u8]>>, is_exact: bool) {
        let (headers, value) = record;
        let sample = &self.case.samples[at];
        assert_eq!(headers.count(), sample.headers().len());
        for (name, expected) in sample.headers() {
            let mut found = headers.iter().filter(|header| header.key == name);
            let found = found.next().and_then(|header| header.value);
            // The SDK moves `time` to UTC, and reads no percent-codes.
            let is_rewritten = !is_exact && (name.ends_with("time") || !is_plain(expected));
            assert!(
                found == Some(expected.as_bytes()) || is_rewritten,
                "{name}: {expected}"
            );
        }
        let value = value.as_ref().expect("the event has data").as_ref();
        assert!(value == sample.body || !is_exact && is_same_json(value, &sample.body));
    }

    /// A request holds the event that went in.
    fn check_request(&self, at: usize, request: &Request<impl AsRef<[u8]>>, is_exact: bool) {
        let content_type = request.headers()["content-type"].to_str().expect("text");
        assert!(
            content_type.starts_with("application/cloudevents+json"),
            "{content_type}"
        );
        let event = read(request.body().as_ref());
        let sample = &self.case.samples[at];
        let expected = Decoder::default();
        let headers = self.case.headers();
        let expected = expected
            .decode(
                &cloudevents_nl_codec::KAFKA,
                headers[at].iter().copied(),
                Some(&sample.body),
            )
            .expect("a valid event");
        if is_exact {
            assert!(event == expected);
        } else {
            let names =
                |event: &Event<'_>| [event.id(), event.source(), event.ty()].map(str::to_owned);
            assert_eq!(names(&event), names(&expected));
        }
    }
}

fn read(text: &[u8]) -> Event<'_> {
    let event = Decoder::default().decode_structured(text);
    event.expect("a valid event comes out")
}

fn is_plain(value: &str) -> bool {
    value
        .bytes()
        .all(|byte| byte.is_ascii_graphic() && byte != b'%' && byte != b'"')
}

fn is_same_json(one: &[u8], other: &[u8]) -> bool {
    let value = |bytes| serde_json::from_slice::<serde_json::Value>(bytes).ok();
    value(one).is_some() && value(one) == value(other)
}
