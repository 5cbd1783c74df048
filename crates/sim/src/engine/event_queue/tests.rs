use super::*;
use proptest::prelude::*;

const USUAL: Nanos = Nanos(20_000);

/// The earliest event, taken, and its time.
fn take(queue: &mut EventQueue) -> Option<(SimTime, Event)> {
    queue.pop().map(|due| (queue.now(), queue.event_of(due)))
}

#[test]
fn equal_times_leave_by_class_then_in_scheduling_order() {
    let mut queue = EventQueue::new(5, 8, 0, USUAL);
    let at = SimTime(5);
    let die = |n| Event::Die(DieId(n));
    queue.schedule(at, Event::Arrival);
    queue.schedule(at, die(2));
    queue.schedule(at, Event::Wake { domain: 7 });
    queue.schedule(at, die(1));
    queue.schedule(SimTime(3), Event::Wake { domain: 1 });
    let order: Vec<_> = std::iter::from_fn(|| take(&mut queue)).map(|(_, event)| event).collect();
    assert_eq!(order, [Event::Wake { domain: 1 }, die(2), die(1), Event::Wake { domain: 7 }, Event::Arrival]);
}

#[test]
#[should_panic(expected = "already")]
fn scheduling_into_the_past_panics() {
    let mut queue = EventQueue::new(1, 1, 0, USUAL);
    queue.schedule(SimTime(5), Event::Arrival);
    queue.pop();
    queue.schedule(SimTime(4), Event::Arrival);
}

#[test]
fn a_cancelled_timer_does_not_go_off() {
    let mut queue = EventQueue::new(1, 1, 2, USUAL);
    let flush = |plane| Timer::Flush(PlaneId(plane));
    for (time, timer) in [(5, flush(0)), (5, flush(1)), (100_000, Timer::Sum), (100_000, Timer::Command)] {
        queue.schedule(SimTime(time), Event::Timer(timer));
    }
    queue.cancel(flush(0));
    queue.cancel(Timer::Sum);
    let left: Vec<_> = std::iter::from_fn(|| take(&mut queue)).collect();
    let timers = [(SimTime(5), flush(1)), (SimTime(100_000), Timer::Command)];
    assert_eq!(left, timers.map(|(time, timer)| (time, Event::Timer(timer))));
    assert!(!queue.timer_is_pending());
}

proptest! {
    /// Against a sorted list: whatever is scheduled, replaced and taken, in the wheel or beyond, the earliest comes
    /// first.
    #[test]
    fn agrees_with_a_sorted_list(
        usual in prop_oneof![Just(0), Just(20_000)],
        steps in prop::collection::vec(
            (0_u32..20, prop_oneof![0_u64..50, 0_u64..5_000, 0_u64..100_000], any::<bool>()),
            0..200,
        ),
    ) {
        let mut queue = EventQueue::new(20, 3, 0, Nanos(usual));
        let mut list: Vec<(u64, u64, u32)> = Vec::new();
        for (sequence, (die, after, pop)) in steps.into_iter().enumerate() {
            if pop {
                list.sort_unstable();
                let expected = if list.is_empty() { None } else { Some(list.remove(0)) };
                let taken = take(&mut queue);
                prop_assert_eq!(taken, expected.map(|(t, _, d)| (SimTime(t), Event::Die(DieId(d)))));
            } else {
                let time = queue.now().0 + after;
                let all = list.len();
                list.retain(|(_, _, pending)| *pending != die);
                list.push((time, sequence as u64, die));
                if list.len() > all {
                    queue.schedule_die(SimTime(time), DieId(die));
                } else {
                    queue.schedule(SimTime(time), Event::Die(DieId(die)));
                }
            }
        }
    }
}

proptest! {
    /// Against a walk from bucket to bucket.
    #[test]
    fn the_first_is_found_from_anywhere(
        filled in prop::collection::btree_set(0..BUCKETS, 0..6),
        emptied in prop::collection::btree_set(0..BUCKETS, 0..6),
        from in 0..BUCKETS,
    ) {
        let mut buckets = Buckets::default();
        for bucket in &filled {
            buckets.fill(*bucket);
        }
        for bucket in filled.iter().step_by(2).chain(&emptied) {
            buckets.empty(*bucket);
        }
        let left = filled.iter().copied().skip(1).step_by(2).filter(|bucket| !emptied.contains(bucket));
        let left: Vec<_> = left.collect();
        let expected = (0..BUCKETS).find(|ahead| left.contains(&((from + ahead) % BUCKETS)));
        prop_assert_eq!(buckets.ahead_of(from), expected.map(|ahead| ahead as u64));
    }
}
