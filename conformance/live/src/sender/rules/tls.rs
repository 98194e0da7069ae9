//! HOOK-TLS-1 and CE-SEC-3: deliveries over TLS, and nothing to who cannot prove who it is.

use std::time::Duration;

use cloudevents_nl_conformance::{Shown, Text};

use crate::given::no_tls;
use crate::sender::scenario::{Need, Scenario, Scene, UNAVAILABLE};
use crate::shown::{by, nothing};

pub(super) const RULES: &[&str] = &["HOOK-TLS-1", "CE-SEC-3"];

pub(super) const SCENARIO: Scenario = Scenario {
    name: "untrusted-certificate",
    rules: RULES,
    does: Text {
        en: "shows a certificate that nobody can trust, and those of --tls-faulty; nothing may be sent over them",
        nl: "toont een certificaat dat niemand kan vertrouwen, en die van --tls-faulty; daarover mag niets worden verstuurd",
    },
    needs: Need::Tls,
    then: UNAVAILABLE,
    is_done: |scene| !scene.deliveries.is_empty() || is_refused(scene),
    aftermath: Duration::from_secs(1),
    judge: untrusted,
    ..Scenario::PLAIN
};

/// Whether somebody said that it does not trust the certificate; who only breaks off may be anybody.
fn is_refused(scene: &Scene<'_>) -> bool {
    scene.refused.iter().any(|refused| refused.of_certificate)
}

fn untrusted(scene: &Scene<'_>) -> Shown {
    let seen = "certificate not to be trusted → request";
    let deliveries = scene.deliveries.iter().map(|it| match it.is_secure {
        true => it.evidence(seen),
        false => it.evidence("certificate not to be trusted → http://"),
    });
    let handshakes = scene.handshakes.iter().map(|it| it.evidence(seen));
    let evidence: Vec<_> = deliveries.chain(handshakes).collect();
    if evidence.is_empty() && !is_refused(scene) {
        return nothing(
            "nobody refused the certificate that cannot be trusted, by an alert of TLS, and nothing was sent over it",
            "niemand weigerde het onbetrouwbare certificaat met een TLS-alert, en er is niets over verstuurd",
        );
    }
    by(evidence)
}

/// Every delivery over plain HTTP is a finding of HOOK-TLS-1 as it is checked; one shows it here.
pub(super) fn plain(scene: &Scene<'_>) -> Shown {
    if !scene.options.given().tls {
        return Shown::Nothing(no_tls());
    }
    let mut deliveries = scene.deliveries.iter();
    let plain = deliveries.find(|delivery| !delivery.is_secure);
    by(plain.map(|it| it.evidence("http://")))
}
