//! What a stream rule remembers, and no more than that.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, DefaultHasher, Hash, Hasher};

/// How many values a rule remembers at most. Each half fills a hash table of 2¹⁹ places as far as such
/// tables are filled, seven of eight; with small values both take some 20 MB.
const MOST: usize = 7 << 17;

/// Values by the [`fingerprint`] of their key. When it is full, the half that was put in longest ago is
/// forgotten.
#[derive(Debug)]
pub(crate) struct Memory<V> {
    older: Map<V>,
    newer: Map<V>,
    most: usize,
    has_forgotten: bool,
}

impl<V> Default for Memory<V> {
    fn default() -> Self {
        Self::of(MOST)
    }
}

impl<V> Memory<V> {
    /// Remembers at most so many values.
    fn of(most: usize) -> Self {
        Self {
            older: Map::default(),
            newer: Map::default(),
            most,
            has_forgotten: false,
        }
    }

    /// The value that was put in last under a key, unless it is forgotten.
    pub(crate) fn get(&self, key: u64) -> Option<&V> {
        self.newer.get(&key).or_else(|| self.older.get(&key))
    }

    /// Puts a value in, in place of the one under that key.
    pub(crate) fn put(&mut self, key: u64, value: V) {
        if self.newer.len() >= self.most / 2 && !self.newer.contains_key(&key) {
            self.has_forgotten |= !self.older.is_empty();
            self.older = std::mem::take(&mut self.newer);
        }
        self.newer.insert(key, value);
    }

    /// Whether anything that was put in may be forgotten.
    pub(crate) fn has_forgotten(&self) -> bool {
        self.has_forgotten
    }
}

/// By fingerprints, which are not hashed again.
type Map<V> = HashMap<u64, V, BuildHasherDefault<AsItIs>>;

#[derive(Clone, Copy, Debug, Default)]
struct AsItIs(u64);

impl Hasher for AsItIs {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, fingerprint: u64) {
        self.0 = fingerprint;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// A number that stands for a value. Two values share one so seldom that it does not matter.
pub(crate) fn fingerprint(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remembers_the_newest() {
        let mut memory = Memory::of(4);
        for number in 0..4 {
            memory.put(number, number);
        }
        memory.put(3, 30);
        assert_eq!(memory.get(0), Some(&0));
        assert_eq!(memory.get(3), Some(&30));
        assert!(!memory.has_forgotten());
        memory.put(4, 4);
        memory.put(5, 5);
        assert_eq!(memory.get(0), None);
        assert_eq!(memory.get(3), Some(&30));
        assert!(memory.has_forgotten());
    }
}
