//! Sizes of requests and how they lie on units, in few kinds.

use std::collections::BTreeMap;

use super::UNIT;
use crate::{Op, Record};

/// Most shapes that are kept as they are, of writes and of trims.
const EXACT: usize = 28;
/// Groups of the others.
const GROUPS: usize = 20;

/// Bytes, and bytes behind a multiple of the unit.
type Shape = (u64, u64);

#[derive(Default)]
pub(super) struct Counter {
    counts: [BTreeMap<Shape, u64>; 2],
}

fn shape(record: &Record) -> Shape {
    (record.size_bytes, record.offset_bytes % UNIT)
}

impl Counter {
    pub(super) fn add(&mut self, record: &Record) {
        *self.counts[usize::from(record.op == Op::Trim)].entry(shape(record)).or_insert(0) += 1;
    }

    pub(super) fn finish(self) -> Shapes {
        let mut shapes = Shapes { list: Vec::new(), of: Default::default() };
        for (kind, counts) in self.counts.into_iter().enumerate() {
            let mut by_count: Vec<(Shape, u64)> = counts.into_iter().collect();
            by_count.sort_by_key(|(shape, count)| (std::cmp::Reverse(*count), *shape));
            let exact = if by_count.len() <= EXACT + GROUPS { by_count.len() } else { EXACT };
            let mut rest = by_count.split_off(exact);
            for (each, _) in by_count {
                shapes.keep(kind, &[each], each);
            }
            rest.sort_unstable();
            shapes.group(kind, &rest);
        }
        shapes
    }
}

/// The kinds, and which kind a request is of.
pub(super) struct Shapes {
    pub(super) list: Vec<Shape>,
    of: [BTreeMap<Shape, u16>; 2],
}

impl Shapes {
    pub(super) fn of(&self, record: &Record) -> u16 {
        self.of[usize::from(record.op == Op::Trim)][&shape(record)]
    }

    fn keep(&mut self, kind: usize, members: &[Shape], as_shape: Shape) {
        let index = self.list.iter().position(|each| *each == as_shape).unwrap_or_else(|| {
            self.list.push(as_shape);
            self.list.len() - 1
        });
        self.of[kind].extend(members.iter().map(|member| (*member, index as u16)));
    }

    /// Groups of about as many bytes and requests: the few large ones carry the mean, the many small ones the
    /// percentiles. Each is as its mean is.
    fn group(&mut self, kind: usize, rest: &[(Shape, u64)]) {
        let bytes: u64 = rest.iter().map(|((size, _), count)| size * count).sum();
        let requests: u64 = rest.iter().map(|(_, count)| count).sum();
        let (mut group, mut groups, mut done) = (Vec::new(), 0_usize, 0.0);
        for (index, ((size, behind), count)) in rest.iter().enumerate() {
            group.push(((*size, *behind), *count));
            done += f64::midpoint((size * count) as f64 / bytes as f64, *count as f64 / requests as f64);
            if done * GROUPS as f64 >= (groups + 1) as f64 - 1e-9 || index + 1 == rest.len() {
                let count: u64 = group.iter().map(|(_, count)| count).sum();
                let sum: u64 = group.iter().map(|((size, _), count)| size * count).sum();
                let step = if sum / count >= 4 * UNIT { UNIT } else { 512 };
                let size = ((sum / count + step / 2) / step * step).max(512);
                // How most of them lie.
                let behind =
                    group.iter().max_by_key(|(_, count)| *count).map_or(0, |((_, behind), _)| *behind);
                let members: Vec<Shape> = group.drain(..).map(|(each, _)| each).collect();
                self.keep(kind, &members, (size, behind));
                groups += 1;
            }
        }
    }
}
