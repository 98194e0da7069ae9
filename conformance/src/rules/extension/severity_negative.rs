use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "EXT-SEV-1",
    en: Texts {
        title: "`severitynumber` is negative or no whole number",
        explanation: "`severitynumber` is an Integer of 0 or more; a higher number is more severe.",
        why: "Monitoring sorts and raises alarms by this number. The scale it shares with OpenTelemetry has no negative values, so the event gets no alarm.",
        fix: "Use the numbers of OpenTelemetry, such as 9 for INFO and 17 for ERROR.",
    },
    nl: Texts {
        title: "`severitynumber` is negatief of geen geheel getal",
        explanation: "`severitynumber` is een geheel getal van 0 of hoger; een hoger getal is ernstiger.",
        why: "Bewaking sorteert en alarmeert op dit getal. De schaal, die van OpenTelemetry, kent geen negatieve waarden, zodat de gebeurtenis geen alarm geeft.",
        fix: "Gebruik de getallen van OpenTelemetry, zoals 9 voor INFO en 17 voor ERROR.",
    },
    good: Example::Event(r#""severitynumber":9"#),
    bad: Example::Event(r#""severitynumber":-1"#),
    decode: Decode::Accept,
    applies: Applies::Event,
    check: Check::Event(|event, found| {
        let numbers = event.named("severitynumber");
        found.all(numbers.filter(|number| number.integer().is_none_or(i32::is_negative)));
    }),
};
