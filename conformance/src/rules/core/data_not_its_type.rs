use crate::grammar::base64;
use crate::grammar::media_type::{self, MediaType};
use crate::json;
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "CE-DATA-1",
    en: Texts {
        title: "Data is not what `datacontenttype` says",
        explanation: "The bytes of the data are what `datacontenttype` says: JSON is well-formed, XML begins with `<`, and text is valid in the charset that is named, `utf-8` or `us-ascii`, also where its bytes come as `data_base64`.",
        why: "A receiver reads the data by its type and fails, often after it has acknowledged the event.",
        fix: "Send the data in the form that the content type names, or correct the content type.",
    },
    nl: Texts {
        title: "Data is niet wat `datacontenttype` zegt",
        explanation: "De bytes van de data zijn wat `datacontenttype` zegt: JSON is welgevormd, XML begint met `<` en tekst is geldig in de genoemde tekenset, `utf-8` of `us-ascii`, ook als de bytes in `data_base64` staan.",
        why: "Een ontvanger leest de data volgens het opgegeven type en loopt vast, vaak nadat de ontvangst al is bevestigd.",
        fix: "Verstuur de data in de vorm die het content type noemt, of verbeter het content type.",
    },
    good: Example::Message(
        Protocol::Http,
        "content-type: application/json\n\n{\"a\":1}",
    ),
    bad: Example::Message(Protocol::Http, "content-type: application/json\n\n{a:1}"),
    decode: Decode::Refuse,
    applies: Applies::Event,
    check: Check::Event(check),
};

fn check(event: &Event<'_>, found: &mut Found<'_>) {
    let Some(content_type) = event.text("datacontenttype") else {
        return;
    };
    let forms = Form::all(content_type);
    let misfit = |bytes: &[u8]| forms.iter().flatten().find_map(|form| form.misfit(bytes));
    let is_json = forms.contains(&Some(Form::Json));
    if let Some(body) = event.body.filter(|_| !event.is_coded)
        && let Some(at) = misfit(body)
    {
        // Text that cannot be read stays bytes.
        match is_json {
            true => found.body(at),
            false => found.tolerated().body(at),
        }
    }
    for member in &event.members {
        let text = || member.value.text();
        let is_misfit = |text: &str| misfit(text.as_bytes()).is_some();
        match &*member.name.text {
            "data" if !is_json && text().is_some_and(|text| text.is_broken) => {
                found.member(member);
            }
            "data" if !is_json && text().is_some_and(|text| is_misfit(&text.text)) => {
                found.tolerated().member(member);
            }
            // Bytes stay bytes, whatever they are called.
            "data_base64" if forms != [None; 2] => {
                let bytes = text().and_then(|text| base64::decode(&text.text));
                if bytes.is_some_and(|bytes| misfit(&bytes).is_some()) {
                    found.tolerated().member(member);
                }
            }
            _ => {}
        }
    }
}

/// What bytes can be held against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Json,
    Xml,
    Utf8,
    Ascii,
}

impl Form {
    fn all(content_type: &str) -> [Option<Self>; 2] {
        if media_type::is_json(content_type) {
            return [Some(Self::Json), None];
        }
        let Some(media_type) = MediaType::parse(content_type) else {
            return [None; 2];
        };
        let charset = media_type.parameter("charset").unwrap_or_default();
        let charset = charset.to_ascii_lowercase();
        let text = match &*charset {
            "utf-8" | "utf8" => Some(Self::Utf8),
            "us-ascii" | "ascii" => Some(Self::Ascii),
            _ => None,
        };
        let essence = media_type.essence();
        let is_xml = essence.ends_with("/xml") || essence.ends_with("+xml");
        // In other charsets it begins with other bytes.
        let is_xml = is_xml && (text.is_some() || charset.is_empty());
        [text, is_xml.then_some(Self::Xml)]
    }

    /// Where bytes are something else.
    fn misfit(self, bytes: &[u8]) -> Option<usize> {
        match self {
            Self::Json => json::parse(bytes).err().map(|fault| fault.at),
            Self::Xml => {
                let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
                let text = text.trim_ascii_start();
                // UTF-16 has a byte order mark of its own.
                let first = text.first().filter(|first| first.is_ascii_graphic());
                let is_misfit = first.is_some_and(|first| *first != b'<');
                is_misfit.then(|| bytes.len() - text.len())
            }
            Self::Utf8 => str::from_utf8(bytes).err().map(|error| error.valid_up_to()),
            Self::Ascii => bytes.iter().position(|byte| !byte.is_ascii()),
        }
    }
}
