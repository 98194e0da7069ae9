//! What is wrong with one setting of a transport, found before a port opens.

/// One setting that cannot be used. The plan adds the file and the path to the table.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{key} = {value}: {what}; {remedy}")]
pub struct SettingProblem {
    /// The key inside the transport's own table.
    pub key: &'static str,
    /// The value found, without anything secret.
    pub value: String,
    /// What is wrong.
    pub what: &'static str,
    /// What to do.
    pub remedy: &'static str,
}

impl SettingProblem {
    /// A problem when a duration in milliseconds is zero, which no exchange can meet.
    pub(super) fn of_zero(key: &'static str, value: u64) -> Option<Self> {
        (value == 0).then(|| Self {
            key,
            value: "0".to_owned(),
            what: "no time at all",
            remedy: "give a duration in milliseconds above 0, or leave the key out",
        })
    }
}
