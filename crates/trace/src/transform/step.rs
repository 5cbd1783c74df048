//! What most steps have in common: records in one at a time, any number out.

use crate::source::Clock;
use crate::{BadLines, Record, RecordSource, TraceError};

/// Records taken from the source at once.
const AT_ONCE: usize = 4096;

/// Whether a step wants more records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flow {
    /// The next record, please.
    Go,
    /// Nothing that comes later can matter.
    Stop,
}

/// One transform, as it is done to requests in their order.
pub(super) trait Step: Send {
    /// Turn `record` into what comes out for it.
    ///
    /// # Errors
    /// What is wrong with the result.
    fn take(&mut self, record: Record, out: &mut Vec<Record>) -> Result<Flow, String>;

    /// What to say when nothing at all came out.
    fn nothing_left(&self) -> String;

    /// By which clock the records count that come out, if those that go in count by `clock`.
    fn clock(&self, clock: Clock) -> Option<Clock> {
        Some(clock)
    }
}

struct Stepped<S> {
    name: String,
    source: Box<dyn RecordSource>,
    step: S,
    input: Vec<Record>,
    /// What came out and was not asked for yet: `ready[at..]`.
    ready: Vec<Record>,
    at: usize,
    delivered: bool,
    ended: bool,
}

/// `source` with a step behind it. `name` is the trace's, for messages.
pub(super) fn stepped<S: Step + 'static>(
    name: &str,
    source: Box<dyn RecordSource>,
    step: S,
) -> Box<dyn RecordSource> {
    Box::new(Stepped {
        name: name.to_owned(),
        source,
        step,
        input: Vec::with_capacity(AT_ONCE),
        ready: Vec::with_capacity(AT_ONCE),
        at: 0,
        delivered: false,
        ended: false,
    })
}

impl<S: Step> Stepped<S> {
    #[cold]
    fn fail(&self, reason: String) -> TraceError {
        TraceError::Records { name: self.name.clone(), reason }
    }

    /// Take records until something is ready or there are no more.
    fn refill(&mut self) -> Result<(), TraceError> {
        self.ready.clear();
        self.at = 0;
        while self.ready.is_empty() && !self.ended {
            self.input.clear();
            if self.source.fill(&mut self.input, AT_ONCE)? == 0 {
                self.ended = true;
            }
            for record in &self.input {
                match self.step.take(*record, &mut self.ready) {
                    Ok(Flow::Go) => {}
                    Ok(Flow::Stop) => {
                        self.ended = true;
                        break;
                    }
                    Err(reason) => return Err(self.fail(reason)),
                }
            }
        }
        if self.ready.is_empty() && !self.delivered {
            return Err(self.fail(self.step.nothing_left()));
        }
        self.delivered = true;
        Ok(())
    }
}

impl<S: Step> RecordSource for Stepped<S> {
    fn fill(&mut self, out: &mut Vec<Record>, max: usize) -> Result<usize, TraceError> {
        if self.at == self.ready.len() {
            self.refill()?;
        }
        let count = max.min(self.ready.len() - self.at);
        out.extend_from_slice(&self.ready[self.at..self.at + count]);
        self.at += count;
        Ok(count)
    }

    fn bad_lines(&self) -> BadLines {
        self.source.bad_lines()
    }

    fn clock(&self) -> Option<Clock> {
        self.source.clock().and_then(|clock| self.step.clock(clock))
    }
}
