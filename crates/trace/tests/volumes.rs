//! The volumes of a file: which there are, and what each is asked for.

use crate::common::{file, kept, names, with};
use reclaim_trace::{Op, Trace, Volumes};
use rstest::rstest;

fn volumes(content: &str, set: &[(&str, &str)]) -> Volumes {
    let (_folder, path) = file("t", content);
    Trace::open(&path, &with(set)).unwrap().volumes().unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn each_volume_is_summed_up_by_itself() {
    // Out of order, and a volume whose first request is not its earliest.
    let content = "1538323205,8,16,1,7\n1538323201,0,8,0,1063\n1538323203,8,8,1,7\n1538323202,8,24,0,7\n\
                   1538323209,80,8,1,9\n";
    let found = volumes(content, &[]);
    assert_eq!((found.called.as_str(), found.bad_lines), ("volume", 0));
    let told: Vec<_> = found.volumes.iter().map(|each| (each.name.as_str(), each.requests)).collect();
    assert_eq!(told, [("7", 3), ("9", 1), ("1063", 1)]);
    let first = &found.volumes[0];
    assert_eq!((first.reads, first.writes, first.read_bytes, first.write_bytes), (1, 2, 12288, 12288));
    assert_eq!((first.footprint_bytes, first.write_footprint_bytes), (12288, 8192));
    assert_eq!((first.max_end_bytes, first.begins_ns, first.span_ns), (16384, 1_000_000_000, 3_000_000_000));
}

/// Each by its name is the trace that `--trace-device` takes.
#[rstest]
#[case::spc("0,100,4096,W,0.5\n1,100,4096,W,1.5\n0,108,4096,r,1.6\n")]
#[case::msr("100,h,0,Write,0,512,1\n10000100,h,1,Write,0,512,1\n10000100,h,1,Read,0,512,1\n")]
#[case::alibaba("1,W,0,512,1577808144000000\n2,W,0,512,1577808145000000\n")]
#[case::systor("1456135200.5,0.1,W,4,0,512\n1456135201.5,0.1,W,6,0,512\n")]
#[case::fio("fio version 3 iolog\n5 /a write 0 512\n1000005 /b write 0 512\n1000005 /b sync 0 0\n")]
#[case::mqsim("5 0 8 8 0\n1000000005 1 8 8 0\n")]
#[case::blkparse("8,0 1 1 1.000000000 5 D FWS 8 + 8 [x]\n8,16 1 1 2.000000000 5 D W 8 + 8 [x]\n")]
#[case::biosnoop(
    "TIME(s) COMM PID DISK T SECTOR BYTES LAT(ms)\n1.0 a 1 sda W 8 512 2\n1.1 a 1 sdb R 8 512 2\n"
)]
fn volumes_are_what_trace_device_takes(#[case] content: &str) {
    let (_folder, path) = file("t", content);
    let found = Trace::open(&path, &with(&[])).unwrap().volumes().unwrap().volumes;
    assert_eq!(found.len(), 2);
    for each in found {
        let summary = Trace::open(&path, &with(&[("device", &each.name)])).unwrap().scan().unwrap();
        assert_eq!(
            (summary.requests, summary.reads, summary.writes),
            (each.requests, each.reads, each.writes)
        );
        assert_eq!((summary.write_bytes, summary.span_ns), (each.write_bytes, each.span_ns));
        assert_eq!(summary.write_footprint_bytes, each.write_footprint_bytes);
        assert_eq!(summary.max_end_bytes, each.max_end_bytes);
    }
}

#[test]
fn tables_of_any_kind_name_their_volumes() {
    let columns = [("columns", "device,time:us,op,offset:bytes,size:bytes")];
    let found = volumes("a,5,W,0,512\nb,4,R,0,512\na,1,W,512,512\n", &columns);
    assert_eq!(found.volumes.iter().map(|each| each.writes).collect::<Vec<_>>(), [2, 0]);
    let without = [("columns", "time:us,op,offset:bytes,size:bytes")];
    let found = volumes("5,W,0,512\n", &without).volumes;
    assert_eq!((found.len(), found[0].name.as_str(), found[0].writes), (1, "the only one", 1));
    let bad = [&columns[..], &[("report", "")]].concat();
    assert_eq!(volumes("a,5,W,0,512\nx\n", &bad).bad_lines, 1);
}

#[test]
fn what_has_no_volumes_says_so() {
    let told = Trace::open(&kept("fixtures/csv.csv"), &with(&[])).unwrap().volumes().unwrap_err();
    names(&told.to_string(), "csv.csv: is in the format csv, which names no volumes");
    let records = vec![crate::common::record(0, Op::Write, 0, 512)];
    let told = Trace::from_records("mine", records).volumes().unwrap_err();
    names(&told.to_string(), "\"mine\": is no trace file");
}
