//! The JSON text of `data`: compact, nested, with numbers and Dutch text.

use std::fmt::Write;

use fastrand::Rng;

const WORDS: [&str; 40] = [
    "de",
    "het",
    "een",
    "van",
    "aanvraag",
    "gemeente",
    "vergunning",
    "wijziging",
    "beëindiging",
    "coördinatie",
    "inwoner",
    "adres",
    "besluit",
    "bezwaar",
    "termijn",
    "dossier",
    "zaak",
    "is",
    "wordt",
    "niet",
    "voor",
    "met",
    "op",
    "betrokkene",
    "geïnformeerd",
    "ontvangen",
    "financiële",
    "reëel",
    "ingediend",
    "behandeld",
    "door",
    "namens",
    "burgemeester",
    "café",
    "één",
    "volgens",
    "overeenkomstig",
    "artikel",
    "lid",
    "privé",
];
const PLACES: [&str; 10] = [
    "Utrecht",
    "'s-Gravenhage",
    "Súdwest-Fryslân",
    "Amsterdam",
    "'s-Hertogenbosch",
    "Bergen op Zoom",
    "Zwolle",
    "Curaçao",
    "Skarsterlân",
    "Enschede",
];
const STREETS: [&str; 8] = [
    "Dorpsstraat",
    "Kerkweg",
    "Prins Hendrikkade",
    "Cafépad",
    "Laan van Meerdervoort",
    "Oudegracht",
    "Burgemeester Reigerstraat",
    "Ruïneweg",
];

/// A JSON object of about `bytes` bytes, and never less than an empty one.
pub(super) fn generate(random: &mut Rng, bytes: usize) -> String {
    let mut out = String::with_capacity(bytes + 64);
    let kenmerk = random.u32(..);
    put(
        &mut out,
        format_args!("{{\"kenmerk\":\"Z-2026-{kenmerk:010}\""),
    );
    if bytes > 700 {
        out.push_str(",\"gegevens\":[");
        while out.len() + 500 < bytes {
            record(random, &mut out);
            out.push(',');
        }
        if out.ends_with(',') {
            out.pop();
        }
        out.push(']');
    }
    while out.len() + 60 < bytes {
        member(random, &mut out);
    }
    out.push_str(",\"toelichting\":\"");
    while out.len() + 4 < bytes {
        text(random, &mut out, 1);
        out.push(' ');
    }
    out.push_str("\"}");
    out
}

fn put(out: &mut String, arguments: std::fmt::Arguments<'_>) {
    out.write_fmt(arguments).expect("a String takes all text");
}

/// One member with a leading comma; the number in the name keeps names apart within an object.
fn member(random: &mut Rng, out: &mut String) {
    let number = out.len();
    match random.u8(..5) {
        0 => put(
            out,
            format_args!(
                ",\"bedrag{number}\":{}.{:02}",
                random.u32(..100_000),
                random.u8(..100)
            ),
        ),
        1 => put(
            out,
            format_args!(",\"aantal{number}\":{}", random.i32(-100..10_000)),
        ),
        2 => put(out, format_args!(",\"actief{number}\":{}", random.bool())),
        3 => put(out, format_args!(",\"einde{number}\":null")),
        _ => {
            put(out, format_args!(",\"soort{number}\":\""));
            text(random, out, 3);
            out.push('"');
        }
    }
}

/// A nested object of 300 to 450 bytes.
fn record(random: &mut Rng, out: &mut String) {
    let (place, street) = (
        PLACES[random.usize(..PLACES.len())],
        STREETS[random.usize(..STREETS.len())],
    );
    put(
        out,
        format_args!(
            "{{\"volgnummer\":{},\"bsn\":\"{:09}\"",
            random.u16(..),
            random.u32(..1_000_000_000)
        ),
    );
    put(
        out,
        format_args!(
            ",\"geldig\":{},\"saldo\":{}.{:02}",
            random.bool(),
            random.i32(-9_999..99_999),
            random.u8(..100)
        ),
    );
    put(
        out,
        format_args!(
            ",\"adres\":{{\"straat\":\"{street}\",\"huisnummer\":{}",
            random.u16(1..400)
        ),
    );
    match random.u8(..3) {
        0 => out.push_str(",\"toevoeging\":null"),
        1 => put(
            out,
            format_args!(
                ",\"toevoeging\":\"{}\"",
                random.alphabetic().to_ascii_lowercase()
            ),
        ),
        _ => {}
    }
    put(
        out,
        format_args!(
            ",\"postcode\":\"{}AB\",\"woonplaats\":\"{place}\"",
            random.u16(1000..9999)
        ),
    );
    put(
        out,
        format_args!(
            ",\"punt\":[{:.6},{:.5}]}}",
            50.7 + random.f64() * 2.8,
            3.3 + random.f64() * 3.9
        ),
    );
    out.push_str(",\"rollen\":[");
    for _ in 0..random.u8(1..4) {
        put(
            out,
            format_args!(
                "{{\"rol\":\"{}\",\"sinds\":{}}},",
                WORDS[random.usize(..WORDS.len())],
                random.u16(1950..2026)
            ),
        );
    }
    out.pop();
    out.push_str("],\"omschrijving\":\"");
    let words = random.u8(4..16);
    text(random, out, words);
    out.push_str("\"}");
}

/// Words, now and then an escape.
fn text(random: &mut Rng, out: &mut String, words: u8) {
    for number in 0..words {
        if number > 0 {
            out.push_str(if random.u8(..40) == 0 { "\\n" } else { " " });
        }
        let word = WORDS[random.usize(..WORDS.len())];
        if random.u8(..60) == 0 {
            put(out, format_args!("\\\"{word}\\\""));
        } else {
            out.push_str(word);
        }
    }
}
