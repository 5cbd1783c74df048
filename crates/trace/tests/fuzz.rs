//! Every reader with files that are nearly right, and with noise: whatever a file holds, reading it ends, without a
//! panic, in constant memory, with an error or with requests in order of time.
//!
//! Each gets the same five hundred files, or as many as `RECLAIM_FUZZ_SECONDS` allow. `RECLAIM_FUZZ_SEED` chooses other
//! files. What makes a reader fail is kept, and its path printed.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::common::{kept, packed};
use niffler::send::compression::Format as Compression;
use rand::{Rng, RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use reclaim_trace::{OnError, OpenOptions, Trace, TraceError};
use rstest::rstest;

/// A file of a few hundred bytes that is still being read after this long never will be. Table files on which their
/// decoder goes round for ever are given up after 10 s.
const PATIENCE: Duration = Duration::from_mins(1);
/// Far more than any reader needs for files this small.
const MOST_RESIDENT_KIB: u64 = 1 << 20;
/// One reader at a time, so that each has the time it was given.
static TURN: Mutex<()> = Mutex::new(());

/// Files without a limit of time.
const FILES: u64 = 500;

fn setting(name: &str) -> Option<f64> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name}={text}: a number is needed")))
}

/// Where files are written: in memory, if the machine has such a place.
fn scratch() -> tempfile::TempDir {
    let shm = Path::new("/dev/shm");
    let made = if shm.is_dir() { tempfile::tempdir_in(shm) } else { tempfile::tempdir() };
    made.or_else(|_| tempfile::tempdir()).expect("a temporary folder")
}

fn fixtures(format: &str) -> Vec<Vec<u8>> {
    let listed = std::fs::read_dir(kept("fixtures")).expect("fixtures");
    let mut paths: Vec<PathBuf> = listed.map(|entry| entry.expect("a fixture").path()).collect();
    paths.sort();
    paths.retain(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.split(['.', '-']).next() == Some(format)
    });
    paths.iter().map(|path| std::fs::read(path).expect("a fixture")).collect()
}

/// Changes that have upset readers before.
fn mutate(file: &mut Vec<u8>, others: &[Vec<u8>], random: &mut Pcg64Mcg) {
    const TOKENS: [&[u8]; 7] = [b" ", b"\t", b"\r\n", b"\n", b"\n\n", b"\0", b"CPU0 ("];
    const WORDS: &[u8] =
        b"- -1 . , ,, \" = + nan 1e9 \xEF\xBB\xBF \xFF\xFF\xFF\xFF 0 [ 18446744073709551615 \
        18446744073709551616 9223372036854775807 00000000000000000000000001 99999999999999999999999999999999";
    let at = |file: &[u8], random: &mut Pcg64Mcg| random.random_range(0..=file.len());
    match random.random_range(0..10) {
        0 if !file.is_empty() => {
            let place = random.random_range(0..file.len());
            file[place] = random.random();
        }
        1 if !file.is_empty() => {
            let place = random.random_range(0..file.len());
            file[place] ^= 1 << random.random_range(0..8);
        }
        2 => {
            let place = at(file, random);
            file.truncate(place);
        }
        3 => {
            let (first, second) = (at(file, random), at(file, random));
            file.drain(first.min(second)..first.max(second).min(first.min(second) + 64));
        }
        4 => {
            let place = at(file, random);
            let words = || WORDS.split(|byte| *byte == b' ').filter(|word| !word.is_empty()).chain(TOKENS);
            let token = words().nth(random.random_range(0..words().count())).unwrap();
            file.splice(place..place, token.iter().copied());
        }
        5 => {
            let (from, length) = (at(file, random), random.random_range(1..200));
            let piece = file[from..file.len().min(from + length)].to_vec();
            let place = at(file, random);
            file.splice(place..place, piece);
        }
        6 if file.len() > 8 => {
            // A length or count in a binary file, made extreme.
            let place = random.random_range(0..file.len() - 8);
            let width = [1, 2, 4, 8][random.random_range(0..4)];
            let value = [0, 1, u64::MAX, 1 << 31, (1 << 31) - 1, 1 << 63, 1 << 24][random.random_range(0..7)];
            file[place..place + width].copy_from_slice(&value.to_le_bytes()[..width]);
        }
        7 => {
            let other = &others[random.random_range(0..others.len())];
            let (place, from) = (at(file, random), at(other, random));
            file.truncate(place);
            file.extend_from_slice(&other[from..]);
        }
        8 => {
            let place = at(file, random);
            let noise: Vec<u8> = (0..random.random_range(1..16)).map(|_| random.random()).collect();
            file.splice(place..place, noise);
        }
        _ if !file.is_empty() => {
            // Swap two digits or letters of text.
            let (first, second) = (random.random_range(0..file.len()), random.random_range(0..file.len()));
            file.swap(first, second);
        }
        _ => {}
    }
}

fn noise(random: &mut Pcg64Mcg) -> Vec<u8> {
    let mut bytes = vec![0; random.random_range(0..600)];
    random.fill_bytes(&mut bytes);
    if random.random() {
        const TEXT: &[u8] = b"0123456789,. -:\n\tRWDQCFS+[]()";
        for byte in &mut bytes {
            *byte = TEXT[usize::from(*byte) % TEXT.len()];
        }
    }
    bytes
}

fn options(format: &str, random: &mut Pcg64Mcg) -> OpenOptions {
    const COLUMNS: [&str; 6] = [
        "time:date,op,offset:bytes,size:bytes,_*",
        "time:us,op,offset:bytes,size:bytes",
        "time:s,op:bit0=read,offset:sectors,size:4KiB,_*",
        "device,op,offset:bytes,size:bytes,time:us",
        "time_us=time:us,op=op,offset_bytes=offset:bytes,size_bytes=size:bytes,device=device",
        "time:us,op:1=write,offset:bytes,size:sectors,device",
    ];
    const SEPARATORS: [Option<&str>; 4] = [None, Some("tab"), Some("blanks"), Some(";")];
    let mut options = OpenOptions { sort: random.random_bool(0.3), ..OpenOptions::default() };
    if random.random_bool(0.3) {
        options.on_error = OnError::Report;
    }
    if format == "columns" || (matches!(format, "parquet" | "arrow") && random.random_bool(0.4)) {
        options.columns = Some(COLUMNS[random.random_range(0..COLUMNS.len())].to_owned());
    }
    match format {
        "columns" => options.separator = SEPARATORS[random.random_range(0..4)].map(str::to_owned),
        // Compressed files are recognised like any others.
        "packed" => return options,
        _ => {}
    }
    if random.random_bool(0.8) {
        options.format = Some(format.to_owned());
    }
    if random.random_bool(0.3) && !matches!(format, "csv") {
        options.device = Some(["all", "4", "8,16", "hm_0"][random.random_range(0..4)].to_owned());
    }
    options
}

/// Read all of it; what comes out must be a trace.
fn read(path: &Path, options: &OpenOptions) -> Result<(), TraceError> {
    let records = crate::common::read(path, options)?;
    assert_eq!(
        records.first().map(|record| record.time_ns),
        Some(0),
        "a trace without a request is an error"
    );
    assert!(records.is_sorted_by_key(|record| record.time_ns), "time goes backwards");
    // In memory every record is checked for what makes it a request.
    let again = Trace::from_records("again", records.clone()).scan().expect("requests");
    assert_eq!(again.requests, records.len() as u64);
    Ok(())
}

fn seeds(format: &str) -> Vec<Vec<u8>> {
    const TABLE: &[u8] = b"0,W,4096,512\n1.5,R,0,4096\n2,T,0,1048576\n3,F,0,0\n";
    match format {
        "columns" => {
            [fixtures("csv"), fixtures("alibaba"), fixtures("disksim"), vec![TABLE.to_vec()]].concat()
        }
        "packed" => {
            let long = [fixtures("csv")[0].clone(), TABLE.repeat(200)].concat();
            let ways = [Compression::Gzip, Compression::Zstd, Compression::Bzip, Compression::Lzma];
            ways.map(|format| packed(&long, format)).into()
        }
        _ => fixtures(format),
    }
}

/// Ends the program if one file is being read for too long: while `reading` counts no further.
fn watch(path: PathBuf, reading: Arc<AtomicU64>) {
    std::thread::spawn(move || {
        let mut seen = (0, Instant::now());
        while Arc::strong_count(&reading) > 1 {
            std::thread::sleep(Duration::from_millis(50));
            let now = reading.load(Ordering::Relaxed);
            if now != seen.0 {
                seen = (now, Instant::now());
            } else if seen.1.elapsed() > PATIENCE {
                eprintln!("reading never ends: {}", keep(&path, "hangs").display());
                std::process::abort();
            }
        }
    });
}

/// Copy a file that makes a reader fail to where it stays.
fn keep(path: &Path, why: &str) -> PathBuf {
    let kept = std::env::temp_dir().join(format!("reclaim-fuzz-{why}-{}", std::process::id()));
    std::fs::copy(path, &kept).expect("a copy");
    kept
}

fn most_resident_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}

#[rstest]
fn whatever_a_file_holds_reading_it_ends(
    #[values(
        "csv", "msr", "blkparse", "ftrace", "biosnoop", "mqsim", "disksim", "fio", "fiolog", "systor", "spc",
        "alibaba", "tencent", "vscsi", "blktrace", "oracle", "parquet", "arrow", "columns", "packed"
    )]
    format: &str,
) {
    let _turn = TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let time = setting("RECLAIM_FUZZ_SECONDS").map(Duration::from_secs_f64);
    let salt = setting("RECLAIM_FUZZ_SEED").unwrap_or(0.0) as u64;
    let seed = format.bytes().fold(salt, |sum, byte| sum.wrapping_mul(131).wrapping_add(u64::from(byte)));
    let mut random = Pcg64Mcg::seed_from_u64(seed);
    let folder = scratch();
    let path = folder.path().join("t");
    let seeds = seeds(format);
    // A decoder's panic that is turned into an error need not be printed.
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    // Forget how much memory other readers needed; only Linux has it, elsewhere nothing is measured.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
    let reading = Arc::new(AtomicU64::new(0));
    watch(path.clone(), Arc::clone(&reading));
    let (start, mut failure) = (Instant::now(), None);
    let (mut good, mut bad) = (0_u64, 0_u64);
    while failure.is_none() && time.map_or(good + bad < FILES, |time| start.elapsed() < time) {
        let content = if random.random_bool(0.02) {
            noise(&mut random)
        } else {
            let mut content = seeds[random.random_range(0..seeds.len())].clone();
            for _ in 0..random.random_range(1..6) {
                mutate(&mut content, &seeds, &mut random);
            }
            content
        };
        // A new file, not the old one rewritten: a thread that decodes ahead may still be reading that.
        let _ = std::fs::remove_file(&path);
        std::fs::write(&path, &content).expect("a file");
        let options = options(format, &mut random);
        match catch_unwind(AssertUnwindSafe(|| read(&path, &options))) {
            Ok(Ok(())) => good += 1,
            Ok(Err(error)) => {
                assert!(!error.to_string().is_empty());
                bad += 1;
            }
            Err(panic) => {
                let text = panic.downcast_ref::<String>().cloned();
                let text = text.or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string));
                failure = Some((keep(&path, format), options, text.unwrap_or_default()));
            }
        }
        reading.fetch_add(1, Ordering::Relaxed);
    }
    let _ = std::panic::take_hook();
    std::panic::set_hook(hook);
    println!("{format}: {good} files read, {bad} refused in {:.1} s", start.elapsed().as_secs_f64());
    if let Some((kept, options, text)) = failure {
        panic!("{}: {text}\nread with {options:?}", kept.display());
    }
    assert!(bad > 0, "{good} files were read and none refused");
    let resident = most_resident_kib();
    assert!(resident < MOST_RESIDENT_KIB, "{resident} KiB were resident");
}
