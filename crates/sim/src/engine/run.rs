//! The run loop: feed requests, take events, until nothing is left.

use std::ops::ControlFlow;

use reclaim_trace::{Op, Record, RecordSource, TraceError};

use super::drive::Drive;
use super::event_queue::{Event, Timer};
use super::progress::Progress;
use crate::host::{AddressMapper, RemapError};
use crate::look_ahead::LookAhead;
use crate::settings::HostMode;
use crate::time::SimTime;

/// Why a run ended early.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// The caller asked to stop.
    #[error("interrupted")]
    Interrupted,
    /// The trace cannot be read on.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// The trace's addresses cannot be mapped to the drive's.
    #[error(transparent)]
    Remap(#[from] RemapError),
    /// All requests of a window are completed: no run goes on from there.
    #[error("a window is over")]
    WindowIsOver,
    /// A check inside the simulator failed: a bug in Reclaim.
    #[error("the simulator contradicts itself: {0}")]
    Inconsistent(String),
}

/// Records are fetched in batches of this many.
const BATCH: usize = 4096;

/// Events between two looks at the caller.
const EVENTS_PER_LOOK: u64 = 1 << 15;

struct Feeder<'a> {
    source: &'a mut dyn RecordSource,
    batch: Vec<Record>,
    next: usize,
    ended: bool,
    ahead: LookAhead,
}

impl Feeder<'_> {
    fn peek(&mut self) -> Result<Option<&Record>, TraceError> {
        if self.next == self.batch.len() && !self.ended {
            self.batch.clear();
            self.next = 0;
            self.ended = self.source.fill(&mut self.batch, BATCH)? == 0;
        }
        Ok(self.batch.get(self.next))
    }
}

impl Drive {
    /// Play a trace to its end and let the drive come to rest.
    ///
    /// # Errors
    /// When the trace or its addresses are bad, the caller interrupts, or the simulator finds itself inconsistent.
    pub fn run(
        mut self,
        source: &mut dyn RecordSource,
        mapper: &mut AddressMapper,
        total: u64,
        audit_every: Option<u64>,
        control: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
    ) -> Result<Self, Fault> {
        if self.is_plain() && audit_every.is_none() {
            let mut plain = self.compiled::<true>();
            plain.play_to_its_end(source, mapper, total, None, control)?;
            return Ok(plain.compiled());
        }
        self.play_to_its_end(source, mapper, total, audit_every, control)?;
        Ok(self)
    }
}

impl<const PLAIN: bool> Drive<PLAIN> {
    /// To that of the trace, or of the window that is measured.
    fn play_to_its_end(
        &mut self,
        source: &mut dyn RecordSource,
        mapper: &mut AddressMapper,
        total: u64,
        audit_every: Option<u64>,
        control: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
    ) -> Result<(), Fault> {
        match self.play(source, mapper, total, audit_every, control) {
            Err(Fault::WindowIsOver) => {
                self.recorder.measuring.stop();
                self.recorder.take_fault().map_or(Ok(()), |fault| Err(Fault::Inconsistent(fault)))
            }
            played => played,
        }
    }

    fn play(
        &mut self,
        source: &mut dyn RecordSource,
        mapper: &mut AddressMapper,
        total: u64,
        audit_every: Option<u64>,
        control: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
    ) -> Result<(), Fault> {
        let mut feeder = Feeder {
            source,
            batch: Vec::with_capacity(BATCH),
            next: 0,
            ended: false,
            ahead: LookAhead::new(),
        };
        self.await_measuring(total);
        let closed_loop = self.config.host.mode == HostMode::ClosedLoop;
        if !closed_loop {
            self.schedule_arrival(&mut feeder)?;
        }
        // Whatever warm-up or a restored state left to collect.
        self.lose_chip();
        self.ftl.signal_all();
        self.note_all_idle();
        self.run_gc_triggers();
        self.rebuild_more();
        let mut events = 0_u64;
        let is_watched = audit_every.is_some() || self.trials.any();
        loop {
            let topped_up = closed_loop && self.top_up(&mut feeder, mapper)?;
            if topped_up && self.needs.limits_jobs() {
                // A write that now waits for a page may leave nothing else to happen.
                self.consider_stalled();
            }
            if topped_up && self.needs.paced() {
                self.go_on_paced();
            }
            let Some(due) = self.events.pop() else {
                // Requests that end at once need no event, so more may be waiting to be admitted.
                if !topped_up {
                    break;
                }
                self.report_progress(total, control)?;
                continue;
            };
            if let Some(next) = self.events.next_die() {
                self.prefetch_die(next);
            }
            self.record_timeline(self.events.now());
            let event = self.events.event_of(due);
            // Nearly all are of the first two kinds: a jump by kind would be guessed wrong more often.
            if let Event::Die(die) = event {
                self.die_event(die);
            } else if let Event::Wake { domain } = event {
                self.wake(domain);
            } else {
                self.other_event(event, &mut feeder, mapper)?;
            }
            self.after_event();
            events += 1;
            if events.is_multiple_of(EVENTS_PER_LOOK) {
                self.report_progress(total, control)?;
            }
            if PLAIN || !is_watched {
                continue;
            }
            let counts = self.recorder.measuring.has_begun();
            self.trials
                .after_event(events, (&self.dies, &self.ops), &mut self.ftl, counts)
                .map_err(Fault::Inconsistent)?;
            if audit_every.is_some_and(|every| events.is_multiple_of(every)) {
                crate::audit::check(self.ftl(), false).map_err(Fault::Inconsistent)?;
            }
        }
        self.end_measuring();
        if let Some(fault) = self.recorder.take_fault() {
            return Err(Fault::Inconsistent(fault));
        }
        if self.requests.outstanding() > 0 || feeder.peek()?.is_some() {
            return Err(self.stuck());
        }
        Ok(())
    }

    /// An event of neither a die nor a contention domain.
    fn other_event(
        &mut self,
        event: Event,
        feeder: &mut Feeder<'_>,
        mapper: &mut AddressMapper,
    ) -> Result<(), Fault> {
        match event {
            Event::Die(_) | Event::Wake { .. } => unreachable!("whoever calls looks for these first"),
            Event::Link(direction) => self.link_event(direction, mapper)?,
            Event::Timer(Timer::Flush(plane)) => self.flush_due(plane),
            Event::Timer(Timer::Command) => self.command_done(mapper)?,
            Event::Timer(Timer::Lookup) => self.looked_up(mapper)?,
            Event::Timer(Timer::Sum) => self.summed_up(),
            Event::Timer(Timer::Passage) => self.passages_end(),
            Event::Arrival => {
                let record = *feeder.peek()?.expect("an arrival is scheduled for a record");
                feeder.ahead.before(feeder.next, &feeder.batch, &self.ftl, mapper);
                feeder.next += 1;
                if self.window_is_over() {
                    return Err(Fault::WindowIsOver);
                }
                if self.deferring.looks_ahead() > 0 {
                    self.foresee_arrivals(&feeder.batch[feeder.next..], mapper);
                }
                self.admit(&record, mapper)?;
                self.schedule_arrival(feeder)?;
            }
        }
        Ok(())
    }

    /// Report to the caller how far the run has got.
    fn report_progress(
        &self,
        total: u64,
        control: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
    ) -> Result<(), Fault> {
        let done = self.requests.completed();
        let progress = Progress { simulated_ns: self.now().0, ..Progress::of("run", done, total) };
        if control(&progress).is_break() { Err(Fault::Interrupted) } else { Ok(()) }
    }

    fn schedule_arrival(&mut self, feeder: &mut Feeder<'_>) -> Result<(), TraceError> {
        if let Some(record) = feeder.peek()? {
            // Rounding must not reorder: two arrivals may meet, never cross.
            self.events.schedule(self.scaled_time(record).max(self.now()), Event::Arrival);
        }
        Ok(())
    }

    /// When a record of the trace is due.
    pub(super) fn scaled_time(&self, record: &Record) -> SimTime {
        SimTime(self.config.scaled(record.time_ns))
    }

    /// Closed loop: as many requests in flight as the queue depth allows, up to a batch at a time. Tells whether any
    /// was let in.
    fn top_up(&mut self, feeder: &mut Feeder<'_>, mapper: &mut AddressMapper) -> Result<bool, Fault> {
        let mut admitted = 0;
        while self.requests.outstanding() < u64::from(self.config.host.queue_depth) && admitted < BATCH {
            let Some(record) = feeder.peek()?.copied() else { break };
            feeder.ahead.before(feeder.next, &feeder.batch, &self.ftl, mapper);
            feeder.next += 1;
            if self.window_is_over() {
                return Err(Fault::WindowIsOver);
            }
            self.admit(&record, mapper)?;
            admitted += 1;
        }
        Ok(admitted > 0)
    }

    /// Requests to come: when they will arrive, and to which planes they will go.
    pub(super) fn foresee_arrivals(&mut self, coming: &[Record], mapper: &AddressMapper) {
        self.deferring.forget_upcoming();
        let stripes = self.geometry.stripes.as_ref().expect("asked only where there are stripes");
        let page_bytes = u64::from(self.geometry.page_bytes);
        for record in coming.iter().take(self.deferring.looks_ahead()) {
            if !matches!(record.op, Op::Read | Op::Write) {
                continue;
            }
            let at = self.scaled_time(record);
            let (first, count) = mapper.pages(record.offset_bytes, record.size_bytes);
            let known = (first..first + count).filter_map(|page| mapper.known(page * page_bytes));
            for lpn in known.filter(|lpn| lpn.0 < self.geometry.logical_pages) {
                self.deferring.note_upcoming(at, stripes.home(lpn));
            }
        }
    }
}
