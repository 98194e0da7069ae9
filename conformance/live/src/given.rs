//! What a sender was given to deliver with: an address of TLS, and a token. What it was not given, it
//! cannot use, and no rule is held against it for that.

use cloudevents_nl_conformance::{Exchange, Live, Shown, Why};

use crate::shown::why;

const TLS: [&str; 2] = ["HOOK-TLS-1", "CE-SEC-3"];
const TOKEN: &str = "HOOK-AUTH-1";

/// What the order shows in which events were sent. Requests that are under way at once come in any other.
const OF_ORDER: [&str; 3] = ["EXT-SEQ-3", "EXT-SEQ-5", "EXT-SEQ-6"];

#[derive(Clone, Copy, Debug)]
pub(crate) struct Given {
    pub(crate) tls: bool,
    pub(crate) token: bool,
}

impl Given {
    /// The rules that a sender cannot meet with that, and why.
    pub(crate) fn hinders(self) -> impl Iterator<Item = (&'static str, Why)> {
        let tls = TLS.into_iter().filter(move |_| !self.tls);
        let token = (!self.token).then(|| (TOKEN, no_token()));
        tls.map(|rule| (rule, no_tls())).chain(token)
    }

    /// The same, as what was shown of them.
    pub(crate) fn not_shown(self) -> impl Iterator<Item = Live> {
        let all = self.hinders();
        all.filter_map(|(rule, why)| Live::new(rule, Shown::Nothing(why)))
    }

    /// Leaves those rules out of what a delivery is judged by, and those of order where none was declared.
    /// One with a token shows that one was given.
    pub(crate) fn spare(self, delivery: &mut Exchange, is_ordered: bool) {
        let has_token = delivery.request.has_token();
        let rules = self.hinders().map(|(rule, _)| rule);
        let rules = rules.filter(|rule| *rule != TOKEN || !has_token);
        let rules = rules.chain(OF_ORDER.into_iter().filter(|_| !is_ordered));
        delivery.request.not_judged = rules.map(str::to_owned).collect();
    }
}

pub(crate) fn no_tls() -> Why {
    why(
        "we are reached over plain HTTP: with a certificate, and an address of https://, it shows",
        "wij zijn bereikbaar over HTTP zonder TLS: met een certificaat en een adres met https:// is het te zien",
    )
}

fn no_token() -> Why {
    why(
        "no token came, and whether one was given is not known here: --expect-token says so",
        "er kwam geen token, en of er een is gegeven is hier niet bekend: --expect-token zegt dat",
    )
}

#[cfg(test)]
mod tests {
    use cloudevents_nl_conformance::{Capture, Protocol, Purpose};

    use super::*;

    fn spared(tls: bool, token: bool, request: Capture) -> Vec<String> {
        let response = Capture::new(Protocol::Http);
        let mut delivery = Exchange::new(Purpose::Delivery, request, response);
        Given { tls, token }.spare(&mut delivery, true);
        delivery.request.not_judged
    }

    #[test]
    fn only_what_was_given_is_asked_for() {
        let bare = Capture::new(Protocol::Http);
        let with_token = bare.clone().with_header("Authorization", "Bearer masked");
        let all = ["HOOK-TLS-1", "CE-SEC-3", "HOOK-AUTH-1"];
        assert_eq!(spared(false, false, bare.clone()), all);
        assert_eq!(spared(true, false, bare.clone()), ["HOOK-AUTH-1"]);
        assert_eq!(spared(true, true, bare), [""; 0]);
        assert_eq!(spared(false, false, with_token), ["HOOK-TLS-1", "CE-SEC-3"]);
    }

    #[test]
    fn what_was_not_given_is_told_of_every_rule() {
        let nothing = Given {
            tls: false,
            token: false,
        };
        assert_eq!(nothing.not_shown().count(), nothing.hinders().count());
    }
}
