//! Faults of an intermediary, one each, with what names it.

/// A row: name, rules that are broken, and what becomes of an event, which is seen as changed.
macro_rules! changes {
    ($event:ident; $($name:literal $rules:tt => $change:expr;)*) => {
        vec![$(
            Fault::new($name)
                .rules(&$rules)
                .figures(CHANGED)
                .event(|$event, _| vec![$change])
        ),*]
    };
}

mod attributes;
mod bodies;

use cloudevents_nl_codec::{Data, Event, JsonText};
use cloudevents_nl_conformance::{Capture, Mode};

use super::peer::STRUCTURED;

/// An intermediary with a fault.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    pub(crate) name: &'static str,
    /// Rules that it breaks.
    pub(crate) rules: &'static [&'static str],
    /// Figures that are wrong.
    pub(crate) figures: &'static [&'static str],
    /// What is written of an event.
    pub(crate) event: fn(Event<'static>, &Capture) -> Vec<Event<'static>>,
    pub(crate) message: fn(&mut Capture),
    pub(crate) refuses: fn(&Capture) -> Option<u16>,
    /// What becomes of a message that is no event to it.
    pub(crate) odd: fn(&Capture) -> Option<Capture>,
    pub(crate) does: Does,
    /// How often it tries to deliver.
    pub(crate) tries: usize,
    pub(crate) mode: Mode,
    /// The path that it delivers to.
    pub(crate) place: &'static str,
    pub(crate) arguments: Vec<&'static str>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Does {
    Nothing,
    HoldBack,
    Twice,
    /// Takes nothing for a while, once.
    Stall,
    /// Asks for consent under an origin that is no name, and does not repeat it.
    Ask,
    /// Passes every message on as it is.
    PassOn,
}

impl Fault {
    pub(crate) const fn new(name: &'static str) -> Self {
        Self {
            name,
            rules: &[],
            figures: &[],
            event: |event, _| vec![event],
            message: |_| {},
            refuses: |_| None,
            odd: |_| None,
            does: Does::Nothing,
            tries: usize::MAX,
            mode: STRUCTURED,
            place: "/out",
            arguments: Vec::new(),
        }
    }

    pub(crate) const fn binary(mut self) -> Self {
        self.mode = Mode::Binary;
        self
    }

    pub(crate) fn with(mut self, arguments: &[&'static str]) -> Self {
        self.arguments.extend(arguments);
        self
    }

    const fn rules(mut self, rules: &'static [&'static str]) -> Self {
        self.rules = rules;
        self
    }

    const fn figures(mut self, figures: &'static [&'static str]) -> Self {
        self.figures = figures;
        self
    }

    pub(crate) const fn event(
        mut self,
        event: fn(Event<'static>, &Capture) -> Vec<Event<'static>>,
    ) -> Self {
        self.event = event;
        self
    }

    const fn message(mut self, message: fn(&mut Capture)) -> Self {
        self.message = message;
        self
    }

    const fn refuses(mut self, refuses: fn(&Capture) -> Option<u16>) -> Self {
        self.refuses = refuses;
        self
    }

    pub(crate) const fn does(mut self, does: Does) -> Self {
        self.does = does;
        self
    }
}

const CHANGED: &[&str] = &["changed"];

pub(crate) static FAULTS: std::sync::LazyLock<Vec<Fault>> = std::sync::LazyLock::new(|| {
    let mut faults = attributes::attributes();
    faults.extend(data());
    faults.extend(bodies::bodies());
    faults.extend(flow());
    faults
});

fn data() -> Vec<Fault> {
    let mut faults = changes! { event;
        "a digit of a number is another" ["HTTP-BIN-7"] => with_text(event, "1.50", "1.51");
        "a number is rounded" ["HTTP-BIN-7"] =>
            with_text(event, "1234567890123456789012345", "1.2345678901234568e24");
        "a moment in data is spelled otherwise" ["HTTP-BIN-7"] =>
            with_text(event, "00.50+01:00", "00.5+01:00");
        "a name in data is another" ["HTTP-BIN-7"] => with_text(event, "a.b", "a_b");
        "numbers spelled otherwise" [] => with_text(event, "1.50", "1.5");
        "JSON becomes a text" ["JSON-DATA-5", "HTTP-BIN-7"] => match event.data() {
            Data::Json(json) if json.as_str().starts_with('{') => {
                let text = serde_json::to_string(json.as_str()).unwrap();
                event.with_json(JsonText::new(text).unwrap())
            }
            _ => event,
        };
        "a text is read as JSON" ["JSON-DATA-7", "HTTP-BIN-7"] =>
            with_text(event, r#""{\"a\":1}""#, r#"{"a":1}"#);
        "bytes become text" ["JSON-DATA-1", "HTTP-BIN-7"] => match event.data() {
            Data::Binary(bytes) if event.datacontenttype() == Some(BYTES) => {
                let text = String::from_utf8_lossy(bytes).into_owned();
                event.with_data(BYTES, Data::Text(text.into())).unwrap()
            }
            _ => event,
        };
        "bytes get a content type" ["JSON-DATA-11"] => match event.data() {
            Data::Binary(bytes) if event.datacontenttype().is_none() => {
                let bytes = bytes.clone();
                event.with_bytes(BYTES, bytes).unwrap()
            }
            _ => event,
        };
        "neither data nor reference" ["CE-INT-1", "HTTP-BIN-7", "EXT-DATAREF-4"] =>
            match event.extension("dataref") {
                Some(_) => {
                    let event = event.without("dataref").unwrap();
                    event.with_data_alone(Data::None).unwrap()
                }
                None => event,
            };
    };
    faults.extend([
        Fault::new("text becomes bytes")
            .rules(&["JSON-DATA-2"])
            .event(|event, _| {
                let ty = event.datacontenttype().unwrap_or_default().to_owned();
                match event.clone().into_data() {
                    Data::Text(text) if ty.starts_with("text/") => {
                        vec![
                            event
                                .with_bytes(ty, text.into_owned().into_bytes())
                                .unwrap(),
                        ]
                    }
                    _ => vec![event],
                }
            }),
        Fault::new("JSON goes without its type")
            .rules(&["CE-DCT-2", "JSON-DATA-12"])
            .binary()
            .message(|message| {
                let is_untyped = message
                    .header("ce-id")
                    .is_some_and(|id| id.ends_with("structured/untyped-json"));
                message
                    .headers
                    .retain(|header| !is_untyped || header.name != "content-type");
            }),
    ]);
    faults
}

const BYTES: &str = "application/octet-stream";

/// The event with another text in its JSON data.
fn with_text(event: Event<'static>, was: &str, is: &str) -> Event<'static> {
    match event.clone().into_data() {
        Data::Json(json) if json.as_str().contains(was) => {
            event.with_json(JsonText::new(json.as_str().replace(was, is)).unwrap())
        }
        _ => event,
    }
}

fn flow() -> Vec<Fault> {
    let mut unknown = Fault::new("an unknown format gets another type").rules(&["HTTP-DETECT-3"]);
    unknown.odd = |message| {
        let is_unknown = message.header("content-type") == Some("application/cloudevents+cenl");
        let mut other = message.clone();
        other.headers.retain(|header| header.name == "x-cenl-proef");
        is_unknown.then(|| other.with_header("content-type", "application/octet-stream"))
    };
    let mut control = Fault::new("a control character is left out").rules(&["HTTP-ENC-6"]);
    control.odd = |message| {
        let event: serde_json::Value = serde_json::from_slice(message.body()).ok()?;
        let mut other = Capture::new(message.protocol).with_header("ce-subject", "ab");
        for name in ["specversion", "id", "source", "type"] {
            other = other.with_header(&format!("ce-{name}"), event[name].as_str()?);
        }
        Some(other)
    };
    let gives_up = |name, tries| Fault {
        tries,
        ..Fault::new(name)
            .rules(&["SIZE-1"])
            .figures(&["lost"])
            .with(&["--receiver-fails", "503"])
    };
    vec![
        Fault::new("an event is lost")
            .rules(&["SIZE-1"])
            .figures(&["lost"])
            .event(|event, _| match event.id().ends_with("/load/2/3") {
                true => vec![],
                false => vec![event],
            }),
        Fault::new("an id of another source is a repeat")
            .rules(&["SIZE-1"])
            .figures(&["lost"])
            .event(
                |event, _| match event.source().ends_with(".Proefopstelling/") {
                    true => vec![],
                    false => vec![event],
                },
            ),
        Fault::new("an id in small letters is a repeat")
            .rules(&["SIZE-1"])
            .figures(&["lost"])
            .event(|event, _| match event.id().ends_with("/PLAIN") {
                true => vec![],
                false => vec![event],
            }),
        Fault::new("an event is invented")
            .figures(&["invented"])
            .event(|event, _| match event.id().ends_with("/load/2/3") {
                true => {
                    let other = Event::new(
                        "verzonnen",
                        event.source().to_owned(),
                        event.ty().to_owned(),
                    );
                    vec![event, other.unwrap()]
                }
                false => vec![event],
            }),
        Fault::new("events without data are refused")
            .rules(&["SIZE-1"])
            .figures(&["refused"])
            .refuses(|message| {
                let body = String::from_utf8_lossy(message.body());
                body.contains("/structured/none\"").then_some(400)
            }),
        Fault::new("an event is held back")
            .figures(&["overtaken"])
            .does(Does::HoldBack),
        Fault::new("everything twice")
            .figures(&["unexplained"])
            .does(Does::Twice),
        Fault::new("64 KiB is too much")
            .rules(&["SIZE-1"])
            .figures(&["refused"])
            .refuses(|message| (message.body().len() > 60_000).then_some(413)),
        Fault::new("deep JSON is refused")
            .rules(&["SIZE-1"])
            .figures(&["refused"])
            .refuses(|message| {
                let body = String::from_utf8_lossy(message.body());
                body.contains(&"[".repeat(65)).then_some(400)
            }),
        Fault::new("binary mode is refused")
            .rules(&["SIZE-1", "HTTP-MODE-1"])
            .figures(&["refused"])
            .refuses(|message| message.header("ce-id").is_some().then_some(415)),
        Fault::new("structured mode is refused")
            .rules(&["SIZE-1", "HTTP-MODE-1", "HTTP-MODE-2"])
            .figures(&["refused"])
            .refuses(|message| message.header("ce-id").is_none().then_some(415)),
        Fault::new("a media type is compared by its letters")
            .rules(&["HTTP-DETECT-2"])
            .figures(&["refused"])
            .refuses(|message| {
                let media_type = message.header("content-type").unwrap_or_default();
                media_type.starts_with("Application/").then_some(415)
            }),
        Fault {
            mode: Mode::Batched,
            ..Fault::new("batches that nobody asked for").rules(&["HTTP-BATCH-1"])
        },
        // None of it is taken, which is no matter of size.
        Fault {
            tries: 1,
            ..Fault::new("a content coding")
                .figures(&["lost"])
                .message(|message| {
                    *message = message.clone().with_header("content-encoding", "gzip");
                    message.body = Some(b"\x1F\x8B\x08".to_vec());
                })
        },
        gives_up("a failed delivery is not tried again", 1),
        gives_up("a delivery that failed twice is not tried again", 2),
        unknown.with(&["--odd"]),
        control.with(&["--odd"]),
    ]
}
