//! Tables whose columns the user names, and what is advised where a header names them.

use crate::common::{file, names, opened, record, records, refused, refuses, with};
use reclaim_trace::{Op, OpenOptions, Trace};
use rstest::rstest;

const PLAIN: &str = "time:us,op,offset:bytes,size:bytes";
const NAMED: &str = "ts=time:us,kind=op,lba=offset:bytes,len=size:bytes";

fn table(columns: &str, separator: Option<&str>) -> OpenOptions {
    OpenOptions { separator: separator.map(str::to_owned), ..with(&[("columns", columns)]) }
}

#[rstest]
#[case::plain(PLAIN, None, &["7,W,4096,8192", "8.5,R,0,512"])]
#[case::sectors("time:us,op,offset:sectors,size:sectors", None, &["7,write,8,16", "8.5,READ,0,1"])]
#[case::units("time:s,op,offset:4KiB,size:512B", None, &["0.000007,w,1,16", "0.0000085,r,0,1"])]
#[case::other_order("size:bytes,offset:bytes,op,time:ns", None, &["8192,4096,W,0", "512,0,R,1500"])]
#[case::skipped("_,time:us,_,op,offset:bytes,size:bytes,_*", None,
    &["x,7,y,W,4096,8192,more,more", "x,8.5,y,R,0,512"])]
#[case::tabs(PLAIN, Some("tab"), &["7\tW\t4096\t8192", "8.5\tR\t0\t512"])]
#[case::blanks(PLAIN, Some("blanks"), &["  7   W\t4096 8192  ", "8.5 R 0 512"])]
#[case::semicolon(PLAIN, Some(";"), &["7;W;4096;8192", "8.5; R; 0; 512"])]
#[case::quoted(PLAIN, None, &["\"7\",\"W\",\"4096\",\"8192\"", "8.5,R,0,512"])]
#[case::one_reads("time:us,op:1=read,offset:bytes,size:bytes", None, &["7,0,4096,8192", "8.5,1,0,512"])]
#[case::one_writes("time:us,op:1=write,offset:bytes,size:bytes", None, &["7,1,4096,8192", "8.5,0,0,512"])]
#[case::bit_reads("time:us,op:bit0=read,offset:bytes,size:bytes", None, &["7,4,4096,8192", "8.5,13,0,512"])]
#[case::bit_writes("time:us,op:bit0=write,offset:bytes,size:bytes", None, &["7,5,4096,8192", "8.5,12,0,512"])]
#[case::map("time:us,op:2a=write,28=read,offset:bytes,size:bytes", None,
    &["7,2A,4096,8192", "8.5,0x28,0,512"])]
#[case::map_of_words("time:us,op:Schreiben=write,Lesen=read,Frage=skip,offset:bytes,size:bytes", None,
    &["7,schreiben,4096,8192", "8,Frage,,", "8.5,\"Lesen\",0,512"])]
#[case::map_by_name("ts=time:us,kind=op:2=write,1=read,lba=offset:bytes,len=size:bytes", None,
    &["kind,ts,lba,len", "2,7,4096,8192", "1,8.5,0,512"])]
#[case::hexadecimal(PLAIN, None, &["0x7,W,0x1000,0X2000", "8.5,R,0,512"])]
#[case::bare_hexadecimal("time:us,op,offset:sectors:hex,size:bytes:hex", None,
    &["7,W,8,2000", "8.5,R,0x0,200"])]
#[case::hexadecimal_bit("time:us,op:bit0=read,offset:bytes,size:bytes", None,
    &["7,1a,4096,8192", "8.5,0x1B,0,512"])]
#[case::ticks("time:100ns,op,offset:bytes,size:bytes", None, &["70,W,4096,8192", "85.009,R,0,512"])]
#[case::lines_before("skip:2,time:us,op,offset:bytes,size:bytes", None,
    &["made by x", "t,o,a,s", "7,W,4096,8192", "8.5,R,0,512"])]
#[case::no_lines_before("skip:0,time:us,op,offset:bytes,size:bytes", None, &["7,W,4096,8192", "8.5,R,0,512"])]
#[case::lines_before_a_header("skip:1,ts=time:us,kind=op,lba=offset:bytes,len=size:bytes", None,
    &["made by x", "len,ts,kind,lba", "8192,7,W,4096", "512,8.5,R,0"])]
#[case::separators_in_quotes("_,time:us,op,offset:bytes,_,size:bytes", None,
    &["\"a, b\",7,W,4096,\"say \"\"x, y\"\"\",8192", "\"\",8.5,R,0, \"z,\" ,512"])]
#[case::blanks_in_quotes("_,time:us,op,offset:bytes,size:bytes", Some("blanks"),
    &["\"a b\" 7 W 4096 8192", " a 8.5 R 0 512"])]
#[case::header(NAMED, None, &["id,len,ts,kind,lba,host", "1,8192,7,W,4096,h", "2,512,8.5,R,0"])]
#[case::header_quoted_crlf(NAMED, None,
    &["\"len\",\"ts\",\"kind\",\"lba\"\r", "8192,7,W,4096\r", "512,8.5,R,0\r"])]
fn the_same_requests_however_the_table_is_made(
    #[case] columns: &str,
    #[case] separator: Option<&str>,
    #[case] lines: &[&str],
) {
    let content = lines.join("\n") + "\n";
    let two = vec![record(0, Op::Write, 4096, 8192), record(1500, Op::Read, 0, 512)];
    assert_eq!(opened(content, &table(columns, separator)), Ok(two));
}

#[test]
fn streams_have_a_column() {
    let options = table("time:us,stream,op,offset:bytes,size:bytes", None);
    let content = "7,3,W,4096,8192\n8.5,,R,0,512\n9,\"255\",F,,\n";
    let streams: Vec<_> = opened(content, &options).unwrap().iter().map(|each| each.stream).collect();
    assert_eq!(streams, [3, 0, 255]);
    refuses(
        &options,
        "",
        "7,3,W,4096,8192",
        &[
            ("7,256,W,4096,8192", "stream 256 is above 255"),
            ("7,-1,W,4096,8192", "stream"),
            ("7,1.5,W,4096,8192", "stream is \"1.5\""),
        ],
    );
    let (_folder, path) = file("t", content);
    assert!(Trace::open(&path, &options).unwrap().has_streams());
    let skipped = table("time:us,_,op,offset:bytes,size:bytes", None);
    assert!(!Trace::open(&path, &skipped).unwrap().has_streams());
}

#[test]
fn columns_overrule_recognition() {
    // Every line is also good MSR.
    let (_folder, path) = file("t", b"100,hm,0,Read,0,512,5\n");
    let options = table("time:us,_,device,op,offset:sectors,size:bytes,_", None);
    let trace = Trace::open(&path, &options).unwrap();
    assert_eq!((trace.format(), trace.scan().unwrap().reads), ("columns", 1));
    let named = OpenOptions { format: Some("msr".to_owned()), ..options };
    names(&Trace::open(&path, &named).unwrap_err().to_string(), "--columns|msr|parquet, arrow, columns");
}

#[test]
fn trims_flushes_and_devices() {
    let content = "0,trim,0,512,a\n1,sync,7,7,a\n2,D,512,512,b\n";
    let options = table("time:ns,op,offset:bytes,size:bytes,device", None);
    let of =
        |device: &str| opened(content, &OpenOptions { device: Some(device.to_owned()), ..options.clone() });
    names(&refused(content, &options), "device b in a trace of device a");
    assert_eq!(of("a"), Ok(vec![record(0, Op::Trim, 0, 512), record(1, Op::Flush, 0, 0)]));
    assert_eq!(of("all").unwrap().len(), 3);
    // Where a flush goes does not matter.
    let flushes = "0,,,flush\n1,-1,x,F\n2,0,99999999999999999999,sync\n";
    let by_place = table("time:ns,offset:bytes,size:bytes,op", None);
    let expected = [0, 1, 2].map(|time_ns| record(time_ns, Op::Flush, 0, 0));
    assert_eq!(opened(flushes, &by_place).unwrap(), expected);
    names(&refused("0,,512,write\n", &by_place), "offset is missing");
}

#[test]
fn bad_specifications() {
    let units = "bytes, sectors (of 512 bytes), KiB, KB (1,000 bytes), 4KiB";
    let codes = "valid: words, 1=read, 1=write, bit0=read, bit0=write, or a map such as 2a=write,28=read";
    for (columns, parts) in [
        ("time,op,offset:bytes,size:bytes", "time:ns, time:100ns, time:us, time:ms, time:s or time:date"),
        ("time:min,op,offset:bytes,size:bytes", "unit of time \"min\"; valid: ns, 100ns, us, ms, s"),
        ("time:us,op,ofset:bytes,size:bytes", "\"ofset\"; did you mean \"offset\"?; valid: time:UNIT, op,"),
        ("time:us,op,offset:bytes", "size is missing"),
        ("time:us,time:ns,op,offset:bytes,size:bytes", "time occurs 2 times"),
        ("time:us,op,offset,size:bytes", "offset needs its unit|offset:bytes, offset:sectors"),
        ("time:us,op,offset:bytes,size:pages", &format!("\"pages\" of size|{units}|:hex")),
        ("time:us,op,offset:0KiB,size:bytes", &format!("\"0KiB\" of offset|{units}|:hex")),
        (
            "time:us,op:2=read,offset:bytes,size:bytes",
            &format!("\"2=read\"; did you mean \"1=read\"?; {codes}"),
        ),
        ("T=time:us,op,offset:bytes,size:bytes", "all columns have a name|or none"),
        ("time:us,op:2a=write,28=rea,offset:bytes,size:bytes", &format!("code for op \"2a=write\"|{codes}")),
        (
            "time:us,op:2a=write,0x2A=read,offset:bytes,size:bytes",
            "op:2a=write,0x2A=read|\"2A\" occurs twice",
        ),
        ("time:us,op:bit0=write,2=trim,offset:bytes,size:bytes", "op:bit0=write,2=trim|bit0 decides alone"),
        ("skip:x,time:us,op,offset:bytes,size:bytes", "skip:x|as in skip:1"),
        ("_:us,time:us,op,offset:bytes,size:bytes", "_ has no unit"),
    ] {
        names(&refused("x\n", &table(columns, None)), &format!("--columns \"{columns}\": |{parts}"));
    }
    names(
        &refused("x\n", &table(PLAIN, Some("colon"))),
        "separator \"colon\"; valid: comma, tab, blanks|; or |",
    );
    names(&refused("x\n", &with(&[("format", "columns")])), "the format columns needs --columns");
}

#[test]
fn bad_lines() {
    let words =
        "read, write, trim (or discard), flush (or sync), R, W, T (or D), F|RS, WS|op:2a=write,28=read";
    let rows = [
        ("x,W,0,1", "time is missing"),
        ("1e6,W,0,1", "time is \"1e6\""),
        ("5,X,0,1", &format!("unknown op \"X\"; valid: {words}")),
        ("5,W,0xfg,1", "offset is \"fg\"|hexadecimal"),
        ("5,W,0x10000000000000000,1", "offset is too large for 64 bits"),
        ("5,\"W,0,1", "unknown op \"\"W\""),
        ("5,W,0,1.5", "size is \"1.5\""),
        ("5,W,0", "ends before the column size"),
        ("5,W,0,1,9", "\"9\" after the last column|_*"),
    ];
    refuses(&table(PLAIN, None), "", "4,R,0,1", &rows);
    names(&refused("4,R,0,1\nx\n", &table(PLAIN, None)), &format!("expected: {PLAIN}, with \",\""));
}

#[test]
fn a_header_by_place_is_explained_and_one_by_name_must_have_the_columns() {
    let content = "Time,Kind,Offset,Size\n1,R,0,512\n";
    names(&refused(content, &table(PLAIN, None)), "t:1: time is missing|Timestamp=time:us|skip:1");
    let by_name = table("Time=time:us,Kind=op,Offest=offset:bytes,Size=size:bytes", None);
    let parts = "t:1: |\"Offest\"; did you mean \"Offset\"?; it has Time, Kind, Offset, Size";
    names(&refused(content, &by_name), parts);
    let twice = table("Time=time:us,Kind=op,Offset=offset:bytes,Size=size:bytes", None);
    names(&refused("Time,Kind,Offset,Size,Time\n1,R,0,512,1\n", &twice), "\"Time\" twice");
}

/// The page that has the recipes.
const PAGE: &str = include_str!("../../../docs/traces.md");

#[rstest]
#[case::fiu("time:ns,_,_,offset:sectors,size:sectors,op,_,device,_*", Some("blanks"), 1500,
    &["100 1201 mailer 8 16 W 6 0 0f3c", "1600 1201 mailer 0 1 R 6 0 0f3d"])]
#[case::diskmon("_,time:s,_,device,op,offset:sectors,size:sectors", Some("tab"), 2000,
    &["0\t3.000001\t0.00011\t1\tWrite\t8\t16", "1\t3.000003\t0.0001\t1\tRead\t0\t1"])]
#[case::libcachesim("time=time:s,op=op:2a=write,28=read,size=size:bytes,lbn=offset:sectors", None,
    1_000_000_000, &["version,time,op,size,lbn", "1,77,2a,8192,8", "1,78,28,512,0"])]
#[case::dates("_,time:date,op,offset:bytes,size:bytes", Some("blanks"), 500,
    &["1 2016-02-22 07:00:00.0000001 W 4096 8192", "2 2016-02-22 07:00:00.0000006 R 0 512"])]
#[case::msr_with_other_columns("skip:1,time:100ns,_,device,op,offset:bytes,size:bytes,_*", None, 1500,
    &["Ticks,Host,Disk,Type,Offset,Size,Answer", "70,a,0,Write,4096,8192,5,1", "85,a,0,Read,0,512,5,1"])]
fn recipes_of_the_page(
    #[case] columns: &str,
    #[case] separator: Option<&str>,
    #[case] second_ns: u64,
    #[case] lines: &[&str],
) {
    let separated = separator.map_or(String::new(), |separator| format!(" --separator {separator}"));
    let command = format!("--columns {columns}{separated}\n");
    assert!(PAGE.contains(&command), "docs/traces.md lacks {command}");
    let expected = [record(0, Op::Write, 4096, 8192), record(second_ns, Op::Read, 0, 512)];
    assert_eq!(opened(lines.join("\n"), &table(columns, separator)).unwrap(), expected);
}

/// What is advised behind `--columns` and `--separator`, as a shell would hand it over.
fn advised(content: &str) -> OpenOptions {
    let told = records(content).unwrap_err();
    let (_, option) = told.split_once("--columns ").unwrap_or_else(|| panic!("{told}"));
    let (columns, rest) = match option.strip_prefix('\'') {
        Some(quoted) => quoted.split_once('\'').unwrap(),
        None => option.split_at(option.find([' ', '\n']).unwrap_or(option.len())),
    };
    let separator = rest.strip_prefix(" --separator ");
    let separator = separator.map(|rest| rest.split([' ', '\n']).next().unwrap().trim_matches('"'));
    table(columns, separator)
}

#[test]
fn the_advice_reads_the_table() {
    for (content, columns) in [
        (
            "timestamp_ns,op,offset_bytes,size_bytes\n1,R,512,4096",
            "timestamp_ns=time:ns,op=op,offset_bytes=offset:bytes,size_bytes=size:bytes",
        ),
        (
            "\"time\";\"rw\";\"lba\";\"length\"\n0.001;R;1;4096",
            "time=time:us,rw=op,lba=offset:sectors,length=size:bytes",
        ),
        (
            "Time(us)\tOp\tStart sector\tSectors\n0.001\tR\t1\t8",
            "Time(us)=time:us,Op=op,Start sector=offset:sectors,Sectors=size:sectors",
        ),
        (
            "id,startTimeNs,latency_us,bytes,address,operation\n7,1,5,4096,512,read",
            "startTimeNs=time:ns,bytes=size:bytes,address=offset:bytes,operation=op",
        ),
        (
            "ts_ns disk lbn type nbytes\n1 sda 1 R 4096",
            "ts_ns=time:ns,disk=device,lbn=offset:sectors,type=op,nbytes=size:bytes",
        ),
        ("time,time,op,offset,size\n0.001,9,R,512,4096", "skip:1,time:us,_,op,offset:bytes,size:bytes"),
        // What a tool writes above its table, and units that a name or a time of this century tells.
        (
            "# by ioprobe\n\n// on node17\nTimestamp;Cmd;Byte offset;Len (4K)\n1700000000.5;READ;512;1",
            "skip:2,Timestamp=time:s,Cmd=op,Byte offset=offset:bytes,Len (4K)=size:4KiB",
        ),
        (
            "% probe\nts,ts,op,offset,size\n1700000000123,9,R,512,4096",
            "skip:2,time:ms,_,op,offset:bytes,size:bytes",
        ),
        (
            "#time,op,offset,size\n1700000000123456,R,512,4096",
            "#time=time:us,op=op,offset=offset:bytes,size=size:bytes",
        ),
    ] {
        let options = advised(content);
        assert_eq!(options.columns.as_deref(), Some(columns));
        assert_eq!(opened(content, &options), Ok(vec![record(0, Op::Read, 512, 4096)]), "{columns}");
    }
    // What the cells tell: SCSI codes in either radix, words of their own, dates, hexadecimal addresses.
    for (content, columns) in [
        (
            "version,time,op,size,lbn\n1,7,28,4096,1\n1,8,2A,512,0\n",
            "time=time:us,op=op:28=read,2a=write,88=read,8a=write,35=flush,size=size:bytes,\
             lbn=offset:sectors",
        ),
        (
            "time,op,size,lbn\n7,40,4096,1\n8,18,512,0\n8,42,512,0\n",
            "time=time:us,op=op:40=read,18=skip,42=write,136=read,138=write,53=flush,size=size:bytes,\
             lbn=offset:sectors",
        ),
        (
            "time,op,size,offset\n7,Rd,4096,512\n8,Wr,512,0\n",
            "time=time:us,op=op:Rd=read,Wr=write,size=size:bytes,offset=offset:bytes",
        ),
        (
            "time,op,size,offset\n7,rd,4096,512\n",
            "time=time:us,op=op:rd=read,w=write,size=size:bytes,offset=offset:bytes",
        ),
        (
            "when,op,offset,size\n2016-02-22 07:00:00.5,R,512,4096\n2016-02-22 07:00:00.6,W,0,512\n",
            "when=time:date,op=op,offset=offset:bytes,size=size:bytes",
        ),
        (
            "time,op,lba,size\n7,R,1,4096\n9,W,ff,512\n",
            "time=time:us,op=op,lba=offset:sectors:hex,size=size:bytes",
        ),
    ] {
        let options = advised(content);
        assert_eq!(options.columns.as_deref(), Some(columns));
        assert_eq!(opened(content, &options).unwrap()[0], record(0, Op::Read, 512, 4096), "{columns}");
        assert!(!records(content).unwrap_err().contains("not enough"), "{columns}");
    }
    // Of several devices one is named, as it must be.
    let told = records("time,op,offset,size,disk\n1,R,512,4096,a\n2,W,512,4096,b\n").unwrap_err();
    names(&told, "size=size:bytes,disk=device --trace-device a");
    // Where it does not, it is said.
    let told = records("time,op,offset,size\n1,R,0,512\n2,R,0,half\n").unwrap_err();
    names(&told, "--columns time=time:us|that much is not enough: line 3: size is");
    // No name is a time: the advice has a place for the one that is.
    let named = advised("_at|rw|LPN|pages|x\n1|read|0|1|2").columns;
    assert_eq!(named.as_deref(), Some("rw=op,LPN=offset:4KiB,pages=size:4KiB,NAME=time:us"));
}

/// A time may be called by its unit alone, in one word with it, and by many another name.
#[test]
fn names_of_times_with_units_are_understood() {
    let advice = |time: &str| advised(&format!("{time},op,lba,bytes\n1,R,8,4096\n")).columns.unwrap();
    let places = [
        ("seconds sec secs time_s t_s ts_sec time_in_seconds Time[s] arrival_sec startTimeSec", "s"),
        ("milliseconds msec ms millis t_ms time_ms timems timestampMS arrived_ms Milliseconds", "ms"),
        (
            "usec us micros microseconds t_us time_usec timeus tus ts_us submit_us \u{b5}s timestamp_micros",
            "us",
        ),
        ("nsec ns nanos nanoseconds t_ns timestampns issue_ns epoch_ns begin_nsec datetime_ns", "ns"),
        ("time timestamp t ts times timestamps date", "us"),
    ];
    for (names, unit) in places {
        for name in names.split(' ') {
            let expected = match name {
                // Of one thing and of many: no name that is known.
                "times" | "timestamps" => "op=op,lba=offset:sectors,bytes=size:bytes,NAME=time:us".to_owned(),
                _ => format!("{name}=time:{unit},op=op,lba=offset:sectors,bytes=size:bytes"),
            };
            assert_eq!(advice(name), expected);
        }
    }
    // Two that are called by units alone are the parts of one time, and neither is it.
    let parts = advised("sec,nsec,op,lba,bytes\n1,5,R,8,4096\n").columns.unwrap();
    assert_eq!(parts, "op=op,lba=offset:sectors,bytes=size:bytes,NAME=time:us");
    // What is surer goes first, and what took time is no arrival.
    let surer = advised("seconds,t_ms,rw,lba,kb\n1,5,R,8,4\n").columns.unwrap();
    assert_eq!(surer, "t_ms=time:ms,rw=op,lba=offset:sectors,kb=size:1KiB");
    let took = advised("latency_seconds,usec,is_write,offsetbytes,sizekib\n1,5,0,8,4\n").columns.unwrap();
    assert_eq!(took, "usec=time:us,is_write=op:1=write,offsetbytes=offset:bytes,sizekib=size:1KiB");
}

#[test]
fn a_header_that_is_not_found_says_what_stands_there() {
    let named = "Time=time:us,Kind=op,Offset=offset:bytes,Size=size:bytes";
    let told = refused("Time;Kind;Offset;Size\n1;R;0;512\n", &table(named, None));
    names(&told, "other separators|--separator \";\"");
    let told = refused("Time,Kind,Offset,Size\n1,R,0,512\n", &table(named, Some("tab")));
    names(&told, "other separators|--separator comma");
    let told = refused("# by a probe\nTime,Kind,Offset,Size\n1,R,0,512\n", &table(named, None));
    names(&told, "is a comment|skip:1");
    let told = refused("Tine,Kind,Offset,Size\n1,R,0,512\n", &table(named, None));
    names(&told, "no column \"Time\"; did you mean \"Tine\"?");
}

#[test]
fn what_no_name_tells_is_said_to_be_guessed() {
    let told = records("t,kind,addr,len\n1,0,0,1\n").unwrap_err();
    names(
        &told,
        "columns t, kind, addr, len;|--columns t=time:us,kind=op:1=write,addr=offset:bytes,len=size:bytes",
    );
    names(&told, "guessed|: time:us, op:1=write, offset:bytes, size:bytes)");
    let told = records("alpha,beta,gamma,delta\n1,0,0,1\n").unwrap_err();
    names(
        &told,
        "alpha, beta, gamma, delta;|--columns NAME=time:us,NAME=op,NAME=offset:bytes,NAME=size:bytes",
    );
    names(&told, "the time and the op and the offset and the size");
    for sentence in ["this is what I wrote down about traces\n", "a,b\n1,2\n", "1,2,3,4,x\n"] {
        let told = records(sentence).unwrap_err();
        assert!(!told.contains("names the columns") && told.contains("the first line reads: "), "{told}");
    }
}

/// A header of Windows, in Latin-1: the column is found by its place, as nobody can write its name.
#[test]
fn a_header_in_latin_1_has_its_unit_understood() {
    let content = b"time_\xB5s,op,offset,size_bytes\n5,R,512,4096\n7,W,512,4096\n";
    let columns = "skip:1,time:us,op,offset:bytes,size:bytes";
    names(
        &records(content).unwrap_err(),
        &format!("time_\u{b5}s, op, offset, size_bytes; |--columns {columns}"),
    );
    let found = opened(content, &table(columns, None)).unwrap();
    assert_eq!(found, [record(0, Op::Read, 512, 4096), record(2_000, Op::Write, 512, 4096)]);
}
