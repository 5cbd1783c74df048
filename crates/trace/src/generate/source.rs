//! The stream of requests of a description.

use rand::RngExt;
use rand_pcg::Pcg64;

use super::address::{self, Address, Shared};
use super::arrivals::{self, Arrivals};
use super::draw::{Quota, stream};
use super::spec::{AddressSpec, GeneratorSpec, Size};
use crate::{Op, Record, RecordSource, TraceError};

/// Requests that interleaved streams are picked from; the characteristics look for streams as far back.
const RECENT: usize = 32;

const OPS: [Op; 4] = [Op::Read, Op::Write, Op::Trim, Op::Flush];

/// Plays a description. It must have passed its check.
pub(crate) struct GeneratedSource {
    requests: u64,
    left: u64,
    ops: Quota,
    order: Pcg64,
    /// In the order of [`OPS`]; `None` for flushes and for what does not occur.
    classes: [Option<ClassSource>; 4],
    arrivals: Box<dyn Arrivals>,
    /// Where streams end.
    stream_ends: Vec<Size>,
    /// The first arrival, from which times count.
    origin_ns: Option<u64>,
}

/// The requests of one operation.
struct ClassSource {
    left: u64,
    sequential_left: u64,
    interleaved_left: u64,
    sizes: Sizes,
    /// `None` if sequential requests have the same sizes as the others.
    sequential_sizes: Option<Sizes>,
    address: Box<dyn Address>,
    /// Where the last requests ended, the latest at `latest`.
    ends: [u64; RECENT],
    latest: usize,
    made: usize,
    choice: Pcg64,
    random: Pcg64,
}

struct Sizes {
    bytes: Vec<u64>,
    quota: Quota,
}

impl Sizes {
    fn new(count: u64, weights: &[(u64, f64)]) -> Self {
        let shares: Vec<f64> = weights.iter().map(|(_, weight)| *weight).collect();
        Self { bytes: weights.iter().map(|(bytes, _)| *bytes).collect(), quota: Quota::new(count, &shares) }
    }

    #[inline]
    fn draw(&mut self, random: &mut Pcg64) -> u64 {
        self.bytes[self.quota.draw(random)]
    }
}

impl GeneratedSource {
    pub(crate) fn new(spec: &GeneratorSpec) -> Self {
        let counts = spec.counts();
        let shared = shared_address(spec, &counts);
        Self {
            requests: spec.requests,
            left: spec.requests,
            ops: Quota::of_counts(counts.to_vec()),
            order: stream(spec.seed, "operations"),
            classes: OPS.map(|op| {
                let count = counts[op as usize];
                (op != Op::Flush && count > 0).then(|| ClassSource::new(spec, op, count, shared.as_ref()))
            }),
            arrivals: arrivals::build(&spec.arrivals, spec.requests, spec.seed),
            stream_ends: spec.stream_ends.clone(),
            origin_ns: None,
        }
    }

    fn next(&mut self) -> Record {
        let progress = (self.requests - self.left) as f64 / self.requests as f64;
        self.left -= 1;
        let arrival_ns = self.arrivals.next();
        let time_ns = arrival_ns - *self.origin_ns.get_or_insert(arrival_ns);
        let index = self.ops.draw(&mut self.order);
        let (offset_bytes, size_bytes) =
            self.classes[index].as_mut().map_or((0, 0), |class| class.next(progress));
        let stream = self.stream_ends.partition_point(|end| end.0 <= offset_bytes) as u8;
        Record { time_ns, offset_bytes, size_bytes, op: OPS[index], stream }
    }
}

/// The pattern that all operations without one of their own take places from, if the description has such.
fn shared_address(spec: &GeneratorSpec, counts: &[u64; 4]) -> Option<Shared> {
    let pattern =
        spec.address.as_ref().filter(|it| matches!(it, AddressSpec::Uniform { shared: true, .. }))?;
    let takes = |op: &Op| *op != Op::Flush && counts[*op as usize] > 0 && !has_own_address(spec, *op);
    let aligns = OPS.into_iter().filter(takes).map(|op| smallest(spec, op));
    Some(Shared::new(address::build(pattern, aligns.min()?, spec.seed, "all operations")))
}

fn has_own_address(spec: &GeneratorSpec, op: Op) -> bool {
    spec.class(op).is_some_and(|class| class.address.is_some())
}

/// The smallest size of an operation's requests.
fn smallest(spec: &GeneratorSpec, op: Op) -> u64 {
    let weights = spec.size_of(op).expect("checked").weights();
    weights.iter().map(|(bytes, _)| *bytes).min().expect("checked")
}

impl ClassSource {
    fn new(spec: &GeneratorSpec, op: Op, count: u64, shared: Option<&Shared>) -> Self {
        let name = op.name();
        let class = spec.class(op).cloned().unwrap_or_default();
        let weights = spec.size_of(op).expect("checked").weights();
        let sequential = (libm::round(class.sequential * count as f64) as u64).min(count);
        let interleaved = (libm::round(class.interleaved * count as f64) as u64).min(count - sequential);
        let in_streams = sequential + interleaved;
        let own_sizes = class.sequential_size.as_ref().map(|sizes| Sizes::new(in_streams, &sizes.weights()));
        let random = if own_sizes.is_some() { count - in_streams } else { count };
        let address: Box<dyn Address> = match shared {
            Some(shared) if !has_own_address(spec, op) => Box::new(shared.clone()),
            _ => address::build(spec.address_of(op).expect("checked"), smallest(spec, op), spec.seed, name),
        };
        Self {
            left: count,
            sequential_left: sequential,
            interleaved_left: interleaved,
            sizes: Sizes::new(random, &weights),
            sequential_sizes: own_sizes,
            address,
            ends: [0; RECENT],
            latest: 0,
            made: 0,
            choice: stream(spec.seed, &format!("{name} sequential")),
            random: stream(spec.seed, &format!("{name} sizes")),
        }
    }

    fn next(&mut self, progress: f64) -> (u64, u64) {
        // Dealt out like sizes: what could not follow another request here is made up for later, as long as there are
        // requests left.
        let ticket = self.choice.random_range(0..self.left);
        let sequential = ticket < self.sequential_left;
        let interleaved = !sequential && ticket < self.sequential_left + self.interleaved_left;
        let streaming = sequential || interleaved;
        self.left -= 1;
        let (size, spent) = match &mut self.sequential_sizes {
            Some(sizes) if streaming => (sizes.draw(&mut self.random), true),
            _ => (self.sizes.draw(&mut self.random), false),
        };
        let follows = match (sequential, interleaved) {
            (true, _) => self.follow(self.latest, size),
            (_, true) => self.follow_stream(size),
            _ => None,
        };
        let due = follows.is_some() || spent || self.sequential_left + self.interleaved_left > self.left;
        if due && sequential {
            self.sequential_left -= 1;
        } else if due && interleaved {
            self.interleaved_left -= 1;
        }
        let offset = follows.unwrap_or_else(|| self.address.next(size, progress));
        self.latest = (self.latest + 1) % RECENT;
        self.ends[self.latest] = offset + size;
        self.made = (self.made + 1).min(RECENT);
        (offset, size)
    }

    /// Begin where the request at `index` ended, if there is one and room for it.
    fn follow(&mut self, index: usize, size: u64) -> Option<u64> {
        let at = self.ends[index];
        (self.made > 0 && self.address.go_on(at, size)).then_some(at)
    }

    /// Begin where one of the requests before the last one ended, the oldest first: a stream that waited longest.
    fn follow_stream(&mut self, size: u64) -> Option<u64> {
        let last = self.ends[self.latest];
        for back in (1..self.made).rev() {
            let index = (self.latest + RECENT - back) % RECENT;
            if self.ends[index] != last
                && let Some(at) = self.follow(index, size)
            {
                return Some(at);
            }
        }
        None
    }
}

impl RecordSource for GeneratedSource {
    fn fill(&mut self, out: &mut Vec<Record>, max: usize) -> Result<usize, TraceError> {
        let count = usize::try_from(self.left).unwrap_or(usize::MAX).min(max);
        out.extend((0..count).map(|_| self.next()));
        Ok(count)
    }
}
