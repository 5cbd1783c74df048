//! What text and binary recordings of the Linux block layer share: which events are requests, and what they ask.

use crate::checked::Parsed;
use crate::devices::{Devices, MajorMinor};
use crate::options::Event;
use crate::{Op, OpenOptions, Record, TraceError};

/// A moment in the life of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Action {
    /// `Q`: handed to the block layer.
    Queued,
    /// `D`: issued to the device.
    Issued,
    /// `C`: completed by the device.
    Completed,
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
            Action::Completed | Action::Other => {}
        }
    }
    if queued { Event::Queued } else { Event::Issued }
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
    pub(super) offset_bytes: u64,
    pub(super) size_bytes: u64,
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
}

impl Requests {
    pub(super) fn new(options: &OpenOptions, usual: impl FnOnce() -> Event) -> Result<Self, TraceError> {
        Ok(Self {
            event: options.event.unwrap_or_else(usual),
            asked_for: options.event.is_some(),
            devices: Devices::new(options, "device")?,
            queue_events: false,
            others: false,
        })
    }

    /// Whether an event with this action stands for its request.
    #[inline]
    pub(super) fn stands(&mut self, action: Action) -> Result<bool, String> {
        match (action, self.event) {
            (Action::Issued, Event::Issued)
            | (Action::Queued, Event::Queued)
            | (Action::Completed, Event::Completed) => Ok(true),
            (Action::Issued, Event::Queued) if !self.asked_for => {
                Err("a D (issued) event, but the beginning of the file has only Q (queued) events: \
                     say which to take with --event D or --event Q"
                    .to_owned())
            }
            (action, _) => {
                self.queue_events |= action == Action::Queued;
                self.others = true;
                Ok(false)
            }
        }
    }

    /// Whether all kinds of events seem to be there, so that the recording is as its program made it.
    pub(super) fn is_whole(&self) -> bool {
        self.others
    }

    /// The requests of an event that stands for one.
    #[inline]
    pub(super) fn take(&mut self, asked: &Asked) -> Result<Parsed, String> {
        if !self.devices.takes(asked.device)? {
            return Ok(Parsed::Nothing);
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
