//! The attributes of a generated event.

use fastrand::Rng;

const TYPES: [&str; 8] = [
    "nl.brp.persoon-verhuisd",
    "nl.vng.zaken.zaak-gecreeerd",
    "nl.vng.zaken.status-gewijzigd",
    "nl.kadaster.bag.adres-toegekend",
    "nl.belastingdienst.woz.beschikking-vastgesteld",
    "nl.rvig.reisdocument-uitgegeven",
    "nl.kvk.inschrijving-gewijzigd",
    "nl.uwv.dienstverband-beeindigd",
];
const SYSTEMS: [&str; 6] = [
    "BRP-component",
    "zaaksysteem",
    "bag-register",
    "woz",
    "reisdocumenten",
    "handelsregister",
];

/// Kafka header names and values, slightly out of the usual order, `specversion` first.
pub(super) fn generate(
    random: &mut Rng,
    full: bool,
    number: usize,
    content_type: &str,
) -> Vec<(&'static str, String)> {
    let ty = TYPES[random.usize(..TYPES.len())];
    let system = SYSTEMS[random.usize(..SYSTEMS.len())];
    let mut attributes = vec![
        ("ce_specversion", "1.0".to_owned()),
        ("ce_id", uuid(random)),
        (
            "ce_source",
            format!(
                "urn:nld:oin:{:020}:systeem:{system}",
                random.u64(1_000_000..9_999_999_999)
            ),
        ),
        ("ce_type", ty.to_owned()),
        ("ce_time", time(random)),
        ("content-type", content_type.to_owned()),
    ];
    if full {
        attributes.extend([
            (
                "ce_subject",
                format!("{:09}", random.u32(100_000_000..999_999_999)),
            ),
            (
                "ce_dataschema",
                format!(
                    "https://register.example.nl/schema/{ty}/v{}.json",
                    random.u8(1..5)
                ),
            ),
            (
                "ce_dataref",
                format!(
                    "https://api.example.nl/{system}/v1/gegevens/{}",
                    random.u32(..)
                ),
            ),
            ("ce_sequence", format!("{number:08}")),
            ("ce_sequencetype", "Integer".to_owned()),
            ("ce_nlbrpgemeente", format!("{:04}", random.u16(1..2000))),
        ]);
    }
    for _ in 0..3 {
        let at = random.usize(1..attributes.len() - 1);
        attributes.swap(at, at + 1);
    }
    attributes
}

fn uuid(random: &mut Rng) -> String {
    let bits = random.u128(..);
    let hex = |shift: u32, bits_kept: u32| (bits >> shift) & ((1 << bits_kept) - 1);
    format!(
        "{:08x}-{:04x}-4{:03x}-a{:03x}-{:012x}",
        hex(96, 32),
        hex(80, 16),
        hex(64, 12),
        hex(48, 12),
        hex(0, 48)
    )
}

/// Half of them in UTC with fractions, half with the offset of the Netherlands.
fn time(random: &mut Rng) -> String {
    let (month, day) = (random.u8(1..=12), random.u8(1..=28));
    let (hour, minute, second) = (random.u8(..24), random.u8(..60), random.u8(..60));
    let zone = if random.bool() {
        format!(".{:03}Z", random.u16(..1000))
    } else {
        "+01:00".to_owned()
    };
    format!("2026-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{zone}")
}
