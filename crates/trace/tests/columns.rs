//! Tables whose columns the user names.

use crate::common::{file, read, record};
use reclaim_trace::{Op, OpenOptions, Record, Trace};
use rstest::rstest;

fn with(columns: &str, separator: Option<&str>) -> OpenOptions {
    OpenOptions {
        columns: Some(columns.to_owned()),
        separator: separator.map(str::to_owned),
        ..OpenOptions::default()
    }
}

fn opened(content: &str, options: &OpenOptions) -> Result<Vec<Record>, String> {
    let (folder, path) = file("t", content.as_bytes());
    read(&path, options)
        .map_err(|error| error.to_string().replace(&format!("{}/", folder.path().display()), ""))
}

fn two() -> Vec<Record> {
    vec![record(0, Op::Write, 4096, 8192), record(1500, Op::Read, 0, 512)]
}

#[rstest]
#[case::plain("time:us,op,offset:bytes,size:bytes", None, "7,W,4096,8192\n8.5,R,0,512\n")]
#[case::sectors("time:us,op,offset:sectors,size:sectors", None, "7,write,8,16\n8.5,READ,0,1\n")]
#[case::units("time:s,op,offset:4KiB,size:512B", None, "0.000007,w,1,16\n0.0000085,r,0,1\n")]
#[case::other_order("size:bytes,offset:bytes,op,time:ns", None, "8192,4096,W,0\n512,0,R,1500\n")]
#[case::skipped(
    "_,time:us,_,op,offset:bytes,size:bytes,_*",
    None,
    "x,7,y,W,4096,8192,more,more\nx,8.5,y,R,0,512\n"
)]
#[case::tabs("time:us,op,offset:bytes,size:bytes", Some("tab"), "7\tW\t4096\t8192\n8.5\tR\t0\t512\n")]
#[case::blanks("time:us,op,offset:bytes,size:bytes", Some("blanks"), "  7   W\t4096 8192  \n8.5 R 0 512\n")]
#[case::semicolon("time:us,op,offset:bytes,size:bytes", Some(";"), "7;W;4096;8192\n8.5; R; 0; 512\n")]
#[case::quoted("time:us,op,offset:bytes,size:bytes", None, "\"7\",\"W\",\"4096\",\"8192\"\n8.5,R,0,512\n")]
#[case::one_reads("time:us,op:1=read,offset:bytes,size:bytes", None, "7,0,4096,8192\n8.5,1,0,512\n")]
#[case::one_writes("time:us,op:1=write,offset:bytes,size:bytes", None, "7,1,4096,8192\n8.5,0,0,512\n")]
#[case::bit_reads("time:us,op:bit0=read,offset:bytes,size:bytes", None, "7,4,4096,8192\n8.5,13,0,512\n")]
#[case::bit_writes("time:us,op:bit0=write,offset:bytes,size:bytes", None, "7,5,4096,8192\n8.5,12,0,512\n")]
#[case::map("time:us,op:2a=write,28=read,offset:bytes,size:bytes", None, "7,2A,4096,8192\n8.5,0x28,0,512\n")]
#[case::map_of_words(
    "time:us,op:Schreiben=write,Lesen=read,Frage=skip,offset:bytes,size:bytes",
    None,
    "7,schreiben,4096,8192\n8,Frage,,\n8.5,\"Lesen\",0,512\n"
)]
#[case::map_by_name(
    "ts=time:us,kind=op:2=write,1=read,lba=offset:bytes,len=size:bytes",
    None,
    "kind,ts,lba,len\n2,7,4096,8192\n1,8.5,0,512\n"
)]
#[case::hexadecimal("time:us,op,offset:bytes,size:bytes", None, "0x7,W,0x1000,0X2000\n8.5,R,0,512\n")]
#[case::bare_hexadecimal("time:us,op,offset:sectors:hex,size:bytes:hex", None, "7,W,8,2000\n8.5,R,0x0,200\n")]
#[case::hexadecimal_bit(
    "time:us,op:bit0=read,offset:bytes,size:bytes",
    None,
    "7,1a,4096,8192\n8.5,0x1B,0,512\n"
)]
#[case::ticks("time:100ns,op,offset:bytes,size:bytes", None, "70,W,4096,8192\n85.009,R,0,512\n")]
#[case::lines_before(
    "skip:2,time:us,op,offset:bytes,size:bytes",
    None,
    "made by x\nt,o,a,s\n7,W,4096,8192\n8.5,R,0,512\n"
)]
#[case::no_lines_before("skip:0,time:us,op,offset:bytes,size:bytes", None, "7,W,4096,8192\n8.5,R,0,512\n")]
#[case::lines_before_a_header(
    "skip:1,ts=time:us,kind=op,lba=offset:bytes,len=size:bytes",
    None,
    "made by x\nlen,ts,kind,lba\n8192,7,W,4096\n512,8.5,R,0\n"
)]
#[case::separators_in_quotes(
    "_,time:us,op,offset:bytes,_,size:bytes",
    None,
    "\"a, b\",7,W,4096,\"say \"\"x, y\"\"\",8192\n\"\",8.5,R,0, \"z,\" ,512\n"
)]
#[case::blanks_in_quotes(
    "_,time:us,op,offset:bytes,size:bytes",
    Some("blanks"),
    "\"a b\" 7 W 4096 8192\n a 8.5 R 0 512\n"
)]
#[case::header(
    "ts=time:us,kind=op,lba=offset:bytes,len=size:bytes",
    None,
    "id,len,ts,kind,lba,host\n1,8192,7,W,4096,h\n2,512,8.5,R,0\n"
)]
#[case::header_quoted_crlf(
    "ts=time:us,kind=op,lba=offset:bytes,len=size:bytes",
    None,
    "\"len\",\"ts\",\"kind\",\"lba\"\r\n8192,7,W,4096\r\n512,8.5,R,0\r\n"
)]
fn the_same_requests_however_the_table_is_made(
    #[case] columns: &str,
    #[case] separator: Option<&str>,
    #[case] content: &str,
) {
    assert_eq!(opened(content, &with(columns, separator)), Ok(two()));
}

#[test]
fn streams_have_a_column() {
    let options = with("time:us,stream,op,offset:bytes,size:bytes", None);
    let streams = |content: &str| {
        opened(content, &options).map(|found| found.iter().map(|each| each.stream).collect::<Vec<_>>())
    };
    assert_eq!(streams("7,3,W,4096,8192\n8.5,,R,0,512\n9,\"255\",F,,\n"), Ok(vec![3, 0, 255]));
    assert!(
        streams("7,256,W,4096,8192\n").unwrap_err().contains("stream 256 is above 255, the highest there is")
    );
    assert!(streams("7,-1,W,4096,8192\n").unwrap_err().contains("stream"));
    assert!(
        streams("7,1.5,W,4096,8192\n")
            .unwrap_err()
            .contains("stream is \"1.5\", which is not a plain number")
    );
    let (_folder, path) = file("t", b"7,3,W,4096,8192\n8.5,,R,0,512\n");
    assert!(Trace::open(&path, &options).unwrap().has_streams());
    assert!(!Trace::open(&path, &with("time:us,_,op,offset:bytes,size:bytes", None)).unwrap().has_streams());
}

#[test]
fn columns_overrule_recognition() {
    // Every line is also good MSR.
    let (_folder, path) = file("t", b"100,hm,0,Read,0,512,5\n");
    let options = with("time:us,_,device,op,offset:sectors,size:bytes,_", None);
    let trace = Trace::open(&path, &options).unwrap();
    assert_eq!((trace.format(), trace.scan().unwrap().reads), ("columns", 1));
    let named = OpenOptions { format: Some("msr".to_owned()), ..options };
    assert_eq!(
        Trace::open(&path, &named).unwrap_err().to_string(),
        format!(
            "{}: --columns has no meaning for the format msr; it is for parquet, arrow, columns",
            path.display()
        )
    );
}

#[test]
fn trims_flushes_and_devices() {
    let content = "0,trim,0,512,a\n1,sync,7,7,a\n2,D,512,512,b\n";
    let options = with("time:ns,op,offset:bytes,size:bytes,device", None);
    let of = |device: &str| OpenOptions { device: Some(device.to_owned()), ..options.clone() };
    assert!(opened(content, &options).unwrap_err().contains("a request to device b in a trace of device a"));
    assert_eq!(opened(content, &of("a")), Ok(vec![record(0, Op::Trim, 0, 512), record(1, Op::Flush, 0, 0)]));
    assert_eq!(opened(content, &of("all")).unwrap().len(), 3);
}

#[test]
fn where_a_flush_goes_does_not_matter() {
    let flushes = "0,,,flush\n1,-1,x,F\n2,0,99999999999999999999,sync\n";
    let read = opened(flushes, &with("time:ns,offset:bytes,size:bytes,op", None)).unwrap();
    assert_eq!(read, [0, 1, 2].map(|time_ns| record(time_ns, Op::Flush, 0, 0)));
    let write = opened("0,,512,write\n", &with("time:ns,offset:bytes,size:bytes,op", None));
    assert!(write.unwrap_err().contains("offset is missing or not a number"));
}

#[rstest]
#[case::no_unit(
    "time,op,offset:bytes,size:bytes",
    "time needs its unit: time:ns, time:100ns, time:us, time:ms or time:s"
)]
#[case::unit(
    "time:min,op,offset:bytes,size:bytes",
    "unknown unit of time \"min\"; valid: ns, 100ns, us, ms, s"
)]
#[case::column(
    "time:us,op,ofset:bytes,size:bytes",
    "unknown column \"ofset\"; did you mean \"offset\"?; valid: time:UNIT, op, offset:UNIT, size:UNIT, \
     device, stream, _ (skip one), _* (skip the rest), or HEADER=one of these; skip:N before all"
)]
#[case::missing("time:us,op,offset:bytes", "size is missing; time, op, offset and size are needed")]
#[case::twice("time:us,time:ns,op,offset:bytes,size:bytes", "time occurs 2 times")]
#[case::space(
    "time:us,op,offset,size:bytes",
    "offset needs its unit: offset:bytes, offset:sectors (of 512 bytes), offset:4KiB and the like"
)]
#[case::size(
    "time:us,op,offset:bytes,size:pages",
    "unknown unit \"pages\" of size; valid: bytes, sectors (of 512 bytes), 4KiB and the like, with :hex \
     behind it if the \
     numbers are hexadecimal"
)]
#[case::zero_unit(
    "time:us,op,offset:0KiB,size:bytes",
    "unknown unit \"0KiB\" of offset; valid: bytes, sectors (of 512 bytes), 4KiB and the like, with :hex \
     behind it if the \
     numbers are hexadecimal"
)]
#[case::code(
    "time:us,op:2=read,offset:bytes,size:bytes",
    "unknown code for op \"2=read\"; did you mean \"1=read\"?; valid: words, 1=read, 1=write, bit0=read, \
     bit0=write, or a map such as 2a=write,28=read"
)]
#[case::mixed(
    "T=time:us,op,offset:bytes,size:bytes",
    "either all columns have a name, as in Offset=offset:bytes, or none"
)]
#[case::map_word(
    "time:us,op:2a=write,28=rea,offset:bytes,size:bytes",
    "unknown code for op \"2a=write\"; did you mean \"1=write\"?; valid: words, 1=read, 1=write, \
     bit0=read, bit0=write, or a map such as \
     2a=write,28=read"
)]
#[case::map_twice(
    "time:us,op:2a=write,0x2A=read,offset:bytes,size:bytes",
    "op:2a=write,0x2A=read: the value \"2A\" occurs twice"
)]
#[case::map_with_bit(
    "time:us,op:bit0=write,2=trim,offset:bytes,size:bytes",
    "op:bit0=write,2=trim: bit0 decides alone, so nothing can stand beside it"
)]
#[case::lines(
    "skip:x,time:us,op,offset:bytes,size:bytes",
    "skip:x is no number of lines to pass over before the table, as in skip:1"
)]
#[case::skip_unit("_:us,time:us,op,offset:bytes,size:bytes", "_ has no unit")]
fn bad_specifications(#[case] columns: &str, #[case] reason: &str) {
    assert_eq!(opened("x\n", &with(columns, None)), Err(format!("--columns \"{columns}\": {reason}")));
}

#[test]
fn bad_separators_and_a_format_without_columns() {
    let good = "time:us,op,offset:bytes,size:bytes";
    assert_eq!(
        opened("x\n", &with(good, Some("colon"))).unwrap_err(),
        "unknown separator \"colon\"; valid: comma, tab, blanks, or one punctuation character such as ; or |"
    );
    let bare = OpenOptions { format: Some("columns".to_owned()), ..OpenOptions::default() };
    assert!(opened("x\n", &bare).unwrap_err().starts_with("the format columns needs --columns, as in"));
}

const PLAIN: &str = "time:us,op,offset:bytes,size:bytes";

#[rstest]
#[case::word("x,W,0,1", "time is missing or not a number")]
#[case::exponent("1e6,W,0,1", "time is \"1e6\", which is not a plain number")]
#[case::op(
    "5,X,0,1",
    "unknown op \"X\"; valid: read, write, trim (or discard), flush (or sync), R, W, T (or D), F, in \
     either case, also RS, WS; other words or numbers need a map, as in op:2a=write,28=read"
)]
#[case::hexadecimal("5,W,0xfg,1", "offset is \"fg\", which is not a hexadecimal number")]
#[case::long_hexadecimal("5,W,0x10000000000000000,1", "offset is too large for 64 bits")]
#[case::open_quotes(
    "5,\"W,0,1",
    "unknown op \"\"W\"; valid: read, write, trim (or discard), flush (or sync), R, W, T (or D), F, in \
     either case, also RS, WS; other words or numbers need a map, as in op:2a=write,28=read"
)]
#[case::negative("5,W,-1,1", "offset is negative")]
#[case::fraction("5,W,0,1.5", "size is \"1.5\", which is not a plain number")]
#[case::overflow("5,W,0,18446744073709551616", "size is too large for 64 bits")]
#[case::cut("5,W,0", "the line ends before the column size")]
#[case::more(
    "5,W,0,1,9",
    "unexpected \"9\" after the last column; a column to skip is _, any number of them _*"
)]
#[case::zero("5,W,0,0", "a write of zero bytes is not a request")]
fn bad_lines(#[case] line: &str, #[case] reason: &str) {
    assert_eq!(
        opened(&format!("4,R,0,1\n{line}\n"), &with(PLAIN, None)),
        Err(format!(
            "t:2: {reason}\n  the line reads: {line}\n  expected: {PLAIN}, with \",\" between the columns"
        ))
    );
}

#[test]
fn a_header_by_place_is_explained_and_one_by_name_must_have_the_columns() {
    let content = "Time,Kind,Offset,Size\n1,R,0,512\n";
    assert!(opened(content, &with(PLAIN, None)).unwrap_err().starts_with(
        "t:1: time is missing or not a number; if this line names the columns, name them too, as in \
         Timestamp=time:us, or pass over it with skip:1 before the first column\n"
    ));
    let by_name = with("Time=time:us,Kind=op,Offest=offset:bytes,Size=size:bytes", None);
    assert!(opened(content, &by_name).unwrap_err().starts_with(
        "t:1: the header has no column \"Offest\"; did you mean \"Offset\"?; it has Time, Kind, Offset, \
         Size\n"
    ));
    let twice = with("Time=time:us,Kind=op,Offset=offset:bytes,Size=size:bytes", None);
    assert!(
        opened("Time,Kind,Offset,Size,Time\n1,R,0,512,1\n", &twice).unwrap_err().contains("\"Time\" twice")
    );
}

/// The page that has the recipes.
const PAGE: &str = include_str!("../../../docs/traces.md");

#[rstest]
#[case::fiu(
    "time:ns,_,_,offset:sectors,size:sectors,op,_,device,_*",
    Some("blanks"),
    "100 1201 mailer 8 16 W 6 0 0f3c\n1600 1201 mailer 0 1 R 6 0 0f3d\n",
    [0, 1500]
)]
#[case::diskmon(
    "_,time:s,_,device,op,offset:sectors,size:sectors",
    Some("tab"),
    "0\t3.000001\t0.00011\t1\tWrite\t8\t16\n1\t3.000003\t0.0001\t1\tRead\t0\t1\n",
    [0, 2000]
)]
#[case::libcachesim(
    "time=time:s,op=op:2a=write,28=read,size=size:bytes,lbn=offset:sectors",
    None,
    "version,time,op,size,lbn\n1,77,2a,8192,8\n1,78,28,512,0\n",
    [0, 1_000_000_000]
)]
#[case::msr_with_other_columns(
    "skip:1,time:100ns,_,device,op,offset:bytes,size:bytes,_*",
    None,
    "Ticks,Host,Disk,Type,Offset,Size,Answer,Queue\n70,a,0,Write,4096,8192,5,1\n85,a,0,Read,0,512,5,1\n",
    [0, 1500]
)]
fn recipes_of_the_page(
    #[case] columns: &str,
    #[case] separator: Option<&str>,
    #[case] content: &str,
    #[case] times_ns: [u64; 2],
) {
    let command = match separator {
        Some(separator) => format!("--columns {columns} --separator {separator}\n"),
        None => format!("--columns {columns}\n"),
    };
    assert!(PAGE.contains(&command), "docs/traces.md lacks {command}");
    let expected = [record(times_ns[0], Op::Write, 4096, 8192), record(times_ns[1], Op::Read, 0, 512)];
    assert_eq!(opened(content, &with(columns, separator)).unwrap(), expected);
}
