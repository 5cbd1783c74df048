//! How a transfer gets its circuit: which controller sends a scout, and what has to give way to it.

use super::routers::{Mode, ScoutPacket, Sender, Turned, Way};
use super::scout_options::Resend;
use super::scouted::{Circuit, IDLE, NONE, ScoutedNetwork, Start};
use super::{EntryPoint, Priority, Transfer};
use crate::settings::Ties;
use crate::time::{Nanos, SimTime};

impl ScoutedNetwork {
    /// Gives back what circuits had that have ended by `now`, unless they are kept: those rest.
    pub(super) fn end_circuits(&mut self, now: SimTime) {
        self.next_end = SimTime::NEVER;
        for controller in 0..self.by_controller.len() as u32 {
            let Circuit { chip, until, kept, .. } = self.by_controller[controller as usize];
            if chip == NONE {
                continue;
            }
            if until > now {
                self.next_end = self.next_end.min(until);
            } else if kept {
                let circuit = &mut self.by_controller[controller as usize];
                (circuit.rests, circuit.until) = (true, SimTime::NEVER);
                self.network.rest(controller);
                self.rests.now[usize::from(controller >= self.grid.of_host)] += 1;
                self.ended += 1;
            } else {
                self.end_circuit(controller);
            }
        }
    }

    pub(super) fn end_circuit(&mut self, controller: u32) {
        let from = self.grid.controllers[controller as usize];
        for path in 0..self.by_controller[controller as usize].paths {
            self.network.clear(controller * self.options.paths + path, from);
        }
        self.forget(controller);
    }

    /// Nobody has a circuit any more that is out of the tables.
    fn forget(&mut self, controller: u32) {
        let Circuit { chip, links, rests, .. } =
            std::mem::replace(&mut self.by_controller[controller as usize], IDLE);
        self.links_released += u64::from(links);
        self.circuit_to[chip as usize] = NONE;
        let kind = usize::from(controller >= self.grid.of_host);
        self.rests.now[kind] -= u32::from(rests);
        self.idle[kind] += 1;
        self.ended += 1;
    }

    /// A circuit at rest gives way.
    #[cold]
    fn remove(&mut self, controller: u32) {
        self.note_removed(controller);
        self.end_circuit(controller);
    }

    fn note_removed(&mut self, controller: u32) {
        let Circuit { chip, rests, .. } = self.by_controller[controller as usize];
        assert!(rests, "a circuit in use is never removed");
        self.rests.preemptions += 1;
        self.rests.failed(chip);
    }

    /// Whether controllers are left from which a transfer of normal priority could come.
    #[inline]
    pub(super) fn are_left(&self, of_collector: bool) -> bool {
        let kind = usize::from(of_collector);
        self.idle[kind] != 0 || self.rests.now[kind] != 0
    }

    /// When a circuit ends, if [`Self::start`] refuses a transfer of normal priority without a scout.
    #[inline]
    pub(super) fn refused_at_once(&self, chip: u32, of_collector: bool) -> Option<SimTime> {
        if self.options.resend == Resend::AtOnce {
            return None;
        }
        let at = self.circuit_to[chip as usize];
        let in_use = at != NONE && !self.by_controller[at as usize].rests;
        let turned = self.turned_at[of_kind(chip, self.rests.are_kept())] == self.ended;
        (in_use || turned || !self.are_left(of_collector)).then_some(self.next_end)
    }

    /// How a transfer to a chip gets a circuit, `before_rest` if circuits at rest give way to it; or when to ask again.
    #[inline]
    pub(super) fn start(
        &mut self,
        now: SimTime,
        chip: u32,
        transfer: &Transfer,
        of_collector: bool,
        before_rest: bool,
    ) -> Result<Start, SimTime> {
        let at = self.circuit_to[chip as usize];
        if at != NONE {
            if !self.by_controller[at as usize].rests {
                return Err(self.next_end);
            }
            if transfer.priority == Priority::Low {
                return Ok(Start::Resume(at));
            }
        }
        if self.idle[usize::from(of_collector)] == 0 && !before_rest {
            return Err(self.next_end);
        }
        let list = if of_collector { &self.of_collector } else { &self.of_host };
        let each = list.len() / self.circuit_to.len();
        let nearest = &list[chip as usize * each..][..each];
        let with = |wanted: fn(&Circuit) -> bool| {
            nearest.iter().copied().find(|controller| wanted(&self.by_controller[*controller as usize]))
        };
        let resting = || if before_rest { with(|circuit| circuit.rests) } else { None };
        let controller = with(|circuit| circuit.chip == NONE).or_else(resting).ok_or(self.next_end)?;
        // Where a scout has found no way, none goes in the same state of the network.
        let of_kind = of_kind(chip, before_rest);
        match self.options.resend {
            Resend::OnChange if self.turned_at[of_kind] == self.ended => Err(self.next_end),
            Resend::AtOnce if self.back_at[of_kind] > now => Err(self.back_at[of_kind]),
            _ if self.options.ties == Ties::Lowest => Ok(Start::Scout(controller)),
            _ => Ok(Start::Scout(self.one_as_near(controller, chip, of_collector))),
        }
    }

    /// One of those that are as near to a chip as a controller, and idle or with a circuit at rest as that is.
    fn one_as_near(&mut self, controller: u32, chip: u32, of_collector: bool) -> u32 {
        let to = self.grid.chips[chip as usize];
        let distance = |other: u32| self.grid.distance(self.grid.controllers[other as usize], to);
        let rests = self.by_controller[controller as usize].rests;
        let as_it = |other: &u32| {
            let circuit = &self.by_controller[*other as usize];
            distance(*other) == distance(controller)
                && circuit.rests == rests
                && (rests || circuit.chip == NONE)
        };
        let of_host = 0..self.grid.of_host;
        let own = self.grid.of_host..self.by_controller.len() as u32;
        let candidates = if of_collector { own } else { of_host };
        let equals = candidates.filter(as_it).map(|other| ((), other));
        self.ties.choose(equals).unwrap_or(controller)
    }

    /// A circuit that rests is in use again.
    pub(super) fn resume(&mut self, controller: u32, transfer: &Transfer) {
        let circuit = &mut self.by_controller[controller as usize];
        (circuit.rests, circuit.kept) = (false, transfer.keeps_circuit);
        let Circuit { chip, links, paths, .. } = *circuit;
        self.rests.now[usize::from(controller >= self.grid.of_host)] -= 1;
        self.rests.resumed += 1;
        self.rests.succeeded(chip, transfer);
        self.counts.hops += u64::from(links);
        let (from, to) = (self.grid.controllers[controller as usize], self.grid.chips[chip as usize]);
        self.counts.detours += u64::from(links - paths * self.grid.distance(from, to));
        self.ways[links as usize] += 1;
    }

    /// Sends a scout, and where it finds a way, further ones for ways beside it.
    pub(super) fn scout(
        &mut self,
        now: SimTime,
        controller: u32,
        chip: u32,
        transfer: &Transfer,
        before_rest: bool,
    ) -> Result<(), SimTime> {
        let from = self.grid.controllers[controller as usize];
        let to = self.grid.chips[chip as usize];
        let elevated = before_rest && transfer.priority == Priority::Low;
        debug_assert!(
            fits_its_bits(controller, chip, transfer, elevated),
            "a scout is not what its flits say"
        );
        let (id, of_kind) = (controller * self.options.paths, of_kind(chip, before_rest));
        self.counts.scouts += 1;
        let sent = if before_rest && self.rests.now != [0; 2] {
            self.scout_before_rest(controller, chip)
        } else {
            self.network.send_scout(id, from, to)
        };
        let first = match sent {
            Ok(way) => way,
            Err(turned) => {
                if self.rests.are_kept() && transfer.priority == Priority::Low {
                    self.rests.failed(chip);
                }
                self.counts.turned += 1;
                self.counts.backtracks += u64::from(turned.travelled / 2);
                self.turned_at[of_kind] = self.ended;
                let flits = 2;
                let back = now + Nanos(u64::from(turned.travelled + flits) * self.options.hop.0);
                self.back_at[of_kind] = back;
                return Err(if self.options.resend == Resend::AtOnce { back } else { self.next_end });
            }
        };
        self.rests.elevations += u64::from(elevated);
        self.rests.succeeded(chip, transfer);
        let kept = transfer.keeps_circuit && self.rests.are_kept();
        let mut circuit = Circuit { chip, until: SimTime::NEVER, kept, ..IDLE };
        let mut found = Some(first);
        while let Some(way) = found {
            self.counts.backtracks += u64::from((way.travelled - way.hops) / 2);
            let counted = if self.options.count_scout_hops { way.travelled } else { way.hops };
            circuit.paths += 1;
            circuit.hops = circuit.hops.max(counted);
            circuit.links += way.hops;
            self.ways[way.hops as usize] += 1;
            // At the controller's own router there is nothing to go beside.
            let further = circuit.paths < self.options.paths && way.hops > 0;
            found = further.then(|| self.network.send_scout(id + circuit.paths, from, to).ok()).flatten();
            self.counts.scouts += u64::from(further);
            self.counts.turned += u64::from(further && found.is_none());
        }
        self.counts.hops += u64::from(circuit.links);
        self.counts.detours += u64::from(circuit.links - circuit.paths * self.grid.distance(from, to));
        self.links_reserved += u64::from(circuit.links);
        self.by_controller[controller as usize] = circuit;
        self.circuit_to[chip as usize] = controller;
        self.idle[usize::from(controller >= self.grid.of_host)] -= 1;
        Ok(())
    }

    /// Sends a scout before which circuits at rest give way: that of its own controller first, that at the chip last.
    #[cold]
    fn scout_before_rest(&mut self, controller: u32, chip: u32) -> Result<Way, Turned> {
        if self.by_controller[controller as usize].rests {
            self.remove(controller);
        }
        let (from, to) = (self.grid.controllers[controller as usize], self.grid.chips[chip as usize]);
        let sent = self.network.send_scout_before_rest(controller, from, to);
        while let Some(removed) = self.network.next_removed() {
            self.note_removed(removed);
            self.forget(removed);
        }
        let at_chip = self.circuit_to[chip as usize];
        if sent.is_ok() && at_chip != NONE {
            self.remove(at_chip);
        }
        sent
    }
}

/// Where it is noted what scouts to a chip have met, those before which circuits at rest give way apart.
#[inline]
fn of_kind(chip: u32, before_rest: bool) -> usize {
    2 * chip as usize + usize::from(before_rest)
}

/// Whether a scout, if it has room in its two flits, comes out of them as it went in.
fn fits_its_bits(controller: u32, chip: u32, transfer: &Transfer, elevated: bool) -> bool {
    let sender =
        if transfer.entry == EntryPoint::Collector { Sender::GcController } else { Sender::FlashController };
    let high_priority = elevated || transfer.priority != Priority::Low;
    let packet = ScoutPacket { mode: Mode::Reserve, sender, chip, controller, high_priority };
    packet.encode().is_none_or(|flits| ScoutPacket::decode(flits) == Some(packet))
}
