//! Numbers and times, as people of a language write them.

use jiff::Timestamp;

use crate::admin::overview::Done;
use crate::server::Language;

// Templates hand over references.

pub(super) fn clock(at: &Timestamp) -> String {
    at.strftime("%Y-%m-%d %H:%M:%S UTC").to_string()
}

impl Language {
    /// In the language itself.
    pub(super) fn name(self) -> &'static str {
        self.say("Nederlands", "English")
    }

    pub(super) fn other(self) -> Self {
        match self {
            Self::Dutch => Self::English,
            Self::English => Self::Dutch,
        }
    }

    pub(super) fn attempts(self, attempts: &u32) -> String {
        let one = self.say("poging", "attempt");
        let more = self.say("pogingen", "attempts");
        format!("{attempts} {}", if *attempts == 1 { one } else { more })
    }

    /// In groups of three digits.
    pub(super) fn number(self, number: &u64) -> String {
        let digits = number.to_string();
        let mut text = String::new();
        for (at, digit) in digits.chars().enumerate() {
            if at > 0 && (digits.len() - at).is_multiple_of(3) {
                text += self.say(".", ",");
            }
            text.push(digit);
        }
        text
    }

    /// With one decimal where there are few.
    pub(super) fn rate(self, per_second: &f64) -> String {
        if *per_second > 0.0 && *per_second < 99.95 {
            format!("{:.1}", per_second.max(0.1)).replace('.', self.say(",", "."))
        } else {
            // Saturates.
            self.number(&(per_second.round() as u64))
        }
    }

    /// In the largest unit that tells something.
    pub(super) fn span(self, seconds: u64) -> String {
        match seconds {
            0..120 => format!("{seconds} s"),
            120..7_200 => format!("{} min", seconds / 60),
            7_200..172_800 => format!("{} {}", seconds / 3_600, self.say("uur", "h")),
            _ => format!("{} {}", seconds / 86_400, self.say("dagen", "days")),
        }
    }

    /// How long ago, or in how long, as HTML with the moment itself.
    pub(super) fn moment(self, at: &Timestamp, now: &Timestamp) -> String {
        let seconds = now.as_second().saturating_sub(at.as_second());
        let span = self.span(seconds.unsigned_abs());
        let words = match seconds {
            ..0 => self.say(format!("over {span}"), format!("in {span}")),
            _ => self.say(format!("{span} geleden"), format!("{span} ago")),
        };
        format!("<time datetime=\"{at:.0}\" title=\"{at:.0}\">{words}</time>")
    }

    /// What was done, each number with its words.
    pub(super) fn done(self, done: &Done) -> String {
        let say = |dutch, english| self.say(dutch, english);
        let (of, counts) = match done {
            Done::Paused => return say("gepauzeerd.", "paused.").to_owned(),
            Done::Resumed => return say("hervat.", "resumed.").to_owned(),
            Done::Retried => {
                let words = say(
                    "wat wachtte, wordt nu geprobeerd.",
                    "what waited is tried now.",
                );
                return words.to_owned();
            }
            Done::DeadLetters(handled) => (
                "dead letters",
                vec![
                    (handled.delivered, say("afgeleverd", "delivered")),
                    (handled.filtered, say("uitgefilterd", "filtered")),
                    (handled.failed, say("opnieuw mislukt", "failed again")),
                    (
                        handled.cut_off,
                        say(
                            "afgebroken, misschien aangekomen",
                            "cut off, perhaps delivered",
                        ),
                    ),
                    (handled.dismissed, say("terzijde gelegd", "dismissed")),
                    (handled.left_alone, say("overgeslagen", "left alone")),
                    (handled.not_tried, say("niet geprobeerd", "not tried")),
                ],
            ),
            Done::Reloaded(taken) => (
                say("herladen, routes", "reloaded, routes"),
                vec![
                    (taken.started as u64, say("gestart", "started")),
                    (taken.restarted as u64, say("herstart", "restarted")),
                    (taken.stopped as u64, say("gestopt", "stopped")),
                    (taken.untouched as u64, say("ongemoeid", "untouched")),
                    (
                        taken.not_started.len() as u64,
                        say("niet gestart", "not started"),
                    ),
                ],
            ),
        };
        let counts = counts.iter().filter(|(count, _)| *count > 0);
        let counts = counts.map(|(count, words)| format!("{count} {words}"));
        let counts = counts.collect::<Vec<_>>().join(", ");
        match counts.is_empty() {
            true => say("er was niets te doen.", "there was nothing to do.").to_owned(),
            false => format!("{of}: {counts}."),
        }
    }
}
