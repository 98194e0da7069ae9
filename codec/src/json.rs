//! The grammar of RFC 8259, and nothing else: what a string, a number and a value look like.
//!
//! It looks at bytes, walks them once, keeps nesting in one integer and, but along
//! pointers that a caller gives, never recurses. It builds no tree,
//! changes no byte and knows nothing of events. Whether the bytes are UTF-8 is asked apart from that, where
//! they become text.

pub(crate) mod escape;
pub(crate) mod pointer;
pub(crate) mod scan;
pub(crate) mod text;
pub(crate) mod utf8;
pub(crate) mod value;
