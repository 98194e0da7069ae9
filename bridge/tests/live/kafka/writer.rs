//! Writing records.

use rdkafka::ClientConfig;
use rdkafka::message::{Header, OwnedHeaders};
use rdkafka::producer::future_producer::DeliveryFuture;
use rdkafka::producer::{FutureProducer, FutureRecord, Producer};

use super::{PATIENCE, Record, Topic};

impl Topic {
    /// Writes records in order and waits until the broker has them all.
    pub(crate) async fn write(&self, records: impl IntoIterator<Item = Record>) {
        let mut writer = self.writer();
        for record in records {
            writer.push(&record);
        }
        writer.finish().await;
    }

    /// Writes records in batches of so many bytes at most, or of one record.
    pub(crate) async fn write_in_batches(
        &self,
        records: impl IntoIterator<Item = Record>,
        bytes: usize,
    ) {
        let mut client = self.client();
        // A partition without a leader yet would get its first batch behind the next one.
        client.set("enable.idempotence", "true");
        client.set("batch.size", bytes.to_string());
        let mut writer = Writer::new(self, &client);
        for record in records {
            writer.push(&record);
        }
        writer.finish().await;
    }

    /// Writes records in one transaction, and commits or aborts it.
    pub(crate) async fn write_transaction(&self, records: Vec<Record>, commits: bool) {
        let mut client = self.client();
        client.set("transactional.id", format!("{}-writer", self.name));
        let mut writer = Writer::new(self, &client);
        let producer = writer.producer.clone();
        self.blocking(move |_| {
            producer.init_transactions(PATIENCE).unwrap();
            producer.begin_transaction().unwrap();
        })
        .await;
        for record in &records {
            writer.push(record);
        }
        let producer = writer.producer.clone();
        writer.finish().await;
        self.blocking(move |_| match commits {
            true => producer.commit_transaction(PATIENCE).unwrap(),
            false => producer.abort_transaction(PATIENCE).unwrap(),
        })
        .await;
    }

    /// A client that writes to the topic, each record once, whatever happens to the broker.
    pub(crate) fn writer(&self) -> Writer {
        let mut client = self.client();
        client
            .set("enable.idempotence", "true")
            .set("reconnect.backoff.max.ms", "500")
            .set("linger.ms", "5");
        Writer::new(self, &client)
    }
}

/// See [`Topic::writer`].
pub(crate) struct Writer {
    topic: String,
    producer: FutureProducer,
    reports: Vec<DeliveryFuture>,
}

impl Writer {
    fn new(topic: &Topic, client: &ClientConfig) -> Self {
        Self {
            topic: topic.name.clone(),
            producer: client.create().unwrap(),
            reports: Vec::new(),
        }
    }

    /// Writes a record behind those before it.
    pub(crate) fn push(&mut self, record: &Record) {
        let mut headers = OwnedHeaders::new();
        for (key, value) in &record.headers {
            let value = value.as_deref();
            headers = headers.insert(Header { key, value });
        }
        let mut wire = FutureRecord::<[u8], [u8]>::to(&self.topic).headers(headers);
        wire.key = record.key.as_deref();
        wire.payload = record.value.as_deref();
        wire.timestamp = record.timestamp_ms;
        let report = self.producer.send_result(wire);
        self.reports
            .push(report.map_err(|(error, _)| error).unwrap());
    }

    /// Waits until the broker has every record.
    pub(crate) async fn finish(self) {
        for report in self.reports {
            report.await.unwrap().map_err(|(error, _)| error).unwrap();
        }
    }
}
