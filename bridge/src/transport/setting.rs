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
