//! A saved state, and runs that save it or begin with it.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

use super::TestDrive;
use reclaim_sim::{Results, RunOptions, simulate};
use reclaim_trace::{Record, Trace};

/// A file of a test's own, removed at its end.
pub struct Saved(pub PathBuf);

impl Saved {
    /// Tests run side by side, and cases of one test, too: each file has a name of its own.
    pub fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        Self(std::env::temp_dir().join(format!("reclaim-saved-{}-{number}", std::process::id())))
    }

    /// A run whose drive is prepared and saved, or restored; or the message with which it is refused.
    pub fn run(&self, drive: &TestDrive, records: Vec<Record>, restore: bool) -> Result<Results, String> {
        let path = Some(self.0.clone());
        let (snapshot_in, snapshot_out) = if restore { (path, None) } else { (None, path) };
        let options = RunOptions { audit: true, snapshot_in, snapshot_out, ..RunOptions::default() };
        let trace = Trace::from_records("hand-made", records);
        let outcome = simulate(&drive.config(), &trace, &options, &mut |_| ControlFlow::Continue(()));
        outcome.map(|outcome| outcome.results).map_err(|error| error.to_string())
    }

    /// The results of a drive that is prepared, which are those of the same one restored.
    pub fn goes_on(&self, drive: &TestDrive, records: &[Record]) -> Results {
        let straight = self.run(drive, records.to_vec(), false).unwrap();
        assert_eq!(straight, self.run(drive, records.to_vec(), true).unwrap());
        straight
    }
}

impl Drop for Saved {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}
