//! Writes without time that are batched by plane: everything ends as if each had been done at once.

use std::path::Path;

use crate::common::prelude::*;

/// Results of a run, and of its warm-up the saved state.
fn told(drive: &TestDrive, trace: &Trace, one_by_one: bool, from: Option<&Path>) -> (String, Vec<u8>) {
    let saved = Saved::new();
    let snapshot_in = from.map(Path::to_path_buf);
    let snapshot_out = from.is_none().then(|| saved.0.clone());
    let options = RunOptions { one_by_one, snapshot_in, snapshot_out, ..RunOptions::default() };
    let outcome = simulate(&drive.config(), trace, &options, &mut |_| ControlFlow::Continue(())).unwrap();
    (serde_json::to_string_pretty(&outcome.results).unwrap(), std::fs::read(&saved.0).unwrap_or_default())
}

fn assert_batches_do_not_show(drive: &TestDrive, trace: &Trace, from: Option<&Path>) {
    let [batched, each] = [false, true].map(|one_by_one| told(drive, trace, one_by_one, from));
    assert_eq!(batched.0, each.0, "{drive:?}");
    assert!(batched.1 == each.1, "the state after warm-up differs: {drive:?}");
}

const VICTIMS: [&str; 6] = [
    "greedy",
    "fifo",
    r#"{ kind = "greedy", ties = "lowest-number" }"#,
    "d-choices",
    "cost-benefit",
    "random",
];

fn any<'a>(random: &mut RandomStream, from: &[&'a str]) -> &'a str {
    from[random.below(from.len() as u32) as usize]
}

/// Requests of several pages and kinds over the user capacity of a drive; more than a batch holds.
fn mixed(random: &mut RandomStream, drive: &TestDrive, kinds: &[Op]) -> Trace {
    let pages = u64::from(Geometry::new(&drive.config()).unwrap().logical_pages);
    let longest = 1 + random.below(6);
    let mut record = |index: u64| {
        let op = kinds[random.below(kinds.len() as u32) as usize];
        let count = u64::from(1 + random.below(longest));
        at(index * 100_000, op, u64::from(random.below((pages - count) as u32)), count)
    };
    Trace::from_records("mixed", (0..30_000).map(&mut record).collect())
}

#[test]
fn a_drive_ends_as_if_each_write_were_done_at_once() {
    for seed in 0..48 {
        let random = &mut RandomStream::new(seed, "batches");
        let dimensions = [1 + random.below(3), 1 + random.below(2), 1, 1 + random.below(2)];
        let drive = TestDrive::of(dimensions)
            .blocks(12 + random.below(40), [4, 8, 32][random.below(3) as usize])
            .set("gc.trigger.start", any(random, &["1 block", "2 blocks", "3 blocks"]))
            .set("gc.relocation", any(random, &["controller", "copyback"]))
            .set("gc.victim", any(random, &VICTIMS))
            .set("ftl.wear.dynamic", any(random, &["true", "false"]))
            .set(
                "warmup.kind",
                any(random, &["empty", "filled", "overwrite", "steady", "workload", "replay"]),
            )
            .set("trace.remap", any(random, &["none", "compact"]))
            .set("trace.repeat", 1 + random.below(2))
            .set("measure.untimed", seed % 4 != 0);
        let kinds: &[Op] = match seed % 3 {
            0 => &[Op::Write],
            1 => &[Op::Write, Op::Write, Op::Read],
            _ => &[Op::Write, Op::Write, Op::Write, Op::Write, Op::Read, Op::Trim],
        };
        let trace = mixed(random, &drive, kinds);
        assert_batches_do_not_show(&drive, &trace, None);
    }
}

/// A state that another allocation has left has pages in other planes than the run gives them.
#[test]
fn pages_in_other_planes_are_no_obstacle() {
    let drive = TestDrive::of([2, 2, 1, 1])
        .set("geometry.spare_factor", "75%")
        .set("warmup.kind", "overwrite")
        .set("measure.untimed", true);
    let trace = mixed(&mut RandomStream::new(7, "batches"), &drive, &[Op::Write]);
    for order in ["CWDP", "WCDP"] {
        let saved = Saved::new();
        let options = RunOptions { snapshot_out: Some(saved.0.clone()), ..RunOptions::default() };
        let by = format!(r#"{{ kind = "striping", order = "{order}" }}"#);
        let before = drive.clone().set("ftl.allocation", by);
        simulate(&before.config(), &trace, &options, &mut |_| ControlFlow::Continue(())).unwrap();
        assert_batches_do_not_show(&drive, &trace, Some(&saved.0));
    }
}

/// Windows are measured on copies of the drive as it is where they begin.
#[test]
fn windows_begin_where_they_would() {
    let drive = TestDrive::of([2, 2, 1, 1])
        .set("warmup.kind", "filled")
        .set("measure.windows.count", 3)
        .set("measure.windows.lead_in", 50);
    let trace = mixed(&mut RandomStream::new(8, "batches"), &drive, &[Op::Write, Op::Read]);
    assert_batches_do_not_show(&drive, &trace, None);
}
