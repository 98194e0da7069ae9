//! What a reader hands to serde for the parts of a table, a list or a variant.

use figment::value::Value;
use serde::de::value::StrDeserializer;
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error, MapAccess, SeqAccess, VariantAccess, Visitor,
};

use super::reader::{Found, Reader};
use crate::config::fault::Fault;

/// The entries of a table, those at fault left out.
pub(super) struct Entries<'a> {
    pub(super) reader: Reader<'a>,
    /// Taken from the end.
    pub(super) entries: Vec<(&'a str, Found<'a>)>,
    pub(super) value: Option<Reader<'a>>,
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
pub(super) struct Elements<'a> {
    pub(super) reader: Reader<'a>,
    pub(super) rest: std::iter::Enumerate<std::slice::Iter<'a, Value>>,
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
pub(super) struct Variant<'a> {
    pub(super) name: &'a str,
    pub(super) payload: Reader<'a>,
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
