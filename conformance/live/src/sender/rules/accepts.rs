//! Each way to accept a delivery.

use cloudevents_nl_conformance::Text;

use crate::sender::scenario::{Need, Reply, Scenario};

pub(super) const SCENARIO: Scenario = Scenario {
    name: "accepts",
    does: Text {
        en: "takes four deliveries with 200 and a body, 201, 202 and 204",
        nl: "neemt vier afleveringen aan met 200 en een body, 201, 202 en 204",
    },
    needs: Need::Always,
    replies: &[
        Reply::Body(200, "text/plain", "thank you", 1),
        Reply::Status(201),
        Reply::Status(202),
        Reply::Status(204),
    ],
    is_done: |scene| scene.deliveries.len() >= 4,
    ..Scenario::PLAIN
};
