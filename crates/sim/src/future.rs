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
    pub fn finish(self) -> Future {
        let mut starts = vec![0; self.written.len() + 1];
        for (lpn, _) in &self.all {
            starts[*lpn as usize + 1] += 1;
        }
        for page in 1..starts.len() {
            starts[page] += starts[page - 1];
        }
        // What was collected is in the order of the trace: so it stays of each page.
        let (mut next, mut ends) = (starts.clone(), vec![0; self.all.len()]);
        for (lpn, end) in self.all {
            let at = &mut next[lpn as usize];
            ends[*at as usize] = end;
            *at += 1;
        }
        Future { starts, ends, writes: self.writes, once: false }
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
    /// if the trace never writes it, or not again. `passed`: so many of its ends lie before `now`, and perhaps more,
    /// which are added.
    fn lifetime(&self, lpn: Lpn, now: u32, passed: &mut u32) -> Option<u64> {
        let at = |page: usize| self.starts.get(page).map(|start| *start as usize);
        let ends = &self.ends[at(lpn.index())?..at(lpn.index() + 1)?];
        while ends.get(*passed as usize).is_some_and(|end| *end < now) {
            *passed += 1;
        }
        let (end, later) = match ends.get(*passed as usize) {
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
    /// Of each logical page how many ends are known to lie before that. It is asked for often, and looks at each once.
    passed: Vec<u32>,
}

impl Foresight {
    /// The trace is played from now on, again and again.
    pub fn begin(&mut self, future: Future) {
        self.passed = vec![0; future.starts.len()];
        (self.future, self.now) = (Some(future), 0);
    }

    /// The host writes a page.
    pub fn page_written(&mut self) {
        let Some(future) = &self.future else { return };
        self.now += 1;
        if self.now >= future.writes() {
            self.now = 0;
            self.passed.fill(0);
        }
    }

    /// How many page writes from now on until the data of a page ends; `None` if the trace never writes it, or is not
    /// played yet.
    pub fn lifetime(&mut self, lpn: Lpn) -> Option<u64> {
        let passed = self.passed.get_mut(lpn.index())?;
        self.future.as_ref()?.lifetime(lpn, self.now, passed)
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
        let lifetime = |lpn, now| future.lifetime(Lpn(lpn), now, &mut 0);
        assert_eq!(lifetime(0, 1), Some(2), "written again by the third");
        assert_eq!(lifetime(1, 2), Some(2), "trimmed after the third");
        assert_eq!(lifetime(0, 3), Some(1), "the first of the next play");
        assert_eq!((lifetime(2, 0), lifetime(3, 0)), (None, None));
    }

    /// Page 0 is written as the first, the third and the fourth of five pages, again and again.
    #[test]
    fn what_was_passed_in_one_play_comes_again_in_the_next() {
        let mut seen = Foreseen::new(3);
        for lpn in [0, 1, 0, 0, 1] {
            seen.write(Lpn(lpn));
        }
        let mut foresight = Foresight::default();
        assert_eq!(foresight.lifetime(Lpn(0)), None, "not played yet");
        foresight.begin(seen.finish());
        let mut after_each = || {
            foresight.page_written();
            [0, 1, 2, 7].map(|lpn| foresight.lifetime(Lpn(lpn)))
        };
        let found: Vec<_> = (0..7).map(|_| after_each()[..2].to_vec()).collect();
        let pages = |first, second| vec![Some(first), Some(second)];
        let [one, two] = [pages(2, 1), pages(1, 3)];
        assert_eq!(found, [one.clone(), two.clone(), pages(1, 2), pages(2, 1), pages(1, 2), one, two]);
        assert_eq!(after_each()[2..], [None, None], "never written, and no page");
    }
}
