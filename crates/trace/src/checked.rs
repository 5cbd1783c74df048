//! What every reader does to every record before handing it out: is it a request, is its time in order, and from where
//! do times count.

use crate::formats::Reading;
use crate::options::OnError;
use crate::{Faults, Record};

/// Whether times are checked and made relative while reading, or left for sorting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// Refuse time going backwards.
    Checked,
    /// Times as in the file; the caller sorts.
    AsInFile,
}

/// The records handed out so far, as far as the next depends on them.
#[derive(Debug)]
pub(crate) struct Checked {
    order: Order,
    on_error: OnError,
    first_ns: Option<u64>,
    last_ns: u64,
    pub(crate) faults: Faults,
}

impl Checked {
    pub(crate) fn new(how: &Reading) -> Self {
        Self {
            order: how.order,
            on_error: how.options.on_error,
            first_ns: None,
            last_ns: 0,
            faults: Faults::default(),
        }
    }

    /// Whether no record has been accepted yet.
    pub(crate) fn is_empty(&self) -> bool {
        self.first_ns.is_none()
    }

    /// Whether a record that cannot be read is counted instead of ending the reading.
    pub(crate) fn goes_on(&self) -> bool {
        self.on_error == OnError::Report
    }

    /// Check a record, and its time against the one before.
    #[inline]
    pub(crate) fn accept(&mut self, mut record: Record) -> Result<Record, String> {
        if let Some(fault) = record.fault() {
            return Err(fault);
        }
        if self.order == Order::Checked && record.time_ns < self.last_ns {
            return Err(backwards(record.time_ns, self.last_ns));
        }
        let first_ns = *self.first_ns.get_or_insert(record.time_ns);
        if self.order == Order::Checked {
            self.last_ns = record.time_ns;
            record.time_ns -= first_ns;
        }
        Ok(record)
    }
}

#[cold]
fn backwards(time_ns: u64, last_ns: u64) -> String {
    format!(
        "time goes backwards: {} s after {} s; use --sort to put the requests in order of time first",
        seconds(time_ns),
        seconds(last_ns)
    )
}

fn seconds(time_ns: u64) -> String {
    format!("{}.{:09}", time_ns / 1_000_000_000, time_ns % 1_000_000_000)
}
