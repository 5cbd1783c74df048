//! What text and binary recordings of the Linux block layer share: which events are requests, and what they ask.

use crate::checked::Parsed;
use crate::devices::{Devices, MajorMinor};
use crate::options::Event;
use crate::{Op, OpenOptions, Record, TraceError};

mod asked;
mod requeued;
mod rwbs;

pub(super) use asked::Asked;
use requeued::Requeued;
pub(super) use rwbs::Rwbs;

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
    pub(super) fn new(options: &OpenOptions, usual: impl FnOnce() -> Event) -> Result<Self, TraceError> {
        Ok(Self {
            event: options.event.unwrap_or_else(usual),
            asked_for: options.event.is_some(),
            devices: Devices::new(options, "device")?,
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
