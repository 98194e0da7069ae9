//! Why an input could not be read, in the language of the report. English is what the error says
//! of itself; what the operating system says stays in its own words where there are no better ones.

use std::io;

use super::Language;
use crate::capture::CaptureError;
use crate::input::InputError;

/// Why, without the place.
pub(super) fn fault(error: &InputError, language: Language) -> String {
    match language {
        Language::English => error.to_string(),
        Language::Dutch => dutch(error),
    }
}

fn dutch(error: &InputError) -> String {
    let text = match error {
        InputError::Io(error) => return format!("kan niet worden gelezen: {}", system(error)),
        InputError::TooLong { limit, .. } => {
            return format!("het bericht is langer dan {limit} bytes");
        }
        InputError::Compressed { with, command } => {
            return format!(
                "gecomprimeerd met {with}: pak het eerst uit (`{command} BESTAND | cenl-conformance check -`)"
            );
        }
        InputError::NotACapture { error, .. } => return capture(error),
        InputError::NotYaml { what, .. } => {
            return format!("YAML die niet te lezen is; de lezer zegt: {what}");
        }
        InputError::NoEvent { messages, unread } => return no_event(*messages, *unread),
        InputError::BodyCutShort { length, left, .. } => {
            return format!(
                "Content-Length kondigt {length} bytes aan en er volgen er {left}: leg het bericht volledig vast (curl -i, niet -I) of verbeter de lengte"
            );
        }
        InputError::BodyGoesOn { .. } => {
            "hier begint geen bericht, terwijl het vorige volgens Content-Length, chunks of status is afgelopen: verbeter de lengte of laat die weg"
        }
        InputError::NotALength { .. } => {
            "Content-Length is niet één geheel getal: verbeter het of laat het weg"
        }
        InputError::NotAChunk { .. } => {
            "geen chunk van de genoemde lengte (Transfer-Encoding: chunked): leg het bericht volledig vast, of laat de header weg als de chunks al zijn samengevoegd"
        }
        InputError::Utf16 => "de tekst is UTF-16: sla het bestand op als UTF-8",
        InputError::NoCapture { .. } => {
            "geen vastgelegd bericht: dat heeft de velden \"protocol\" en \"headers\""
        }
        InputError::Defective { .. } => {
            "het bericht kon bij het vastleggen niet volledig worden gelezen"
        }
        InputError::NotHttp { .. } => {
            "geen verzoekregel (POST /pad) en geen statusregel (HTTP/1.1 200)"
        }
        InputError::NotAHeader { .. } => {
            "geen header: een header is een naam, een dubbele punt en een waarde"
        }
        InputError::BodyLeftOut { .. } => {
            "de body ontbreekt; curl -v toont niet wat het verstuurt: gebruik een .http-bestand"
        }
        InputError::BodyElsewhere { .. } => "de body staat in een ander bestand: schrijf die hier",
        InputError::Coded { .. } => {
            "de codering van de inhoud (Content-Encoding, zoals gzip) is niet ongedaan gemaakt, dus de body is niet beoordeeld: lever die uitgepakt aan"
        }
        InputError::Empty => "bevat geen bericht",
        InputError::NoMatch => "geen bestand past bij dit patroon",
        InputError::NoFile => "de map bevat geen bestand met berichten",
        InputError::TooManyFiles { limit } => {
            return format!(
                "de map bevat meer dan {limit} bestanden: lever delen ervan aan, of voeg ze samen als JSON-regels"
            );
        }
    };
    text.to_owned()
}

fn system(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "bestand bestaat niet".to_owned(),
        io::ErrorKind::PermissionDenied => "geen toegang".to_owned(),
        io::ErrorKind::IsADirectory => "dit is een map".to_owned(),
        _ => error.to_string(),
    }
}

fn capture(error: &CaptureError) -> String {
    match error {
        CaptureError::NotJson { line, column } => {
            format!("geen JSON op regel {line}, kolom {column}")
        }
        CaptureError::WrongShape { line, column } => {
            format!("niet in de vorm van een vastgelegd bericht op regel {line}, kolom {column}")
        }
        CaptureError::NoLiveRule => "noemt geen regel die te beproeven is".to_owned(),
        CaptureError::NotBase64(part) => {
            let part = match *part {
                "key" => "sleutel",
                part => part,
            };
            format!("de {part} is geen Base64")
        }
    }
}

fn no_event(messages: u64, unread: u64) -> String {
    let why = match unread {
        0 => "het zijn lege batches, of niets in de headers zegt dat het gebeurtenissen zijn; is dit het juiste bestand of topic?".to_owned(),
        unread => format!(
            "{unread} in een formaat dat niet wordt gelezen, zoals Avro of Protobuf; lever ze aan als JSON of in binaire modus"
        ),
    };
    format!("geen gebeurtenis om te beoordelen (berichten: {messages}): {why}")
}
