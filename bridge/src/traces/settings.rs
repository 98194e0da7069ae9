//! `[traces]`

use crate::config::{Fault, Inputs, Reported, Table};
use crate::transport::contract::OpenSink;
use crate::transport::http::webhook::WebhookSettings;

#[derive(Clone, Debug)]
pub(crate) struct TraceSettings {
    /// Takes one POST as a webhook does.
    pub(crate) collector: WebhookSettings,
    pub(super) sampled: f64,
    pub(crate) inputs: Inputs,
}

impl TraceSettings {
    pub(crate) fn read(table: &Table<'_>) -> Result<Self, Reported> {
        // Forgets what was read for others.
        table.take_inputs();
        let collector = WebhookSettings::read_client(table);
        let meaning = "share of events that are traced, from 0 to 1; where an event has a valid `traceparent`, its \
                       sampled flag decides";
        let sampled = table.key::<f64>("sampled", meaning).must(|share: &f64| {
            let is_share = (0.0..=1.0).contains(share);
            Fault::unless(is_share, "is no share", "give a number from 0 to 1")
        });
        let (sampled, collector) = (sampled.or("0.01"), collector?);
        if collector.address().name == "/" {
            let remedy = "name the whole path, such as https://collector.example:4318/v1/traces";
            return Err(table.report(&["url"], "has no path", remedy));
        }
        let (mut inputs, sampled) = (table.take_inputs(), sampled?);
        // A new token is read when the collector asks for it.
        inputs.files.clear();
        Ok(Self {
            collector,
            sampled,
            inputs,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::tests::{faults, read};

    #[test]
    fn takes_an_address_with_its_path_and_a_share() {
        let settings = read(
            r#"{"url": "http://localhost:4318/v1/traces"}"#,
            TraceSettings::read,
        );
        assert!(settings.is_ok_and(|settings| settings.sampled == 0.01));
        for (text, faulty) in [
            (r#"{"url": "http://localhost:4318"}"#, "url"),
            (
                r#"{"url": "http://localhost/v1/traces", "sampled": 1.5}"#,
                "sampled",
            ),
            (
                r#"{"url": "http://localhost/v1/traces", "sampled": "nan"}"#,
                "sampled",
            ),
            (r#"{"url": "http://collector.example/v1/traces"}"#, "url"),
            (r#"{}"#, "url"),
        ] {
            assert_eq!(faults(text, TraceSettings::read), [faulty], "{text}");
        }
    }
}
