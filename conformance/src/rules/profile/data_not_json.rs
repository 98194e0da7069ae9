use crate::grammar::media_type::is_json;
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "NL-DCT-1",
    en: Texts {
        title: "Data is not JSON",
        explanation: "The data of an event is JSON: `datacontenttype` is `application/json` or another type that ends in `/json` or `+json`. An event without data breaks nothing. Bytes without a content type are reported too.",
        why: "Dutch government APIs speak JSON. A consumer needs extra software to read anything else, and no JSON Schema in `dataschema` can describe it.",
        fix: "Publish the data as JSON, or refer with `dataref` to data that exists in another form alone.",
    },
    nl: Texts {
        title: "Data is geen JSON",
        explanation: "De data van een gebeurtenis is JSON: `datacontenttype` is `application/json` of een ander type dat eindigt op `/json` of `+json`. Een gebeurtenis zonder data schendt niets. Bytes zonder content type worden ook gemeld.",
        why: "API’s van de Nederlandse overheid gebruiken JSON. Voor andere data heeft een afnemer extra software nodig, en een JSON Schema in `dataschema` kan die niet beschrijven.",
        fix: "Publiceer de data als JSON, of verwijs met `dataref` naar data die alleen in een andere vorm bestaat.",
    },
    good: Example::Event(r#""datacontenttype":"application/json","data":{"a":1}"#),
    bad: Example::Event(r#""datacontenttype":"text/xml","data":"<a/>""#),
    decode: Decode::Accept,
    applies: Applies::Event,
    check: Check::Event(check),
};

fn check(event: &Event<'_>, found: &mut Found<'_>) {
    let has_body = event.body.is_some_and(|body| !body.is_empty());
    if !has_body && event.data.is_none() && event.data_base64.is_none() {
        return;
    }
    // An empty type is CE-DCT-1's.
    let is_other = |ty: &str| !ty.is_empty() && !is_json(ty);
    found.all(event.matching("datacontenttype", is_other));
    if event.attribute("datacontenttype").is_some() {
        return;
    }
    if event.data_base64.is_some() {
        let mut members = event.members.iter();
        if let Some(bytes) = members.find(|member| member.name.text == "data_base64") {
            found.member(bytes);
        }
    } else if has_body {
        found.body(0);
    }
}
