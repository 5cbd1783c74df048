//! A drive under test: small, named part by part, and run with everything recorded and audited.

use std::ops::ControlFlow;

use reclaim_sim::config::{LoadRequest, load};
use reclaim_sim::flash::Geometry;
use reclaim_sim::ftl::Ftl;
use reclaim_sim::ids::Lpn;
use reclaim_sim::{Config, Outcome, RunOptions, simulate};
use reclaim_trace::{Record, Trace};

/// Settings over the preset `gc-bypass`; what is set later overrides what was set before.
///
/// `TestDrive::one_plane().victim("fifo").run(records)` plays records; `.ftl()` is the translation layer without time.
#[derive(Debug, Clone)]
pub struct TestDrive {
    settings: Vec<(String, String)>,
}

impl TestDrive {
    /// One plane of 16 blocks of 4 pages, half of them spare; collected when one free block is left.
    pub fn one_plane() -> Self {
        Self::of([1, 1, 1, 1])
    }

    /// Channels, chips of each, dies of each chip, planes of each die; every plane as that of [`Self::one_plane`].
    pub fn of(dimensions: [u32; 4]) -> Self {
        let [channels, chips, dies, planes] = dimensions;
        Self { settings: Vec::new() }
            .set("geometry.channels", channels)
            .set("geometry.chips_per_channel", chips)
            .set("geometry.dies_per_chip", dies)
            .set("geometry.planes_per_die", planes)
            .blocks(16, 4)
            .set("geometry.spare_factor", "50%")
            .set("gc.trigger.start", "1 block")
    }

    /// The preset as it is: 8 channels of 2 chips.
    pub fn preset() -> Self {
        Self { settings: Vec::new() }
    }

    /// So many blocks in a plane, of so many pages.
    pub fn blocks(self, blocks_per_plane: u32, pages_per_block: u32) -> Self {
        self.set("geometry.blocks_per_plane", blocks_per_plane)
            .set("geometry.pages_per_block", pages_per_block)
    }

    /// The victim policy of that name.
    pub fn victim(self, name: &str) -> Self {
        self.set("gc.victim", name)
    }

    /// One setting, as `--set` takes it: a number, or a text.
    #[allow(clippy::needless_pass_by_value, reason = "numbers and texts are passed alike")]
    pub fn set(mut self, key: &str, value: impl ToString) -> Self {
        self.settings.push((key.to_owned(), value.to_string()));
        self
    }

    /// Several settings.
    pub fn with(self, settings: &[(&str, &str)]) -> Self {
        settings.iter().fold(self, |drive, (key, value)| drive.set(key, value))
    }

    /// The configuration, checked; or why it is refused.
    pub fn loaded(&self) -> Result<Config, String> {
        let request =
            LoadRequest { device: "gc-bypass".to_owned(), schemes: Vec::new(), set: self.settings.clone() };
        load(&request).map_err(|error| error.to_string())
    }

    /// The configuration, checked.
    pub fn config(&self) -> Config {
        self.loaded().expect("a good configuration")
    }

    /// Its translation layer, factory-fresh and audited.
    pub fn ftl(&self) -> Ftl {
        let config = self.config();
        Ftl::new(&config, &Geometry::new(&config).unwrap(), true)
    }

    /// Its translation layer after the first pages were written, in order.
    pub fn written(&self, pages: u32) -> Ftl {
        let mut ftl = self.ftl();
        (0..pages).for_each(|page| ftl.write_now(Lpn(page)));
        ftl
    }

    /// Plays records with the audit on, keeping every request and every job.
    pub fn run(&self, records: Vec<Record>) -> Outcome {
        self.play(&Trace::from_records("hand-made", records))
    }

    /// Plays a trace in the same way.
    pub fn play(&self, trace: &Trace) -> Outcome {
        let options =
            RunOptions { audit: true, record_requests: true, record_gc: true, ..RunOptions::default() };
        simulate(&self.config(), trace, &options, &mut |_| ControlFlow::Continue(())).unwrap()
    }
}
