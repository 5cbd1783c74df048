//! The collector's buffer: pages lifted out of victims, to be written back, and room for those that jobs will lift.
//! There is one for the whole drive. `docs/model.md`, 13.10, 13.30 and 13.31.

use crate::gc::Batch;
use crate::metric::{Metric, Reading};

const LIFTED: Metric = Metric {
    name: "lifted_pages",
    unit: "pages",
    about: "Pages sent from the buffer to the flash, those whose write-back is then cancelled among them.",
};

const STALLS: Metric = Metric {
    name: "buffer_stalls",
    unit: "answers",
    about: "Times a job had to wait because the buffer had no room for its pages; it asks again.",
};

const REDIRECTED: Metric = Metric {
    name: "redirected_pages",
    unit: "pages",
    about: "Pages whose write-back was sent to another plane than the victim's.",
};

const CANCELLED: Metric = Metric {
    name: "cancelled_write_backs",
    unit: "pages",
    about: "Pages that the host overwrote or trimmed in the buffer, so that they were not written back.",
};

const ABSORBED: Metric = Metric {
    name: "absorbed_writes",
    unit: "pages",
    about: "Pages that the host wrote into the buffer, where they are written back with the others.",
};

/// What a buffer counts: the metrics of the policies that have one.
pub(super) const METRICS: [Metric; 5] = [LIFTED, STALLS, REDIRECTED, CANCELLED, ABSORBED];

/// How a policy wants the buffer.
#[derive(Debug, Clone, Copy)]
pub struct BufferRules {
    /// Number of pages that it has room for.
    pub capacity: u32,
    /// In how many batches a job lifts its pages; all of a batch are written back before the next.
    pub batches: u32,
    /// Whether the way to a chip is held between the pages that are written back to it.
    pub holds: bool,
    /// Whether what the host writes replaces a page in the buffer, instead of being written beside it.
    pub absorbs_writes: bool,
}

/// The buffer. A job takes room for a batch of its victim's pages when it begins; room is given back page by page.
#[derive(Debug)]
pub struct GcBuffer {
    rules: BufferRules,
    /// Number of pages in it, and of those that jobs have still to read.
    occupied: u32,
    has_room_again: bool,
    /// In the order of [`METRICS`].
    counted: [u64; METRICS.len()],
}

impl GcBuffer {
    /// An empty one.
    pub fn new(rules: BufferRules) -> Self {
        Self { rules, occupied: 0, has_room_again: false, counted: [0; METRICS.len()] }
    }

    /// How the policy wants it.
    #[inline]
    pub fn rules(&self) -> &BufferRules {
        &self.rules
    }

    /// Number of pages that take room.
    pub fn occupied(&self) -> u32 {
        self.occupied
    }

    /// Number of pages of a batch, of a victim with so many valid ones.
    pub fn pages_of_batch(&self, valid: u32) -> u32 {
        valid.div_ceil(self.rules.batches)
    }

    /// Whether there is room for a job that is about to begin on a victim with so many valid pages; it takes that then.
    pub fn admits(&mut self, valid: u32) -> bool {
        let pages = self.pages_of_batch(valid);
        let fits = self.occupied + pages <= self.rules.capacity;
        if fits {
            self.occupied += pages;
        } else {
            self.counted[1] += 1;
        }
        fits
    }

    /// The only place where room is given back.
    fn give_back(&mut self, pages: u32) {
        self.occupied -= pages;
        self.has_room_again |= pages > 0;
    }

    /// Whether room was given back since this was asked last.
    pub fn take_has_room_again(&mut self) -> bool {
        std::mem::take(&mut self.has_room_again)
    }

    /// A page of a victim does not come into the buffer: nobody wants it any more. In batches its room is for another
    /// page of the victim, and given back when all are lifted.
    pub fn is_passed_over(&mut self) {
        if self.rules.batches == 1 {
            self.give_back(1);
        }
    }

    /// The last page of a victim was lifted, with this batch. Fewer pages than it has room for may have been taken, the
    /// host having replaced some before anybody looked at them.
    pub fn all_lifted(&mut self, Batch { pages, taken, lifted }: Batch) {
        self.give_back(pages - if self.rules.batches == 1 { taken } else { lifted });
    }

    /// A page is sent back to flash, to the plane it came from or to another.
    pub fn is_sent(&mut self, redirected: bool) {
        self.counted[0] += 1;
        self.counted[2] += u64::from(redirected);
    }

    /// A page is not written back, because the host has replaced it; `needs_room` as in [`Self::leaves`].
    pub fn is_cancelled(&mut self, needs_room: bool) {
        self.counted[3] += 1;
        self.leaves(needs_room);
    }

    /// A page is in the buffer no more. Its job may still need the room, for its next batch.
    pub fn leaves(&mut self, needs_room: bool) {
        self.give_back(u32::from(!needs_room));
    }

    /// The host has written a page in the buffer.
    pub fn absorbs(&mut self) {
        self.counted[4] += 1;
    }

    /// Where its counters stand.
    pub fn readings(&self) -> impl Iterator<Item = Reading> {
        METRICS.iter().zip(self.counted).map(|(metric, count)| metric.is(count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn buffer(batches: u32, capacity: u32) -> GcBuffer {
        GcBuffer::new(BufferRules { capacity, batches, holds: false, absorbs_writes: false })
    }

    /// The buffer is full with its last page, not before; in batches a job takes as many pages as a batch has.
    #[test]
    fn jobs_are_admitted_up_to_the_last_page() {
        let mut whole = buffer(1, 8);
        assert_eq!([5, 3, 1].map(|pages| whole.admits(pages)), [true, true, false]);
        assert!(!whole.take_has_room_again());
        whole.is_passed_over();
        assert_eq!([2, 1].map(|pages| whole.admits(pages)), [false, true]);
        assert_eq!((whole.occupied(), whole.counted[1]), (8, 2));
        assert_eq!([(); 2].map(|()| whole.take_has_room_again()), [true, false]);
        // Of five pages the larger batch has three.
        let mut halves = buffer(2, 5);
        assert_eq!([5, 5, 4].map(|pages| halves.admits(pages)), [true, false, true]);
        halves.is_passed_over();
        halves.leaves(true);
        assert!(!halves.take_has_room_again() && halves.occupied() == 5, "the next batch needs the room");
    }
}
