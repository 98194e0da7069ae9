//! A codec that cannot take the harness down.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::{Codec, Decoded, Described, Refusal};
use crate::capture::{Capture, Protocol};
use crate::reading::Mode;

/// Calls a codec, and makes a refusal of a panic.
pub(crate) struct Guarded<'c, C>(pub(crate) &'c C);

impl<C: Codec> Guarded<'_, C> {
    pub(crate) fn decode(&self, message: &Capture) -> Result<Decoded<C::Event>, Refusal> {
        caught(|| self.0.decode(message))
    }

    pub(crate) fn describe(&self, event: &C::Event) -> Result<Described, Refusal> {
        caught(|| Ok(self.0.describe(event)))
    }

    pub(crate) fn encode(
        &self,
        event: &C::Event,
        protocol: Protocol,
        mode: Mode,
    ) -> Result<Capture, Refusal> {
        caught(|| self.0.encode(event, protocol, mode))
    }

    pub(crate) fn mode(&self, message: &Capture) -> Option<Mode> {
        caught(|| Ok(self.0.mode(message))).unwrap_or_default()
    }

    /// What the codec says a message holds.
    pub(crate) fn read(&self, message: &Capture) -> Result<Decoded<Described>, Refusal> {
        Ok(match self.decode(message)? {
            Decoded::Event(event) => Decoded::Event(self.describe(&event)?),
            Decoded::Batch(events) => {
                let events = events.iter().map(|event| self.describe(event));
                Decoded::Batch(events.collect::<Result<_, _>>()?)
            }
        })
    }
}

/// The codec is asked again afterwards: what it left half done is its own affair, and part of what
/// is tried.
fn caught<T>(call: impl FnOnce() -> Result<T, Refusal>) -> Result<T, Refusal> {
    catch_unwind(AssertUnwindSafe(call))
        .unwrap_or_else(|panic| Err(Refusal::Panicked(told(&*panic))))
}

fn told(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("without a text").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Moody;

    impl Codec for Moody {
        type Event = ();

        fn decode(&self, message: &Capture) -> Result<Decoded<()>, Refusal> {
            match message.body() {
                b"" => panic!("no body"),
                body => panic!("{} bytes", body.len()),
            }
        }

        fn describe(&self, (): &()) -> Described {
            std::panic::panic_any(7)
        }

        fn encode(&self, (): &(), _: Protocol, _: Mode) -> Result<Capture, Refusal> {
            Ok(Capture::event(""))
        }
    }

    #[test]
    fn a_panic_is_a_refusal_with_its_text() {
        let panicked = |text: &str| Refusal::Panicked(text.to_owned());
        let moody = Guarded(&Moody);
        let decode = |body: &str| moody.decode(&Capture::event(body));
        assert_eq!(decode(""), Err(panicked("no body")));
        assert_eq!(decode("abc"), Err(panicked("3 bytes")));
        assert_eq!(moody.describe(&()), Err(panicked("without a text")));
        assert!(moody.encode(&(), Protocol::File, Mode::Structured).is_ok());
    }
}
