//! Headers as a protocol carries them.

use bstr::ByteSlice;

/// One header as received: its name, and its value unless the protocol said null (Kafka can).
///
/// Clients of every protocol lend both parts, so nothing is copied. Pairs become headers by `From`, those of
/// `http::HeaderMap` and async-nats included:
///
/// ```
/// use cloudevents_nl_codec::Header;
///
/// let mut received = http::HeaderMap::new();
/// received.insert("ce-id", http::HeaderValue::from_static("doc1"));
/// let header = received.iter().map(Header::from).next();
/// assert_eq!(header, Some(Header { name: "ce-id", value: Some(b"doc1") }));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header<'a> {
    /// The name, in the case it was received in.
    pub name: &'a str,
    /// The raw bytes of the value; `None` is Kafka's null.
    pub value: Option<&'a [u8]>,
}

/// A header with a value.
impl<'a, N, V> From<(&'a N, &'a V)> for Header<'a>
where
    N: AsRef<str> + ?Sized,
    V: AsRef<[u8]> + ?Sized,
{
    #[inline]
    fn from((name, value): (&'a N, &'a V)) -> Self {
        Self {
            name: name.as_ref(),
            value: Some(value.as_ref()),
        }
    }
}

/// Receives the headers of an encoded message, in a fixed order: those of the core attributes as the
/// specification lists them, then the extensions.
///
/// Headers go straight into the type of your client, without a map or a list between. A closure is
/// a sink:
///
/// ```
/// use cloudevents_nl_codec::{Event, KAFKA, encode_binary};
///
/// let event = Event::new("doc1", "/registry", "nl.brp.verhuisd")?;
/// let mut headers = Vec::new();
/// encode_binary(&event, &KAFKA, &mut |name: &str, value: &str| {
///     headers.push((name.to_owned(), value.to_owned()));
/// })?;
/// assert_eq!(headers[1], ("ce_id".to_owned(), "doc1".to_owned()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A client that keeps names of static life without copying them gets more from a type of its own.
/// This is all of it, for a client whose names are `Cow<'static, str>`:
///
/// ```
/// use std::borrow::Cow;
/// use cloudevents_nl_codec::{Event, HeaderSink, NATS, encode_binary};
///
/// struct Headers(Vec<(Cow<'static, str>, String)>);
///
/// impl HeaderSink for Headers {
///     fn header(&mut self, name: &str, value: &str) {
///         self.0.push((Cow::Owned(name.to_owned()), value.to_owned()));
///     }
///     fn static_header(&mut self, name: &'static str, value: &str) {
///         self.0.push((Cow::Borrowed(name), value.to_owned()));
///     }
/// }
///
/// let event = Event::new("doc1", "/registry", "nl.brp.verhuisd")?;
/// let mut headers = Headers(Vec::new());
/// encode_binary(&event, &NATS, &mut headers)?;
/// assert!(matches!(headers.0[1].0, Cow::Borrowed("ce-id")));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A sink cannot refuse a header, because half of an event is none. One that may fill up notes
/// that, and its owner asks it afterwards. On HTTP and NATS, names and values are visible ASCII
/// (sections 3.1.3.1 and 3.1.3.2 of both bindings) and, in the value of the content type, spaces;
/// on Kafka a value is any text of an attribute (section 3.2.3).
pub trait HeaderSink {
    /// Takes one header. `value` is what goes on the wire, percent-coded where the binding says so.
    fn header(&mut self, name: &str, value: &str);

    /// Takes one header as [`Self::header`] does, which it calls unless you write it yourself. The name
    /// is that of a core attribute, and the same one for every event of a binding.
    #[inline]
    fn static_header(&mut self, name: &'static str, value: &str) {
        self.header(name, value);
    }
}

impl<F: FnMut(&str, &str)> HeaderSink for F {
    #[inline]
    fn header(&mut self, name: &str, value: &str) {
        self(name, value);
    }
}

/// The text of `bytes`, if it is UTF-8. For texts as short as headers this is faster than `str::from_utf8`.
#[inline]
pub(crate) fn header_text(bytes: &[u8]) -> Option<&str> {
    bytes.to_str().ok()
}

/// An owned list of headers in two allocations: one text, one table of where each lies in it.
///
/// It keeps order, repeats and null values, so it can also hold headers as they were received.
///
/// ```
/// use cloudevents_nl_codec::HeaderList;
///
/// let mut list = HeaderList::default();
/// assert!(list.is_empty());
/// list.push("ce_id", Some(b"1"));
/// list.push("ce_id", None);
/// assert!(list.iter().all(|header| header.name == "ce_id"));
/// assert!(list.iter().map(|header| header.value).eq([Some(&b"1"[..]), None]));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HeaderList {
    bytes: Vec<u8>,
    spans: Vec<HeaderSpan>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct HeaderSpan {
    name_start: u32,
    value_start: u32,
    value_end: u32,
    is_null: bool,
}

impl HeaderList {
    /// An empty list with room for so many headers, and for so many bytes of names and values together.
    ///
    /// ```
    /// # use cloudevents_nl_codec::HeaderList;
    /// let mut list = HeaderList::with_capacity(1, 9);
    /// list.push("ce-id", Some(b"1234"));
    /// assert_eq!((list.len(), list.byte_len()), (1, 9));
    /// ```
    #[must_use]
    pub fn with_capacity(headers: usize, bytes: usize) -> Self {
        Self {
            bytes: Vec::with_capacity(bytes),
            spans: Vec::with_capacity(headers),
        }
    }

    /// Appends a header; `None` is Kafka's null. The name may be there already.
    ///
    /// # Panics
    /// When all names and values together pass 4 GiB, which every transport refuses long before.
    pub fn push(&mut self, name: &str, value: Option<&[u8]>) {
        let name_start = self.bytes.len();
        self.bytes.extend_from_slice(name.as_bytes());
        let value_start = self.bytes.len();
        self.bytes.extend_from_slice(value.unwrap_or_default());
        let offset = |at: usize| u32::try_from(at).expect("headers stay far below 4 GiB");
        self.spans.push(HeaderSpan {
            name_start: offset(name_start),
            value_start: offset(value_start),
            value_end: offset(self.bytes.len()),
            is_null: value.is_none(),
        });
    }

    /// The headers in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Header<'_>> {
        self.spans.iter().map(|span| {
            let name = &self.bytes[span.name_start as usize..span.value_start as usize];
            let value = &self.bytes[span.value_start as usize..span.value_end as usize];
            Header {
                name: header_text(name).expect("names enter as text"),
                value: (!span.is_null).then_some(value),
            }
        })
    }

    /// Number of headers.
    #[must_use]
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    /// Whether there is no header.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// Bytes of all names and values together, as [`wire_size`](crate::wire_size) counts them.
    #[must_use]
    pub fn byte_len(&self) -> usize {
        self.bytes.len()
    }
}

/// # Panics
/// As [`HeaderList::push`].
impl HeaderSink for HeaderList {
    fn header(&mut self, name: &str, value: &str) {
        self.push(name, Some(value.as_bytes()));
    }
}
