//! Wake-ups of networks on which each die needs something else: everybody who waits asks, line by line.
//!
//! Of a crowded network nearly all who ask are refused, and many wait. So what it keeps in mind is asked first: whether
//! all its controllers are taken, then whether this die is refused whatever it moves. Only whoever may get something is
//! looked up.

use super::drive::Drive;
use super::ops::is_of_host;
use super::waiting::{Attempt, Want};
use crate::ids::DieId;
use crate::interconnect::{Busy, Direction};
use crate::scheduler::Class;
use crate::time::SimTime;

/// What a network says to whoever is to move data that its array has read, for the host and for collection, while
/// nothing of the network changes: refused, or to be asked.
type Standing = [Option<Busy>; 2];

/// The place in a [`Standing`] of a die that is to go on with what its array has done.
#[inline]
fn kind_of(want: Want) -> usize {
    usize::from(want != Want::FinishHost)
}

impl<const PLAIN: bool> Drive<PLAIN> {
    /// Those who wait in a domain ask one after the other; who is refused stays.
    pub(super) fn serve_everybody(&mut self, domain: u32) {
        self.waits.begin_walk(domain);
        let mut again = SimTime::NEVER;
        let (mut standing, mut refused): (Option<Standing>, u64) = (None, 0);
        while let Some(die) = self.waits.next_in_walk() {
            let want = self.waits.want_of(die);
            let starting = want.is_to_start();
            debug_assert_eq!(starting, self.dies[die].waits_to_start(), "a die wants what it waits for");
            if !starting {
                let known = *standing.get_or_insert_with(|| self.standing());
                if known[kind_of(want)].is_some() {
                    // So are most of those behind it.
                    let mut met = [false; 2];
                    refused += self.waits.pass_in_walk(|want| {
                        let stays = !want.is_to_start() && known[kind_of(want)].is_some();
                        met[kind_of(want)] |= stays;
                        stays
                    });
                    let said = known.into_iter().zip(met).filter_map(|(busy, met)| busy.filter(|_| met));
                    said.for_each(|busy| again = again.min(busy.until.unwrap_or(SimTime::NEVER)));
                    continue;
                }
                if let Some(busy) = self.refuse_finish(die, want) {
                    self.waits.stay_in_walk(die);
                    again = again.min(busy.until.unwrap_or(SimTime::NEVER));
                    continue;
                }
            }
            // Whatever is chosen, not any more, or asked for can change what is free: a scout that turns may have
            // removed circuits at rest.
            standing = None;
            let attempt = if starting {
                self.start_waiting::<true>(domain, die)
            } else {
                self.finish_over_channel(die, self.dies[die].active_ops())
            };
            match attempt {
                Attempt::Served => {}
                Attempt::Moved => continue,
                Attempt::Refused(busy) => {
                    self.waits.stay_in_walk(die);
                    again = again.min(busy.until.unwrap_or(SimTime::NEVER));
                    continue;
                }
            }
            self.waits.leave_in_walk();
            if starting {
                self.has_stopped_waiting(die);
            }
        }
        if refused > 0 {
            self.note_refused(refused);
        }
        if again != SimTime::NEVER {
            self.wake_at(domain, again);
        }
    }

    /// Where those who wait go first, some have joined without asking, and the network has not heard of them.
    fn standing(&mut self) -> Standing {
        if self.needs.waiting_first() || !self.needs.tells_taken() {
            return [None; 2];
        }
        let now = self.events.now();
        let Some(refusals) = self.interconnect.refusals() else { return [None; 2] };
        [false, true].map(|for_gc| refusals.all_taken(now, for_gc))
    }

    #[cold]
    fn note_refused(&mut self, count: u64) {
        if let Some(refusals) = self.interconnect.refusals() {
            refusals.note_refused(count);
        }
    }

    /// The start of a class is refused whatever it is, and the refusal counted; none where that takes a closer look. A
    /// program of a relocated page asks with less than others, and is looked up.
    #[inline]
    pub(super) fn refuse_start(&mut self, die: DieId, class: Class) -> Option<Busy> {
        if class == Class::GcWrite {
            return None;
        }
        self.refuse_at_once(die, !is_of_host(class), Direction::ToFlash)
    }

    /// The same of a die that is to go on with what its array has done.
    #[inline]
    fn refuse_finish(&mut self, die: DieId, want: Want) -> Option<Busy> {
        self.refuse_at_once(self.home_of(die), want != Want::FinishHost, want.direction())
    }

    #[inline]
    fn refuse_at_once(&mut self, die: DieId, for_gc: bool, direction: Direction) -> Option<Busy> {
        let now = self.events.now();
        self.interconnect.refusals()?.refuse_at_once(now, die, for_gc, direction)
    }
}
