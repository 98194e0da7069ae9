//! `filter` as the settings write it.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

use crate::config::{Fault, Reported, Setting, SettingValue};
use crate::route::filter::Filter;

impl Setting for Filter {
    fn read(found: &SettingValue<'_>) -> Result<Self, Reported> {
        let keys = ["exact", "prefix", "suffix", "all", "any", "not"];
        let (key, operand) = found.one_of(&keys)?;
        Ok(match key {
            "exact" => Self::Exact(BTreeMap::read(&operand)?),
            "prefix" => Self::Prefix(BTreeMap::read(&operand)?),
            "suffix" => Self::Suffix(BTreeMap::read(&operand)?),
            "all" => Self::All(Vec::read(&operand)?),
            "any" => Self::Any(Vec::read(&operand)?),
            _ => Self::Not(Box::new(Self::read(&operand)?)),
        })
    }

    fn schema() -> Json {
        json!({ "$ref": "#/$defs/filter" })
    }
}

/// What `$defs/filter` holds: a filter may hold filters.
pub(super) fn definition() -> Json {
    let one = |key: &str, operand: Json| {
        json!({
            "type": "object", "additionalProperties": false, "required": [key],
            "properties": { key: operand }
        })
    };
    let texts = || BTreeMap::<String, String>::schema();
    let filters = || Vec::<Filter>::schema();
    json!({ "oneOf": [
        one("exact", texts()), one("prefix", texts()), one("suffix", texts()),
        one("all", filters()), one("any", filters()), one("not", Filter::schema()),
    ] })
}

/// Refuses a filter with a comparison that can never mean anything.
pub(super) fn has_a_meaning(filter: &Filter) -> Result<(), Fault> {
    let remedy = "correct the condition, or remove it";
    let fault = filter.fault();
    fault.map_or(Ok(()), |fault| Err(Fault::new(fault, remedy)))
}
