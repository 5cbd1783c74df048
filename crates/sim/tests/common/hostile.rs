//! Tiny drives at the very edge of what is accepted, and hostile workloads for them: drawn from a seed.

use reclaim_sim::random::RandomStream;
use reclaim_trace::{Op, Record};

struct Dice(RandomStream);

impl Dice {
    fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.0.below(choices.len() as u32) as usize]
    }

    fn one_in(&mut self, chances: u32) -> bool {
        self.0.below(chances) == 0
    }
}

/// A fixed list: a drive of a seed stays what it is when policies are added.
const VICTIMS: [&str; 6] = ["greedy", "fifo", "random", "d-choices", "cost-benefit", "windowed-greedy"];

/// Settings of a drive whose spare space is just what [`reclaim_sim::ftl::check_space`] asks for, or little more.
pub fn settings(seed: u64) -> Vec<(String, String)> {
    let mut dice = Dice(RandomStream::new(seed, "drive"));
    let mut set: Vec<(String, String)> = Vec::new();
    let mut put = |key: &str, value: &dyn ToString| set.push((key.to_owned(), value.to_string()));
    let (channels, chips) = (1 + dice.0.below(3), 1 + dice.0.below(2));
    let (dies, planes_per_die) = (1 + dice.0.below(2), 1 + dice.0.below(3));
    let planes = channels * chips * dies * planes_per_die;
    let pages_per_block = dice.of(&[1_u32, 1, 2, 2, 3, 4, 8, 16]);
    let shared = dice.one_in(2);
    let start = 1 + dice.0.below(3);
    let stop = start + dice.of(&[0, 0, 0, 1, 2]);
    let needed = stop + if shared { 2 } else { 3 };
    let blocks = needed + 1 + dice.0.below(20);
    let live = (blocks - needed).saturating_sub(dice.of(&[0, 0, 0, 1, 2])).max(1);
    let cut = if dice.one_in(3) { dice.0.below(pages_per_block * planes) } else { 0 };
    let logical = (live * pages_per_block * planes - cut).max(1);
    put("geometry.channels", &channels);
    put("geometry.chips_per_channel", &chips);
    put("geometry.dies_per_chip", &dies);
    put("geometry.planes_per_die", &planes_per_die);
    put("geometry.blocks_per_plane", &blocks);
    put("geometry.pages_per_block", &pages_per_block);
    put("geometry.user_capacity", &format!("{}B", u64::from(logical) * 4096));
    put("gc.trigger.start", &format!("{start} blocks"));
    put("gc.trigger.stop", &format!("{stop} blocks"));
    put("gc.trigger.hard", &format!("{} blocks", 1 + dice.0.below(start)));
    put("gc.victim", &dice.of(&VICTIMS));
    put("gc.relocation", &dice.of(&["controller", "copyback"]));
    put("gc.concurrency", &dice.of(&["all", "channels"]));
    put("gc.pages_in_flight", &dice.of(&[1, 2, 7, 1000]));
    put("scheduler", &dice.of(&["read-first", "fcfs"]));
    let allocation = dice.of(&["striping", "striping", "dynamic"]);
    put("ftl.allocation", &allocation);
    if allocation == "striping" {
        put("ftl.allocation.by", &dice.of(&["lpn", "arrival"]));
    }
    put("ftl.gc_frontier", &if shared { "shared" } else { "separate" });
    let interconnect = dice.of(&["bus", "serialized-channel", "ideal"]);
    put("interconnect", &interconnect);
    put("flash.multi_plane", &dice.of(&["off", "same-page", "any-page"]));
    let suspend = interconnect != "serialized-channel" && dice.one_in(2);
    put("flash.suspend.program", &(suspend && dice.one_in(2)));
    put("flash.suspend.erase", &suspend);
    put("flash.suspend.t_suspend", &dice.of(&["0us", "20us"]));
    put("flash.suspend.t_resume", &dice.of(&["0us", "5us"]));
    put("warmup.kind", &dice.of(&["empty", "filled", "overwrite", "overwrite", "steady"]));
    let mode = dice.of(&["open-loop", "closed-loop"]);
    put("host.mode", &mode);
    let queue_depth = dice.of(&[1, 2, 32, 1024]);
    if mode == "closed-loop" {
        put("host.queue_depth", &queue_depth);
    }
    if dice.one_in(3) {
        put("ftl.wear.static_threshold", &dice.0.below(4));
    }
    put("ftl.wear.dynamic", &dice.one_in(3));
    if dice.one_in(8) {
        put("flash.t_read", &"0us");
        put("channel.command_cycle", &"0ns");
    }
    if dice.one_in(8) {
        put("flash.t_program", &"0us");
        put("flash.t_erase", &"0us");
    }
    if dice.one_in(4) {
        put("channel.granularity", &"512B");
        put("channel.partial_programs", &dice.one_in(2));
    }
    if dice.one_in(4) {
        put("flash.multi_plane", &"same-page-anywhere");
    }
    if !shared && dice.one_in(3) {
        set.retain(|(key, _)| key != "gc.relocation");
        let mut put = |key: &str, value: &dyn ToString| set.push((key.to_owned(), value.to_string()));
        put("gc.relocation", &"controller");
        put("ftl.assign_pages", &"on-arrival");
    }
    let mut put = |key: &str, value: &dyn ToString| set.push((key.to_owned(), value.to_string()));
    put("gc.block_victim_access", &dice.one_in(3));
    if dice.one_in(3) {
        put("host.link.lanes", &dice.of(&[1, 4]));
    }
    put("flash.dies_overlap", &!dice.one_in(3));
    put("channel.order", &dice.of(&["commands-first", "data-first"]));
    if dice.one_in(3) {
        put("scheduler", &"type-first");
        put("scheduler.gc_first", &dice.of(&["urgent", "always"]));
    }
    // The trigger that lets jobs of a plane overlap. It asks for one victim per block filled, so its level must be one
    // that the drive can also reach.
    if !shared && dice.one_in(3) {
        let host_stop = 1 + dice.0.below(start);
        set.retain(|(key, _)| !key.starts_with("gc.trigger"));
        let mut put = |key: &str, value: &dyn ToString| set.push((key.to_owned(), value.to_string()));
        put("gc.trigger.kind", &"frontier-filled");
        put("gc.trigger.start", &format!("{stop} blocks"));
        put("gc.trigger.hard", &format!("{} blocks", 1 + dice.0.below(start)));
        put("gc.trigger.host_stop", &format!("{host_stop} blocks"));
        put("gc.trigger.jobs", &dice.of(&[1, 2, 10]));
    }
    let buffer = dice.of(&["4KiB", "20KiB", "100KiB", "16MiB", "unlimited"]);
    set.push(("controller.write_buffer".to_owned(), buffer.to_owned()));
    set
}

/// The same with policies and settings that came later: units of several pages, the odd/even rule, victim lists of
/// channels, G(t), page levels.
pub fn widened(seed: u64) -> Vec<(String, String)> {
    let mut dice = Dice(RandomStream::new(seed, "widened"));
    let mut set = settings(seed);
    let given = |set: &[(String, String)], key: &str| {
        set.iter().rev().find(|(name, _)| name == key).map(|(_, value)| value.clone()).unwrap_or_default()
    };
    let cell = dice.of(&["SLC", "MLC", "TLC", "TLC", "QLC"]);
    let levels = match cell {
        "SLC" => 1,
        "MLC" => 2,
        "TLC" => 3,
        _ => 4,
    };
    let mut put = |key: &str, value: &dyn ToString| set.push((key.to_owned(), value.to_string()));
    put("flash.cell", &cell);
    if dice.one_in(2) {
        let times = ["20us", "40us", "60us", "90us"];
        put(
            "flash.t_read",
            &format!(
                "[{}]",
                times[..levels].iter().map(|t| format!("\"{t}\"")).collect::<Vec<_>>().join(", ")
            ),
        );
    }
    let units = levels > 1 && dice.one_in(2);
    let odd_even = units || dice.one_in(2);
    let pages = given(&set, "geometry.pages_per_block").parse::<usize>().unwrap_or(1);
    let mut put = |key: &str, value: &dyn ToString| set.push((key.to_owned(), value.to_string()));
    let pages = if units { pages.div_ceil(levels) * levels } else { pages.max(levels) };
    put("geometry.pages_per_block", &pages);
    if units {
        put("flash.program_unit", &"word-line");
        put("flash.flush_after", &dice.of(&["0us", "10us", "1ms"]));
    }
    if odd_even {
        put("ftl.gc_frontier", &"separate");
        put("ftl.assign_pages", &"at-start");
        put("gc.relocation", &dice.of(&["copyback-odd-even", "copyback-odd-even", "copyback", "controller"]));
        let chosen = given(&set, "gc.relocation");
        if chosen == "copyback-odd-even" {
            set.push(("gc.relocation.carry".to_owned(), dice.one_in(2).to_string()));
            if given(&set, "gc.trigger.kind") == "frontier-filled" {
                set.push(("gc.trigger.jobs".to_owned(), "1".to_owned()));
            }
        }
    }
    if dice.one_in(2) {
        set.push((
            "gc.victim".to_owned(),
            dice.of(&["word-line", "word-line", "random-threshold"]).to_owned(),
        ));
    }
    if dice.one_in(2) {
        let start = given(&set, "gc.trigger.start");
        let set_trigger = dice.one_in(2);
        if set_trigger {
            set.retain(|(key, _)| !key.starts_with("gc.trigger"));
            let mut put = |key: &str, value: &dyn ToString| set.push((key.to_owned(), value.to_string()));
            put("gc.trigger.kind", &"invalid-ratio");
            put("gc.trigger.ratio", &dice.of(&["0%", "25%", "70%", "100%"]));
            put("gc.trigger.hard", &start);
            put("gc.trigger.order", &dice.of(&["first-listed", "most-invalid"]));
        } else if given(&set, "gc.trigger.kind") == "frontier-filled" {
            let hard = given(&set, "gc.trigger.hard");
            set.push(("gc.trigger.host_stop".to_owned(), hard));
        }
        let mut put = |key: &str, value: &dyn ToString| set.push((key.to_owned(), value.to_string()));
        put("gc.concurrency", &"adaptive");
        let theta1 = dice.of(&[0, 0, 30, 60, 90]);
        put("gc.concurrency.theta1", &format!("{theta1}%"));
        put("gc.concurrency.theta2", &format!("{}%", dice.of(&[theta1, 95, 100])));
        put("gc.concurrency.max_channels", &(1 + dice.0.below(3)));
        put("gc.concurrency.rounding", &dice.of(&["ceil", "floor", "nearest"]));
        put("gc.concurrency.usage", &dice.of(&["programmed", "valid"]));
    }
    if given(&set, "gc.trigger.kind").is_empty() {
        // Draws of its own: what follows stays what it was.
        let mut dice = Dice(RandomStream::new(seed, "level"));
        set.push(("gc.trigger.of".to_owned(), dice.of(&["plane", "drive"]).to_owned()));
    }
    // Just as much spare space as is asked for, or a little more.
    let number = |key: &str| -> usize {
        let digits: String = given(&set, key).chars().take_while(char::is_ascii_digit).collect();
        digits.parse().unwrap_or(0)
    };
    let planes = ["channels", "chips_per_channel", "dies_per_chip", "planes_per_die"];
    let planes: usize = planes.iter().map(|name| number(&format!("geometry.{name}"))).product();
    let kept = match given(&set, "gc.trigger.kind").as_str() {
        "invalid-ratio" => number("gc.trigger.hard"),
        "frontier-filled" => number("gc.trigger.start"),
        _ => number("gc.trigger.stop"),
    };
    let blocks = number("geometry.blocks_per_plane");
    let stranded = if units { ((levels - 1) * blocks).div_ceil(pages) } else { 0 };
    let needed = kept + 3 + stranded;
    let blocks = blocks.max(needed + 2);
    let live = (blocks - needed - dice.of(&[0, 0, 1]) * usize::from(blocks > needed + 2)).max(1);
    set.push(("geometry.blocks_per_plane".to_owned(), blocks.to_string()));
    set.push(("geometry.user_capacity".to_owned(), format!("{}B", live * pages * planes * 4096)));
    if !units
        && given(&set, "ftl.gc_frontier") == "separate"
        && given(&set, "ftl.assign_pages") != "on-arrival"
        && dice.one_in(3)
    {
        set.retain(|(key, _)| !key.starts_with("gc.relocation"));
        let mut put = |key: &str, value: &dyn ToString| set.push((key.to_owned(), value.to_string()));
        put("gc.relocation", &"buffered");
        put("gc.relocation.capacity", &dice.of(&["1 block", "1 block", "3 blocks"]));
        if given(&set, "ftl.allocation") == "dynamic" || given(&set, "ftl.allocation.by") == "arrival" {
            let mut to = dice.of(&["home", "free", "free"]);
            // Draws of its own: what follows stays what it was.
            let mut dice = Dice(RandomStream::new(seed, "chip"));
            if dice.one_in(2) {
                to = "chip";
                let chips = ["fewest-erases", "fewest-waiting", "roomiest", "rotating"];
                set.push(("gc.relocation.chip".to_owned(), dice.of(&chips).to_owned()));
            }
            set.push(("gc.relocation.destination".to_owned(), to.to_owned()));
        }
    }
    let set = match dice.0.below(8) {
        0 | 1 => on_a_mesh(set, seed),
        2 | 3 => on_a_network(set, seed),
        _ => set,
    };
    if dice.one_in(3) { in_stripes(set, seed) } else { by_level(set, seed) }
}

/// The same drive with several open blocks of the host and just the spare space that they need, where that is legal
/// and in two of three drives.
fn by_level(mut set: Vec<(String, String)>, seed: u64) -> Vec<(String, String)> {
    let mut dice = Dice(RandomStream::new(seed, "by level"));
    let given = |key: &str| set.iter().rev().find(|(name, _)| name == key).map_or("", |(_, value)| value);
    let legal = given("flash.cell") != "SLC"
        && given("flash.program_unit") != "word-line"
        && given("ftl.gc_frontier") == "separate"
        && given("ftl.assign_pages") != "on-arrival";
    if !legal || dice.one_in(3) {
        return set;
    }
    let open_blocks = dice.of(&[2_u32, 2, 3, 4, 16]);
    let blocks = given("geometry.blocks_per_plane").parse::<u32>().unwrap_or(1) + open_blocks - 1;
    let mut put = |key: &str, value: &dyn ToString| set.push((key.to_owned(), value.to_string()));
    put("ftl.placement", &dice.of(&["level-by-history", "level-by-future"]));
    put("ftl.placement.open_blocks", &open_blocks);
    put("ftl.placement.short_lived", &dice.of(&["fast", "slow"]));
    put("geometry.blocks_per_plane", &blocks);
    put("flash.multi_plane", &dice.of(&["off", "any-page"]));
    set
}

/// The same drive with RAID-5 over its chips, and just the spare space that it needs beyond that; unless it has a
/// single chip.
pub fn in_stripes(mut set: Vec<(String, String)>, seed: u64) -> Vec<(String, String)> {
    let mut dice = Dice(RandomStream::new(seed, "stripes"));
    let given = |key: &str| set.iter().rev().find(|(name, _)| name == key).map_or("", |(_, value)| value);
    let number = |key: &str| -> u64 { given(key).trim_end_matches('B').parse().unwrap_or(0) };
    let chips = number("geometry.channels") * number("geometry.chips_per_channel");
    let sizes: Vec<u64> = (2..=chips).filter(|size| chips.is_multiple_of(*size)).collect();
    if sizes.is_empty() {
        return set;
    }
    let size = dice.of(&sizes);
    let units = given("flash.program_unit") == "word-line";
    let own = !units && given("ftl.gc_frontier") == "separate" && dice.one_in(2);
    let blocks = number("geometry.blocks_per_plane") + 1 + u64::from(own) + u64::from(units);
    let stored = number("geometry.user_capacity") / 4096;
    let buffered = given("gc.relocation") == "buffered";
    set.retain(|(key, _)| !key.starts_with("ftl.allocation"));
    if buffered {
        set.retain(|(key, _)| !key.starts_with("gc.relocation"));
    }
    let mut put = |key: &str, value: &dyn ToString| set.push((key.to_owned(), value.to_string()));
    put("redundancy", &"raid5");
    put("redundancy.stripe_chips", &size);
    put("redundancy.parity_blocks", &if own { "own" } else { "shared" });
    match dice.0.below(4) {
        0 | 1 => put("redundancy.unreadable_chip", &dice.0.below(chips as u32)),
        2 => {
            put("redundancy.rebuild_chip", &dice.0.below(chips as u32));
            put("redundancy.rebuild_order", &if dice.one_in(2) { "host-first" } else { "rebuild-first" });
            put("redundancy.rebuild_stripes", &(1 + dice.0.below(4)));
        }
        _ => {}
    }
    put("geometry.blocks_per_plane", &blocks);
    put("geometry.user_capacity", &format!("{}B", stored * (size - 1) / size * 4096));
    put("ftl.allocation", &"striping");
    put("ftl.allocation.by", &"lpn");
    put("ftl.assign_pages", &"at-start");
    put("gc.block_victim_access", &false);
    let least = format!("{}KiB", size * 4);
    put("controller.write_buffer", &dice.of(&[least.as_str(), "100KiB", "16MiB", "unlimited"]));
    set
}

/// The same drive with its chips on a mesh, of any shape that has room for them.
pub fn on_a_mesh(mut set: Vec<(String, String)>, seed: u64) -> Vec<(String, String)> {
    let mut dice = Dice(RandomStream::new(seed, "mesh"));
    let number = |key: &str| -> u32 {
        let given = set.iter().rev().find(|(name, _)| name == key).map(|(_, value)| value.parse().ok());
        given.flatten().expect("every drive says how many chips it has")
    };
    let chips = number("geometry.channels") * number("geometry.chips_per_channel");
    let shapes: Vec<u32> = (1..=chips).filter(|rows| chips.is_multiple_of(*rows)).collect();
    let rows = dice.of(&shapes);
    let columns = chips / rows;
    let mut routers: Vec<[u32; 2]> =
        (0..rows).flat_map(|row| (0..columns).map(move |column| [row, column])).collect();
    let mut controllers = vec![dice.of(&routers)];
    for _ in 0..dice.0.below(4) {
        let another = dice.of(&routers);
        if !controllers.contains(&another) {
            controllers.push(another);
        }
    }
    let mut put = |key: &str, value: &dyn ToString| set.push((key.to_owned(), value.to_string()));
    put("interconnect", &"mesh");
    put("interconnect.rows", &rows);
    put("interconnect.columns", &columns);
    put("interconnect.hop", &dice.of(&["0ns", "1ns", "1ns", "500ns", "20us"]));
    put("interconnect.entry", &dice.of(&["own", "nearest-free"]));
    if dice.one_in(4) {
        controllers = (0..rows).map(|row| [row, 0]).collect();
    } else {
        put("interconnect.controllers", &format!("{controllers:?}"));
    }
    routers.retain(|router| !controllers.contains(router));
    if !routers.is_empty() && dice.one_in(2) {
        let mut of_gc = vec![dice.of(&routers), dice.of(&routers)];
        of_gc.dedup();
        put("interconnect.gc_controllers", &format!("{of_gc:?}"));
    }
    set
}

/// The same drive with another network than a bus or the plain mesh.
pub fn on_a_network(mut set: Vec<(String, String)>, seed: u64) -> Vec<(String, String)> {
    let mut dice = Dice(RandomStream::new(seed, "network"));
    let number = |key: &str| -> u32 {
        let given = set.iter().rev().find(|(name, _)| name == key).map(|(_, value)| value.parse().ok());
        given.flatten().expect("every drive says how many chips it has")
    };
    let chips = number("geometry.channels") * number("geometry.chips_per_channel");
    let kind = dice.of(&[
        "pssd",
        "pnssd",
        "nossd",
        "venice",
        "venice",
        "venice-priority",
        "smartnetssd",
        "smartnetssd",
    ]);
    set.retain(|(key, _)| !key.starts_with("interconnect"));
    let mut put = |key: &str, value: &dyn ToString| set.push((key.to_owned(), value.to_string()));
    put("interconnect", &kind);
    if kind == "pnssd" {
        put(dice.of(&["interconnect.split", "interconnect.spatial_gc"]), &dice.one_in(2));
    }
    if kind == "pssd" || kind == "pnssd" {
        return set;
    }
    // Sometimes more routers than chips.
    let rows = 1 + dice.0.below(chips + 1);
    let columns = chips.div_ceil(rows) + dice.0.below(2);
    put("interconnect.rows", &rows);
    put("interconnect.columns", &columns);
    put("interconnect.hop", &dice.of(&["1ns", "1ns", "500ns", "20us"]));
    let routers: Vec<[u32; 2]> =
        (0..rows).flat_map(|row| (0..columns).map(move |column| [row, column])).collect();
    let mut some = || {
        let mut places: Vec<_> = (0..=dice.0.below(4)).map(|_| dice.of(&routers)).collect();
        places.sort_unstable();
        places.dedup();
        places
    };
    put("interconnect.controllers", &format!("{:?}", some()));
    let of_gc = some();
    if kind == "nossd" {
        return set;
    }
    if kind == "venice-priority" {
        put("interconnect.gc_controller", &dice.of(&["extra", "shared"]));
        put("interconnect.elevate_after", &dice.of(&[1, 3]));
        put("interconnect.elevate", &dice.of(&["constant", "free-space"]));
    } else if dice.one_in(3) {
        put("interconnect.gc_controllers", &format!("{of_gc:?}"));
    }
    put("interconnect.ports_tried", &dice.of(&[1, 2, 3, 3, 4]));
    put("interconnect.resend", &dice.of(&["on-change", "on-change", "at-once"]));
    match kind {
        "venice" | "venice-priority" => put("interconnect.distance", &dice.of(&["way", "scout"])),
        _ => put("interconnect.paths", &dice.of(&[1, 2, 2, 3, 4])),
    }
    set
}

/// Bursts, hot spots, partial and overlapping writes, trims and flushes.
pub fn records(seed: u64, pages: u32, count: usize) -> Vec<Record> {
    let mut dice = Dice(RandomStream::new(seed, "workload"));
    let gap_us = dice.of(&[5_u32, 300, 2_000, 20_000]);
    let (bursts, hot) = (dice.one_in(3), dice.one_in(3));
    let end = u64::from(pages) * 4096;
    let mut now = 0;
    (0..count)
        .map(|_| {
            if !bursts || dice.one_in(50) {
                now += u64::from(dice.0.below(2 * gap_us + 1)) * 1000;
            }
            let range = if hot && !dice.one_in(4) { (pages / 8).max(1) } else { pages };
            let page = u64::from(dice.0.below(range)) * 4096;
            let op = match dice.0.below(100) {
                0..20 => Op::Read,
                20..92 => Op::Write,
                92..97 => Op::Trim,
                _ => Op::Flush,
            };
            let sectors = u64::from(1 + dice.0.below(40));
            let (offset, size) = match op {
                Op::Flush => (0, 0),
                _ if dice.one_in(2) => (page, 4096 * (1 + sectors / 9)),
                _ => (page + u64::from(dice.0.below(8)) * 512, sectors * 512),
            };
            Record { time_ns: now, offset_bytes: offset, size_bytes: size.min(end - offset), op, stream: 0 }
        })
        .collect()
}
