//! Keys in the order in which they were used, in tables of a fixed size: no hashing.

/// No slot, no key.
const NONE: u32 = u32::MAX;

/// Up to so many of some keys, the one used last in front.
#[derive(Debug)]
pub(super) struct Lru {
    /// By key: where it is held.
    slots: Box<[u32]>,
    /// By slot: the key, the slot of the one used next after it, and of the one used last before it.
    keys: Vec<u32>,
    newer: Vec<u32>,
    older: Vec<u32>,
    newest: u32,
    oldest: u32,
    capacity: usize,
}

impl Lru {
    /// None is held yet, of the keys below `count`.
    pub(super) fn new(count: u32, capacity: u32) -> Self {
        Self {
            slots: vec![NONE; count as usize].into(),
            keys: Vec::new(),
            newer: Vec::new(),
            older: Vec::new(),
            newest: NONE,
            oldest: NONE,
            capacity: capacity as usize,
        }
    }

    /// Memory for so many of `count` keys, bytes.
    pub(super) fn bytes(count: u32, capacity: u32) -> u64 {
        u64::from(count) * 4 + u64::from(capacity) * 12
    }

    /// How many keys there are, held or not.
    pub(super) fn count(&self) -> u32 {
        self.slots.len() as u32
    }

    /// Whether a key is held.
    pub(super) fn has(&self, key: u32) -> bool {
        self.slots[key as usize] != NONE
    }

    /// A key is used that is held. Tells whether it is.
    pub(super) fn touch(&mut self, key: u32) -> bool {
        let slot = self.slots[key as usize];
        if slot == NONE {
            return false;
        }
        if slot != self.newest {
            self.unlink(slot);
            self.push(slot);
        }
        true
    }

    /// A key is held from now on that was not; the least recently used one that had to go for it.
    pub(super) fn insert(&mut self, key: u32) -> Option<u32> {
        if self.keys.len() < self.capacity {
            self.keys.push(key);
            self.newer.push(NONE);
            self.older.push(NONE);
            self.slots[key as usize] = self.keys.len() as u32 - 1;
            self.push(self.keys.len() as u32 - 1);
            return None;
        }
        let slot = self.oldest;
        let gone = std::mem::replace(&mut self.keys[slot as usize], key);
        self.slots[gone as usize] = NONE;
        self.slots[key as usize] = slot;
        if slot != self.newest {
            self.unlink(slot);
            self.push(slot);
        }
        Some(gone)
    }

    /// The keys, the one used longest ago first.
    pub(super) fn keys(&self) -> impl Iterator<Item = u32> {
        let next = |slot: &u32| Some(self.newer[*slot as usize]).filter(|slot| *slot != NONE);
        let first = Some(self.oldest).filter(|slot| *slot != NONE);
        std::iter::successors(first, next).map(|slot| self.keys[slot as usize])
    }

    fn unlink(&mut self, slot: u32) {
        let (newer, older) = (self.newer[slot as usize], self.older[slot as usize]);
        if older == NONE {
            self.oldest = newer;
        } else {
            self.newer[older as usize] = newer;
        }
        if newer == NONE { self.newest = older } else { self.older[newer as usize] = older }
    }

    fn push(&mut self, slot: u32) {
        let before = std::mem::replace(&mut self.newest, slot);
        (self.newer[slot as usize], self.older[slot as usize]) = (NONE, before);
        if before == NONE { self.oldest = slot } else { self.newer[before as usize] = slot }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_one_used_longest_ago_goes(
            keys in prop::collection::vec(0_u32..9, 0..80), capacity in 1_u32..6,
        ) {
            let (mut lru, mut held) = (Lru::new(9, capacity), Vec::new());
            for key in keys {
                prop_assert_eq!(lru.has(key), held.contains(&key));
                let was_held = lru.touch(key);
                prop_assert_eq!(was_held, held.contains(&key));
                held.retain(|other| *other != key);
                held.push(key);
                let gone = (held.len() > capacity as usize).then(|| held.remove(0));
                if !was_held {
                    prop_assert_eq!(lru.insert(key), gone);
                }
                prop_assert_eq!(lru.keys().collect::<Vec<_>>(), held.clone());
            }
        }
    }
}
