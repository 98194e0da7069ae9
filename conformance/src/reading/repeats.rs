//! Which of many things were there before.

use std::cmp::Ordering;

/// The items that are equal to an earlier one, in their order. It sorts, because a sender decides how
/// many there are, and to hold each against all others would take it at its word.
pub(crate) fn repeats<T>(
    items: &[T],
    compare: impl Fn(&T, &T) -> Ordering,
) -> impl Iterator<Item = &T> {
    let mut sorted: Vec<_> = items.iter().enumerate().collect();
    // Equal items keep their order.
    sorted.sort_by(|(_, one), (_, other)| compare(one, other));
    let again = sorted.windows(2).filter_map(|pair| match pair {
        [(_, one), (at, other)] if compare(one, other).is_eq() => Some((*at, *other)),
        _ => None,
    });
    let mut again: Vec<_> = again.collect();
    again.sort_by_key(|(at, _)| *at);
    again.into_iter().map(|(_, item)| item)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_was_there_before() {
        let items = [(2, 'a'), (1, 'b'), (2, 'c'), (3, 'd'), (1, 'e'), (2, 'f')];
        let again = repeats(&items, |(one, _), (other, _)| one.cmp(other));
        let again: String = again.map(|(_, name)| *name).collect();
        assert_eq!(again, "cef");
        assert_eq!(repeats::<u8>(&[], u8::cmp).count(), 0);
    }
}
