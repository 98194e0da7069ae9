//! A message as a protocol carries it: headers and a body.

use crate::wire::header_text;

/// One header as received: its name, and its value unless the protocol said null (Kafka can).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header<'a> {
    /// The name, in the case it was received in.
    pub name: &'a str,
    /// The raw bytes of the value; `None` is Kafka's null.
    pub value: Option<&'a [u8]>,
}

/// Headers in the order received, repeats included, and the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message<'a> {
    /// All headers, those of other parties included.
    pub headers: &'a [Header<'a>],
    /// The body: `None` is a Kafka null value. HTTP and NATS have at least an empty one.
    pub body: Option<&'a [u8]>,
}

/// Receives the headers of an encoded message, in a fixed order.
pub trait HeaderSink {
    /// Takes one header. `value` is what goes on the wire, percent-coded where the binding says so.
    fn header(&mut self, name: &str, value: &str);
}

/// An owned list of headers in two allocations: one text, one table of places in it.
///
/// It keeps order, repeats and null values, so it can also hold headers as they were received.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HeaderList {
    bytes: Vec<u8>,
    places: Vec<HeaderPlace>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct HeaderPlace {
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
            places: Vec::with_capacity(headers),
        }
    }

    /// Appends a header.
    ///
    /// # Panics
    /// When all names and values together pass 4 GiB, which every transport refuses long before.
    pub fn push(&mut self, name: &str, value: Option<&[u8]>) {
        let name_start = self.bytes.len();
        self.bytes.extend_from_slice(name.as_bytes());
        let value_start = self.bytes.len();
        self.bytes.extend_from_slice(value.unwrap_or_default());
        let place = |at: usize| u32::try_from(at).expect("headers stay far below 4 GiB");
        self.places.push(HeaderPlace {
            name_start: place(name_start),
            value_start: place(value_start),
            value_end: place(self.bytes.len()),
            is_null: value.is_none(),
        });
    }

    /// The headers in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Header<'_>> {
        self.places.iter().map(|place| {
            let name = &self.bytes[place.name_start as usize..place.value_start as usize];
            let value = &self.bytes[place.value_start as usize..place.value_end as usize];
            Header {
                name: header_text::text(name).expect("names enter as text"),
                value: (!place.is_null).then_some(value),
            }
        })
    }

    /// Number of headers.
    #[must_use]
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there is no header.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Bytes of all names and values together.
    #[must_use]
    pub fn byte_len(&self) -> usize {
        self.bytes.len()
    }
}

impl HeaderSink for HeaderList {
    fn header(&mut self, name: &str, value: &str) {
        self.push(name, Some(value.as_bytes()));
    }
}
