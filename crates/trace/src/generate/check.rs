//! What a description must fulfil before it is played: every error names its key.

use super::arrivals::window_counts;
use super::spec::{AddressSpec, ArrivalSpec, GeneratorSpec, SizeSpec, ZoneSpec};
use crate::{MAX_TRANSFER_BYTES, Op};

/// How far shares that must add up to 1 may be off.
const ROUNDING: f64 = 1e-6;
const MOST_STREAMS: u64 = 1 << 20;
/// An hour of making them, and more than any recording at hand has.
const MOST_REQUESTS: u64 = 10_000_000_000;

/// Of a description that plays its writes from a history, as this program once did.
pub(super) const HISTORY_IS_GONE: &str = "histories of writes are gone; make the stand-in anew with \
     `reclaim trace synthesize SOURCE OUT.toml`, or describe the writes by [operations], [write] and [trim] \
     under generator = 1";

type Checked = Result<(), Fault>;

fn fail<T>(key: impl Into<String>, reason: impl Into<String>) -> Result<T, Fault> {
    Err((key.into(), reason.into()))
}

/// Whether `spec` can be played.
pub(super) fn check(spec: &GeneratorSpec) -> Checked {
    match spec.generator {
        1 => {}
        2 => return fail("generator", format!("version 2 is no longer read: {HISTORY_IS_GONE}")),
        other => {
            return fail(
                "generator",
                format!("version {other} is not known here; this program reads version 1"),
            );
        }
    }
    if spec.requests == 0 {
        return fail("requests", "must be at least 1");
    }
    if spec.requests > MOST_REQUESTS {
        let text = format!("is {}; the most that can be made is {MOST_REQUESTS}", spec.requests);
        return fail("requests", text);
    }
    let shares = spec.shares();
    for (name, value) in [("write", shares.write), ("trim", shares.trim), ("flush", shares.flush)] {
        share(&format!("operations.{name}"), value)?;
    }
    let sum = shares.write + shares.trim + shares.flush;
    if sum > 1.0 + ROUNDING {
        return fail("operations", format!("write, trim and flush add up to {sum}, more than 1"));
    }
    stream_ends(spec)?;
    arrivals(spec)?;
    let counts = spec.counts();
    for op in [Op::Read, Op::Write, Op::Trim] {
        if counts[op as usize] > 0 || spec.class(op).is_some() {
            class(spec, op, counts[op as usize])?;
        }
    }
    Ok(())
}

fn stream_ends(spec: &GeneratorSpec) -> Checked {
    let ends = &spec.stream_ends;
    if ends.len() > usize::from(u8::MAX) {
        return fail("stream_ends", format!("makes {} streams; there are {} at most", ends.len() + 1, 256));
    }
    if ends.first().is_some_and(|first| first.0 == 0) || !ends.is_sorted_by(|one, next| one < next) {
        return fail("stream_ends", "must ascend from above 0, as in [\"64MiB\", \"1GiB\"]");
    }
    Ok(())
}

fn share(key: &str, value: f64) -> Checked {
    if (0.0..=1.0).contains(&value) { Ok(()) } else { fail(key, format!("must be from 0 to 1, not {value}")) }
}

fn weight(key: &str, value: f64) -> Checked {
    if value >= 0.0 && value.is_finite() {
        Ok(())
    } else {
        fail(key, format!("must be a number from 0 up, not {value}"))
    }
}

fn class(spec: &GeneratorSpec, op: Op, count: u64) -> Checked {
    let name = op.name();
    let own = spec.class(op);
    let Some(size) = spec.size_of(op) else {
        return fail(
            format!("{name}.size"),
            format!("is missing: give {name}s a size, or size = \"4KiB\" for all operations"),
        );
    };
    let size_key =
        if own.is_some_and(|class| class.size.is_some()) { format!("{name}.size") } else { "size".into() };
    let mut largest = sizes(&size_key, size, op)?;
    let smallest = size.weights().iter().map(|(bytes, _)| *bytes).min().unwrap_or(1);
    if let Some(class) = own {
        share(&format!("{name}.sequential"), class.sequential)?;
        share(&format!("{name}.interleaved"), class.interleaved)?;
        let sum = class.sequential + class.interleaved;
        if sum > 1.0 + ROUNDING {
            return fail(
                format!("{name}.interleaved"),
                format!("sequential and interleaved requests add up to {sum}, more than 1"),
            );
        }
        if let Some(more) = &class.sequential_size {
            let key = format!("{name}.sequential_size");
            if sum == 0.0 {
                return fail(
                    key,
                    format!("needs {name}.sequential, the share of sequential requests, above 0"),
                );
            }
            largest = largest.max(sizes(&key, more, op)?);
        }
    }
    let Some(address) = spec.address_of(op) else {
        return fail(
            format!("{name}.address"),
            format!(
                "is missing: say where {name}s go, as in [{name}.address] kind = \"uniform\", footprint = \
                 \"1GiB\", or once for all operations in [address]"
            ),
        );
    };
    let own_address = own.is_some_and(|class| class.address.is_some());
    let key = if own_address { format!("{name}.address") } else { "address".into() };
    if count == 0 && !own_address {
        return Ok(());
    }
    pattern(&key, address, largest, smallest)
}

/// The largest of the sizes.
fn sizes(key: &str, spec: &SizeSpec, op: Op) -> Result<u64, Fault> {
    let list = spec.weights();
    if list.is_empty() {
        return fail(key, "is an empty list; give at least one size with a weight");
    }
    for (bytes, share) in &list {
        weight(key, *share)?;
        if *bytes == 0 {
            return fail(key, "a request of 0 bytes is none; sizes start at 1B");
        }
        if op != Op::Trim && *bytes > MAX_TRANSFER_BYTES {
            return fail(
                key,
                format!("{bytes} bytes is more than one request can move ({MAX_TRANSFER_BYTES})"),
            );
        }
    }
    if list.iter().all(|(_, share)| *share == 0.0) {
        return fail(key, "all weights are 0; at least one must be above");
    }
    Ok(list.iter().filter(|(_, share)| *share > 0.0).map(|(bytes, _)| *bytes).max().unwrap_or(0))
}

fn pattern(key: &str, spec: &AddressSpec, largest: u64, smallest: u64) -> Checked {
    if let AddressSpec::Mixed { parts } = spec {
        if parts.is_empty() {
            return fail(format!("{key}.parts"), "is empty; give at least one part with a weight");
        }
        for (index, part) in parts.iter().enumerate() {
            let key = format!("{key}.parts[{index}]");
            weight(&format!("{key}.weight"), part.weight)?;
            if matches!(part.address, AddressSpec::Mixed { .. }) {
                return fail(format!("{key}.address"), "a mixture in a mixture; list all parts in one");
            }
            pattern(&format!("{key}.address"), &part.address, largest, smallest)?;
        }
        if parts.iter().all(|part| part.weight == 0.0) {
            return fail(format!("{key}.parts"), "all weights are 0; at least one must be above");
        }
        return Ok(());
    }
    let (footprint, offset, align) = spec.region().expect("not a mixture");
    if footprint < largest {
        return fail(
            format!("{key}.footprint"),
            format!("{footprint} bytes is less than the largest request, {largest} bytes"),
        );
    }
    if offset.checked_add(footprint).is_none() {
        return fail(format!("{key}.offset"), "offset + footprint is beyond what 64 bits can address");
    }
    let align = match align {
        Some(0) => return fail(format!("{key}.align"), "must be at least 1B"),
        Some(align) if align > footprint => {
            return fail(
                format!("{key}.align"),
                format!("{align} bytes is more than the footprint ({footprint} bytes)"),
            );
        }
        Some(align) => align,
        None => smallest,
    };
    match spec {
        AddressSpec::Uniform { shared: true, .. } if key != "address" => {
            fail(format!("{key}.shared"), "belongs in [address], the pattern of several operations")
        }
        AddressSpec::Uniform { shared: true, once: false, .. } => fail(
            format!("{key}.shared"),
            "needs once = true: places drawn one by one have no order that could be shared",
        ),
        AddressSpec::Zipf { theta, .. } if !(*theta > 0.0 && *theta <= 20.0) => fail(
            format!("{key}.theta"),
            format!("must be above 0 and at most 20, not {theta}; 0 would be uniform"),
        ),
        AddressSpec::HotCold { zones: list, run, .. } => {
            zones(&format!("{key}.zones"), list)?;
            run_of(key, *run)
        }
        AddressSpec::Sweep { lanes, .. } => lanes_fit(key, "lanes", *lanes, footprint / align, align, align),
        AddressSpec::Streams { streams, run, .. } => {
            lanes_fit(key, "streams", *streams, footprint / align, align, largest)?;
            run_of(key, *run)
        }
        _ => Ok(()),
    }
}

fn run_of(key: &str, run: Option<f64>) -> Checked {
    match run {
        Some(run) if !(run >= 1.0 && run.is_finite()) => {
            fail(format!("{key}.run"), format!("must be a number of requests, at least 1, not {run}"))
        }
        _ => Ok(()),
    }
}

fn lanes_fit(key: &str, name: &str, count: u64, places: u64, align: u64, largest: u64) -> Checked {
    if count == 0 || count > MOST_STREAMS {
        return fail(format!("{key}.{name}"), format!("must be from 1 to {MOST_STREAMS}, not {count}"));
    }
    // They are cut on the grid, the smallest one rounded down.
    let part = places / count * align;
    if part < largest {
        return fail(
            format!("{key}.{name}"),
            format!("{count} {name} leave {part} bytes each, less than the largest request, {largest} bytes"),
        );
    }
    Ok(())
}

fn zones(key: &str, zones: &[ZoneSpec]) -> Checked {
    if zones.is_empty() {
        return fail(key, "is empty; give at least one zone");
    }
    for (index, zone) in zones.iter().enumerate() {
        for (name, value) in [("space", zone.space), ("access", zone.access), ("window", zone.window)] {
            share(&format!("{key}[{index}].{name}"), value)?;
        }
        if zone.space == 0.0 && zone.access > 0.0 {
            return fail(format!("{key}[{index}].space"), "is 0, but the zone has requests");
        }
    }
    let sum_of = |each: fn(&ZoneSpec) -> f64| zones.iter().map(each).sum::<f64>();
    for (name, sum) in [("space", sum_of(|zone| zone.space)), ("access", sum_of(|zone| zone.access))] {
        if (sum - 1.0).abs() > ROUNDING {
            return fail(key, format!("the {name} of all zones must add up to 1, not {sum}"));
        }
    }
    Ok(())
}

fn arrivals(spec: &GeneratorSpec) -> Checked {
    let positive = |name: &str, value: u64| {
        if value == 0 { fail(format!("arrivals.{name}"), "must be above 0") } else { Ok(()) }
    };
    match &spec.arrivals {
        ArrivalSpec::ClosedLoop => Ok(()),
        ArrivalSpec::Constant { interval } | ArrivalSpec::Poisson { interval } => {
            positive("interval", interval.0)
        }
        ArrivalSpec::OnOff { interval, on, off } => {
            positive("interval", interval.0)?;
            positive("on", on.0)?;
            positive("off", off.0)?;
            if interval.0 / 1000 > on.0 {
                return fail(
                    "arrivals.on",
                    "is less than a thousandth of the interval: hardly a burst has a request",
                );
            }
            Ok(())
        }
        ArrivalSpec::LogNormal { interval, sigma } => {
            positive("interval", interval.0)?;
            if (0.0..=10.0).contains(sigma) {
                Ok(())
            } else {
                fail("arrivals.sigma", format!("must be from 0 to 10, not {sigma}"))
            }
        }
        ArrivalSpec::Windows { interval, window, levels } => {
            positive("interval", interval.0)?;
            positive("window", window.0)?;
            for (index, level) in levels.iter().enumerate() {
                weight(&format!("arrivals.levels[{index}].rate"), level.rate)?;
                weight(&format!("arrivals.levels[{index}].weight"), level.weight)?;
            }
            if !levels.iter().any(|level| level.rate > 0.0 && level.weight > 0.0) {
                return fail("arrivals.levels", "none has both a rate and a weight above 0");
            }
            let counts = window_counts(spec.requests, interval.0, window.0, levels);
            if levels.iter().zip(&counts).any(|(level, count)| level.rate > 0.0 && *count > 0) {
                return Ok(());
            }
            let windows: u64 = counts.iter().sum();
            fail(
                "arrivals.window",
                format!(
                    "the whole trace is {windows} windows, too few for one with a rate above 0 to occur; \
                     make the window shorter or the trace longer"
                ),
            )
        }
    }
}

/// A key and what is wrong with its value.
pub(super) type Fault = (String, String);
