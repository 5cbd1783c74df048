//! The audit sees to it that the limit of jobs holds back every job but those of planes where host writes wait.

use crate::ftl::Ftl;
use crate::gc::Jobs;
use crate::ids::PlaneId;
use crate::time::SimTime;

/// Checks a start that is no emergency: none while the limit is 0, and none on a further channel where as many collect
/// as it lets. Wear levelling, which no limit holds back, may have made them more.
///
/// # Errors
/// When it is beyond the limit.
#[inline]
pub(super) fn check(ftl: &Ftl, jobs: &Jobs, plane: PlaneId, now: SimTime) -> Result<(), String> {
    if ftl.versions().is_none() {
        return Ok(());
    }
    let Some(limit) = ftl.channel_limit(jobs.per_channel()) else { return Ok(()) };
    let channel = ftl.geometry().channel_of(ftl.geometry().die_of(plane));
    let active = jobs.collecting_channels();
    let is_further = jobs.per_channel()[channel.index()] == 0;
    if limit == 0 || (is_further && active >= limit as usize) {
        return Err(format!(
            "a job began on {plane:?} at {now:?} beside {active} channels that collect, but {limit} may, and \
             no host write waits for a page there"
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use reclaim_trace::{Op, Record, Trace};

    use super::super::drive::Drive;
    use super::*;
    use crate::engine::Fault;
    use crate::flash::Geometry;
    use crate::ftl::Ftl;
    use crate::gc::concurrency::{Concurrency, JobsView};
    use crate::host::AddressMapper;
    use crate::metrics::Recorder;

    /// Names a limit, and lets every job start all the same: what an engine would do that did not ask.
    struct Unheeded(u32);

    impl Concurrency for Unheeded {
        fn may_start(&mut self, _: PlaneId, _: &JobsView<'_>) -> bool {
            true
        }

        fn channel_limit(&self, _: &JobsView<'_>) -> Option<u32> {
            Some(self.0)
        }
    }

    /// Four channels that all want to collect when the drive is half full.
    fn run(limit: u32) -> Result<(), Fault> {
        let set = [
            ("geometry.channels", "4"),
            ("geometry.chips_per_channel", "1"),
            ("geometry.dies_per_chip", "1"),
            ("geometry.planes_per_die", "1"),
            ("geometry.blocks_per_plane", "16"),
            ("geometry.pages_per_block", "4"),
            ("geometry.spare_factor", "50%"),
            ("gc.trigger.start", "5 blocks"),
        ];
        let config = crate::testing::config("gc-bypass", &set);
        let geometry = Geometry::new(&config).unwrap();
        let ftl = Ftl::new(&config, &geometry, true).with_limit(Box::new(Unheeded(limit)));
        let drive = Drive::new(&config, ftl, Recorder::new(false, false, false));
        let write =
            |time_ns| Record { time_ns, op: Op::Write, offset_bytes: 0, size_bytes: 16 * 4096, stream: 0 };
        let trace = Trace::from_records("rewritten", (0..40).map(|k| write(k * 100_000_000)).collect());
        let mut mapper =
            AddressMapper::new(config.trace.remap, 16 * 4096, 4096, geometry.logical_pages).unwrap();
        let mut source = trace.source().unwrap();
        drive.run(source.as_mut(), &mut mapper, 40, None, &mut |_| ControlFlow::Continue(())).map(drop)
    }

    #[test]
    fn a_start_beyond_the_limit_fails_the_audit() {
        for limit in [0, 2] {
            let said = format!("beside {limit} channels that collect, but {limit} may");
            let fault = run(limit).unwrap_err();
            assert!(matches!(&fault, Fault::Inconsistent(what) if what.contains(&said)), "{fault:?}");
        }
        run(4).unwrap();
    }
}
