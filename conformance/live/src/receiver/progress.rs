//! What somebody who waits is told on standard error, in their language.

use cloudevents_nl_conformance::{Language, Shown, Text};

#[derive(Debug)]
pub(super) struct Progress {
    pub(super) language: Language,
    /// Of scenarios.
    pub(super) all: usize,
    pub(super) done: usize,
}

impl Progress {
    pub(super) fn tell(&self, text: impl Fn(Language) -> String) {
        eprintln!("{}", text(self.language));
    }

    pub(super) fn shown(&mut self, rule: &str, shown: &Shown) {
        self.done += 1;
        let word = match shown {
            Shown::Met => Text {
                en: "met",
                nl: "voldaan",
            },
            Shown::Broken(_) => Text {
                en: "broken",
                nl: "geschonden",
            },
            Shown::Nothing(_) => Text {
                en: "not shown",
                nl: "niet gebleken",
            },
        };
        let word = word.told(self.language);
        let told = match shown {
            Shown::Met => String::new(),
            Shown::Broken(evidence) => {
                let seen = evidence.iter().map(|evidence| &*evidence.seen);
                format!(": {}", seen.collect::<Vec<_>>().join("; "))
            }
            Shown::Nothing(why) => format!(": {}", why.told(self.language)),
        };
        eprintln!("[{}/{}] {rule} {word}{told}", self.done, self.all);
    }

    pub(super) fn note(&self, does: Text, told: &[String]) {
        let word = Text {
            en: "beside",
            nl: "terzijde",
        };
        let (word, does) = (word.told(self.language), does.told(self.language));
        eprintln!("{word}, {does}: {}", told.join("; "));
    }
}
