//! Data that comes out as other data, which a body shows.

use cloudevents_nl_codec::{Data, Event};

use super::{CHANGED, Fault, with_text};

pub(super) fn bodies() -> Vec<Fault> {
    let mut faults = changes! { event;
        "a JSON text is wrapped" ["HTTP-BIN-7"] =>
            with_text(event, r#""tekst""#, r#"{"tekst":1}"#);
        "null becomes no data" ["JSON-DATA-9", "HTTP-BIN-7"] => match event.data() {
            Data::Json(json) if json.as_str() == "null" => {
                event.with_data_alone(Data::None).unwrap()
            }
            _ => event,
        };
        "data ends after 32 KiB" ["SIZE-1", "HTTP-BIN-7"] =>
            with_plain_text(event, |text| text.chars().take(32 << 10).collect());
        // Of every size, so that it is no matter of that.
        "text gets a byte order mark" ["HTTP-BIN-7"] =>
            with_plain_text(event, |text| format!("\u{feff}{text}"));
        "space around a text is left out" ["HTTP-BIN-7"] =>
            with_plain_text(event, |text| text.trim().to_owned());
        "an expression in a text is worked out" ["HTTP-BIN-7"] =>
            with_plain_text(event, |text| text.replace("{{b}}", ""));
        "ends of lines are another" ["HTTP-BIN-7"] =>
            with_plain_text(event, |text| text.replace("\r\n", "\n"));
    };
    faults.extend([
        Fault::new("numbers spelled otherwise from body to body")
            .rules(&["HTTP-BIN-7"])
            .figures(CHANGED)
            .binary()
            .event(|event, _| vec![with_text(event, "1.50", "1.5")]),
        Fault::new("a line break behind JSON from body to body")
            .rules(&["HTTP-BIN-7"])
            .figures(CHANGED)
            .binary()
            .event(|event, _| vec![with_text(event, r#""leeg":[]}"#, "\"leeg\":[]}\n")]),
        // It came out, so that SIZE-1 is not what it breaks.
        Fault::new("an event comes out as plain text")
            .figures(&["lost"])
            .message(|message| {
                let name = "/structured/none\"";
                if String::from_utf8_lossy(message.body()).contains(name) {
                    let is_type = |name: &str| name.eq_ignore_ascii_case("content-type");
                    message.headers.retain(|header| !is_type(&header.name));
                    *message = message.clone().with_header("content-type", "text/plain");
                }
            }),
    ]);
    faults
}

/// The event with its data written anew, where that is plain text.
fn with_plain_text(event: Event<'static>, write: fn(&str) -> String) -> Event<'static> {
    let ty = event.datacontenttype().unwrap_or_default().to_owned();
    match event.clone().into_data() {
        Data::Text(text) if ty.starts_with("text/") => event.with_text(ty, write(&text)).unwrap(),
        _ => event,
    }
}
