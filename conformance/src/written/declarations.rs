//! Declarations: what somebody says of rules that no message can show, with a document to show for it.

use jiff::civil::Date;

use super::table;
use super::{Fault, wrong};
use crate::catalogue::{Checkable, Entry};

/// A rule that somebody says is met.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Declaration {
    /// The rule.
    pub rule: &'static Entry,
    /// The document that shows it: an address, or a title.
    pub reference: String,
    /// Who says so.
    pub owner: String,
    /// When.
    pub date: Date,
}

/// The declarations of a file.
///
/// ```
/// use cloudevents_nl_conformance::Declarations;
///
/// let text = r#"
/// [[declaration]]
/// rule = "CE-TIME-2"
/// reference = "https://voorbeeld.nl/architectuur/gebeurtenissen#tijd"
/// owner = "team zaken"
/// date = "2026-11-02"
/// "#;
/// assert_eq!(Declarations::read(text).map(|declarations| declarations.all.len()), Ok(1));
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Declarations {
    /// In the order of the file.
    pub all: Vec<Declaration>,
}

impl Declarations {
    /// Reads `[[declaration]]` tables with `rule`, `reference`, `owner` and `date`.
    ///
    /// # Errors
    /// Everything that is wrong, in the order of the lines.
    pub fn read(text: &str) -> Result<Self, Vec<Fault>> {
        let mut seen = Vec::new();
        let all = table::each(text, "declaration", |table, faults| {
            let rule = table.rule(faults);
            if let Some(rule) = rule {
                if rule.checkable != Checkable::Declared {
                    let problem = wrong(
                        "is not a rule to declare: messages or tests show it",
                        "vraagt geen verklaring: berichten of tests tonen of eraan is voldaan",
                    );
                    faults.push(table.fault("rule", problem));
                } else if seen.contains(&&*rule.id) {
                    faults
                        .push(table.fault("rule", wrong("declared before", "al eerder verklaard")));
                }
                seen.push(&rule.id);
            }
            let reference = table.text("reference", faults);
            let owner = table.text("owner", faults);
            let date = table.date("date", faults);
            Some(Declaration {
                rule: rule?,
                reference: reference?,
                owner: owner?,
                date: date?,
            })
        })?;
        Ok(Self { all })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn only_rules_to_declare_are_declared_and_once() {
        let table = |rule: &str| {
            format!("[[declaration]]\nrule='{rule}'\nreference='r'\nowner='o'\ndate=2026-11-02\n")
        };
        let text = [table("CE-TIME-2"), table("CE-ID-1"), table("CE-TIME-2")].concat();
        let faults = Declarations::read(&text).unwrap_err();
        let told: Vec<_> = faults.iter().map(ToString::to_string).collect();
        let expected = [
            "7: rule = \"CE-ID-1\": is not a rule to declare: messages or tests show it",
            "12: rule = \"CE-TIME-2\": declared before",
        ];
        assert_eq!(told, expected);
    }
}
