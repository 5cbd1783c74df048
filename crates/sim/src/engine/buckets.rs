//! Which buckets of the timing wheel hold events.

/// Number of buckets. Two looks find the next one that is filled: into one word of several, and into the word of those.
pub(super) const BUCKETS: usize = WORDS * WORD;

const WORD: usize = u64::BITS as usize;
const WORDS: usize = 16;

/// A bit for each bucket, and one for each word of those.
#[derive(Debug, Default)]
pub(super) struct Buckets {
    words: [u64; WORDS],
    summary: u16,
}

impl Buckets {
    /// A bucket has got an event.
    #[inline]
    pub(super) fn fill(&mut self, bucket: usize) {
        let word = bucket / WORD % WORDS;
        self.words[word] |= 1 << (bucket % WORD);
        self.summary |= 1 << word;
    }

    /// It has none any more.
    #[inline]
    pub(super) fn empty(&mut self, bucket: usize) {
        let word = bucket / WORD % WORDS;
        self.words[word] &= !(1 << (bucket % WORD));
        if self.words[word] == 0 {
            self.summary &= !(1 << word);
        }
    }

    /// How many buckets ahead of `bucket` the first one with an event is; behind the last comes the first.
    #[inline]
    pub(super) fn ahead_of(&self, bucket: usize) -> Option<u64> {
        let word = bucket / WORD % WORDS;
        let rest = self.words[word] >> (bucket % WORD);
        if rest != 0 {
            return Some(u64::from(rest.trailing_zeros()));
        }
        if self.summary == 0 {
            return None;
        }
        // The word itself comes last: what it has before `bucket`.
        let next = (word + 1) % WORDS;
        let words = self.summary.rotate_right(next as u32).trailing_zeros() as usize;
        let found = self.words[(next + words) % WORDS].trailing_zeros() as usize;
        Some(((words + 1) * WORD + found - bucket % WORD) as u64)
    }
}
