//! Headers as a protocol carries them.

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

/// An owned list of headers in two allocations: one text, one table of where each lies in it.
///
/// It keeps order, repeats and null values, so it can also hold headers as they were received.
///
/// ```
/// use cloudevents_nl_codec::{ContentMode, Event, HeaderList, KAFKA, encode};
///
/// let mut list = HeaderList::with_capacity(3, 51);
/// assert!(list.is_empty());
/// let event = Event::new("1", "/a", "b")?;
/// encode(&event, &KAFKA, ContentMode::Structured, list.sink())?;
/// list.push("ce_id", Some(b"1"));
/// list.push("ce_id", None);
/// assert!(list.iter().map(|header| header.name).eq(["content-type", "ce_id", "ce_id"]));
/// assert!(list.iter().skip(1).map(|header| header.value).eq([Some(&b"1"[..]), None]));
/// assert_eq!((list.len(), list.byte_len()), (3, 51));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HeaderList {
    bytes: Vec<u8>,
    /// Where each name ends in them, and the value after it unless it is null.
    ends: Vec<(u32, Option<u32>)>,
}

impl HeaderList {
    /// An empty list with room for so many headers, and for so many bytes of names and values together.
    #[must_use]
    pub fn with_capacity(headers: usize, bytes: usize) -> Self {
        Self {
            bytes: Vec::with_capacity(bytes),
            ends: Vec::with_capacity(headers),
        }
    }

    /// Appends a header; `None` is Kafka's null. The name may be there already.
    ///
    /// # Panics
    /// When all names and values together pass 4 GiB, which every transport refuses long before.
    pub fn push(&mut self, name: &str, value: Option<&[u8]>) {
        let offset = |at: usize| u32::try_from(at).expect("headers stay far below 4 GiB");
        self.bytes.extend_from_slice(name.as_bytes());
        let name_end = offset(self.bytes.len());
        self.bytes.extend_from_slice(value.unwrap_or_default());
        let value_end = value.map(|_| offset(self.bytes.len()));
        self.ends.push((name_end, value_end));
    }

    /// A sink for [`encode`](crate::encode), which appends to the list.
    ///
    /// # Panics
    /// The sink does, as [`Self::push`].
    pub fn sink(&mut self) -> impl FnMut(&str, &str) {
        |name, value| self.push(name, Some(value.as_bytes()))
    }

    /// The headers in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Header<'_>> {
        let mut start = 0;
        self.ends.iter().map(move |&(name_end, value_end)| {
            let name = &self.bytes[start..name_end as usize];
            start = value_end.unwrap_or(name_end) as usize;
            Header {
                name: crate::json::utf8::text(name).expect("names enter as text"),
                value: value_end.map(|end| &self.bytes[name_end as usize..end as usize]),
            }
        })
    }

    /// Number of headers.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no header.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Bytes of all names and values together: with the body, the size that [`Limits`](crate::Limits) bounds.
    pub fn byte_len(&self) -> usize {
        self.bytes.len()
    }
}
