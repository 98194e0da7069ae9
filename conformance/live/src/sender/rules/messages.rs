//! What messages hold, one beside the other.

use cloudevents_nl_conformance::Shown;

use crate::sender::journal::Delivery;
use crate::sender::scenario::Scene;
use crate::shown::{by, nothing};

/// HTTP-BATCH-1 and JSON-BATCH-3: batches go to who asked for them.
pub(super) fn batches(scene: &Scene<'_>) -> Shown {
    if scene.options.batches_agreed {
        return nothing(
            "batches were agreed on (--batches-agreed)",
            "batches zijn afgesproken (--batches-agreed)",
        );
    }
    let batches = scene.deliveries.iter().filter(|delivery| delivery.is_batch);
    by(batches.map(|it| it.evidence("a batch, and nobody asked for one")))
}

/// HTTP-ENC-6: control characters in attributes are percent-encoded.
pub(super) fn control(scene: &Scene<'_>) -> Shown {
    let all = scene.deliveries.iter();
    if all.clone().all(|it| it.is_control_raw.is_none()) {
        return nothing(
            "no attribute in a header had a control character: have the sender send one, if it lets you",
            "geen attribuut in een header had een stuurteken: laat de afzender er een versturen, als dat kan",
        );
    }
    let raw = all.filter(|it| it.is_control_raw == Some(true));
    by(raw.map(|it| it.evidence("a control character in a header")))
}

/// CE-FMT-1: the JSON format. How well it is written shows in each message.
pub(super) fn format(scene: &Scene<'_>) -> Shown {
    match scene.deliveries.iter().any(|delivery| delivery.is_json) {
        true => Shown::Met,
        false => nothing(
            "everything came in binary mode: have the sender use structured mode, too",
            "alles kwam in binary mode: laat de afzender ook structured mode gebruiken",
        ),
    }
}

/// JSON-DATA-5: JSON data stands there as itself. A text that holds JSON may be the data, and is told alone,
/// in binary mode too.
pub(super) fn data(scene: &Scene<'_>) -> Shown {
    // Whether all JSON data is such texts, in the JSON format or outside.
    let is_in_text = |is_json: bool| {
        let deliveries = scene.deliveries.iter().filter(|it| it.is_json == is_json);
        let events = deliveries.flat_map(|it| &it.events);
        events.filter_map(|event| event.is_json_in_text).min()
    };
    match (is_in_text(true), is_in_text(false)) {
        (Some(true), _) | (_, Some(true)) => nothing(
            "the data was, in structured or in binary mode, always a string that holds JSON: unless that string is the data, the JSON itself has to stand there",
            "de data was, in structured of in binary mode, steeds een tekst met JSON erin: tenzij die tekst de data is, moet de JSON er zelf staan",
        ),
        (None, _) => nothing(
            "no event in structured mode had JSON data",
            "geen gebeurtenis in structured mode had JSON-data",
        ),
        (Some(false), _) => Shown::Met,
    }
}

/// EXT-TRACE-2: `traceparent` of the event, and of the request that carries it.
pub(super) fn trace(scene: &Scene<'_>) -> Shown {
    if scene.options.relays {
        return nothing(
            "the sender passes on events of others, so there is more than one hop (--relays)",
            "de afzender geeft gebeurtenissen van anderen door, dus er is meer dan één hop (--relays)",
        );
    }
    let all = scene.deliveries.iter();
    let has_both = |it: &Delivery| it.has_same_trace || it.other_trace.is_some();
    if !all.clone().any(has_both) {
        return nothing(
            "no delivery had both the attribute and the header",
            "geen aflevering had zowel het attribuut als de header",
        );
    }
    by(all.filter_map(|it| Some(it.evidence(it.other_trace.as_ref()?))))
}
