//! Log lines to standard error, as text or JSON.

use tracing_subscriber::EnvFilter;

use crate::config::{Log, LogFormat, LogLevel, Words as _};

/// Starts logging. The level holds for the bridge; the crates below it log warnings at most, so
/// that no client prints what it carries.
///
/// # Errors
/// When logging was started before.
pub fn start(log: &Log) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let level = log.level.word();
    let below = if log.level == LogLevel::Error {
        "error"
    } else {
        "warn"
    };
    let filter = EnvFilter::try_new(format!(
        "{below},cloudevents_nl_bridge={level},cenl_bridge={level}"
    ))?;
    let lines = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr);
    match log.format {
        LogFormat::Text => lines.with_ansi(false).try_init(),
        LogFormat::Json => lines.json().flatten_event(true).try_init(),
    }
}
