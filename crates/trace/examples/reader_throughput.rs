//! How fast each format is read: a file of so many requests is written, then read three times; the fastest counts.
//!
//! `cargo run --release -p reclaim-trace --example reader_throughput [REQUESTS [FORMAT…]]`, 2 million by default. Files
//! are in memory if the machine has /dev/shm. A line, or record, is one request; blkparse and fio have more lines.

use std::error::Error;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::Instant;

use niffler::Level;
use niffler::send::compression::Format as Compression;
use reclaim_trace::{Op, OpenOptions, OutputFormat, Record, TimeUnit, Trace};

const DEFAULT_REQUESTS: u64 = 2_000_000;
const ROUNDS: u32 = 3;
/// The goal for text formats.
const GOAL_PER_S: f64 = 5e6;

/// How a request is written.
type Line = fn(&mut dyn Write, u64, &Record) -> std::io::Result<()>;

struct Format {
    name: &'static str,
    head: &'static str,
    line: Line,
    compression: Compression,
    options: fn() -> OpenOptions,
}

const PLAIN: Format = Format {
    name: "",
    head: "",
    line: |_, _, _| Ok(()),
    compression: Compression::No,
    options: OpenOptions::default,
};

const CSV_HEAD: &str = "time_us,op,offset_bytes,size_bytes\n";

fn csv_line(out: &mut dyn Write, _: u64, r: &Record) -> std::io::Result<()> {
    let (us, ns) = (r.time_ns / 1000, r.time_ns % 1000);
    writeln!(out, "{us}.{ns:03},{},{},{}", r.op.name(), r.offset_bytes, r.size_bytes)
}

fn letter(r: &Record) -> &'static str {
    if r.op == Op::Read { "R" } else { "W" }
}

fn reads(r: &Record) -> u8 {
    u8::from(r.op == Op::Read)
}

fn microseconds() -> OpenOptions {
    OpenOptions { time_unit: Some(TimeUnit::Microseconds), ..OpenOptions::default() }
}

fn columns() -> OpenOptions {
    OpenOptions {
        columns: Some("time:us,op,offset:bytes,size:bytes".to_owned()),
        separator: Some(";".to_owned()),
        ..OpenOptions::default()
    }
}

#[rustfmt::skip]
const TEXT: [Format; 19] = [
    Format { name: "csv", head: CSV_HEAD, line: csv_line, ..PLAIN },
    Format { name: "msr", line: |out, _, r| {
        let kind = if r.op == Op::Read { "Read" } else { "Write" };
        writeln!(
            out,
            "{},hm,0,{kind},{},{},1413",
            128_166_372_003_061_629 + r.time_ns / 100,
            r.offset_bytes,
            r.size_bytes,
        )
    }, ..PLAIN },
    Format { name: "alibaba", line: |out, _, r| {
        writeln!(
            out,
            "419,{},{},{},{}",
            letter(r),
            r.offset_bytes,
            r.size_bytes,
            1_577_808_144_360_767 + r.time_ns / 1000,
        )
    }, ..PLAIN },
    Format { name: "tencent", line: |out, _, r| {
        writeln!(
            out,
            "{},{},{},{},1063",
            1_538_323_200 + r.time_ns / 1_000_000_000,
            r.offset_bytes / 512,
            r.size_bytes / 512,
            1 - reads(r),
        )
    }, ..PLAIN },
    Format { name: "systor", head: "Timestamp,Response,IOType,LUN,Offset,Size\n", line: |out, _, r| {
        let ns = 1_456_135_200_013_118_000 + r.time_ns;
        writeln!(
            out,
            "{}.{:09},0.000806000,{},4,{},{}",
            ns / 1_000_000_000,
            ns % 1_000_000_000,
            letter(r),
            r.offset_bytes,
            r.size_bytes,
        )
    }, ..PLAIN },
    Format { name: "spc", line: |out, _, r| {
        let us = r.time_ns / 1000;
        writeln!(
            out,
            "0,{},{},{},{}.{:06}",
            r.offset_bytes / 512,
            r.size_bytes,
            letter(r),
            us / 1_000_000,
            us % 1_000_000,
        )
    }, ..PLAIN },
    Format { name: "blkparse", line: |out, number, r| {
        let (s, ns) = (r.time_ns / 1_000_000_000, r.time_ns % 1_000_000_000);
        writeln!(
            out,
            "  8,0    1 {number:8} {s:5}.{ns:09}  4957  D  {}S {} + {} [fio]",
            letter(r),
            r.offset_bytes / 512,
            r.size_bytes / 512,
        )
    }, ..PLAIN },
    Format { name: "ftrace", line: |out, _, r| {
        let us = r.time_ns / 1000;
        writeln!(
            out,
            "             fio-4957    [001] .....  {:4}.{:06}: block_rq_issue: 8,0 {}S {} () {} + {} [fio]",
            us / 1_000_000,
            us % 1_000_000,
            letter(r),
            r.size_bytes,
            r.offset_bytes / 512,
            r.size_bytes / 512,
        )
    }, ..PLAIN },
    Format {
        name: "biosnoop",
        head: "TIME(s)     COMM           PID    DISK    T SECTOR     BYTES   LAT(ms)\n",
        line: |out, _, r| {
            let (us, sector) = (r.time_ns / 1000, r.offset_bytes / 512);
            let (s, us) = (us / 1_000_000, us % 1_000_000);
            writeln!(out, "{s}.{us:06}    fio 4957 vda {} {sector} {} 0.74", letter(r), r.size_bytes)
        },
        ..PLAIN
    },
    Format { name: "mqsim", line: |out, _, r| {
        writeln!(out, "{} 0 {} {} {}", r.time_ns, r.offset_bytes / 512, r.size_bytes / 512, reads(r))
    }, ..PLAIN },
    Format { name: "disksim", line: |out, _, r| {
        let us = r.time_ns / 1000;
        writeln!(
            out,
            "{}.{:06} 0 {} {} {}",
            us / 1000,
            us % 1000 * 1000,
            r.offset_bytes / 512,
            r.size_bytes / 512 + 1,
            reads(r),
        )
    }, ..PLAIN },
    Format {
        name: "fio",
        head: "fio version 3 iolog\n0 /dev/nvme0n1 add\n0 /dev/nvme0n1 open\n",
        line: |out, _, r| {
            let us = r.time_ns / 1000;
            writeln!(out, "{us} /dev/nvme0n1 {} {} {}", r.op.name(), r.offset_bytes, r.size_bytes)
        },
        ..PLAIN
    },
    Format {
        name: "fio-v2",
        head: "fio version 2 iolog\n/dev/nvme0n1 add\n/dev/nvme0n1 open\n",
        line: |out, _, r| {
            let name = r.op.name();
            writeln!(out, "/dev/nvme0n1 wait 12 0\n/dev/nvme0n1 {name} {} {}", r.offset_bytes, r.size_bytes)
        },
        options: microseconds,
        ..PLAIN
    },
    Format { name: "fiolog", line: |out, _, r| {
        let (ms, direction) = (r.time_ns / 1_000_000, 1 - reads(r));
        writeln!(out, "{ms}, 104215, {direction}, {}, {}, 0", r.size_bytes, r.offset_bytes)
    }, ..PLAIN },
    Format { name: "columns", line: |out, _, r| {
        writeln!(out, "{};{};{};{}", r.time_ns / 1000, r.op.name(), r.offset_bytes, r.size_bytes)
    }, options: columns, ..PLAIN },
    Format { name: "csv.gz", head: CSV_HEAD, line: csv_line, compression: Compression::Gzip, ..PLAIN },
    Format { name: "csv.zst", head: CSV_HEAD, line: csv_line, compression: Compression::Zstd, ..PLAIN },
    Format { name: "csv.xz", head: CSV_HEAD, line: csv_line, compression: Compression::Lzma, ..PLAIN },
    Format { name: "csv.bz2", head: CSV_HEAD, line: csv_line, compression: Compression::Bzip, ..PLAIN },
];

#[rustfmt::skip]
const BINARY: [Format; 3] = [
    Format { name: "oracle", line: |out, _, r| {
        let mut bytes = [0xFF; 24];
        bytes[..4].copy_from_slice(&((r.time_ns / 1_000_000_000) as u32).to_le_bytes());
        bytes[4..12].copy_from_slice(&(r.offset_bytes / 512).to_le_bytes());
        bytes[12..16].copy_from_slice(&(r.size_bytes as u32).to_le_bytes());
        out.write_all(&bytes)
    }, ..PLAIN },
    Format { name: "vscsi", line: |out, number, r| {
        let mut bytes = [0; 32];
        bytes[..4].copy_from_slice(&(number as u32).to_le_bytes());
        bytes[4..8].copy_from_slice(&(r.size_bytes as u32).to_le_bytes());
        bytes[12] = if r.op == Op::Read { 0x28 } else { 0x2A };
        bytes[15] = 1;
        bytes[16..24].copy_from_slice(&(r.offset_bytes / 512).to_le_bytes());
        bytes[24..].copy_from_slice(&(r.time_ns / 1000).to_le_bytes());
        out.write_all(&bytes)
    }, ..PLAIN },
    Format { name: "blktrace", line: |out, number, r| {
        let mut bytes = [0; 48];
        let action = 7 | 1 << 22 | (u32::from(r.op == Op::Write) << 17);
        bytes[..4].copy_from_slice(&0x6561_7407_u32.to_le_bytes());
        bytes[4..8].copy_from_slice(&(number as u32).to_le_bytes());
        bytes[8..16].copy_from_slice(&r.time_ns.to_le_bytes());
        bytes[16..24].copy_from_slice(&(r.offset_bytes / 512).to_le_bytes());
        bytes[24..28].copy_from_slice(&(r.size_bytes as u32).to_le_bytes());
        bytes[28..32].copy_from_slice(&action.to_le_bytes());
        bytes[36..40].copy_from_slice(&(8_u32 << 20).to_le_bytes());
        out.write_all(&bytes)
    }, ..PLAIN },
];

/// Requests like those of a real trace: numbers of varied length, times that sometimes stand still.
fn requests(count: u64) -> impl Iterator<Item = Record> {
    let (mut noise, mut time_ns) = (1_u64, 0);
    (0..count).map(move |_| {
        noise = noise.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        time_ns += noise >> 44;
        Record {
            time_ns,
            offset_bytes: (noise >> 20) % (1 << (30 + noise % 10)) / 512 * 512,
            size_bytes: 512 << ((noise >> 40) % 8),
            op: if (noise >> 50).is_multiple_of(3) { Op::Read } else { Op::Write },
            stream: 0,
        }
    })
}

fn write(format: &Format, path: &Path, count: u64) -> Result<(), Box<dyn Error>> {
    let file = Box::new(BufWriter::new(File::create(path)?));
    let mut out = BufWriter::new(niffler::send::get_writer(file, format.compression, Level::Six)?);
    out.write_all(format.head.as_bytes())?;
    for (number, record) in (1..).zip(requests(count)) {
        (format.line)(&mut out, number, &record)?;
    }
    Ok(out.flush()?)
}

/// Requests per second, and bytes per second of the file.
fn measure(path: &Path, options: &OpenOptions, count: u64) -> Result<(f64, f64), Box<dyn Error>> {
    let bytes = std::fs::metadata(path)?.len();
    let mut best_s = f64::INFINITY;
    let mut records = Vec::with_capacity(4096);
    for _ in 0..ROUNDS {
        let start = Instant::now();
        let mut source = Trace::open(path, options)?.source()?;
        let mut found = 0;
        while source.fill(&mut records, 4096)? > 0 {
            found += records.len() as u64;
            records.clear();
        }
        best_s = best_s.min(start.elapsed().as_secs_f64());
        if found != count {
            return Err(format!("{}: {found} requests instead of {count}", path.display()).into());
        }
    }
    Ok((count as f64 / best_s, bytes as f64 / best_s))
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1).peekable();
    let count = words
        .next_if(|word| word.parse::<u64>().is_ok())
        .map_or(Ok(DEFAULT_REQUESTS), |word| word.parse())?;
    let wanted: Vec<_> = words.collect();
    let wants = |name: &str| wanted.is_empty() || wanted.iter().any(|word| word == name);
    let memory = Path::new("/dev/shm");
    let folder = if memory.is_dir() { tempfile::tempdir_in(memory)? } else { tempfile::tempdir()? };
    println!(
        "{:<10} {:>14} {:>10}   ({count} requests, best of {ROUNDS}, one thread)",
        "format", "requests/s", "MB/s"
    );
    let path = folder.path().join("t");
    let show = |name: &str, options: &OpenOptions, is_text: bool| -> Result<(), Box<dyn Error>> {
        let (per_s, bytes_per_s) = measure(&path, options, count)?;
        let note = if is_text && per_s < GOAL_PER_S { "   below 5 million/s" } else { "" };
        println!("{name:<10} {:>12.2} M {:>10.0}{note}", per_s / 1e6, bytes_per_s / 1e6);
        Ok(())
    };
    for format in TEXT.iter().chain(&BINARY).filter(|format| wants(format.name)) {
        write(format, &path, count)?;
        let is_text =
            format.compression == Compression::No && TEXT.iter().any(|text| text.name == format.name);
        show(format.name, &(format.options)(), is_text)?;
    }
    if wants("parquet") {
        let trace = Trace::from_records("memory", requests(count).collect());
        trace.convert(&path, Some(OutputFormat::Parquet), true)?;
        show("parquet", &OpenOptions::default(), false)?;
    }
    Ok(())
}
