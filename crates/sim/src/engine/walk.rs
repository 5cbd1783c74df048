//! Wake-ups of networks on which each die needs something else: everybody who waits asks, line by line.
//!
//! Of a crowded network nearly all who ask are refused, and many wait. So what it keeps in mind is asked first: whether
//! all its controllers are taken, then whether this die is refused whatever it moves. Only whoever may get something is
//! looked up.

use super::drive::Drive;
use super::ops::HOST;
use super::waiting::{Attempt, Want, want_of};
use crate::ids::DieId;
use crate::interconnect::{Busy, Direction};
use crate::scheduler::Class;
use crate::time::SimTime;

/// What a network says to whoever goes on closing, of the host and of collection, while nothing of it changes: refused,
/// or to be asked.
type Standing = [Option<Busy>; 2];

const NEVER: SimTime = SimTime(u64::MAX);

/// Of a die that goes on closing, its place in a [`Standing`].
#[inline]
fn kind_of(want: Want) -> usize {
    usize::from(want != Want::FinishHost)
}

impl Drive {
    /// Those who wait in a domain ask one after the other; who is refused stays.
    pub(super) fn serve_everybody(&mut self, domain: u32) {
        self.waits.begin_walk(domain);
        let mut again = NEVER;
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
                    said.for_each(|busy| again = again.min(busy.until.unwrap_or(NEVER)));
                    continue;
                }
                if let Some(busy) = self.finish_is_refused(die, want) {
                    self.waits.stay_in_walk(die);
                    again = again.min(busy.until.unwrap_or(NEVER));
                    continue;
                }
            }
            // Whatever is chosen, not any more, or asked for can change what is free: a scout that turns may have
            // removed circuits at rest.
            standing = None;
            let attempt = if starting {
                match self.next_class(die) {
                    // The operation it waited to start is gone, and what is left belongs in a list that is served
                    // later.
                    Some((class, _)) if self.waits.compare(die, want_of(class)).is_gt() => {
                        self.waits.rejoin(domain, want_of(class), die);
                        continue;
                    }
                    Some((class, plane)) => self
                        .start_is_refused(die, class)
                        .map_or_else(|| self.start(die, class, plane), Attempt::Refused),
                    None => Attempt::Served,
                }
            } else {
                self.finish_over_channel(die)
            };
            if let Attempt::Refused(busy) = attempt {
                self.waits.stay_in_walk(die);
                again = again.min(busy.until.unwrap_or(NEVER));
                continue;
            }
            self.waits.leave_in_walk(domain);
            if starting {
                self.has_stopped_waiting(die);
            }
        }
        if refused > 0 {
            self.interconnect.note_refused(refused);
        }
        if again != NEVER {
            self.wake_at(domain, again);
        }
    }

    /// Where those who wait go first, some have joined without asking, and the network has not heard of them.
    fn standing(&mut self) -> Standing {
        if self.needs.waiting_first || !self.needs.tells_taken {
            return [None; 2];
        }
        let now = self.events.now();
        [false, true].map(|for_gc| self.interconnect.all_taken(now, for_gc))
    }

    /// Whether the start of a class is refused whatever it is. A program of a relocated page asks with less than
    /// others, and is looked up.
    #[inline]
    fn start_is_refused(&mut self, die: DieId, class: Class) -> Option<Busy> {
        if class == Class::GcWrite {
            return None;
        }
        let for_gc = HOST & (1 << class as u8) == 0;
        self.interconnect.turns_down(self.events.now(), die, for_gc, Direction::ToFlash)
    }

    #[inline]
    fn finish_is_refused(&mut self, die: DieId, want: Want) -> Option<Busy> {
        let direction = if want == Want::FinishCopyback { Direction::ToFlash } else { Direction::FromFlash };
        let home = self.home_of(die);
        self.interconnect.turns_down(self.events.now(), home, want != Want::FinishHost, direction)
    }
}
