//! The grammar of RFC 8259, and nothing else: bytes are walked over once, without a tree, and without recursion but
//! along pointers. Whether they are UTF-8 is asked apart from that, where they become text.

pub(crate) mod pointer;
pub(crate) mod scan;
pub(crate) mod text;
pub(crate) mod utf8;
