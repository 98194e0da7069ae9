//! How data is read, of which answers show no more than whether it was refused.

use cloudevents_nl_conformance::Shown;

use super::accepted::{FALSE, taken_as_false_is};
use super::scenario;
use crate::receiver::scenario::{Known, Scenario, Seen, Tries};
use crate::shown::nothing;

pub(super) const SCENARIOS: &[Scenario] = &[
    read(
        "JSON-DATA-7",
        "JSON data that is a text which looks like JSON",
        "JSON-data die een tekst is die op JSON lijkt",
        // Read as JSON once more, the last is none.
        &[FALSE, r#""data":"1""#, r#""data":"{""#],
    ),
    read(
        "JSON-DATA-11",
        "`data_base64` without `datacontenttype`",
        "`data_base64` zonder `datacontenttype`",
        &[FALSE, r#"-data -datacontenttype "data_base64":"AP8=""#],
    ),
    read(
        "JSON-DATA-13",
        "XML and CSV as text in `data`",
        "XML en CSV als tekst in `data`",
        &[
            FALSE,
            r#""datacontenttype":"application/xml","data":"<test/>""#,
            r#""datacontenttype":"text/csv","data":"a;b\r\n""#,
        ],
    ),
];

/// Of events behind [`FALSE`].
const fn read(
    rule: &'static str,
    en: &'static str,
    nl: &'static str,
    events: &'static [&'static str],
) -> Scenario {
    scenario(rule, en, nl, Tries::Events(events), judge)
}

/// Refusing breaks it, and accepting shows nothing of how it was read.
fn judge(known: &Known, seen: &[Seen]) -> Shown {
    match taken_as_false_is(known, seen) {
        Shown::Met => nothing(
            "it was accepted, and only what the receiver hands on shows how it was read",
            "het is aangenomen; hoe het gelezen is, blijkt pas uit wat de ontvanger doorgeeft",
        ),
        shown => shown,
    }
}
