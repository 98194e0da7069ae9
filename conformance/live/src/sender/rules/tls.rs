//! HOOK-TLS-1 and CE-SEC-3: deliveries over TLS, and nothing to who cannot prove who it is.

use std::time::Duration;

use cloudevents_nl_conformance::Text;

use super::Whole;
use crate::sender::scenario::{Need, Reply, Scenario, Scene, Verdict};

const RULE: &str = "HOOK-TLS-1";
const SECURITY: &str = "CE-SEC-3";

pub(super) const SCENARIO: Scenario = Scenario {
    name: "untrusted-certificate",
    rules: &[RULE, SECURITY],
    does: Text {
        en: "shows a certificate that nobody can trust, and those of --tls-faulty; nothing may be sent over them",
        nl: "toont een certificaat dat niemand kan vertrouwen, en die van --tls-faulty; daarover mag niets worden verstuurd",
    },
    needs: Need::Tls,
    replies: &[],
    then: Reply::Status(503),
    is_done: |scene| !scene.deliveries.is_empty() || scene.refused.iter().any(|it| it.in_tls),
    aftermath: Duration::from_secs(1),
    judge: untrusted,
};

fn untrusted(scene: &Scene<'_>) -> Vec<Verdict> {
    let seen = "certificate not to be trusted → request";
    let mut evidence: Vec<_> = scene
        .deliveries
        .iter()
        .map(|it| it.evidence(seen))
        .collect();
    evidence.extend(scene.handshakes.iter().map(|it| it.evidence(seen)));
    if evidence.is_empty() && !scene.refused.iter().any(|refused| refused.in_tls) {
        let en = "the sender did not connect while the certificate was one that it cannot trust";
        let nl =
            "de afzender heeft geen verbinding gezocht toen het certificaat niet te vertrouwen was";
        return vec![
            Verdict::nothing(RULE, en, nl),
            Verdict::nothing(SECURITY, en, nl),
        ];
    }
    vec![
        Verdict::by(RULE, evidence.clone()),
        Verdict::by(SECURITY, evidence),
    ]
}

pub(super) const WHOLE: Whole = Whole {
    rules: &[RULE, SECURITY],
    judge: plain,
};

fn plain(scene: &Scene<'_>) -> Vec<Verdict> {
    let plain = scene.deliveries.iter().find(|delivery| !delivery.is_secure);
    let evidence: Vec<_> = plain.iter().map(|it| it.evidence("http://")).collect();
    // Every delivery over plain HTTP is a finding of HOOK-TLS-1 as it is checked.
    vec![
        Verdict::by(RULE, evidence.clone()),
        Verdict::by(SECURITY, evidence),
    ]
}
