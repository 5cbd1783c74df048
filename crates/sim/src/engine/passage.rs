//! Pages of the host that pass the controller's buffer memory while the channel is free for others.

use super::drive::Drive;
use super::ops::OpKind;
use super::queue::{Event, Timer};
use crate::ids::OpId;

impl Drive {
    /// A page that was read, or is to be written, begins to pass the memory. All take the same time, so the first that
    /// began is the first that ends.
    pub(super) fn begin_passage(&mut self, id: OpId) {
        let end = self.events.now() + self.timing.passage;
        if self.passing.is_empty() {
            self.events.schedule(end, Event::Timer(Timer::Passage));
        }
        self.passing.push_back((end, id));
    }

    /// Pages have passed the memory: reads are answered, writes sent to their planes together.
    pub(super) fn passages_end(&mut self) {
        let now = self.events.now();
        self.defer_starts();
        while let Some((_, id)) = self.passing.pop_front_if(|(end, _)| *end == now) {
            let passage = self.timing.passage;
            let op = &mut self.ops[id];
            if op.kind == OpKind::Read {
                op.spent.charge_transfer(passage);
                self.part_done(id);
                continue;
            }
            op.waits_for -= 1;
            if op.waits_for == 0 {
                // The read of the rest may have taken the first part of this time.
                op.spent.charge_transfer(now.since(op.since));
                self.place_write(id);
            }
        }
        if let Some((end, _)) = self.passing.front() {
            self.events.schedule(*end, Event::Timer(Timer::Passage));
        }
        self.start_deferred();
    }
}
