//! Reads settings values into any serde type, and goes on after a fault.
//!
//! Serde stops at the first error. A [`Reading`] therefore reads in rounds: a value at fault is
//! reported and left out of the next round, a required key that is missing gets a stand-in, until a
//! round ends without a new fault. Values are read by the type that is asked for: a string setting
//! accepts a number, and the text of a variable becomes a number, a list or a truth value where
//! one is asked for.
//!
//! `#[serde(flatten)]` is not supported: it hides the names of the keys.

use std::cell::RefCell;
use std::collections::BTreeSet;

use figment::value::{Dict, Num, Value};
use serde::de::value::{StrDeserializer, StringDeserializer};
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, Error as _, MapAccess, SeqAccess,
    VariantAccess, Visitor,
};

use super::fault::{Fault, FaultKind, list, nearest};
use super::path::Path;
use super::problem::Findings;

/// The key under which the TOML reader hides a date and time that stands without quotes.
const DATETIME: &str = "$__toml_private_datetime";

/// Reads the table at `path` into `T`, reports all faults, and adds the keys that `T` knows to `known`.
pub(super) fn read<T: DeserializeOwned>(
    findings: &Findings<'_>,
    path: &Path,
    table: &Dict,
    known: &RefCell<BTreeSet<String>>,
) -> Option<T> {
    let reading = Reading {
        findings,
        table: path,
        known,
        at_fault: RefCell::default(),
        missing: RefCell::default(),
    };
    let mut is_clean = true;
    loop {
        let reader = Reader {
            reading: &reading,
            path: path.clone(),
            found: Found::Table(table),
        };
        match T::deserialize(reader) {
            Ok(value) => return is_clean.then_some(value),
            Err(fault) => {
                is_clean = false;
                if !reading.note(fault.or_at(path)) {
                    return None;
                }
            }
        }
    }
}

/// One table being read into one type, round after round.
struct Reading<'a> {
    findings: &'a Findings<'a>,
    table: &'a Path,
    known: &'a RefCell<BTreeSet<String>>,
    /// Values that were reported, and are left out.
    at_fault: RefCell<BTreeSet<Path>>,
    /// Required keys that were reported, and get a stand-in.
    missing: RefCell<BTreeSet<Path>>,
}

impl Reading<'_> {
    /// Reports a fault; says whether another round can find more.
    fn note(&self, fault: Fault) -> bool {
        let at = fault.at.unwrap_or_default();
        match fault.kind {
            FaultKind::Missing(key) => {
                if !self.at_fault.borrow().contains(&at) {
                    let table = self.findings.header(&at.parent().unwrap_or_default());
                    self.findings
                        .report(&at, "is missing", format!("add `{key} = …` {table}"));
                }
                self.missing.borrow_mut().insert(at)
            }
            FaultKind::Wrong { .. } if self.missing.borrow().contains(&at) => false,
            FaultKind::Wrong { what, remedy } => {
                let remedy = remedy.unwrap_or_else(|| "correct the value".to_owned());
                self.findings.report(&at, what, remedy);
                self.at_fault.borrow_mut().insert(at)
            }
        }
    }

    fn note_known(&self, path: &Path, table: &Dict, fields: &'static [&'static str]) {
        if path == self.table {
            self.known
                .borrow_mut()
                .extend(fields.iter().map(|&field| field.to_owned()));
        } else {
            report_unknown(self.findings, path, table, fields.iter().copied());
        }
    }
}

/// Reports every key of `table` that is not among `known`.
pub(super) fn report_unknown<'k>(
    findings: &Findings<'_>,
    path: &Path,
    table: &Dict,
    known: impl Iterator<Item = &'k str> + Clone,
) {
    for key in table.keys() {
        if known.clone().all(|other| other != key) {
            let remedy = match nearest(key, known.clone()) {
                Some(other) => format!("did you mean {other:?}?"),
                None => format!("remove it; the keys here are {}", list(known.clone())),
            };
            findings.report(&path.key(key), "is not a key of this table", remedy);
        }
    }
}

/// What there is to read.
#[derive(Clone, Copy)]
enum Found<'a> {
    Value(&'a Value),
    Table(&'a Dict),
    /// Nothing: the key is missing, and reported.
    StandIn,
}

/// Reads one value by the type that is asked for.
#[derive(Clone)]
struct Reader<'a> {
    reading: &'a Reading<'a>,
    path: Path,
    found: Found<'a>,
}

impl<'a> Reader<'a> {
    fn at(&self, path: Path, found: Found<'a>) -> Self {
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
            return visitor.visit_seq(serde::de::value::SeqDeserializer::new(elements));
        }
        match self.found {
            Found::Value(Value::Array(_, list)) => visitor.visit_seq(Elements {
                reader: self,
                rest: list.iter().enumerate(),
            }),
            Found::StandIn => {
                visitor.visit_seq(serde::de::value::SeqDeserializer::new(std::iter::empty::<
                    StrDeserializer<'_, Fault>,
                >()))
            }
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

/// The entries of a table, those at fault left out.
struct Entries<'a> {
    reader: Reader<'a>,
    /// Taken from the end.
    entries: Vec<(&'a str, Found<'a>)>,
    value: Option<Reader<'a>>,
}

impl<'de> MapAccess<'de> for Entries<'_> {
    type Error = Fault;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Fault> {
        while let Some((key, found)) = self.entries.pop() {
            let path = self.reader.path.key(key);
            let is_missing = matches!(found, Found::StandIn);
            if !is_missing && self.reader.reading.at_fault.borrow().contains(&path) {
                continue;
            }
            let key = seed
                .deserialize(StrDeserializer::new(key))
                .map_err(|fault: Fault| fault.or_at(&path))?;
            self.value = Some(self.reader.at(path, found));
            return Ok(Some(key));
        }
        Ok(None)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Fault> {
        let reader = self
            .value
            .take()
            .ok_or_else(|| Fault::custom("a value is read before its key"))?;
        let path = reader.path.clone();
        seed.deserialize(reader).map_err(|fault| fault.or_at(&path))
    }
}

/// The elements of a list, those at fault left out.
struct Elements<'a> {
    reader: Reader<'a>,
    rest: std::iter::Enumerate<std::slice::Iter<'a, Value>>,
}

impl<'de> SeqAccess<'de> for Elements<'_> {
    type Error = Fault;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Fault> {
        for (index, value) in self.rest.by_ref() {
            let path = self.reader.path.index(index);
            if self.reader.reading.at_fault.borrow().contains(&path) {
                continue;
            }
            let reader = self.reader.at(path.clone(), Found::Value(value));
            return seed
                .deserialize(reader)
                .map(Some)
                .map_err(|fault| fault.or_at(&path));
        }
        Ok(None)
    }
}

/// A table with one key, which names the variant.
struct Variant<'a> {
    name: &'a str,
    payload: Reader<'a>,
}

impl<'de, 'a> EnumAccess<'de> for Variant<'a> {
    type Error = Fault;
    type Variant = Reader<'a>;

    fn variant_seed<V: DeserializeSeed<'de>>(
        self,
        seed: V,
    ) -> Result<(V::Value, Reader<'a>), Fault> {
        let path = self.payload.path.clone();
        let variant = seed
            .deserialize(StrDeserializer::new(self.name))
            .map_err(|fault: Fault| fault.or_at(&path))?;
        Ok((variant, self.payload))
    }
}

impl<'de> VariantAccess<'de> for Reader<'_> {
    type Error = Fault;

    fn unit_variant(self) -> Result<(), Fault> {
        Err(Fault::wrong("expected the word alone, not a table").or_at(&self.path))
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Fault> {
        let path = self.path.clone();
        seed.deserialize(self).map_err(|fault| fault.or_at(&path))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Fault> {
        self.deserialize_seq(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        self.deserialize_struct("", fields, visitor)
    }
}

/// A number as people write it.
pub(super) fn number_text(number: Num) -> String {
    match (number.to_u128(), number.to_i128(), number.to_f64()) {
        (Some(number), _, _) => number.to_string(),
        (_, Some(number), _) => number.to_string(),
        (_, _, Some(number)) => number.to_string(),
        _ => String::new(),
    }
}
