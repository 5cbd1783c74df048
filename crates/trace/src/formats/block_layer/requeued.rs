//! Requests that a device did not take and that the block layer issues once more: of these, only what was not issued
//! before counts.

use super::asked::Asked;
use crate::checked::Parsed;
use crate::devices::MajorMinor;
use crate::{Op, Record};

/// So many of the last issued requests are remembered.
const REMEMBERED: usize = 1024;

/// A request, or a part of one, that waits to be issued once more.
#[derive(Debug, Clone, Copy)]
struct Waiting {
    device: MajorMinor,
    /// `None` for a flush alone, which has no bytes.
    op: Option<Op>,
    from: u64,
    to: u64,
}

impl Waiting {
    fn of(asked: &Asked) -> Self {
        let Asked { device, op, offset_bytes, size_bytes, .. } = *asked;
        Self { device, op, from: offset_bytes, to: offset_bytes.saturating_add(size_bytes) }
    }

    /// Whether any of it is of the request.
    fn meets(&self, asked: &Asked) -> bool {
        let other = Self::of(asked);
        let overlaps = self.from < other.to && other.from < self.to;
        self.device == other.device && self.op == other.op && (overlaps || self.op.is_none())
    }
}

#[derive(Debug, Default)]
pub(super) struct Requeued {
    waiting: Vec<Waiting>,
    /// First byte and end of requests that were issued lately, in a ring.
    lately: Vec<(u64, u64)>,
    next: usize,
}

impl Requeued {
    #[inline]
    pub(super) fn any(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// A request was issued that was not issued before.
    #[inline]
    pub(super) fn issued(&mut self, asked: &Asked) {
        let place = (asked.offset_bytes, asked.offset_bytes.saturating_add(asked.size_bytes));
        if self.lately.len() < REMEMBERED {
            self.lately.push(place);
        } else {
            self.lately[self.next] = place;
            self.next = (self.next + 1) % REMEMBERED;
        }
    }

    /// A request waits to be issued once more. One that was issued before the recording began has not been counted.
    pub(super) fn add(&mut self, asked: &Asked) {
        let at = asked.offset_bytes;
        let forgotten = self.lately.len() == REMEMBERED;
        if forgotten || self.lately.iter().any(|(from, to)| *from == at || (*from..*to).contains(&at)) {
            self.waiting.push(Waiting::of(asked));
        }
    }

    /// Whether any of a request that is issued now was issued before.
    pub(super) fn holds(&self, asked: &Asked) -> bool {
        self.waiting.iter().any(|waiting| waiting.meets(asked))
    }

    /// What counts of a request that [`Requeued::holds`]: what was merged into it since it was issued first. Of more
    /// than two such pieces all but the first are taken with what lies between them, so that none is lost.
    pub(super) fn issued_again(&mut self, asked: &Asked) -> Parsed {
        let Waiting { from, to, .. } = Waiting::of(asked);
        let mut before: Vec<(u64, u64)> = Vec::new();
        before.extend(self.waiting.iter().filter(|waiting| waiting.meets(asked)).map(|it| (it.from, it.to)));
        before.sort_unstable();
        self.ended(asked);
        self.issued(asked);
        let Some(op) = asked.op else { return Parsed::Nothing };
        let mut pieces = Vec::new();
        let mut at = from;
        for (begins, ends) in before {
            if begins > at {
                pieces.push((at, begins));
            }
            at = at.max(ends);
        }
        if at < to {
            pieces.push((at, to));
        }
        let record = |from: u64, to: u64| Record {
            time_ns: asked.time_ns,
            offset_bytes: from,
            size_bytes: to - from,
            op,
            stream: 0,
        };
        match pieces.as_slice() {
            [] => Parsed::Nothing,
            [(from, to)] => Parsed::One(record(*from, *to)),
            [(from, to), (begins, _), ..] => {
                let ends = pieces.last().map_or(*begins, |(_, ends)| *ends);
                Parsed::Two(record(*from, *to), record(*begins, ends))
            }
        }
    }

    /// A request is done, or issued: nothing of it waits any longer.
    pub(super) fn ended(&mut self, asked: &Asked) {
        let Waiting { from, to, .. } = Waiting::of(asked);
        let mut left = Vec::new();
        let mut flush_met = false;
        self.waiting.retain(|waiting| {
            if !waiting.meets(asked) || waiting.op.is_none() && std::mem::replace(&mut flush_met, true) {
                return true;
            }
            if waiting.from < from {
                left.push(Waiting { to: from, ..*waiting });
            }
            if waiting.to > to {
                left.push(Waiting { from: to, ..*waiting });
            }
            false
        });
        self.waiting.append(&mut left);
    }
}
