//! What a trace will write, page by page: an oracle for the bound of what a policy can win.

use crate::ids::Lpn;

/// When the data of each logical page ends, over one play of a trace.
#[derive(Debug, Clone, Default)]
pub struct Future {
    /// Where the ends of each logical page begin in `ends`, and one more.
    starts: Vec<u32>,
    /// Numbers of the page writes with or before which data ends, ascending for each logical page.
    ends: Vec<u32>,
    /// Page writes of one play.
    writes: u32,
    /// Whether it is played once, and not again and again.
    once: bool,
}

/// Collects what a trace does.
#[derive(Debug, Default)]
pub struct Foreseen {
    /// Logical page, and number of the write with or before which its data ends.
    all: Vec<(u32, u32)>,
    /// Whether a page has been written.
    written: Vec<bool>,
    writes: u32,
}

impl Foreseen {
    /// Nothing yet, of so many logical pages.
    pub fn new(logical_pages: u32) -> Self {
        Self { written: vec![false; logical_pages as usize], ..Self::default() }
    }

    /// A page is written.
    pub fn write(&mut self, lpn: Lpn) {
        self.all.push((lpn.0, self.writes));
        self.written[lpn.index()] = true;
        self.writes += 1;
    }

    /// A page is trimmed; what the trace has not written before does not matter.
    pub fn trim(&mut self, lpn: Lpn) {
        if self.written[lpn.index()] {
            self.all.push((lpn.0, self.writes));
        }
    }

    /// All that was collected, by logical page.
    pub fn finish(mut self) -> Future {
        self.all.sort_unstable();
        let mut starts = vec![0; self.written.len() + 1];
        for (lpn, _) in &self.all {
            starts[*lpn as usize + 1] += 1;
        }
        for page in 1..starts.len() {
            starts[page] += starts[page - 1];
        }
        Future {
            starts,
            ends: self.all.into_iter().map(|(_, end)| end).collect(),
            writes: self.writes,
            once: false,
        }
    }
}

impl Future {
    /// Page writes of one play.
    pub fn writes(&self) -> u32 {
        self.writes
    }

    /// The same trace, played once.
    #[must_use]
    pub fn once(self) -> Self {
        Self { once: true, ..self }
    }

    /// How many page writes from `now` on, of which so many were in this play, until the data of a page ends; `None`
    /// if the trace never writes it, or not again.
    pub fn lifetime(&self, lpn: Lpn, now: u32) -> Option<u64> {
        let at = |page: usize| self.starts.get(page).map(|start| *start as usize);
        let ends = &self.ends[at(lpn.index())?..at(lpn.index() + 1)?];
        let next = ends.partition_point(|end| *end < now);
        let (end, later) = match ends.get(next) {
            Some(end) => (*end, 0),
            None if self.once => return None,
            None => (*ends.first()?, self.writes),
        };
        Some(u64::from(end) + u64::from(later) - u64::from(now) + 1)
    }
}

/// What a policy knows that hears of every page that the host writes.
#[derive(Debug, Default)]
pub struct Foresight {
    /// Nothing is known before the trace is played.
    future: Option<Future>,
    /// Page writes of this play of the trace so far.
    now: u32,
}

impl Foresight {
    /// The trace is played from now on, again and again.
    pub fn begin(&mut self, future: Future) {
        (self.future, self.now) = (Some(future), 0);
    }

    /// The host writes a page.
    pub fn page_written(&mut self) {
        let Some(future) = &self.future else { return };
        self.now += 1;
        if self.now >= future.writes() {
            self.now = 0;
        }
    }

    /// How many page writes from now on until the data of a page ends; `None` if the trace never writes it, or is not
    /// played yet.
    pub fn lifetime(&self, lpn: Lpn) -> Option<u64> {
        self.future.as_ref().and_then(|future| future.lifetime(lpn, self.now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lifetimes_go_on_in_the_next_play() {
        let mut seen = Foreseen::new(4);
        for lpn in [0, 1, 0] {
            seen.write(Lpn(lpn));
        }
        seen.trim(Lpn(1));
        seen.trim(Lpn(2));
        let future = seen.finish();
        assert_eq!(future.writes(), 3);
        assert_eq!(future.lifetime(Lpn(0), 1), Some(2), "written again by the third");
        assert_eq!(future.lifetime(Lpn(1), 2), Some(2), "trimmed after the third");
        assert_eq!(future.lifetime(Lpn(0), 3), Some(1), "the first of the next play");
        assert_eq!((future.lifetime(Lpn(2), 0), future.lifetime(Lpn(3), 0)), (None, None));
    }
}
