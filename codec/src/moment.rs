//! Moments of jiff and chrono as values of attributes, and back; each behind its feature.

use crate::{AttributeFault, AttributeType, Value};

/// Reads the text of a value, such as [`Event::attribute`](crate::Event::attribute) gives for `time`;
/// feature `jiff02`. A leap second becomes the second before it.
///
/// ```
/// use cloudevents_nl_codec::Event;
///
/// let event = Event::new("1", "/a", "b")?
///     .with_time("2021-12-10T18:31:00+01:00")?
///     .with_extension("expirytime", jiff::Timestamp::UNIX_EPOCH)?;
/// let time = jiff::Timestamp::try_from(event.attribute("time").expect("it was set"))?;
/// assert_eq!(time.to_string(), "2021-12-10T17:31:00Z");
/// let expiry = event.extension("expirytime").and_then(|value| value.as_str());
/// assert_eq!(expiry, Some("1970-01-01T00:00:00Z"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When the text is no date-time, which only [`Leniency`](crate::Leniency) lets into `time`, or lies in the
/// last two days of the year 9999.
#[cfg(feature = "jiff02")]
impl TryFrom<Value<'_>> for jiff::Timestamp {
    type Error = jiff::Error;

    fn try_from(value: Value<'_>) -> Result<Self, jiff::Error> {
        value.text().parse()
    }
}

/// A `Timestamp`, for [`Event::with_extension`](crate::Event::with_extension), as the conversion back shows;
/// feature `jiff02`.
///
/// # Errors
/// [`AttributeFault::Timestamp`] before the year 0, which RFC 3339 cannot write.
#[cfg(feature = "jiff02")]
impl TryFrom<jiff::Timestamp> for Value<'_> {
    type Error = AttributeFault;

    fn try_from(moment: jiff::Timestamp) -> Result<Self, AttributeFault> {
        Self::parse(AttributeType::Timestamp, moment.to_string())
    }
}

/// Reads the text of a value, as [`Event::attribute`](crate::Event::attribute) gives it for `time`; feature `chrono04`.
///
/// ```
/// use chrono::{DateTime, FixedOffset};
/// use cloudevents_nl_codec::{Event, Value};
///
/// let event = Event::new("1", "/a", "b")?.with_time("2021-12-10T18:31:00+01:00")?;
/// let time: DateTime<FixedOffset> = event.attribute("time").expect("it was set").try_into()?;
/// assert_eq!(Value::try_from(time)?.as_str(), Some("2021-12-10T18:31:00+01:00"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When the text is no date-time, which only [`Leniency`](crate::Leniency) lets into `time`.
#[cfg(feature = "chrono04")]
impl TryFrom<Value<'_>> for chrono::DateTime<chrono::FixedOffset> {
    type Error = chrono::ParseError;

    fn try_from(value: Value<'_>) -> Result<Self, chrono::ParseError> {
        Self::parse_from_rfc3339(&value.text())
    }
}

/// A `Timestamp`, for [`Event::with_extension`](crate::Event::with_extension), as the conversion back shows;
/// feature `chrono04`.
///
/// # Errors
/// [`AttributeFault::Timestamp`] before the year 0 and after 9999, which RFC 3339 cannot write.
#[cfg(feature = "chrono04")]
impl<Tz: chrono::TimeZone<Offset: std::fmt::Display>> TryFrom<chrono::DateTime<Tz>> for Value<'_> {
    type Error = AttributeFault;

    fn try_from(moment: chrono::DateTime<Tz>) -> Result<Self, AttributeFault> {
        Self::parse(AttributeType::Timestamp, moment.to_rfc3339())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each is read, or refused, and what is read is written as the same moment.
    #[cfg(all(feature = "jiff02", feature = "chrono04"))]
    #[test]
    fn every_date_time_is_a_moment_in_both_crates() {
        for text in [
            "2021-12-10T17:31:00Z",
            "2021-12-10t17:31:00.25z",
            "2016-12-31T23:59:60Z",
            "0000-01-01T00:00:00-00:00",
            "9998-12-31T23:59:59+00:00",
            "2021-12-10T17:31:00.123456789+23:59",
        ] {
            let value = || Value::parse(AttributeType::Timestamp, text).unwrap();
            let by_jiff = jiff::Timestamp::try_from(value()).unwrap();
            let by_chrono = chrono::DateTime::try_from(value()).unwrap();
            let seconds = (by_jiff.as_second(), by_chrono.timestamp());
            assert_eq!(seconds.0, seconds.1, "{text}");
            let nanoseconds = by_jiff.subsec_nanosecond().unsigned_abs();
            assert_eq!(
                nanoseconds,
                by_chrono.timestamp_subsec_nanos() % 1_000_000_000
            );
            for again in [Value::try_from(by_jiff), Value::try_from(by_chrono)] {
                assert_eq!(again.unwrap().ty(), AttributeType::Timestamp);
            }
        }
        let words = Value::try_from("today").unwrap();
        assert!(jiff::Timestamp::try_from(words).is_err());
        let past = Value::try_from(jiff::Timestamp::MIN);
        assert_eq!(past, Err(AttributeFault::Timestamp));
    }
}
