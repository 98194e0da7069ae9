//! The words of reports in both languages, each once.

mod places;

use super::{Language, VERSION};
use crate::catalogue::{self, Checkable, Entry};
use crate::input::InputError;
use crate::report::{Counts, Input, Problem, Report, Row, Severity, Verdict};
use crate::rule::{Check, Level, Rule, Text};
use crate::rules;

pub use places::problem;
pub(super) use places::{place, skipped, skipped_unlisted, spot, told};

macro_rules! words {
    ($($name:ident: $en:literal, $nl:literal;)*) => {
        $(pub(super) const $name: Text = Text { en: $en, nl: $nl };)*
    };
}

words! {
    TITLE: "Conformance report CloudEvents", "Conformiteitsrapport CloudEvents";
    FIX: "Fix", "Herstel";
    WHY: "Why it matters", "Waarom dit ertoe doet";
    RULE: "Rule", "Regel";
    RULES: "Rules", "Regels";
    CLAUSE: "Clause", "Vindplaats";
    LEVEL: "Level", "Niveau";
    VERDICT: "Verdict", "Oordeel";
    FINDINGS: "Findings", "Bevindingen";
    PLACE: "Place", "Plaats";
    SEEN: "What was there", "Aangetroffen";
    EVENT: "Event", "Gebeurtenis";
    BYTE_ORDER_MARK: "byte order mark at the beginning left out: the file has it, the event does not", "byte order mark (BOM) aan het begin weggelaten: die hoort bij het bestand, niet bij de gebeurtenis";
    TAKEN_AS_DECODED: "bodies taken as decoded", "inhoud opgevat als al gedecodeerd";
    TAKEN_AS_DECODED_WHY: "their heads announce chunks or a coding that is not there, as curl -i shows them", "de headers noemen chunks of een codering die er niet is: curl -i laat de inhoud al gedecodeerd zien";
    NOTHING_SEEN: "(nothing)", "(niets)";
    MORE: "more, not listed", "meer, niet vermeld";
    INPUTS: "What was checked", "Wat is gecontroleerd";
    INPUT: "File", "Bestand";
    BYTES: "Bytes", "Bytes";
    MESSAGES: "Messages", "Berichten";
    PROBLEMS: "Could not be read", "Kon niet worden gelezen";
    SKIPPED: "Skipped", "Overgeslagen";
    WAIVERS: "Explained deviations", "Uitgelegde afwijkingen";
    REASON: "Reason", "Reden";
    OWNER: "Owner", "Eigenaar";
    UNTIL: "Until", "Tot en met";
    ABOUT: "About", "Betreft";
    USED: "Findings explained", "Uitgelegde bevindingen";
    STATE: "State", "Status";
    EXPIRED: "expired", "verlopen";
    UNUSED: "not used", "niet gebruikt";
    HOLDS: "holds", "geldig";
    ALL_EVENTS: "all events", "alle gebeurtenissen";
    DECLARED: "Declared rules", "Regels die een verklaring vragen";
    TO_BE_DECLARED: "to be declared", "verklaring nodig";
    IS_DECLARED: "declared", "verklaard";
    EVIDENCE: "What has to show it", "Waaruit dit moet blijken";
    REFERENCE: "Reference", "Verwijzing";
    DATE: "Date", "Datum";
    NOT_TESTED: "Not tested", "Niet getest";
    VERSIONS: "Versions and hashes", "Versies en controlegetallen";
    PROFILE: "Profile", "Profiel";
    TOOL: "Checker", "Controleprogramma";
    CATALOGUE: "Catalogue of rules (SHA-256)", "Regelcatalogus (SHA-256)";
    CHECKED: "Messages checked", "Beoordeeld";
    BROKEN: "Findings", "Bevindingen";
    RESPONSE: "response", "antwoord";
    LEFT_OUT: "left out by choice: select or ignore in the settings", "bewust niet gecontroleerd: select of ignore in de instellingen";
    WEIGHED: "counted so by the settings; by the profile", "zwaarte volgens de instellingen; volgens het profiel";
    SETTINGS: "Settings", "Instellingen";
    NO_CHECK: "no check yet", "nog geen controle";
    LIVE: "has to be tried out: cenl-conformance test", "alleen in de praktijk te testen: cenl-conformance test";
    REQUIRED: "What is required", "Wat is vereist";
    DECLARED_ABOUT: "No message can show these rules. Whoever supplies the system declares for each that it is met, and names a document that shows it.", "De naleving van deze regels blijkt niet uit berichten. De leverancier van het systeem verklaart per regel dat eraan is voldaan en noemt een document waaruit dat blijkt.";
    REPORTED_BY: "Reported by", "Gemeld door";
    NOT_SHOWN: "not shown by messages", "blijkt niet uit berichten";
    NOT_SHOWN_ABOUT: "Rules marked “not shown by messages” get no verdict. They are for software that reads events: no message can break them, and only a test of that software shows whether it keeps them.", "Regels met “blijkt niet uit berichten” krijgen geen oordeel. Ze gelden voor software die gebeurtenissen leest: geen bericht kan ze schenden, en alleen een test van die software laat zien of zij zich eraan houdt.";
    NO_BREACH: "No message can break this rule, so reports give no verdict on it. Software that reads events has to accept the good example.", "Geen bericht kan deze regel schenden; rapporten geven er daarom geen oordeel over. Software die gebeurtenissen leest, moet het goede voorbeeld accepteren.";
    GOOD: "Good", "Goed";
    BAD: "Bad", "Fout";
    NO_EVENT_IN_AN_INPUT: "No verdict: there is no event to judge in an input", "Geen oordeel: in een bestand staat geen gebeurtenis om te beoordelen";
    FAILS_NOT_ALL_READ: "Does not comply; not everything could be read", "Voldoet niet; niet alles kon worden gelezen";
    FAILS_AND_NO_EVENT: "Does not comply; there is no event to judge in an input", "Voldoet niet; in een bestand staat geen gebeurtenis om te beoordelen";
    NO_RULE: "No verdict: the settings leave out every rule that messages show", "Geen oordeel: de instellingen laten alle regels weg waarvan de naleving uit berichten blijkt";
    NOT_ALL_READ: "No verdict: not everything could be read", "Geen oordeel: niet alles kon worden gelezen";
    NO_EVENT: "No verdict: there is no event in it", "Geen oordeel: er staat geen gebeurtenis in";
    FAILS: "Does not comply", "Voldoet niet";
    FAILS_BY_EXPIRY: "Does not comply: a waiver has expired", "Voldoet niet: een uitgelegde afwijking is verlopen";
    FAILS_BY_TRIAL: "Does not comply: events were lost, invented, repeated, changed, refused or out of order; the figures stand on standard error", "Voldoet niet: gebeurtenissen zijn verloren, verzonnen, herhaald, veranderd, geweigerd of ingehaald; de cijfers staan op standard error";
    WARNS: "Complies, with points of attention", "Voldoet, met aandachtspunten";
    NOTHING_NEW: "No new findings; known ones from the baseline do not count", "Geen nieuwe bevindingen; bekende bevindingen uit de nulmeting tellen niet mee";
    EXPLAINED: "Complies, with explained deviations", "Voldoet, met uitgelegde afwijkingen";
    COMPLIES: "Complies", "Voldoet";
    MESSAGES_FAIL: "Messages do not comply", "Berichten voldoen niet";
    MESSAGES_WARN: "Messages comply, with points of attention", "Berichten voldoen, met aandachtspunten";
    MESSAGES_EXPLAINED: "Messages comply, with explained deviations", "Berichten voldoen, met uitgelegde afwijkingen";
    MESSAGES_COMPLY: "Messages comply", "Berichten voldoen";
    OF_BEHAVIOUR: "The verdict is about what was exchanged and tried out for this report. It says nothing of rules that have to be declared, nothing of those that were not tested, and nothing of behaviour at other times.", "Het oordeel gaat over wat voor dit rapport is uitgewisseld en getest. Het zegt niets over regels die een verklaring vragen of niet zijn getest, en niets over het gedrag op andere momenten.";
    OF_MESSAGES: "The verdict is about the messages that were handed in, and about the rules that a message can show. It says nothing of rules that have to be declared or tried out, and nothing of other messages.", "Het oordeel gaat over de aangeboden berichten en over de regels waarvan de naleving uit een bericht blijkt. Het zegt niets over regels die een verklaring of een test in de praktijk vragen, en niets over andere berichten.";
}

const fn both(en: &'static str, nl: &'static str) -> Text {
    Text { en, nl }
}

macro_rules! nouns {
    ($($name:ident: $en:literal / $en_many:literal, $nl:literal / $nl_many:literal;)*) => {
        $(pub(super) fn $name(count: u64, language: Language) -> String {
            let noun = if count == 1 { both($en, $nl) } else { both($en_many, $nl_many) };
            format!("{count} {}", noun.told(language))
        })*
    };
}

nouns! {
    errors: "error" / "errors", "fout" / "fouten";
    warnings: "warning" / "warnings", "waarschuwing" / "waarschuwingen";
    notices: "notice" / "notices", "opmerking" / "opmerkingen";
    explained: "explained" / "explained", "uitgelegd" / "uitgelegd";
    known: "known finding" / "known findings", "bekende bevinding" / "bekende bevindingen";
    findings_kept: "finding kept as known" / "findings kept as known",
        "bevinding bewaard als bekend" / "bevindingen bewaard als bekend";
    messages: "message" / "messages", "bericht" / "berichten";
    events: "event" / "events", "gebeurtenis" / "gebeurtenissen";
    not_judged: "message not judged" / "messages not judged", "bericht niet beoordeeld" / "berichten niet beoordeeld";
    inputs: "file" / "files", "bestand" / "bestanden";
    more: "more" / "more", "andere" / "andere";
    skipped_files: "file skipped" / "files skipped", "bestand overgeslagen" / "bestanden overgeslagen";
    problems: "input problem" / "input problems", "leesprobleem" / "leesproblemen";
    rules_to_declare: "rule still to be declared" / "rules still to be declared",
        "regel vraagt nog een verklaring" / "regels vragen nog een verklaring";
    duties_open: "mandatory declaration open" / "mandatory declarations open",
        "verplichte verklaring open" / "verplichte verklaringen open";
    rules_not_shown: "rule not shown by messages" / "rules not shown by messages",
        "regel waarvan de naleving niet uit berichten blijkt" / "regels waarvan de naleving niet uit berichten blijkt";
    rules_tried: "rule tried out" / "rules tried out", "regel in de praktijk getest" / "regels in de praktijk getest";
    rules_not_tested: "rule not tested" / "rules not tested", "regel niet getest" / "regels niet getest";
    rules_left_out: "rule left out by choice" / "rules left out by choice",
        "regel bewust niet gecontroleerd" / "regels bewust niet gecontroleerd";
}

/// What was assumed of an input, or left out of it.
pub(super) fn notes(input: &Input, language: Language) -> Vec<String> {
    let mut notes = Vec::new();
    if input.has_byte_order_mark {
        notes.push(BYTE_ORDER_MARK.told(language).to_owned());
    }
    if input.taken_as_decoded > 0 {
        let what = TAKEN_AS_DECODED.told(language);
        let why = TAKEN_AS_DECODED_WHY.told(language);
        notes.push(format!("{what}: {} ({why})", input.taken_as_decoded));
    }
    notes
}

pub(super) fn severity(severity: Severity) -> Text {
    match severity {
        Severity::Error => both("error", "fout"),
        Severity::Warning => both("warning", "waarschuwing"),
        Severity::Notice => both("notice", "opmerking"),
    }
}

/// How much a breach counts by the profile, behind a sign, where settings say otherwise.
pub(super) fn weighed(row: &Row, sign: &str, language: Language) -> String {
    row.usual.map_or_else(String::new, |usual| {
        let (told, usual) = (WEIGHED.told(language), severity(usual).told(language));
        format!("{sign}{told}: {usual}")
    })
}

/// The keyword, and what it means to people who do not know it.
pub(super) fn level(level: Option<Level>) -> Text {
    match level {
        Some(Level::Must) => both("MUST", "verplicht (MUST)"),
        Some(Level::MustNot) => both("MUST NOT", "verboden (MUST NOT)"),
        Some(Level::Should) => both("SHOULD", "aanbevolen (SHOULD)"),
        Some(Level::ShouldNot) => both("SHOULD NOT", "ontraden (SHOULD NOT)"),
        Some(Level::May) => both("MAY", "toegestaan (MAY)"),
        None => both("not in this profile", "niet in dit profiel"),
    }
}

/// What kind of text a rule comes from, by the word of the catalogue.
pub(super) fn status(word: &str, language: Language) -> &str {
    match (word, language) {
        ("released", Language::Dutch) => "vastgesteld",
        ("draft", Language::Dutch) => "concept",
        ("interpretation", Language::Dutch) => "interpretatie",
        ("guideline", Language::Dutch) => "richtlijn",
        ("primer", Language::Dutch) => "toelichting",
        _ => word,
    }
}

pub(super) fn verdict(verdict: Verdict) -> Text {
    match verdict {
        Verdict::Pass => both("pass", "voldoet"),
        Verdict::Warn => both("warn", "aandachtspunt"),
        Verdict::Fail => both("fail", "voldoet niet"),
        Verdict::Explained => both("explained", "uitgelegd"),
        Verdict::Known => both("known", "bekend"),
        Verdict::NotApplicable => both("not applicable", "niet van toepassing"),
        Verdict::ToBeDeclared => TO_BE_DECLARED,
        Verdict::NotShown => NOT_SHOWN,
    }
}

/// The verdict on everything, in a sentence.
pub(super) fn conclusion(report: &Report) -> Text {
    let is_no_event = |problem: &Problem| matches!(problem.error, InputError::NoEvent { .. });
    let is_all_read = report.problems.iter().all(is_no_event);
    match report.verdict() {
        verdict if !report.problems.is_empty() => match (verdict, is_all_read) {
            (Verdict::Fail, true) => FAILS_AND_NO_EVENT,
            (Verdict::Fail, false) => FAILS_NOT_ALL_READ,
            (_, true) => NO_EVENT_IN_AN_INPUT,
            (_, false) => NOT_ALL_READ,
        },
        Verdict::Fail if report.counts.errors > 0 => FAILS,
        Verdict::Fail if report.trial_failed => FAILS_BY_TRIAL,
        Verdict::Fail => FAILS_BY_EXPIRY,
        Verdict::Warn => WARNS,
        Verdict::Known => NOTHING_NEW,
        Verdict::Explained => EXPLAINED,
        Verdict::Pass => COMPLIES,
        _ if report.asks_nothing() => NO_RULE,
        Verdict::NotApplicable | Verdict::ToBeDeclared | Verdict::NotShown => NO_EVENT,
    }
}

/// The verdict on the messages, how much remains to be declared before more can be said, and how many
/// rules it says nothing of by choice.
pub(super) fn headline(report: &Report, language: Language) -> String {
    let told = match report.verdict() {
        _ if !report.problems.is_empty() || report.counts.tried > 0 => conclusion(report),
        Verdict::Fail if report.counts.errors > 0 => MESSAGES_FAIL,
        Verdict::Warn => MESSAGES_WARN,
        Verdict::Explained => MESSAGES_EXPLAINED,
        Verdict::Pass => MESSAGES_COMPLY,
        _ => conclusion(report),
    };
    let parts = [
        Some(told.told(language).to_owned()),
        some(report.open_duties(), duties_open, language),
        some(report.rules_left_out(), rules_left_out, language),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

/// How many messages, events and breaches there are; what is rare only where there are such.
pub(super) fn counts(counts: &Counts, language: Language) -> Vec<String> {
    let always = [
        messages(counts.messages, language),
        events(counts.events, language),
        errors(counts.errors, language),
        warnings(counts.warnings, language),
    ];
    let rare = [
        some(counts.notices, notices, language),
        some(counts.waived, explained, language),
        some(counts.known, known, language),
        some(counts.not_events, not_judged, language),
        some(counts.tried, rules_tried, language),
    ];
    let rare = rare.into_iter().flatten();
    always.into_iter().chain(rare).collect()
}

/// How many findings a baseline that was written keeps.
#[must_use]
pub fn kept(count: u64, language: Language) -> String {
    findings_kept(count, language)
}

/// A number with its noun, where it is not zero.
pub(super) fn some(
    count: u64,
    words: fn(u64, Language) -> String,
    language: Language,
) -> Option<String> {
    (count > 0).then(|| words(count, language))
}

/// The conclusion, what it is about, and what it was made with, in a line: the first part of it by itself,
/// as it is emphasised.
pub(super) fn summary(report: &Report, language: Language) -> (&'static str, String, String) {
    let counts = &report.counts;
    let mut parts = self::counts(counts, language);
    parts.extend(some(counts.skipped, skipped_files, language));
    let unread = report.problems.len() as u64 + counts.problems_left_out;
    parts.extend(some(unread, problems, language));
    parts.extend(some(report.rules_left_out(), rules_left_out, language));
    let by = profile(report);
    let with = format!("({by}, cenl-conformance {VERSION})");
    (conclusion(report).told(language), parts.join(", "), with)
}

/// The names of the profile and of overlays.
pub(super) fn profile(report: &Report) -> String {
    let overlays = report.overlays.iter().map(|name| format!(" + {name}"));
    format!("{}{}", report.profile.name(), overlays.collect::<String>())
}

/// What a passing verdict does not say.
pub(super) fn reservation(report: &Report) -> Text {
    match report.counts.tried {
        0 => OF_MESSAGES,
        _ => OF_BEHAVIOUR,
    }
}

/// What stands above the `why` of a rule: of one that is tried out it is what has to show that it is met.
pub(super) fn why(rule: &Rule) -> Text {
    match rule.check {
        Check::Live => EVIDENCE,
        _ => WHY,
    }
}

/// Why a rule was not tested.
pub(super) fn why_not_tested<'r>(report: &'r Report, entry: &Entry, language: Language) -> &'r str {
    match (report.why_not_tried(&entry.id), entry.checkable) {
        _ if report.leaves_out(entry) => LEFT_OUT.told(language),
        (Some(why), _) => why.told(language),
        (None, Checkable::Live) => LIVE.told(language),
        (None, _) => NO_CHECK.told(language),
    }
}

/// What a rule demands, in a line; the catalogue's own words where none are written.
pub(super) fn title(entry: &Entry, language: Language) -> &str {
    let rule = entry.of_overlay.or_else(|| rules::rule(&entry.id));
    match (catalogue::texts(&entry.id), rule) {
        (Some(texts), _) => &texts.told(language).title,
        (None, Some(rule)) => rule.requirement(language).0,
        (None, None) => &entry.summary,
    }
}
