//! Who posts: anyone, the bearer of a token of the path, or a client of the listener.

use super::clients::{Client, Signature};

pub(super) enum Caller<'p> {
    Anyone,
    /// The line of `tokens_file`.
    Token(usize),
    Client(&'p Client),
    /// Known once the body is read.
    Signer(Signature<'p>),
}
