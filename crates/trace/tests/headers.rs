//! A table with a header of its own: the message names the columns and the option that says what they hold.

use crate::common::{file, message, read, record};
use reclaim_trace::{Op, OpenOptions};
use rstest::rstest;

/// What the message advises behind `--columns` and `--separator`, as a shell would hand it over.
fn advised(content: &str) -> OpenOptions {
    let told = message(content.as_bytes(), None);
    let (_, option) = told.split_once("--columns ").unwrap_or_else(|| panic!("{told}"));
    let (columns, rest) = match option.strip_prefix('\'') {
        Some(quoted) => quoted.split_once('\'').unwrap(),
        None => option.split_at(option.find([' ', '\n']).unwrap_or(option.len())),
    };
    let separator = rest
        .strip_prefix(" --separator ")
        .map(|rest| rest.split([' ', '\n']).next().unwrap().trim_matches('"').to_owned());
    OpenOptions { columns: Some(columns.to_owned()), separator, ..OpenOptions::default() }
}

#[rstest]
#[case(
    "timestamp_ns,op,offset_bytes,size_bytes\n1,R,512,4096",
    "timestamp_ns=time:ns,op=op,offset_bytes=offset:bytes,size_bytes=size:bytes"
)]
#[case(
    "\"time\";\"rw\";\"lba\";\"length\"\n0.001;R;1;4096",
    "time=time:us,rw=op,lba=offset:sectors,length=size:bytes"
)]
#[case(
    "Time(us)\tOp\tStart sector\tSectors\n0.001\tR\t1\t8",
    "Time(us)=time:us,Op=op,Start sector=offset:sectors,Sectors=size:sectors"
)]
#[case(
    "id,startTimeNs,latency_us,bytes,address,operation\n7,1,5,4096,512,read",
    "startTimeNs=time:ns,bytes=size:bytes,address=offset:bytes,operation=op"
)]
#[case(
    "ts_ns disk lbn type nbytes\n1 sda 1 R 4096",
    "ts_ns=time:ns,disk=device,lbn=offset:sectors,type=op,nbytes=size:bytes"
)]
#[case("time,time,op,offset,size\n0.001,9,R,512,4096", "skip:1,time:us,_,op,offset:bytes,size:bytes")]
#[case("_ns|rw|LPN|pages|x\n1|read|0|1|2", "_ns=time:us")]
fn the_advice_reads_the_table(#[case] content: &str, #[case] columns: &str) {
    let options = advised(content);
    let advice = options.columns.clone().unwrap();
    if columns == "_ns=time:us" {
        // No name is a time: the advice has a place for the one that is.
        assert_eq!(advice, "rw=op,LPN=offset:4KiB,pages=size:4KiB,NAME=time:us");
        return;
    }
    assert_eq!(advice, columns);
    let (_folder, path) = file("t", format!("{content}\n").as_bytes());
    let records = read(&path, &options).unwrap();
    assert_eq!(records.len(), 1, "{advice}");
    assert_eq!(records[0], record(0, Op::Read, 512, 4096), "{advice}");
}

#[test]
fn what_no_name_tells_is_said_to_be_guessed() {
    let told = message(b"t,kind,addr,len\n1,0,0,1\n", None);
    assert_eq!(
        told,
        "t: is in no trace format known here\n  its first line names the columns t, kind, addr, len; \
         say what they hold: --columns t=time:us,kind=op:1=write,addr=offset:bytes,len=size:bytes \
         (guessed, so check: time:us, op:1=write, offset:bytes, size:bytes)"
    );
    let told = message(b"alpha,beta,gamma,delta\n1,0,0,1\n", None);
    assert!(told.contains("names the columns alpha, beta, gamma, delta;"), "{told}");
    assert!(told.contains("--columns NAME=time:us,NAME=op,NAME=offset:bytes,NAME=size:bytes"), "{told}");
    assert!(
        told.ends_with("(no name says which column is the time and the op and the offset and the size)"),
        "{told}"
    );
}

#[test]
fn a_sentence_is_no_header() {
    for text in ["this is what I wrote down about traces\n", "a,b\n1,2\n", "1,2,3,4,x\n"] {
        let told = message(text.as_bytes(), None);
        assert!(!told.contains("names the columns"), "{told}");
        assert!(told.contains("the first line reads: "), "{told}");
    }
}

/// A header of Windows, in Latin-1: the column is found by its place, as nobody can write its name.
#[test]
fn a_header_in_latin_1_has_its_unit_understood() {
    let content = b"time_\xB5s,op,offset,size_bytes\n5,R,512,4096\n7,W,512,4096\n";
    let told = message(content, None);
    assert!(told.contains("names the columns time_\u{b5}s, op, offset, size_bytes; "), "{told}");
    assert!(told.contains("--columns skip:1,time:us,op,offset:bytes,size:bytes"), "{told}");
    let (_folder, path) = file("t", content);
    let columns = Some("skip:1,time:us,op,offset:bytes,size:bytes".to_owned());
    let found = read(&path, &OpenOptions { columns, ..OpenOptions::default() }).unwrap();
    assert_eq!(found, [record(0, Op::Read, 512, 4096), record(2_000, Op::Write, 512, 4096)]);
}
