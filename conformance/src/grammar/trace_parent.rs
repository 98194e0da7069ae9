//! `traceparent` of W3C Trace Context.

/// Whether a text is version, trace id, parent id and flags in lower-case hex, neither id all zeros.
/// Versions after `00` may have more behind the flags.
pub(crate) fn is_trace_parent(text: &str) -> bool {
    let mut fields = text.split('-');
    let mut hex = |length| fields.next().filter(|field| is_hex(field, length));
    let (Some(version), Some(trace), Some(parent), Some(_flags)) =
        (hex(2), hex(32), hex(16), hex(2))
    else {
        return false;
    };
    let is_zero = |id: &str| id.bytes().all(|byte| byte == b'0');
    let is_whole = version != "00" || fields.next().is_none();
    version != "ff" && is_whole && !is_zero(trace) && !is_zero(parent)
}

fn is_hex(text: &str, length: usize) -> bool {
    let is_digit = |byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    text.len() == length && text.bytes().all(is_digit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::check;

    #[test]
    fn knows_the_four_fields() {
        let passes = [
            "00-0af7651916cd43dd8448eb211c80319c-b9c7c989f97918e1-01",
            "00-00000000000000000000000000000001-0000000000000001-ff",
            "01-0af7651916cd43dd8448eb211c80319c-b9c7c989f97918e1-01-more",
        ];
        let fails = [
            "",
            "00-0-0-0",
            "00-xyz-01",
            "00-0af7651916cd43dd8448eb211c80319c-b9c7c989f97918e1",
            "00-0af7651916cd43dd8448eb211c80319c-b9c7c989f97918e1-01-more",
            "ff-0af7651916cd43dd8448eb211c80319c-b9c7c989f97918e1-01",
            "00-0AF7651916CD43DD8448EB211C80319C-B9C7C989F97918E1-01",
            "00-00000000000000000000000000000000-b9c7c989f97918e1-01",
            "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
            "00-0af7651916cd43dd8448eb211c80319-b9c7c989f97918e1-01",
            " 00-0af7651916cd43dd8448eb211c80319c-b9c7c989f97918e1-01",
        ];
        check(is_trace_parent, &passes, &fails);
    }
}
