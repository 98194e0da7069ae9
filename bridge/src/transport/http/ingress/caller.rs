//! Who posts: anyone, the bearer of a token of the path, or a client of the listener.

use super::clients::Client;

pub(super) enum Caller<'p> {
    Anyone,
    /// The line of `tokens_file`.
    Token(usize),
    Client(&'p Client),
}
