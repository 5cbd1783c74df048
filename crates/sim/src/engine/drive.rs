//! The assembler: the one place that turns a configuration into a drive, and the drive's state.

use super::deferring::Deferring;
use super::delays::Delays;
use super::dies::Dies;
use super::joins::Joins;
use super::needs::Needs;
use super::paces::Paces;
use super::power_cuts::PowerCutResult;
use super::retries::Retries;
use super::stalls::Stalls;
use super::translation_reads::TranslationReads;
use super::trials::Trials;
use super::write_backs::WriteBacks;
use crate::building::BuildContext;
use crate::engine::{EventQueue, OpArena, PlaneQueues, WaitLists};
use crate::flash::{Geometry, Stripes, Timing};
use crate::ftl::Ftl;
use crate::gc::relocation::GcBuffer;
use crate::gc::{Jobs, deferral};
use crate::host::{Link, Requests, WriteBuffer};
use crate::ids::DieId;
use crate::interconnect::fabric::Fabric;
use crate::losses::Losses;
use crate::metrics::{Measuring, Recorder};
use crate::scheduler::{self, Scheduler};
use crate::settings::Config;
use crate::time::Nanos;

/// A simulated drive in the middle of a timed run.
///
/// `requests.rs` splits requests into operations, `choice.rs` and `start.rs` start those, `complete.rs` ends them, and
/// `collection.rs` runs collection jobs.
pub struct Drive<const PLAIN: bool = false> {
    pub(crate) config: Config,
    pub(crate) geometry: Geometry,
    pub(crate) timing: Timing,
    /// What the configuration and the policies need of the engine.
    pub(super) needs: Needs<PLAIN>,
    pub(crate) ftl: Ftl,
    pub(crate) interconnect: Fabric,
    pub(crate) scheduler: Box<dyn Scheduler>,
    pub(super) write_backs: WriteBacks,
    /// Jobs that relocate at the pace of the host.
    pub(super) paces: Paces,
    /// Who accesses stripes, and the lost chip that is rebuilt from them.
    pub(super) joins: Joins,
    /// Writes that leave their chips, and idle collection.
    pub(super) deferring: Deferring,
    /// Who waits for the controller itself.
    pub(super) delays: Delays,
    /// Who waits for the place of a page.
    pub(super) translations: TranslationReads,
    pub(crate) events: EventQueue,
    pub(crate) ops: OpArena,
    pub(crate) queues: PlaneQueues,
    pub(crate) waits: WaitLists,
    pub(crate) dies: Dies,
    pub(super) stalls: Stalls,
    /// Reads that are repeated.
    pub(super) retries: Retries,
    pub(crate) requests: Requests,
    /// The link to the host, if there is one.
    pub(crate) link: Option<Link>,
    pub(crate) write_buffer: WriteBuffer,
    pub(crate) jobs: Jobs,
    pub(crate) recorder: Recorder,
    /// Power cuts and losses of chips, where they are tried.
    pub(super) trials: Trials,
}

impl<const PLAIN: bool> std::fmt::Debug for Drive<PLAIN> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Drive").field("config", &self.config).finish_non_exhaustive()
    }
}

impl Drive {
    /// Puts a drive together around a translation layer that may have been warmed up.
    pub fn new(config: &Config, ftl: Ftl, recorder: Recorder) -> Self {
        let geometry = ftl.geometry().clone();
        let context = BuildContext::new(config, &geometry);
        let interconnect = Fabric::new(&config.interconnect, &context);
        let scheduler = scheduler::MEMBERS.build_checked(&config.scheduler, &context);
        let policy = deferral::MEMBERS.build_checked(&config.gc.deferral, &context);
        let deferring = Deferring::new(policy, &context);
        let dies = Dies::new(&geometry, &config.flash);
        let delays = Delays::new(&config.controller, ftl.sum_time(), context.timing.passage);
        let parts = (&dies, &deferring, &delays);
        let needs = Needs::new(config, &geometry, &ftl, &*interconnect, &*scheduler, parts);
        let longest_program = context.timing.by_level().iter().map(|(_, program)| *program).max();
        let longest_program = longest_program.unwrap_or_default();
        let measuring = Measuring::new(config.measure.after, &geometry);
        let mut drive = Self {
            delays,
            translations: TranslationReads::new(geometry.translation),
            timing: context.timing,
            waits: WaitLists::new(
                config.channel.order,
                scheduler.class_ranks(),
                needs.domains(),
                dies.stations(),
            ),
            queues: PlaneQueues::new(geometry.planes()),
            stalls: Stalls::new(geometry.planes()),
            retries: Retries::new(config.seed, &config.flash.read_retry),
            jobs: Jobs::new(&geometry),
            requests: Requests::default(),
            joins: Joins::new(geometry.stripes.as_ref().map_or(0, Stripes::count)),
            events: EventQueue::new(dies.stations(), needs.domains(), geometry.planes(), longest_program),
            dies,
            ops: OpArena::default(),
            link: config.host.link.as_ref().map(Link::new),
            write_buffer: WriteBuffer::new(config.controller.write_buffer.pages(geometry.page_bytes)),
            interconnect,
            write_backs: WriteBacks::new(needs.holds_circuits(), &geometry),
            paces: Paces::new(config.gc.pace, geometry.planes()),
            needs,
            scheduler,
            config: config.clone(),
            geometry,
            deferring,
            ftl,
            recorder: recorder.measuring_with(measuring),
            trials: Trials::new(config),
        };
        if drive.ftl.counts_streams() {
            drive.recorder.keep_streams();
        }
        drive.note_policies();
        drive
    }

    /// Whether it has a bus for each channel, and nothing that a drive can do without: such a one is compiled by
    /// itself.
    pub fn is_plain(&self) -> bool {
        let has_extras = self.recorder.spans.is_some() || self.trials.any();
        self.needs.are_plain() && self.interconnect.is_bus() && !has_extras
    }
}

impl<const PLAIN: bool> Drive<PLAIN> {
    /// The same drive, as a plain one or as any.
    pub(super) fn compiled<const OTHER: bool>(self) -> Drive<OTHER> {
        let Self {
            config,
            geometry,
            timing,
            needs,
            ftl,
            interconnect,
            scheduler,
            write_backs,
            paces,
            joins,
            deferring,
            delays,
            translations,
            events,
            ops,
            queues,
            waits,
            dies,
            stalls,
            retries,
            requests,
            link,
            write_buffer,
            jobs,
            recorder,
            trials,
        } = self;
        let needs = needs.of_drive();
        Drive {
            config,
            geometry,
            timing,
            needs,
            ftl,
            interconnect,
            scheduler,
            write_backs,
            paces,
            joins,
            deferring,
            delays,
            translations,
            events,
            ops,
            queues,
            waits,
            dies,
            stalls,
            retries,
            requests,
            link,
            write_buffer,
            jobs,
            recorder,
            trials,
        }
    }

    /// Time the channel towards a die has carried collected pages, ns.
    #[inline]
    pub(crate) fn channel_gc_time(&self, die: DieId) -> Nanos {
        self.interconnect.gc_time::<PLAIN>(self.events.now(), self.home_of(die))
    }

    /// The die that a plane's reader or outlet belongs to; a die itself otherwise.
    #[inline]
    pub(super) fn home_of(&self, part: DieId) -> DieId {
        if self.needs.plane_reads() { self.dies.home(part) } else { part }
    }
}

impl<const PLAIN: bool> Drive<PLAIN> {
    /// Pages of the host, and of parity, in the write buffer.
    pub(super) fn buffered_pages(&self) -> u64 {
        if self.needs.striped() {
            u64::from(self.joins.used_pages())
        } else {
            self.ftl.map().host_slots() as u64
        }
    }

    /// Most pages of the host, and of parity, that the write buffer held at once.
    pub(crate) fn most_buffered_pages(&self) -> u32 {
        if self.needs.striped() { self.joins.most_used_pages() } else { self.ftl.map().most_slots() }
    }

    /// The translation layer.
    pub fn ftl(&self) -> &Ftl {
        &self.ftl
    }

    /// From now on every chip is lost, on trial, at moments so many events apart on average.
    pub(crate) fn lose_chips(&mut self, events_apart: u64) {
        self.trials.lose_chips(self.config.seed, events_apart);
    }

    /// What that would have meant.
    pub(crate) fn losses(&self) -> Option<Losses> {
        self.trials.losses()
    }

    /// What power cuts would have destroyed, if there were any.
    pub(crate) fn power_cut_result(&self) -> Option<PowerCutResult> {
        self.trials.power_cuts()
    }

    /// What was recorded.
    pub fn into_recorder(self) -> Recorder {
        self.recorder
    }

    /// Checks everything that must hold now that nothing is under way; how many checks that took.
    ///
    /// # Errors
    /// The first contradiction found.
    pub fn audit(&self) -> Result<u64, String> {
        let mut checks = crate::audit::check(&self.ftl, true)?;
        let mut must = |holds: bool, what: &str| {
            checks += 1;
            if holds { Ok(()) } else { Err(what.to_owned()) }
        };
        let counted: u64 = self.recorder.sums.iter().map(|sums| sums.count).sum();
        must(
            counted + self.requests.uncounted() == self.requests.arrived(),
            "a request was lost or completed twice",
        )?;
        must(self.ops.in_flight() == 0, "page operations are left over")?;
        must(self.delays.are_over(), "a request, a stripe or a page still waits for the controller")?;
        must(self.translations.are_over(), "a translation page was never read")?;
        must(self.requests.blocked.is_empty(), "a request still waits for a page that was moved long ago")?;
        must(self.write_buffer.line_is_empty(), "a page still waits for room in the write buffer")?;
        let within = self.write_buffer.capacity_pages().is_none_or(|most| self.most_buffered_pages() <= most);
        must(within, "the write buffer held more pages than it has room for")?;
        must(self.joins.are_at_rest(), "an access to a stripe never ended")?;
        must(
            self.dies.pending_per_die().iter().all(|pending| *pending == 0),
            "a die counts operations that are gone",
        )?;
        must(self.jobs.under_way() == 0, "a collection job never ended")?;
        let occupied = self.ftl.gc_buffer().map_or(0, GcBuffer::occupied);
        must(occupied == 0, "a lifted page was never written back")?;
        must(self.jobs.units.is_empty(), "a unit of relocated pages never ended")?;
        must(!self.events.timer_is_pending(), "a timer is left over")?;
        let links = self.interconnect.links().map(|links| links.reserved(self.now()));
        let (reserved, released) = links.unwrap_or_default();
        must(reserved == released, "links of the interconnect are still reserved")?;
        Ok(checks)
    }
}
