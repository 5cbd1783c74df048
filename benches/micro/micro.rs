//! What single parts cost: the event queue, a host page with its collection under each victim policy, the regression of
//! coupled blocks, the trace reader.
//! Short settings: all of it takes about a minute (`make bench`).

use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use reclaim_sim::config::{Config, LoadRequest, load};
use reclaim_sim::engine::{Event, EventQueue};
use reclaim_sim::flash::Geometry;
use reclaim_sim::ftl::Ftl;
use reclaim_sim::gc::relocation::regression::{Model, Sample};
use reclaim_sim::ids::{DieId, Lpn};
use reclaim_sim::random::RandomStream;
use reclaim_sim::time::{Nanos, SimTime};
use reclaim_trace::{OpenOptions, Trace, UniformSpec, write_normalised_csv};

fn config(victim: &str) -> Config {
    let set = [
        ("geometry.blocks_per_plane", "64"),
        ("geometry.pages_per_block", "64"),
        ("geometry.spare_factor", "20%"),
        ("gc.trigger.start", "1 block"),
        ("gc.victim", victim),
    ];
    let set = set.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    load(&LoadRequest { device: "gc-bypass".to_owned(), schemes: Vec::new(), set })
        .expect("a good configuration")
}

/// Every event taken schedules the next of its die, as far ahead as a read, a transfer or a program would.
fn event_queue(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("event queue, take and schedule");
    for dies in [8, 64, 1024] {
        let mut queue = EventQueue::new(dies, 4, 0, Nanos(750_000));
        (0..dies).for_each(|die| queue.schedule(SimTime(u64::from(die)), Event::Die(DieId(die))));
        let mut turn = 0;
        group.bench_function(BenchmarkId::from_parameter(dies), |bencher| {
            bencher.iter(|| {
                let due = queue.pop().expect("every die has an event");
                turn = (turn + 1) % 3;
                let after = Nanos([75_290, 12_288, 762_649][turn]);
                if let Event::Die(die) = queue.event_of(due) {
                    queue.schedule_die(queue.now() + after, die);
                }
            });
        });
    }
    group.finish();
}

/// A page written at random to a drive in steady state, without time: mapping, space, victim choice and moves.
fn host_page(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("host page without time");
    for member in reclaim_sim::gc::victim::MEMBERS.all {
        let config = config(member.name);
        let geometry = Geometry::new(&config).expect("checked");
        let mut ftl = Ftl::new(&config, &geometry, false);
        let mut stream = RandomStream::new(1, "bench");
        (0..geometry.logical_pages).for_each(|page| ftl.write_now(Lpn(page)));
        (0..2 * geometry.logical_pages)
            .for_each(|_| ftl.write_now(Lpn(stream.below(geometry.logical_pages))));
        group.bench_function(BenchmarkId::from_parameter(member.name), |bencher| {
            bencher.iter(|| ftl.write_now(Lpn(stream.below(geometry.logical_pages))));
        });
    }
    group.finish();
}

/// The regression of coupled blocks: what a job asks of it when the first three candidates are admitted, and a training
/// with 1,024 samples, which a window of requests causes at most once.
fn regression(criterion: &mut Criterion) {
    let mut stream = RandomStream::new(1, "bench");
    let mut samples = Vec::new();
    for _ in 0..1024 {
        let inputs = std::array::from_fn(|_| f64::from(stream.below(1000)) / 1000.0);
        samples.push(Sample { inputs, target: f64::from(u8::from(stream.below(10) == 0)) });
    }
    let mut model = Model::scaled_for(&samples);
    model.train(&samples, 0.05, 20, true);
    let mut group = criterion.benchmark_group("regression of coupled blocks");
    let mut turn = 0;
    group.bench_function("a job: three candidates scored", |bencher| {
        bencher.iter(|| {
            turn = (turn + 3) % 1020;
            samples[turn..turn + 3].iter().map(|sample| model.score(black_box(&sample.inputs))).sum::<f64>()
        });
    });
    group.bench_function("a training: 20 steps over 1,024 samples", |bencher| {
        bencher.iter(|| {
            let mut trained = model;
            trained.train(black_box(&samples), 0.05, 20, true);
            trained
        });
    });
    group.finish();
}

/// A trace of 100,000 requests: taken apart from text and summed up; played again.
fn reader(criterion: &mut Criterion) {
    const REQUESTS: u64 = 100_000;
    let spec = UniformSpec {
        footprint_bytes: 6 << 30,
        request_bytes: 4096,
        count: REQUESTS,
        write_fraction: 0.7,
        trim_fraction: 0.0,
        mean_interarrival_ns: 500_000,
        seed: 1,
    };
    let path = std::env::temp_dir().join(format!("reclaim-bench-{}.csv", std::process::id()));
    let mut file = Vec::new();
    write_normalised_csv(&Trace::uniform(spec), &mut file)
        .expect("generated")
        .expect("memory takes any text");
    std::fs::write(&path, file).expect("a place for the trace");
    let open = || Trace::open(&path, &OpenOptions::default()).expect("a good trace");
    let mut group = criterion.benchmark_group("trace, 100,000 requests");
    group.throughput(Throughput::Elements(REQUESTS));
    group.bench_function("first scan of CSV text", |bencher| {
        bencher.iter(|| black_box(open().scan().expect("a good trace")));
    });
    let scanned = open();
    scanned.scan().expect("a good trace");
    group.bench_function("played after a scan", |bencher| {
        bencher.iter(|| {
            let mut source = scanned.source().expect("a good trace");
            let mut records = Vec::with_capacity(4096);
            while source.fill(&mut records, 4096).expect("a good trace") > 0 {
                black_box(&records);
                records.clear();
            }
        });
    });
    group.finish();
    let _ = std::fs::remove_file(&path);
}

criterion_group! {
    name = micro;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2));
    targets = event_queue, host_page, regression, reader
}
criterion_main!(micro);
