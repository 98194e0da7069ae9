//! What a decoder with [`Leniency`](crate::Leniency) let in.

use std::borrow::Cow;

#[cfg(doc)]
use crate::Leniency;
use crate::wire::body::read_body;
use crate::{Data, DecodeError, Decoder, Event};

impl Decoder {
    /// Looks at the data of an event that was read with [`Leniency::opaque_data`], as a reader without it
    /// does: a JSON type promises JSON, and is held to it.
    ///
    /// ```
    /// use cloudevents_nl_codec::{Data, Decoder, HTTP, Header, Leniency};
    ///
    /// let received = [("ce-specversion", "1.0"), ("ce-id", "1"), ("ce-source", "/a"), ("ce-type", "b")];
    /// let received = received.into_iter().chain([("content-type", "application/json")]);
    /// let opaque = Leniency::INTERMEDIARY.with_opaque_data(true);
    /// let decoder = Decoder::default().with_leniency(opaque);
    /// let mut event = decoder.decode(&HTTP, received.map(Header::from), Some(b"{}"))?;
    /// assert_eq!(event.data(), &Data::Binary(b"{}".into()));
    /// decoder.judge_data(&mut event)?;
    /// assert!(matches!(event.data(), Data::Json(_)));
    /// # Ok::<(), cloudevents_nl_codec::DecodeError>(())
    /// ```
    ///
    /// # Errors
    /// [`DecodeErrorKind::Json`](crate::DecodeErrorKind::Json) and
    /// [`DecodeErrorKind::TooLarge`](crate::DecodeErrorKind::TooLarge) as [`Self::decode`].
    pub fn judge_data(&self, event: &mut Event<'_>) -> Result<(), DecodeError> {
        let judging = self.options.leniency.with_opaque_data(false);
        let ty = event.datacontenttype();
        let data = match event.data() {
            Data::Binary(Cow::Borrowed(body)) => {
                read_body(ty, body, &self.options.limits, judging)?
            }
            Data::Binary(Cow::Owned(body)) => {
                read_body(ty, body, &self.options.limits, judging)?.into_owned()
            }
            _ => return Ok(()),
        };
        event.put_data(data);
        Ok(())
    }
}
