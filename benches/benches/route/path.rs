//! The paths that are measured, and what each of their ends is called.

/// From where to where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Path {
    KafkaToWebhook,
    WebhookToKafka,
    KafkaToJetStream,
    JetStreamToKafka,
    JetStreamToWebhook,
}

/// One side of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Kafka,
    JetStream,
    Webhook,
}

impl Path {
    const ALL: [Self; 5] = [
        Self::KafkaToWebhook,
        Self::WebhookToKafka,
        Self::KafkaToJetStream,
        Self::JetStreamToKafka,
        Self::JetStreamToWebhook,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::KafkaToWebhook => "Kafka → webhook",
            Self::WebhookToKafka => "webhook → Kafka",
            Self::KafkaToJetStream => "Kafka → JetStream",
            Self::JetStreamToKafka => "JetStream → Kafka",
            Self::JetStreamToWebhook => "JetStream → webhook",
        }
    }

    pub(crate) fn named(name: &str) -> Self {
        let mut all = Self::ALL.into_iter();
        all.find(|path| path.name() == name)
            .expect("the name of a path")
    }

    /// Where events come from, and where they go.
    pub(crate) const fn ends(self) -> (End, End) {
        match self {
            Self::KafkaToWebhook => (End::Kafka, End::Webhook),
            Self::WebhookToKafka => (End::Webhook, End::Kafka),
            Self::KafkaToJetStream => (End::Kafka, End::JetStream),
            Self::JetStreamToKafka => (End::JetStream, End::Kafka),
            Self::JetStreamToWebhook => (End::JetStream, End::Webhook),
        }
    }
}
