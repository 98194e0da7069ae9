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

/// A JSON object of about `bytes` bytes, and never less than a small one with a nested object.
pub(super) fn generate(random: &mut Rng, bytes: usize) -> String {
    let mut out = String::with_capacity(bytes + 64);
    let (number, status) = (random.u16(..), WORDS[random.usize(..WORDS.len())]);
    let (euros, cents) = (random.u16(..1000), random.u8(..100));
    put(
        &mut out,
        format_args!(
            "{{\"zaak\":{{\"nr\":{number},\"leges\":{euros}.{cents:02}}},\"status\":\"{status}\""
        ),
    );
    if bytes > 200 {
        address(random, &mut out);
    }
    if bytes > 1000 {
        out.push_str(",\"betrokkenen\":[");
        while out.len() + 500 < bytes {
            person(random, &mut out);
            out.push(',');
        }
        out.pop();
        out.push(']');
    }
    while out.len() + 60 < bytes {
        member(random, &mut out);
    }
    if out.len() + 20 < bytes {
        out.push_str(",\"toelichting\":\"");
        while out.len() + 4 < bytes {
            text(random, &mut out, 1);
            out.push(' ');
        }
        out.push('"');
    }
    out.push('}');
    out
}

/// A document in XML of about `bytes` bytes, with quotes and indentation.
pub(super) fn generate_xml(random: &mut Rng, bytes: usize) -> String {
    let mut out = String::with_capacity(bytes + 64);
    out.push_str("<zaak>\n");
    while out.len() + 90 < bytes || out.len() < 20 {
        let (number, place) = (random.u32(..), PLACES[random.usize(..PLACES.len())]);
        put(
            &mut out,
            format_args!("  <persoon nr=\"{number}\" plaats=\"{place}\">"),
        );
        for _ in 0..random.u8(2..9) {
            out.push_str(WORDS[random.usize(..WORDS.len())]);
            out.push(' ');
        }
        out.push_str("</persoon>\n");
    }
    out.push_str("</zaak>");
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

/// A member with a nested object, of 110 to 160 bytes with its leading comma.
fn address(random: &mut Rng, out: &mut String) {
    let (place, street) = (
        PLACES[random.usize(..PLACES.len())],
        STREETS[random.usize(..STREETS.len())],
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
    let (latitude, longitude) = (50.7 + random.f64() * 2.8, 3.3 + random.f64() * 3.9);
    put(
        out,
        format_args!(",\"punt\":[{latitude:.6},{longitude:.5}]}}"),
    );
}

/// An object of 300 to 450 bytes.
fn person(random: &mut Rng, out: &mut String) {
    let (sequence, bsn) = (random.u16(..), random.u32(..1_000_000_000));
    put(
        out,
        format_args!("{{\"volgnummer\":{sequence},\"bsn\":\"{bsn:09}\""),
    );
    let (valid, euros, cents) = (random.bool(), random.i32(-9_999..99_999), random.u8(..100));
    put(
        out,
        format_args!(",\"geldig\":{valid},\"saldo\":{euros}.{cents:02}"),
    );
    address(random, out);
    out.push_str(",\"rollen\":[");
    for _ in 0..random.u8(1..4) {
        let (role, since) = (WORDS[random.usize(..WORDS.len())], random.u16(1950..2026));
        put(
            out,
            format_args!("{{\"rol\":\"{role}\",\"sinds\":{since}}},"),
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
