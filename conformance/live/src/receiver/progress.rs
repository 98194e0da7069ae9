//! What somebody who waits is told on standard error, in their language.

use cloudevents_nl_conformance::{Language, Shown, Text};

use crate::shown;

#[derive(Debug)]
pub(super) struct Progress {
    pub(super) language: Language,
    /// Of scenarios.
    pub(super) all: usize,
    pub(super) done: usize,
}

impl Progress {
    pub(super) fn shown(&mut self, rule: &str, shown: &Shown) {
        self.done += 1;
        let told = shown::told(shown, self.language);
        eprintln!("[{}/{}] {rule} {told}", self.done, self.all);
    }

    pub(super) fn note(&self, does: Text, told: &[String]) {
        let word = Text {
            en: "beside",
            nl: "terzijde",
        };
        let (word, does) = (word.told(self.language), does.told(self.language));
        eprintln!("{word}, {does}: {}", told.join("; "));
    }

    /// What to do where nobody can be reached.
    pub(super) fn remedy(&self) -> &'static str {
        match self.language {
            Language::English => {
                "the receiver cannot be tried out: look whether the URL is right and the receiver runs, and name \
                 its root certificate with --ca-file if it has one of its own"
            }
            Language::Dutch => {
                "de ontvanger kan niet worden beproefd: kijk of de URL klopt en de ontvanger draait, en noem \
                 met --ca-file zijn rootcertificaat als hij een eigen heeft"
            }
        }
    }
}
