//! What is in a JSON text and what is in its strings. Only for texts that another engine accepted.

/// The deepest nesting.
pub(crate) fn depth(json: &[u8]) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    for token in outside_strings(json) {
        match token {
            b'[' | b'{' => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b']' | b'}' => depth -= 1,
            _ => {}
        }
    }
    deepest
}

/// Every number, as it is written.
pub(crate) fn numbers(json: &[u8]) -> Vec<String> {
    let outside: Vec<u8> = outside_strings(json).collect();
    let is_number = |byte: &u8| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
    outside
        .split(|byte| !is_number(byte))
        // The `e` of `true` and `false` is no number.
        .filter(|literal| literal.iter().any(u8::is_ascii_digit))
        .map(|literal| String::from_utf8_lossy(literal).into_owned())
        .collect()
}

/// Every string, member names among them, quotes included.
pub(crate) fn strings(json: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + json[at..].iter().position(|&byte| byte == b'"')?;
        at = string_end(json, start);
        Some(&json[start..at])
    })
}

/// The bytes that are in no string; each string is one quote.
fn outside_strings(json: &[u8]) -> impl Iterator<Item = u8> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let byte = *json.get(at)?;
        at = match byte {
            b'"' => string_end(json, at),
            _ => at + 1,
        };
        Some(byte)
    })
}

/// Behind the quote that ends the string at `start`.
fn string_end(json: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    loop {
        match json[at] {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}
