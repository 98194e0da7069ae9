//! Rules that a receiver cannot see, and why.

use super::Whole;
use crate::sender::scenario::Verdict;

const UNSEEN: &[(&str, &str, &str)] = &[
    (
        "CE-TYPES-2",
        "which types an attribute has in the program of the sender does not show in what it sends",
        "welke typen een attribuut in de software van de afzender heeft, blijkt niet uit wat die verstuurt",
    ),
    (
        "EXT-DATAREF-2",
        "what is behind `dataref` is not fetched: it may take rights that a receiver under test has not",
        "wat achter `dataref` staat wordt niet opgehaald: daar kunnen rechten voor nodig zijn die hier ontbreken",
    ),
    (
        "EXT-DATAREF-3",
        "how long the data stays available takes longer to see than a run lasts",
        "hoe lang de data beschikbaar blijft, duurt langer dan deze proef",
    ),
];

pub(super) const WHOLE: Whole = Whole {
    rules: &["CE-TYPES-2", "EXT-DATAREF-2", "EXT-DATAREF-3"],
    judge: |_| {
        let unseen = UNSEEN.iter();
        unseen
            .map(|(rule, en, nl)| Verdict::nothing(rule, en, nl))
            .collect()
    },
};
