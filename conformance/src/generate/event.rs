//! Valid events.

use std::collections::BTreeMap;

use cloudevents_nl_codec::{Data, Event, JsonText, Value};
use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};

use super::{json, text};

/// What an event is made of. Every one that a strategy of this module makes is a valid event.
#[derive(Clone, Debug)]
pub struct Shape {
    /// `id`
    pub id: String,
    /// `source`
    pub source: String,
    /// `type`
    pub ty: String,
    /// `subject`
    pub subject: Option<String>,
    /// `time`
    pub time: Option<&'static str>,
    /// Extensions by name.
    pub extensions: BTreeMap<String, ExtensionShape>,
    /// `datacontenttype` and the data.
    pub data: (Option<&'static str>, DataShape),
}

/// The value of an extension.
#[derive(Clone, Debug)]
pub enum ExtensionShape {
    /// A Boolean.
    Boolean(bool),
    /// An Integer.
    Integer(i32),
    /// A String.
    Text(String),
}

/// Data.
#[derive(Clone, Debug)]
pub enum DataShape {
    /// There is none.
    None,
    /// A JSON text.
    Json(String),
    /// Other text.
    Text(String),
    /// Bytes.
    Binary(Vec<u8>),
}

impl Shape {
    /// An event with nothing but what it needs.
    #[must_use]
    pub fn least() -> Self {
        Self {
            id: "1".into(),
            source: "/a".into(),
            ty: "nl.example.tested".into(),
            subject: None,
            time: None,
            extensions: BTreeMap::new(),
            data: (None, DataShape::None),
        }
    }

    /// The event.
    ///
    /// # Panics
    /// When it is no valid one, which only a shape of your own can be.
    #[must_use]
    pub fn event(&self) -> Event<'static> {
        const VALID: &str = "a shape is a valid event";
        let shape = self.clone();
        let mut event = Event::new(shape.id, shape.source, shape.ty).expect(VALID);
        for (name, text) in [
            ("subject", shape.subject),
            ("time", shape.time.map(str::to_owned)),
        ] {
            if let Some(text) = text {
                event = event.with_attribute(name, text).expect(VALID);
            }
        }
        for (name, value) in shape.extensions {
            let value = match value {
                ExtensionShape::Boolean(value) => Value::Boolean(value),
                ExtensionShape::Integer(value) => Value::Integer(value),
                ExtensionShape::Text(text) => Value::try_from(text).expect(VALID),
            };
            event = event.with_extension(name, value).expect(VALID);
        }
        let (media_type, data) = shape.data;
        let data = match data {
            DataShape::None => Data::None,
            DataShape::Json(text) => Data::Json(JsonText::new(text).expect(VALID)),
            DataShape::Text(text) => Data::Text(text.into()),
            DataShape::Binary(bytes) => Data::Binary(bytes.into()),
        };
        let event = match media_type {
            Some(media_type) => event.with_data(media_type, data),
            None => event.with_data_alone(data),
        };
        event.expect(VALID)
    }
}

/// Valid events, rich in what codecs get wrong: characters that need escaping or encoding, odd times,
/// Booleans and Integers, JSON with long numbers and lone surrogates, text in two charsets, bytes.
pub fn event() -> impl Strategy<Value = Event<'static>> {
    shape().prop_map(|shape| shape.event())
}

/// Events about which no rule of any profile has a word to say: those of a Dutch public body that does
/// everything right.
///
/// ```
/// use cloudevents_nl_conformance::{Capture, Checker, Profile, generate};
/// use proptest::prelude::*;
///
/// # let mut runner = proptest::test_runner::TestRunner::deterministic();
/// # runner.run(&generate::compliant(), |event| {
/// let text = serde_json::to_vec(&event).unwrap();
/// for profile in Profile::ALL {
///     prop_assert!(Checker::new(profile).check(&Capture::event(&*text)).findings.is_empty());
/// }
/// # Ok(())
/// # }).unwrap();
/// ```
pub fn compliant() -> impl Strategy<Value = Event<'static>> {
    let string = |text: &'static str| Value::try_from(text).expect("it is a String");
    let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    let extensions = vec![
        ("partitionkey", string("3214")),
        ("sampledrate", Value::Integer(30)),
        ("sequence", string("0042")),
        ("severitynumber", Value::Integer(9)),
        ("traceparent", string(trace)),
    ];
    let extensions = subsequence(extensions, 0..=5);
    let data = "\\{\"huisnummer\":[1-9][0-9]{0,4},\"toevoeging\":(null|\"[a-z]?\"|[0-9]\\.50)\\}";
    let parts = (
        "[A-Za-z0-9-]{1,20}",
        "urn:nld:oin:[0-9]{20}:systeem:[a-zA-Z]{1,12}",
        "nl\\.[a-z]{2,8}\\.[a-z]{1,9}-[a-z]{1,9}",
        option::of("[a-zé0-9 ]{0,9}[a-z0-9]"),
        option::of("20[0-9]{2}-1[0-2]-[0-2][1-8]T[01][0-9]:[0-5][0-9]:00(\\.[0-9]{1,3})?Z"),
        extensions,
        data,
    );
    parts.prop_map(|(id, source, ty, subject, time, extensions, data)| {
        let shape = Shape {
            id,
            source,
            ty,
            subject,
            data: (Some("application/json"), DataShape::Json(data)),
            ..Shape::least()
        };
        let mut event = shape.event();
        if let Some(time) = time {
            event = event.with_time(time).expect("a moment of this century");
        }
        extensions.into_iter().fold(event, |event, (name, value)| {
            let event = event.with_extension(name, value);
            event.expect("as its extension says")
        })
    })
}

/// Events with a documented Integer and a Boolean.
pub(crate) fn typed() -> impl Strategy<Value = Event<'static>> {
    (1..=i32::MAX, any::<bool>()).prop_map(|(rate, flag)| {
        let extensions = [
            ("sampledrate".to_owned(), ExtensionShape::Integer(rate)),
            ("x".to_owned(), ExtensionShape::Boolean(flag)),
        ];
        let shape = Shape {
            extensions: extensions.into(),
            ..Shape::least()
        };
        shape.event()
    })
}

/// What [`event`] makes events of; for tests that change a part.
pub fn shape() -> impl Strategy<Value = Shape> {
    let times = [
        "2021-12-10T17:31:00Z",
        "2016-12-31t23:59:60.5z",
        "2021-12-10T18:31:00.1+01:00",
    ];
    (
        text(1..20),
        "[a-z]{1,5}:[a-z0-9.~/-]{1,20}(%20[a-z]{0,3})?",
        option::of(text(1..20)),
        option::of(select(times.to_vec())),
        btree_map("x[a-z0-9]{0,8}", extension(), 0..9),
        data(),
    )
        .prop_map(|(id, source, subject, time, extensions, data)| Shape {
            id,
            source,
            subject,
            time,
            extensions,
            data,
            ..Shape::least()
        })
}

fn extension() -> impl Strategy<Value = ExtensionShape> {
    prop_oneof![
        any::<bool>().prop_map(ExtensionShape::Boolean),
        any::<i32>().prop_map(ExtensionShape::Integer),
        text(0..30).prop_map(ExtensionShape::Text),
    ]
}

fn data() -> impl Strategy<Value = (Option<&'static str>, DataShape)> {
    let json_types = vec![
        None,
        Some("application/json"),
        Some("application/ld+json; a=b"),
    ];
    let text_types = vec![
        Some("text/plain"),
        Some("application/soap+xml;charset=UTF-8"),
    ];
    let latin = Some("text/plain; charset=iso-8859-1");
    let byte_types = vec![
        None,
        Some("application/octet-stream"),
        Some("text/plain"),
        latin,
    ];
    let bytes = vec(any::<u8>(), 0..60);
    prop_oneof![
        select(json_types.clone()).prop_map(|media_type| (media_type, DataShape::None)),
        (select(json_types), json()).prop_map(|(ty, text)| (ty, DataShape::Json(text))),
        (select(text_types), any::<String>()).prop_map(|(ty, text)| {
            let text = match ty.is_some_and(|ty| ty.contains("xml")) {
                true => text.replacen(|_: char| true, "<", 1),
                false => text,
            };
            (ty, DataShape::Text(text))
        }),
        "[ -~\u{a0}-\u{ff}]{0,30}".prop_map(move |text| (latin, DataShape::Text(text))),
        (select(byte_types), bytes).prop_map(|(ty, bytes)| (ty, DataShape::Binary(bytes))),
    ]
}
