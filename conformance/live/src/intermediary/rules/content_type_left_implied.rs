//! CE-DCT-2: the same as JSON-DATA-12, since JSON is the format of events here.

use super::{Rule, content_type_not_written};

pub(super) const RULE: Rule = Rule {
    id: "CE-DCT-2",
    judge: content_type_not_written::judge,
};
