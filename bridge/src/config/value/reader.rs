//! One value as a serde deserializer: what is asked for decides how the value is read.

use figment::value::{Dict, Value};
use serde::de::value::{SeqDeserializer, StrDeserializer, StringDeserializer};
use serde::de::{Deserializer, Visitor};

use super::access::{Elements, Entries, Variant};
use super::{Reading, number_text};
use crate::config::fault::{Fault, list};
use crate::config::path::Path;

/// The key under which the TOML reader hides a date and time that stands without quotes.
const DATETIME: &str = "$__toml_private_datetime";

/// What there is to read.
#[derive(Clone, Copy)]
pub(super) enum Found<'a> {
    Value(&'a Value),
    Table(&'a Dict),
    /// Nothing: the key is missing, and reported.
    StandIn,
}

/// Reads one value by the type that is asked for.
#[derive(Clone)]
pub(super) struct Reader<'a> {
    pub(super) reading: &'a Reading<'a>,
    pub(super) path: Path,
    pub(super) found: Found<'a>,
}

impl<'a> Reader<'a> {
    pub(super) fn at(&self, path: Path, found: Found<'a>) -> Self {
        Self {
            reading: self.reading,
            path,
            found,
        }
    }

    fn table(&self) -> Option<&'a Dict> {
        match self.found {
            Found::Value(Value::Dict(_, dict)) | Found::Table(dict) => Some(dict),
            _ => None,
        }
    }

    /// The value as text, where it is a scalar.
    fn text(&self) -> Option<String> {
        match self.found {
            Found::Value(Value::String(_, text)) => Some(text.clone()),
            Found::Value(Value::Char(_, letter)) => Some(letter.to_string()),
            Found::Value(Value::Num(_, number)) => Some(number_text(*number)),
            Found::Value(Value::Bool(_, truth)) => Some(truth.to_string()),
            Found::Value(Value::Dict(_, dict)) => dict.get(DATETIME)?.as_str().map(str::to_owned),
            Found::StandIn => Some(String::new()),
            Found::Value(_) | Found::Table(_) => None,
        }
    }

    /// The text of a variable, which stands for whatever is asked for.
    fn variable_text(&self) -> Option<&'a str> {
        match self.found {
            Found::Value(Value::String(_, text)) => {
                let origins = self.reading.findings.origins();
                origins.variable(&self.path).is_some().then_some(text)
            }
            _ => None,
        }
    }

    fn whole_number<'de, V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        let number = match self.found {
            Found::StandIn => return visitor.visit_u64(1),
            Found::Value(Value::Num(_, number)) => number.to_i128().or_else(|| {
                number
                    .to_u128()
                    .and_then(|number| i128::try_from(number).ok())
            }),
            _ => self
                .variable_text()
                .and_then(|text| text.trim().parse().ok()),
        };
        match number {
            Some(number) => match (u64::try_from(number), i64::try_from(number)) {
                (Ok(number), _) => visitor.visit_u64(number),
                (_, Ok(number)) => visitor.visit_i64(number),
                _ => visitor.visit_i128(number),
            },
            None => self.any(visitor),
        }
    }

    /// Reads by the type of the value itself.
    fn any<'de, V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.found {
            Found::StandIn => visitor.visit_str(""),
            Found::Table(_) | Found::Value(Value::Dict(..)) => self.deserialize_map(visitor),
            Found::Value(Value::Array(..)) => self.deserialize_seq(visitor),
            Found::Value(Value::String(_, text)) => visitor.visit_str(text),
            Found::Value(Value::Char(_, letter)) => visitor.visit_char(*letter),
            Found::Value(Value::Bool(_, truth)) => visitor.visit_bool(*truth),
            Found::Value(Value::Empty(..)) => visitor.visit_none(),
            Found::Value(Value::Num(_, number)) => match number.to_i128() {
                Some(number) if i64::try_from(number).is_ok() => visitor.visit_i64(number as i64),
                Some(number) => visitor.visit_i128(number),
                None => visitor.visit_f64(number.to_f64().unwrap_or(f64::NAN)),
            },
        }
    }
}

impl<'de> Deserializer<'de> for Reader<'_> {
    type Error = Fault;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.any(visitor)
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.variable_text().map(str::trim) {
            Some("true") => visitor.visit_bool(true),
            Some("false") => visitor.visit_bool(false),
            _ if matches!(self.found, Found::StandIn) => visitor.visit_bool(false),
            _ => self.any(visitor),
        }
    }

    fn deserialize_i8<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.whole_number(visitor)
    }
    fn deserialize_i16<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.whole_number(visitor)
    }
    fn deserialize_i32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.whole_number(visitor)
    }
    fn deserialize_i64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.whole_number(visitor)
    }
    fn deserialize_u8<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.whole_number(visitor)
    }
    fn deserialize_u16<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.whole_number(visitor)
    }
    fn deserialize_u32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.whole_number(visitor)
    }
    fn deserialize_u64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.whole_number(visitor)
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.deserialize_f64(visitor)
    }
    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.variable_text().map(|text| text.trim().parse()) {
            Some(Ok(number)) => visitor.visit_f64(number),
            _ if matches!(self.found, Found::StandIn) => visitor.visit_f64(1.0),
            _ => self.any(visitor),
        }
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.text() {
            Some(text) => visitor.visit_string(text),
            None => self.any(visitor),
        }
    }
    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.deserialize_str(visitor)
    }
    fn deserialize_char<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.deserialize_str(visitor)
    }
    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.deserialize_str(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.found {
            Found::Value(Value::Empty(..)) => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        if let Some(text) = self.variable_text() {
            let elements = text
                .split(',')
                .map(str::trim)
                .filter(|text| !text.is_empty());
            let elements = elements.map(|text| StringDeserializer::new(text.to_owned()));
            return visitor.visit_seq(SeqDeserializer::new(elements));
        }
        match self.found {
            Found::Value(Value::Array(_, list)) => visitor.visit_seq(Elements {
                reader: self,
                rest: list.iter().enumerate(),
            }),
            Found::StandIn => visitor.visit_seq(SeqDeserializer::new(std::iter::empty::<
                StrDeserializer<'_, Fault>,
            >())),
            _ => self.any(visitor),
        }
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match (self.table(), self.found) {
            (Some(table), _) => visitor.visit_map(Entries {
                entries: table
                    .iter()
                    .map(|(key, value)| (key.as_str(), Found::Value(value)))
                    .collect(),
                reader: self,
                value: None,
            }),
            (None, Found::StandIn) => visitor.visit_map(Entries {
                entries: Vec::new(),
                reader: self,
                value: None,
            }),
            (None, _) => self.any(visitor),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        let empty = Dict::new();
        let Some(table) = self
            .table()
            .or_else(|| matches!(self.found, Found::StandIn).then_some(&empty))
        else {
            return self.any(visitor);
        };
        self.reading.note_known(&self.path, table, fields);
        let missing = self.reading.missing.borrow();
        let entries = fields.iter().filter_map(|&field| match table.get(field) {
            Some(value) if !missing.contains(&self.path.key(field)) => {
                Some((field, Found::Value(value)))
            }
            _ => missing
                .contains(&self.path.key(field))
                .then_some((field, Found::StandIn)),
        });
        let mut entries: Vec<_> = entries.collect();
        drop(missing);
        entries.reverse();
        let path = self.path.clone();
        let entries = Entries {
            reader: self,
            entries,
            value: None,
        };
        visitor
            .visit_map(entries)
            .map_err(|fault| fault.or_at(&path))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        let path = self.path.clone();
        let result = match self.table() {
            Some(table) if table.len() == 1 => {
                let (name, value) = table.iter().next().expect("one entry");
                let payload = self.at(self.path.key(name), Found::Value(value));
                visitor.visit_enum(Variant { name, payload })
            }
            Some(_) => Err(Fault::wrong(format!(
                "expected a table with exactly one of the keys {}",
                list(variants.iter().copied())
            ))),
            None => match self.text() {
                Some(name) => visitor.visit_enum(StringDeserializer::new(name)),
                None => self.any(visitor),
            },
        };
        result.map_err(|fault| fault.or_at(&path))
    }

    serde::forward_to_deserialize_any! {
        i128 u128 bytes byte_buf unit unit_struct tuple tuple_struct ignored_any
    }
}
