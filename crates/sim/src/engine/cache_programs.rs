//! Programs whose data are loaded while the array works on those before them: each die has a cache register, which is
//! what the die itself is occupied with, and an array that works beside it.

use super::die::Phase;
use super::drive::Drive;
use super::ops::OpKind;
use super::spans;
use crate::ids::{DieId, OpId};
use crate::time::{Nanos, SimTime};

impl<const PLAIN: bool> Drive<PLAIN> {
    /// Programs of a die begin, on a channel that carries their data until `arrived`; the array will work on them for
    /// `in_array`.
    #[cold]
    #[inline(never)]
    pub(super) fn load(&mut self, die: DieId, for_gc: bool, arrived: SimTime, in_array: Nanos) {
        self.dies.program_begins(die, !for_gc, self.events.now());
        self.dies[die].load(arrived, in_array);
        self.events.schedule_die(arrived, die);
        self.go_by_array(die);
    }

    /// The data of programs are in the cache register.
    #[cold]
    #[inline(never)]
    pub(super) fn loaded(&mut self, die: DieId) {
        if self.dies.programs(die) {
            let mark = self.die_gc_time(die);
            self.ops.wait_together(self.dies[die].active_ops(), self.events.now(), mark);
            self.dies[die].wait_for_array();
            return;
        }
        self.goes_over(die);
        self.try_start(die);
    }

    /// The array takes what is in the cache register, which is free for the next program.
    fn goes_over(&mut self, die: DieId) {
        let (now, array) = (self.events.now(), self.dies.array(die));
        let (first, in_array, since) = self.dies[die].hand_over();
        self.dies[array].begin(first, false, now, Nanos(0));
        let done_at = self.dies[array].work(now, in_array);
        self.events.schedule_die(done_at, array);
        self.go_by_array(die);
        if !PLAIN && self.recorder.spans.is_some() {
            let doing = (OpKind::Program, self.ops[first].cause.is_collection());
            self.note_part_done(die, doing, (since, now));
        }
        if !PLAIN && let Some(spans) = &mut self.recorder.spans {
            let doing = (OpKind::Program, self.ops[first].cause.is_collection());
            spans::note_part_array(spans, die, doing, (now, done_at));
        }
    }

    /// The array of a die has done with its programs. What is loaded goes over before anything else is chosen.
    #[cold]
    #[inline(never)]
    pub(super) fn programmed(&mut self, array: DieId) {
        let (now, die) = (self.events.now(), self.dies.home(array));
        let first = self.dies[array].active_ops();
        let for_gc = self.ops[first].cause.is_collection();
        // What follows from them can queue operations here, which start when all have ended.
        let choosing = self.dies[die].begin_choosing();
        self.finish_all(die, first);
        self.dies[die].end_choosing(choosing);
        self.dies.program_ends(die, !for_gc, now);
        let since = self.dies[array].end(now);
        if !PLAIN && self.recorder.spans.is_some() {
            self.note_part_done(die, (OpKind::Program, for_gc), (since, now));
        }
        if self.dies[die].phase() == Phase::Loaded {
            self.account_wait_for_array(die);
            self.goes_over(die);
        } else {
            self.go_by_array(die);
        }
        self.offer(die);
    }

    /// Charge the time that programs have waited in the cache register.
    fn account_wait_for_array(&mut self, die: DieId) {
        let (now, gc_time) = (self.events.now(), self.die_gc_time(die));
        let mut id = self.dies[die].active_ops();
        while id.is_some() {
            let op = &mut self.ops[id];
            op.spent.charge_wait(now.since(op.since), gc_time - op.gc_mark);
            id = op.next;
        }
    }

    /// What operations that wait for a die lose to collection is by what its array does, or by what is being loaded if
    /// that takes longer; by what is loaded, or by the channel that the die waits for, while the array does nothing.
    pub(super) fn go_by_array(&mut self, die: DieId) {
        let (now, gc_time) = (self.events.now(), self.die_gc_time(die));
        let mark = self.channel_gc_time(die);
        let (array, register) = (&self.dies[self.dies.array(die)], &self.dies[die]);
        let mut works_on = [array.active_ops(), register.active_ops()];
        if register.is_loaded_after(array) {
            works_on.reverse();
        }
        let first = works_on.into_iter().find(|id: &OpId| id.is_some());
        let for_gc = first.map(|id| self.ops[id].cause.is_collection());
        self.dies[die].go_by(for_gc, now, gc_time, mark);
    }
}
