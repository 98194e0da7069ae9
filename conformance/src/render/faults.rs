//! Why an input could not be read, in the language of the report. English is what the error says
//! of itself; what the operating system says stays in its own words where there are no better ones.

use std::io;

use super::Language;
use crate::capture::CaptureError;
use crate::input::{InputError, LineFault};

/// Why a file could not be read, without the place.
#[must_use]
pub fn fault(error: &InputError, language: Language) -> String {
    match language {
        Language::English => error.to_string(),
        Language::Dutch => dutch(error),
    }
}

fn dutch(error: &InputError) -> String {
    match error {
        InputError::Io(error) => format!("kan niet worden gelezen: {}", system(error)),
        InputError::Compressed { with, command } => format!(
            "gecomprimeerd met {with}: pak het eerst uit (`{command} BESTAND | cenl-conformance check -`)"
        ),
        InputError::At { fault, .. } => at_line(fault),
        InputError::NotACapture { error, .. } => capture(error),
        InputError::NoEvent { messages, unread } => no_event(*messages, *unread),
        InputError::Utf16 => "de tekst is UTF-16: sla het bestand op als UTF-8".to_owned(),
        InputError::Empty => "bevat geen bericht".to_owned(),
        InputError::NoMatch => "geen bestand past bij dit patroon".to_owned(),
        InputError::NoFile => "de map bevat geen bestand met berichten".to_owned(),
        InputError::TooManyFiles { limit } => format!(
            "de map bevat meer dan {limit} bestanden: lever delen ervan aan, of voeg ze samen als JSON-regels"
        ),
    }
}

fn at_line(fault: &LineFault) -> String {
    let text = match fault {
        LineFault::TooLong(limit) => return format!("het bericht is langer dan {limit} bytes"),
        LineFault::NotYaml(what) => {
            return format!("YAML die niet te lezen is; de lezer zegt: {what}");
        }
        LineFault::BodyCutShort { length, left } => {
            return format!(
                "Content-Length kondigt {length} bytes aan en er volgen er {left}: leg het bericht volledig vast (curl -i, niet -I) of verbeter de lengte"
            );
        }
        LineFault::BodyGoesOn => {
            "hier begint geen bericht, terwijl het vorige volgens Content-Length, chunks of status is afgelopen: verbeter de lengte of laat die weg"
        }
        LineFault::NotALength => {
            "Content-Length is niet één geheel getal: verbeter het of laat het weg"
        }
        LineFault::NotAChunk => {
            "geen chunk van de genoemde lengte (Transfer-Encoding: chunked): leg het bericht volledig vast, of laat de header weg als de chunks al zijn samengevoegd"
        }
        LineFault::NoCapture => {
            "geen vastgelegd bericht: dat heeft de velden \"protocol\" en \"headers\""
        }
        LineFault::Defective => "het bericht kon bij het vastleggen niet volledig worden gelezen",
        LineFault::NotHttp => "geen verzoekregel (POST /pad) en geen statusregel (HTTP/1.1 200)",
        LineFault::NotAHeader => {
            "geen header: een header is een naam, een dubbele punt en een waarde"
        }
        LineFault::BodyLeftOut => {
            "de body ontbreekt; curl -v toont niet wat het verstuurt: gebruik een .http-bestand"
        }
        LineFault::BodyElsewhere => "de body staat in een ander bestand: schrijf die hier",
        LineFault::Coded => {
            "de codering van de inhoud (Content-Encoding, zoals gzip) is niet ongedaan gemaakt, dus de body is niet beoordeeld: lever die uitgepakt aan"
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
        _ if messages == 0 => {
            return "geen gebeurtenis om te beoordelen: er staat geen voorbeeld of uitwisseling met een gebeurtenis in; is dit het juiste bestand?".to_owned();
        }
        0 => "het zijn lege batches, of niets in de headers zegt dat het gebeurtenissen zijn; is dit het juiste bestand of topic?".to_owned(),
        unread => format!(
            "{unread} in een formaat dat niet wordt gelezen, zoals Avro of Protobuf, of als batch waar het protocol die niet kent; lever ze aan als JSON, één per bericht, of in binaire modus"
        ),
    };
    format!("geen gebeurtenis om te beoordelen (berichten: {messages}): {why}")
}
