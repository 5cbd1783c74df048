//! A long trace, of which windows are measured (`measure.windows`): it is played without time, once, and where a window
//! begins the state of the drive goes to a run with time. Windows know nothing of each other, so that as many as there
//! are processors are measured at once, and the same comes out however many that are; `docs/windows.md`.

use std::cell::RefCell;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use reclaim_trace::{Record, Trace};

use crate::engine::{Drive, Fault, Progress};
use crate::ftl::Ftl;
use crate::host::AddressMapper;
use crate::metrics::{Measuring, Recorder};
use crate::random::RandomStream;
use crate::replay::{AT_ONCE, Player};
use crate::results::{Age, AuditResult, Measured};
use crate::settings::{Config, ConfigError, WindowsConfig};
use crate::sim_error::SimError;

/// The random stream that says where in its part of the trace each window lies.
const STREAM: &str = "windows";

/// How often whoever waits for windows asks whether to go on.
const LOOK: Duration = Duration::from_millis(20);

/// How often whoever plays the trace looks whether anybody is ready for the next window.
const HAND_OVER: Duration = Duration::from_millis(1);

/// Requests that are measured together, and those before them that lead in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Window {
    /// Requests of the trace before the first that is measured.
    first: u64,
    /// How many requests are measured.
    requests: u64,
    /// Requests before the first that are played with time.
    lead_in: u64,
    /// Requests after the last, at most, that are played until all that are measured have been completed: without them
    /// those would have the drive to themselves at the end.
    lead_out: u64,
}

impl Window {
    /// So many requests from one on, of so many in all.
    fn new(settings: &WindowsConfig, first: u64, requests: u64, all: u64) -> Self {
        let lead_out = (requests / 4).min(all - first - requests);
        Self { first, requests, lead_in: u64::from(settings.lead_in).min(first), lead_out }
    }

    /// Requests of the trace that are played without time before it.
    fn begins_after(&self) -> u64 {
        self.first - self.lead_in
    }

    /// Requests of the trace that it needs.
    fn needs(&self) -> u64 {
        self.lead_in + self.requests + self.lead_out
    }
}

/// The windows of a trace of so many requests: one in each of as many equal parts, anywhere in it, so that nothing that
/// comes back in the trace comes back in step with them.
fn windows_of(settings: &WindowsConfig, seed: u64, requests: u64) -> Result<Vec<Window>, ConfigError> {
    let count = u64::from(settings.count);
    let each = settings.share.of(requests) / count;
    if each == 0 {
        let reason = format!(
            "{count} windows in {} of a trace of {requests} requests have less than one each; use fewer \
             windows, a larger measure.windows.share, or a longer trace (--plays N)",
            settings.share
        );
        return Err(ConfigError::at("measure.windows.count", &reason));
    }
    let mut random = RandomStream::new(seed, STREAM);
    let end = |part: u64| (u128::from(part) * u128::from(requests) / u128::from(count)) as u64;
    let windows = (0..count).map(|part| {
        let places = end(part + 1) - end(part) - each + 1;
        let at = (u128::from(random.bits()) * u128::from(places)) >> u64::BITS;
        Window::new(settings, end(part) + at as u64, each, requests)
    });
    Ok(windows.collect())
}

/// The windows of a drive's life, of so many requests of a trace of which a play has so many: each is a whole play, so
/// that what differs from one to another is the drive; the first play, the last whole one, and others between.
fn windows_of_life(settings: &WindowsConfig, play: u64, life: u64) -> Result<Vec<Window>, ConfigError> {
    let (count, plays) = (u64::from(settings.count), life / play);
    if plays < count {
        let reason = format!(
            "the drive is worn out after {life} requests, {plays} plays of the trace, of which {count} \
             cannot be measured; measure fewer (measure.windows.count), or play less of the trace \
             (trace.max_requests)"
        );
        return Err(ConfigError::at("measure.windows.count", &reason));
    }
    let windows = (0..count).map(|window| {
        let at = if count == 1 { plays - 1 } else { window * (plays - 1) / (count - 1) };
        Window::new(settings, at * play, play, life)
    });
    Ok(windows.collect())
}

/// How many requests wear a drive out.
fn requests_of_life(
    config: &Config,
    (ftl, trace, again): (&Ftl, &Trace, &Trace),
    mapper: &AddressMapper,
    control: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Result<u64, SimError> {
    let refused = |reason: &str| Err(ConfigError::at("measure.windows.until", reason).into());
    if trace.scan()?.write_bytes == 0 {
        return refused("the trace writes nothing, and wears nothing out");
    }
    if !ftl.can_wear_out() {
        return refused(
            "fewer blocks of a plane fail at all than may fail, by the last row of flash.endurance.failures, \
             so that the drive is never worn out; let more of them fail",
        );
    }
    let (mut drive, mut mapper) = (ftl.copy(config, false), mapper.clone());
    drive.pad_by_arrival(config.pads_by_arrival().then(|| config.flush_after()));
    if drive.is_worn_out() {
        return refused(
            "warm-up has worn the drive out; let blocks bear more erases, or use warmup.kind = \"filled\"",
        );
    }
    drive.collect_all_now();
    let mut player = Player::new((config, 0), &mut drive, &mut mapper, None, control);
    (player.phase, player.until_worn) = ("ageing", true);
    player.play_all(again)?;
    let requests = player.requests;
    if drive.is_worn_out() {
        return Ok(requests);
    }
    refused(
        "the trace has been played as often as a trace can be, and the drive is not worn out; let blocks \
         bear less",
    )
}

/// A window that is to be measured: the drive as it is when it begins, and what the host asks for from there on.
struct Begun {
    window: Window,
    age: Age,
    ftl: Ftl,
    mapper: AddressMapper,
    records: Vec<Record>,
}

impl Begun {
    fn is_complete(&self) -> bool {
        self.records.len() as u64 == self.window.needs()
    }

    fn measure(
        mut self,
        (config, audited): (&Config, Option<Audited>),
        control: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
    ) -> Result<Found, SimError> {
        self.ftl.reset_counters();
        if config.measure.is_of_life() {
            // A life is longer than the clock goes.
            let begins_ns = self.records.first().map_or(0, |record| record.time_ns);
            self.records.iter_mut().for_each(|record| record.time_ns -= begins_ns);
        }
        let mut recorder = Recorder::new(false, false, false);
        if audited.is_some() {
            recorder.account_for_dies(self.ftl.geometry().dies());
        }
        let mut drive = Drive::new(config, self.ftl, recorder);
        let lead_in = (self.window.first > 0).then_some(self.window.lead_in);
        drive.recorder.measuring = Measuring::of_window(lead_in, self.window.requests, &drive.geometry);
        drive.note_policies();
        let requests = self.records.len() as u64;
        let trace = Trace::from_records("window", self.records);
        let mut source = trace.source()?;
        let every = audited.and_then(|Audited(every)| every);
        let drive = drive.run(source.as_mut(), &mut self.mapper, requests, every, control)?;
        let audit = audited.map(|_| AuditResult::of(&drive)).transpose().map_err(SimError::Audit)?;
        Ok(((self.window.first, self.age), Measured::of(drive), audit))
    }
}

/// The number of its first request and the age of its drive, what a window has measured, and what its audit looked at.
type Found = ((u64, Age), Measured, Option<AuditResult>);

/// That a window is audited, and after how many events in between, if so.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Audited(pub Option<u64>);

/// How windows are measured.
pub(crate) struct Ways {
    /// How many at once; none and one are measured while the trace waits.
    pub workers: usize,
    /// Whether each is audited.
    pub audited: Option<Audited>,
}

/// Plays a trace of so many requests without time, once or until the drive is worn out, and measures windows of it.
///
/// # Errors
/// When the trace cannot be read, has too few requests, its addresses cannot be mapped to the drive's, the caller
/// interrupts, or an audit fails.
pub(crate) fn play_windows(
    config: &Config,
    (mut ftl, trace): (Ftl, &Trace),
    mapper: &mut AddressMapper,
    requests: u64,
    ways: &Ways,
    control: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Result<(Measured, Option<AuditResult>), SimError> {
    let settings = config.measure.windows.clone().unwrap_or_default();
    let mut life = None;
    if config.measure.is_of_life() {
        let again = config.trace.over_and_over(trace, config.seed)?;
        let requests = requests_of_life(config, (&ftl, trace, &again), mapper, control)?;
        life = Some((again, requests));
    }
    let (trace, windows, requests) = match &life {
        None => (trace, windows_of(&settings, config.seed, requests)?, requests),
        Some((again, life)) => (again, windows_of_life(&settings, requests, *life)?, *life),
    };
    ftl.pad_by_arrival(config.pads_by_arrival().then(|| config.flush_after()));
    let measured_as = (config, ways.audited);
    let mut found: Vec<Found> = Vec::new();
    if ways.workers <= 1 {
        // Who plays the trace does not ask while a window is measured, which does.
        let control = RefCell::new(control);
        let mut ask = |now: &Progress| (control.borrow_mut())(now);
        let mut measure = |begun: Begun| {
            let mut within = |now: &Progress| (control.borrow_mut())(now);
            found.push(begun.measure(measured_as, &mut within)?);
            Ok(())
        };
        play_between(config, (&mut ftl, trace), mapper, (&windows, requests), &mut measure, &mut ask)?;
    } else {
        found = measure_at_once(measured_as, ways.workers, control, |measure, control| {
            play_between(config, (&mut ftl, trace), mapper, (&windows, requests), measure, control)
        })?;
        found.sort_by_key(|((first, _), ..)| *first);
    }
    let mut audit: Option<AuditResult> = None;
    let mut measured = Vec::new();
    for (at, window, looked_at) in found {
        measured.push((at, window));
        audit = match (audit, looked_at) {
            (Some(sum), Some(more)) => Some(sum.and(&more)),
            (sum, more) => sum.or(more),
        };
    }
    Ok((Measured::of_windows(measured).expect("a run has a window"), audit))
}

/// Lets `play` hand over windows, and measures so many at once.
fn measure_at_once(
    measured_as: (&Config, Option<Audited>),
    workers: usize,
    control: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
    play: impl FnOnce(
        &mut dyn FnMut(Begun) -> Result<(), SimError>,
        &mut dyn FnMut(&Progress) -> ControlFlow<()>,
    ) -> Result<(), SimError>,
) -> Result<Vec<Found>, SimError> {
    let stop = AtomicBool::new(false);
    // Who is ready takes the next: no state waits beside those that are measured and the one that is handed over.
    let (hand_over, take): (SyncSender<Begun>, Receiver<Begun>) = sync_channel(0);
    let take = Mutex::new(take);
    let next = || take.lock().unwrap_or_else(PoisonError::into_inner).recv().ok();
    let work = || {
        let mut found = Vec::new();
        while let Some(begun) = next() {
            let mut heard = |_: &Progress| {
                if stop.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            };
            let measured = begun.measure(measured_as, &mut heard);
            if measured.is_err() {
                stop.store(true, Ordering::Relaxed);
            }
            found.push(measured?);
        }
        Ok(found)
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        let mut last = Progress::of("run", 0, 0);
        let mut ask = |now: &Progress| {
            last = *now;
            if stop.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { control(now) }
        };
        let mut give = |mut begun: Begun| loop {
            match hand_over.try_send(begun) {
                Ok(()) => return Ok(()),
                Err(TrySendError::Full(refused) | TrySendError::Disconnected(refused)) => {
                    begun = refused;
                    if stop.load(Ordering::Relaxed) {
                        return Err(Fault::Interrupted.into());
                    }
                    std::thread::sleep(HAND_OVER);
                }
            }
        };
        let played = play(&mut give, &mut ask);
        drop(hand_over);
        if played.is_err() {
            stop.store(true, Ordering::Relaxed);
        }
        while !threads.iter().all(std::thread::ScopedJoinHandle::is_finished) {
            if control(&last).is_break() {
                stop.store(true, Ordering::Relaxed);
            }
            std::thread::sleep(LOOK);
        }
        let mut found = Vec::new();
        let mut failed: Option<SimError> = None;
        for thread in threads {
            match thread.join().expect("a window that panics ends the run") {
                Ok(windows) => found.extend(windows),
                // Those that were stopped because another failed say nothing.
                Err(error) => {
                    if failed.as_ref().is_none_or(|known| matches!(known, SimError::Interrupted)) {
                        failed = Some(error);
                    }
                }
            }
        }
        match failed {
            Some(error) => Err(error),
            None => played.map(|()| found),
        }
    })
}

/// Plays the trace without time up to its last window, and hands over each window when its requests are known.
fn play_between(
    config: &Config,
    (ftl, trace): (&mut Ftl, &Trace),
    mapper: &mut AddressMapper,
    (windows, requests): (&[Window], u64),
    measure: &mut dyn FnMut(Begun) -> Result<(), SimError>,
    control: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Result<(), SimError> {
    let audited = ftl.versions().is_some();
    let mut left = windows.iter().copied().peekable();
    let mut begun: Vec<Begun> = Vec::new();
    let mut source = trace.source()?;
    let mut records = Vec::with_capacity(AT_ONCE);
    let mut player = Player::new((config, requests), ftl, mapper, None, control);
    player.phase = "run";
    let mut at = 0;
    while source.fill(&mut records, AT_ONCE)? > 0 {
        let mut rest = records.as_slice();
        while !rest.is_empty() {
            while let Some(window) = left.next_if(|window| window.begins_after() == at) {
                let (ftl, mapper) = player.copied(audited);
                let age = Age::of(&ftl, player.host_writes);
                begun.push(Begun { window, age, ftl, mapper, records: Vec::new() });
            }
            if at == 0 {
                // Whatever warm-up by other policies or a restored state left to collect.
                player.ftl.collect_all_now();
            }
            let until = left.peek().map_or(u64::MAX, |window| window.begins_after() - at);
            let (now, later) = rest.split_at((rest.len() as u64).min(until) as usize);
            for window in &mut begun {
                let missing = window.window.needs() - window.records.len() as u64;
                window.records.extend_from_slice(&now[..(now.len() as u64).min(missing) as usize]);
            }
            for window in begun.extract_if(.., |window| window.is_complete()) {
                measure(window)?;
            }
            if begun.is_empty() && left.peek().is_none() {
                return Ok(());
            }
            player.play_each(now)?;
            at += now.len() as u64;
            rest = later;
        }
        records.clear();
    }
    Ok(())
}
