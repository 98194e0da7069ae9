//! What a stream rule remembers, and no more than that.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// How many values a rule remembers at most. Each half fills a hash table of 2¹⁹ places as far as such
/// tables are filled, seven of eight; with small values both take some 20 MB.
const MOST: usize = 7 << 17;

/// Values by the [`fingerprint`] of their key. When it is full, the half that was put in longest ago is
/// forgotten.
#[derive(Debug)]
pub(crate) struct Memory<V> {
    older: HashMap<u64, V>,
    newer: HashMap<u64, V>,
    most: usize,
    has_forgotten: bool,
}

impl<V> Default for Memory<V> {
    fn default() -> Self {
        Self::of(MOST)
    }
}

impl<V> Memory<V> {
    fn of(most: usize) -> Self {
        Self {
            older: HashMap::new(),
            newer: HashMap::new(),
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

    pub(crate) fn has_forgotten(&self) -> bool {
        self.has_forgotten
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
