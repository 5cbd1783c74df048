//! What text and binary recordings of the Linux block layer share: which events are requests, and what they ask.

use crate::checked::{Parsed, ReadOptions};
use crate::devices::{Devices, MajorMinor};
use crate::error::excerpt;
use crate::options::Event;
use crate::{Op, Record, TraceError};

/// A moment in the life of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Action {
    /// `Q`: handed to the block layer.
    Queued,
    /// `D`: issued to the device.
    Issued,
    /// `C`: completed by the device.
    Completed,
    /// `R`: the device did not take it; it will be issued once more.
    Requeued,
    /// Any other: merged, inserted, remapped, plugged, a message and so on.
    Other,
}

/// Issue events if the beginning of the recording has any; recordings without them have queue events at least.
pub(super) fn usual(actions: impl Iterator<Item = Action>) -> Event {
    let mut queued = false;
    for action in actions {
        match action {
            Action::Issued => return Event::Issued,
            Action::Queued => queued = true,
            Action::Completed | Action::Requeued | Action::Other => {}
        }
    }
    if queued { Event::Queued } else { Event::Issued }
}

/// What an event says of its request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// It stands for the request.
    Stands,
    /// The request will be issued once more, and counts once.
    Requeues,
    /// The request is done, issued once more or not.
    Ends,
    /// Nothing of interest.
    Passed,
}

/// Turns events into requests.
pub(super) struct Requests {
    event: Event,
    /// Whether the event was asked for, so that others are no surprise.
    asked_for: bool,
    devices: Devices<MajorMinor>,
    /// Whether queue events were passed over.
    queue_events: bool,
    /// Whether any events were passed over, as they are in a recording from which nobody picked some.
    others: bool,
    requeued: Requeued,
}

impl Requests {
    pub(super) fn new(how: &ReadOptions, usual: impl FnOnce() -> Event) -> Result<Self, TraceError> {
        Ok(Self {
            event: how.options.event.unwrap_or_else(usual),
            asked_for: how.options.event.is_some(),
            devices: Devices::new(how, "device")?,
            queue_events: false,
            others: false,
            requeued: Requeued::default(),
        })
    }

    /// What an event with this action says of its request.
    #[inline]
    pub(super) fn role(&mut self, action: Action) -> Result<Role, String> {
        match (action, self.event) {
            (Action::Issued, Event::Issued)
            | (Action::Queued, Event::Queued)
            | (Action::Completed, Event::Completed) => Ok(Role::Stands),
            (Action::Issued, Event::Queued) if !self.asked_for => {
                Err("a D (issued) event, but the beginning of the file has only Q (queued) events: \
                     say which to take with --event D or --event Q"
                    .to_owned())
            }
            (action, _) => {
                self.queue_events |= action == Action::Queued;
                self.others = true;
                Ok(match (action, self.event) {
                    (Action::Requeued, Event::Issued) => Role::Requeues,
                    (Action::Completed, Event::Issued) if self.requeued.any() => Role::Ends,
                    _ => Role::Passed,
                })
            }
        }
    }

    /// Whether all kinds of events seem to be there, so that the recording is as its program made it.
    pub(super) fn is_whole(&self) -> bool {
        self.others
    }

    /// The requests that an event asks for, whose role is not that of being passed over.
    #[inline]
    pub(super) fn take(&mut self, role: Role, asked: &Asked) -> Result<Parsed, String> {
        if role == Role::Stands && !self.devices.takes(asked.device)? {
            return Ok(Parsed::Nothing);
        }
        if asked.appends && role == Role::Stands && self.event != Event::Completed {
            return Err("a zone append: only its completion says where the drive has put it; \
                        take completions with --event C"
                .to_owned());
        }
        match role {
            Role::Stands if self.event == Event::Issued => {
                if self.requeued.any() && self.requeued.holds(asked) {
                    return Ok(self.requeued.issued_again(asked));
                }
                self.requeued.issued(asked);
            }
            Role::Stands => {}
            Role::Requeues => {
                self.requeued.add(asked);
                return Ok(Parsed::Nothing);
            }
            Role::Ends => {
                self.requeued.ended(asked);
                return Ok(Parsed::Nothing);
            }
            Role::Passed => return Ok(Parsed::Nothing),
        }
        let Asked { time_ns, flush, offset_bytes, size_bytes, .. } = *asked;
        let flushed = Record { time_ns, offset_bytes: 0, size_bytes: 0, op: Op::Flush, stream: 0 };
        let Some(op) = asked.op else {
            // Neither data nor flush is a command that touches nothing.
            return Ok(if flush { Parsed::One(flushed) } else { Parsed::Nothing });
        };
        if size_bytes == 0 && flush {
            return Ok(Parsed::One(flushed));
        }
        let record = Record { time_ns, offset_bytes, size_bytes, op, stream: 0 };
        Ok(if flush { Parsed::Two(flushed, record) } else { Parsed::One(record) })
    }

    /// Why a recording that ended without a request may have done so.
    pub(super) fn nothing_found(&self) -> String {
        if let Some(reason) = self.devices.nothing_found() {
            return reason;
        }
        match self.event {
            Event::Issued if self.queue_events => {
                "holds no requests: no D (issued) events; there are Q (queued) \
                                                   events: take them with --event Q"
                    .to_owned()
            }
            _ if self.asked_for => format!("holds no requests: no {} events", self.event.describe()),
            _ => "holds no requests: neither D (issued) nor Q (queued) events".to_owned(),
        }
    }
}

/// What an event asks of the drive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Asked {
    pub(super) device: MajorMinor,
    pub(super) time_ns: u64,
    /// Whether everything written before must be durable first, or nothing else is asked.
    pub(super) flush: bool,
    /// What is done, if anything; then there is an address, too.
    pub(super) op: Option<Op>,
    /// Whether the drive chooses the place, which only the completion tells.
    pub(super) appends: bool,
    pub(super) offset_bytes: u64,
    pub(super) size_bytes: u64,
}

// Requests that a device did not take and that the block layer issues once more: of these, only what was not issued
// before counts.

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
struct Requeued {
    waiting: Vec<Waiting>,
    /// First byte and end of requests that were issued lately, in a ring.
    lately: Vec<(u64, u64)>,
    next: usize,
}

impl Requeued {
    #[inline]
    fn any(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// A request was issued that was not issued before.
    #[inline]
    fn issued(&mut self, asked: &Asked) {
        let place = (asked.offset_bytes, asked.offset_bytes.saturating_add(asked.size_bytes));
        if self.lately.len() < REMEMBERED {
            self.lately.push(place);
        } else {
            self.lately[self.next] = place;
            self.next = (self.next + 1) % REMEMBERED;
        }
    }

    /// A request waits to be issued once more. One that was issued before the recording began has not been counted.
    fn add(&mut self, asked: &Asked) {
        let at = asked.offset_bytes;
        let forgotten = self.lately.len() == REMEMBERED;
        if forgotten || self.lately.iter().any(|(from, to)| *from == at || (*from..*to).contains(&at)) {
            self.waiting.push(Waiting::of(asked));
        }
    }

    /// Whether any of a request that is issued now was issued before.
    fn holds(&self, asked: &Asked) -> bool {
        self.waiting.iter().any(|waiting| waiting.meets(asked))
    }

    /// What counts of a request that [`Requeued::holds`]: what was merged into it since it was issued first. Of more
    /// than two such pieces all but the first are taken with what lies between them, so that none is lost.
    fn issued_again(&mut self, asked: &Asked) -> Parsed {
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
    fn ended(&mut self, asked: &Asked) {
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

// The flags of a request, as the kernel and blkparse print them.

/// The flags that blkparse and the kernel call RWBS.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Rwbs {
    /// Whether everything written before must be durable first, or nothing else is asked.
    pub(super) flush: bool,
    /// What is done with the sectors, if anything.
    pub(super) op: Option<Op>,
    /// A write to a zone, whose place the drive chooses.
    pub(super) appends: bool,
    /// A command for zones that moves no data; its sectors say which zone.
    pub(super) manages: bool,
}

impl Rwbs {
    /// An optional F (flush first), one letter for the operation, or Z and one, then letters for how it is done.
    /// Kernels before 2.6.37 write a B there, for a barrier: what was written before must be durable first, as with F.
    #[inline]
    pub(super) fn parse(flags: &[u8]) -> Result<Self, String> {
        let (flush, rest) = match flags {
            [b'F', rest @ ..] => (true, rest),
            _ => (false, flags),
        };
        let (mut appends, mut manages) = (false, false);
        let (op, hints) = match rest {
            [b'Z', b'A', hints @ ..] => {
                appends = true;
                (Some(Op::Write), hints)
            }
            // A zone that is reset holds nothing; opened, closed or finished it holds what it did. All zones at once
            // (ZRA) have no address.
            [b'Z', b'R', hints @ ..] if hints.first() != Some(&b'A') => (Some(Op::Trim), hints),
            [b'Z', b'O' | b'C' | b'F', hints @ ..] => {
                manages = true;
                (None, hints)
            }
            // An E after it makes the discard a secure erase; zeros written without data leave nothing to keep.
            [b'W', b'Z', hints @ ..] | [b'D', b'E', hints @ ..] | [b'D', hints @ ..] => {
                (Some(Op::Trim), hints)
            }
            [b'R', hints @ ..] => (Some(Op::Read), hints),
            [b'W', hints @ ..] => (Some(Op::Write), hints),
            // The kernel writes a flush request as FF or F, blkparse as FN.
            [b'F' | b'N', hints @ ..] => (None, hints),
            [] if flush => (None, rest),
            _ => return Err(unknown(flags)),
        };
        // Force unit access, ahead of need, synchronous, metadata, untorn: how, not what.
        if hints.iter().all(|hint| matches!(hint, b'F' | b'A' | b'B' | b'S' | b'M' | b'U')) {
            Ok(Self { flush: flush || hints.contains(&b'B'), op, appends, manages })
        } else {
            Err(unknown(flags))
        }
    }
}

#[cold]
fn unknown(flags: &[u8]) -> String {
    format!(
        "unknown RWBS flags \"{}\"; valid: R, W, D (discard), DE, WZ (write zeroes), N or F (flush), ZA \
         (zone append), ZR, ZO, ZC, ZF (zone reset, open, close, finish), after an optional F (flush first), \
         followed by any of F, A, B (barrier), S, M, U",
        excerpt(flags)
    )
}
