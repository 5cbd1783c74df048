//! Traces of one file that are merged: they keep the clock that they share.

use crate::common::{collect, file, record};
use reclaim_trace::transform::{JitterSpec, MergeSpec, Transforms};
use reclaim_trace::{Op, OpenOptions, Trace};
use rstest::rstest;

/// The times of two devices of one file, of which the second is merged into the first, in us.
fn merged_from_one_file(text: &str, devices: [&str; 2], more: &OpenOptions, window: &Transforms) -> Vec<u64> {
    let (folder, path) = file("t", text.as_bytes());
    let open = |path: &std::path::Path, device: &str| {
        let options = OpenOptions { device: Some(device.to_owned()), ..more.clone() };
        Trace::open(path, &options).unwrap()
    };
    // The same file by another name is the same file.
    let link = folder.path().join("link");
    std::os::unix::fs::symlink(&path, &link).unwrap();
    let mut all = Vec::new();
    for (scan, other) in [(false, &path), (true, &link)] {
        let (first, second) = (open(&path, devices[0]), open(other, devices[1]));
        if scan {
            // What was scanned is played from memory.
            first.scan().unwrap();
            second.scan().unwrap();
        }
        let merge = vec![MergeSpec { trace: second, shift_bytes: 1 << 30 }];
        let trace = first.transformed(Transforms { merge, ..window.clone() }).unwrap();
        all.push(collect(trace.source().unwrap().as_mut()).unwrap());
    }
    assert_eq!(all[0], all[1]);
    all[0].iter().map(|record| record.time_ns / 1000).collect()
}

#[rstest]
#[case::spc("0,100,4096,W,0.5\n1,100,4096,W,1.5\n", ["0", "1"])]
#[case::msr("100,h,0,Write,0,512,1\n10000100,h,1,Write,0,512,1\n", ["h_0", "h_1"])]
#[case::alibaba("1,W,0,512,1577808144000000\n2,W,0,512,1577808145000000\n", ["1", "2"])]
#[case::tencent("1538323200,8,8,1,1\n1538323201,8,8,1,2\n", ["1", "2"])]
#[case::systor("1456135200.5,0.1,W,4,0,512\n1456135201.5,0.1,W,6,0,512\n", ["4", "6"])]
#[case::fio("fio version 3 iolog\n5 /a write 0 512\n1000005 /b write 0 512\n", ["/a", "/b"])]
#[case::mqsim("5 0 8 8 0\n1000000005 1 8 8 0\n", ["0", "1"])]
#[case::blkparse(
    "8,0 1 1 1.000000000 5 D W 8 + 8 [x]\n8,16 1 1 2.000000000 5 D W 8 + 8 [x]\n", ["8,0", "8,16"]
)]
#[case::ftrace(
    "x-1 [0] . 1.0: block_rq_issue: 8,0 W 4096 () 8 + 8 [x]\n\
     x-1 [0] . 2.0: block_rq_issue: 8,1 W 4096 () 8 + 8 [x]\n",
    ["8,0", "8,1"]
)]
fn traces_of_one_file_keep_its_clock(#[case] text: &str, #[case] devices: [&str; 2]) {
    let merged = |devices, sort, window: Transforms| {
        merged_from_one_file(text, devices, &OpenOptions { sort, ..OpenOptions::default() }, &window)
    };
    let [first, second] = devices;
    for sort in [false, true] {
        assert_eq!(merged([first, second], sort, Transforms::default()), [0, 1_000_000]);
        // Whichever is merged into the other: time 0 is that of the first request of all.
        assert_eq!(merged([second, first], sort, Transforms::default()), [0, 1_000_000]);
        assert_eq!(merged([first, first], sort, Transforms::default()), [0, 0]);
        let late = Transforms { from_ns: Some(500_000_000), ..Transforms::default() };
        assert_eq!(merged([first, second], sort, late), [0]);
        let early = Transforms { to_ns: Some(1_000_000_000), ..Transforms::default() };
        assert_eq!(merged([first, second], sort, early), [0]);
        let jitter = Some(JitterSpec { most_ns: 1, seed: 1 });
        let jittered = merged([first, second], sort, Transforms { jitter, ..Transforms::default() });
        assert!((999_999..=1_000_001).contains(&jittered[1]), "{jittered:?}");
    }
}

/// A third trace, from elsewhere, begins with the first as it always did; a first that was cut keeps its clock, too.
#[test]
fn a_clock_is_kept_through_windows_and_beside_other_traces() {
    let text = "0,0,512,W,5\n1,0,512,W,2\n0,0,512,W,7\n1,0,512,W,8\n";
    let (_folder, path) = file("t", text.as_bytes());
    let open = |device: &str| {
        let options = OpenOptions { device: Some(device.to_owned()), sort: true, ..OpenOptions::default() };
        Trace::open(&path, &options).unwrap()
    };
    let merge = |trace: Trace| MergeSpec { trace, shift_bytes: 0 };
    let seconds = |trace: &Trace| -> Vec<u64> {
        let found = collect(trace.source().unwrap().as_mut()).unwrap();
        found.iter().map(|record| record.time_ns / 1_000_000_000).collect()
    };
    let other = Trace::from_records("other", vec![record(1_000_000_000, Op::Write, 0, 512)]);
    let all = Transforms { merge: vec![merge(open("1")), merge(other)], ..Transforms::default() };
    // 2 of device 1; 5 of device 0, with which the other begins; 6, of the other; 7 and 8.
    assert_eq!(seconds(&open("0").transformed(all).unwrap()), [0, 3, 4, 5, 6]);
    let late = Transforms { from_ns: Some(1_000_000_000), ..Transforms::default() };
    let cut = open("0").transformed(late).unwrap();
    assert_eq!(seconds(&cut), [0]);
    let with = |trace: &Trace| {
        trace.transformed(Transforms { merge: vec![merge(open("1"))], ..Transforms::default() }).unwrap()
    };
    // 2 and 8 of device 1, 7 of the first.
    assert_eq!(seconds(&with(&cut)), [0, 5, 6]);
    // What was merged has the clock of its first.
    assert_eq!(seconds(&with(&with(&cut))), [0, 0, 5, 6, 6]);
    // Played twice as fast, no clock fits any longer: both begin at time 0.
    let fast = cut.transformed(Transforms { time_scale: Some(2.0), ..Transforms::default() }).unwrap();
    assert_eq!(seconds(&with(&fast)), [0, 0, 6]);
}
