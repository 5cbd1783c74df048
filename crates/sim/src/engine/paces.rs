//! What jobs may relocate in exchange for pages that the host writes, and which of them wait for more.

use crate::ids::{JobId, PlaneId};
use crate::settings::GcPace;

/// What the pace of a plane's job goes by.
#[derive(Debug, Clone, Copy)]
struct Paced {
    /// Pages that the host has taken since the job began.
    written: u64,
    /// The job, if it waits for more of them.
    waits: JobId,
    /// Whether the job is to be looked at, because what it waits for may have come.
    noted: bool,
}

/// The pace of every plane's job.
#[derive(Debug)]
pub(super) struct Paces {
    pace: GcPace,
    /// Empty where nothing is paced.
    planes: Box<[Paced]>,
    /// In the order in which they were noted.
    noted: Vec<PlaneId>,
    /// Number of jobs that wait.
    waiting: u32,
}

impl Paces {
    pub(super) fn new(pace: GcPace, planes: u32) -> Self {
        let planes = if pace.is_off() { 0 } else { planes as usize };
        let none = Paced { written: 0, waits: JobId::NONE, noted: false };
        Self { pace, planes: vec![none; planes].into(), noted: Vec::with_capacity(planes), waiting: 0 }
    }

    /// A job begins in a plane.
    pub(super) fn begin(&mut self, plane: PlaneId) {
        self.planes[plane.index()].written = 0;
    }

    /// Whether a job may relocate more than the pages `relocated`, where the victim had so many valid pages when it
    /// began, and the plane has so many free blocks of those with which collection starts.
    pub(super) fn allows(
        &self,
        plane: PlaneId,
        relocated: u64,
        [valid, pages]: [u64; 2],
        [free, start]: [u64; 2],
    ) -> bool {
        let written = u128::from(self.planes[plane.index()].written);
        let relocated = u128::from(relocated);
        match self.pace {
            GcPace::Off => true,
            GcPace::Share(share) => relocated * 1_000_000 < written * u128::from(share.ppm),
            // The fewer blocks are free, the faster: up to a third more than what the victim wins.
            GcPace::ByVictim => {
                let [invalid, slack] = [pages - valid, 3 * start + (free + 1).min(start)].map(u128::from);
                relocated * invalid * slack < written * u128::from(valid * 4 * start)
            }
        }
    }

    /// The host has taken a page of a plane.
    pub(super) fn note_written(&mut self, plane: PlaneId) {
        self.planes[plane.index()].written += 1;
        self.note(plane);
    }

    /// Whether any job waits.
    pub(super) fn any_waits(&self) -> bool {
        self.waiting > 0
    }

    /// The job of a plane that waits, if it does.
    pub(super) fn waiting(&self, plane: PlaneId) -> Option<JobId> {
        Some(self.planes[plane.index()].waits).filter(|job| job.is_some())
    }

    /// A job of a plane waits, or it does not.
    pub(super) fn set_waiting(&mut self, plane: PlaneId, job: Option<JobId>) {
        let state = &mut self.planes[plane.index()];
        self.waiting -= u32::from(state.waits.is_some());
        self.waiting += u32::from(job.is_some());
        state.waits = job.unwrap_or(JobId::NONE);
    }

    /// What the job of a plane waits for may have come.
    pub(super) fn note(&mut self, plane: PlaneId) {
        let state = &mut self.planes[plane.index()];
        if !state.noted {
            state.noted = true;
            self.noted.push(plane);
        }
    }

    /// The plane noted at a place of the list; it is not noted any more.
    pub(super) fn take_noted(&mut self, at: usize) -> Option<PlaneId> {
        let plane = *self.noted.get(at)?;
        self.planes[plane.index()].noted = false;
        Some(plane)
    }

    /// All that were noted have been taken.
    pub(super) fn end_noted(&mut self) {
        self.noted.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three of four pages are valid and collection starts at four free blocks: three for each page of the host, and up
    /// to a third more the fewer are free. With one free: 14 · g < 48 · w.
    #[test]
    fn the_pace_of_a_victim_rises_as_free_blocks_go() {
        let mut paces = Paces::new(GcPace::ByVictim, 1);
        let plane = PlaneId(0);
        paces.planes[0].written = 2;
        let most = |free| (0..100).find(|given| !paces.allows(plane, *given, [3, 4], [free, 4])).unwrap();
        assert_eq!([most(9), most(3), most(1), most(0)], [6, 6, 7, 8]);
    }
}
