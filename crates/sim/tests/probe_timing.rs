//! Probe, issue, earliest ready: an operation is issued around every instant at which another one changes phase, and
//! both must end at exactly the first instant that dies and channel allow; a nanosecond earlier would be illegal.
//!
//! What is allowed comes from [`ends`], rules of its own: a die does one operation at a time, a channel carries one
//! thing at a time, and dies that wait for it are served in the order commands without data, data, programs. It knows
//! neither events nor queues.

use crate::common::prelude::*;

/// Stages of an operation: of the channel, or of the array.
#[derive(Clone, Copy)]
enum Stage {
    Transfer(u64),
    Array(u64),
}
use Stage::{Array, Transfer};

fn stages(op: Op) -> &'static [Stage] {
    match op {
        Op::Read => &[Transfer(COMMAND), Array(T_R), Transfer(DATA)],
        _ => &[Transfer(TRANSFER), Array(T_PROG)],
    }
}

/// Ends of the stages of an operation that begins at 0 and never waits, and 0.
fn boundaries(op: Op) -> Vec<u64> {
    let lengths = stages(op).iter().map(|(Transfer(length) | Array(length))| length);
    let mut ends = vec![0];
    lengths.for_each(|length| ends.push(ends[ends.len() - 1] + length));
    ends
}

fn alone(op: Op) -> u64 {
    if op == Op::Read { READ } else { WRITE }
}

/// When two operations on dies of one channel end, the second issued so long after the first.
fn ends(kinds: [Op; 2], issued: u64) -> [u64; 2] {
    let (mut stage, mut ready, mut channel_free) = ([0, 0], [0, issued], 0);
    loop {
        for op in 0..2 {
            if let Some(Array(length)) = stages(kinds[op]).get(stage[op]) {
                ready[op] += length;
                stage[op] += 1;
            }
        }
        let waiting = (0..2).filter(|op: &usize| stage[*op] < stages(kinds[*op]).len());
        let Some(first) = waiting.clone().map(|op| ready[op]).min() else { return ready };
        let taken = first < channel_free;
        // Who arrives at the very instant at which the channel falls free comes too late.
        let arrives = |op: usize| stage[op] == 0;
        let now = first.max(channel_free);
        let in_time = |op: &usize| ready[*op] < now || (ready[*op] == now && !(taken && arrives(*op)));
        let class = |op: usize| match (kinds[op], stage[op]) {
            (Op::Read, 0) => 0,
            (Op::Read, _) => 1,
            _ => 3,
        };
        let rank = |op: &usize| (if taken { class(*op) } else { 0 }, ready[*op], arrives(*op), *op);
        let next = waiting.filter(in_time).min_by_key(rank).expect("the first is in time");
        let Transfer(length) = stages(kinds[next])[stage[next]] else { unreachable!("arrays are done") };
        channel_free = now + length;
        ready[next] = channel_free;
        stage[next] += 1;
    }
}

/// The rules, worked out on paper: when a read begins that is issued so long after another operation.
#[test]
fn by_hand() {
    // A read: channel in use to 7, then free, then in use again from 75007 to 79103, when data may have to wait, too.
    for (issued, begin) in [(0, 7), (6, 7), (7, 7), (8, 8), (75_006, 75_006), (75_007, READ), (79_102, READ)]
    {
        let data_from = (begin + COMMAND + T_R).max(READ);
        assert_eq!(ends([Op::Read; 2], issued)[1], data_from + DATA, "a read at {issued}");
    }
    // A program: channel in use to 4103, then free.
    for (issued, begin) in [(0, 4103), (4102, 4103), (4103, 4103), (4104, 4104), (754_103, 754_103)] {
        assert_eq!(ends([Op::Write, Op::Read], issued)[1], begin + READ, "a read at {issued}");
    }
}

/// 2 channels x 2 chips x 2 dies x 2 planes, striped over channels first: pages from a plane to another one of the
/// die, another die of the chip, another chip, another channel.
const PLACES: [u64; 5] = [0, 8, 4, 2, 1];
/// The first pages of the sixteen planes.
const STRIPE: u64 = 16;

#[test]
fn host_operation_after_host_operation() {
    let drive = TestDrive::of([2, 2, 2, 2]).blocks(8, 4).set("flash.cell", "SLC").set("scheduler", "fcfs");
    let drive = drive.set("warmup.kind", "filled");
    let both = [Op::Read, Op::Write];
    for (first, second) in both.into_iter().flat_map(|first| both.map(|second| (first, second))) {
        for apart in PLACES {
            let around = boundaries(first).into_iter().flat_map(|b| b.saturating_sub(1)..=b + 1);
            for issued in around {
                let expected = match apart {
                    1 => [alone(first), issued + alone(second)],
                    0 | 8 => [alone(first), issued.max(alone(first)) + alone(second)],
                    _ => ends([first, second], issued),
                };
                let page = 2 * STRIPE;
                let requests = [at_ns(0, first, page), at_ns(issued, second, page + STRIPE + apart)];
                let found = rows(&drive.run(requests.to_vec()));
                let expected = [expected[0], expected[1] - issued];
                assert_eq!(found, expected, "{first:?}, then {second:?} at {issued}, {apart} pages apart");
            }
        }
    }
}
