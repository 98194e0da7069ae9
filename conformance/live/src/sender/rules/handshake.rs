//! NL-GL-HOOK-2 and NL-GL-HOOK-3: the handshake comes before the first delivery.

use super::Whole;
use crate::sender::scenario::{Scene, Verdict};

const REGISTRATION: &str = "NL-GL-HOOK-2";
const DELIVERY: &str = "NL-GL-HOOK-3";

pub(super) const WHOLE: Whole = Whole {
    rules: &[REGISTRATION, DELIVERY],
    judge,
};

fn judge(scene: &Scene<'_>) -> Vec<Verdict> {
    let asked = scene.handshakes.first();
    let is_first = asked.is_some_and(|asked| asked.deliveries == 0);
    let unasked = scene.deliveries.first().filter(|_| !is_first);
    let registration = match unasked {
        Some(delivery) if scene.declared.asks_consent => {
            let seen = "POST, and no OPTIONS before";
            Verdict::by(REGISTRATION, vec![delivery.evidence(seen)])
        }
        Some(_) => Verdict::nothing(
            REGISTRATION,
            "the first delivery came without a handshake, which agreement by hand allows; --asks-consent says that there is one",
            "de eerste aflevering kwam zonder validatie, wat bij afspraken vooraf mag; --asks-consent zegt dat die er wel is",
        ),
        None => Verdict::met(REGISTRATION),
    };
    let delivery = match asked {
        Some(_) => Verdict::met(DELIVERY),
        None => Verdict::nothing(
            DELIVERY,
            "no handshake came, and whether one was agreed is not seen here",
            "er kwam geen validatie, en of die is afgesproken is hier niet te zien",
        ),
    };
    vec![registration, delivery]
}
