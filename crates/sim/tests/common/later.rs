//! Tiny drives with the policies that came after those of [`super::hostile`]: relocation by parity and with coupled
//! blocks, OSPADA, collection in the foreground, deferral, separation; and drives with all of it that goes together.

use super::hostile;
use reclaim_sim::gc::victim::MEMBERS;
use reclaim_sim::random::RandomStream;
use reclaim_trace::Record;

struct Settings {
    set: Vec<(String, String)>,
    dice: RandomStream,
}

impl Settings {
    fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.dice.below(choices.len() as u32) as usize]
    }

    fn given(&self, key: &str) -> &str {
        self.set.iter().rev().find(|(name, _)| name == key).map_or("", |(_, value)| value)
    }

    fn put(&mut self, key: &str, value: &dyn ToString) {
        self.set.push((key.to_owned(), value.to_string()));
    }

    fn forget(&mut self, prefix: &str) {
        self.set.retain(|(key, _)| !key.starts_with(prefix));
    }

    fn number(&self, key: &str) -> u64 {
        self.given(key).parse().unwrap_or(0)
    }
}

/// The same drive with some of those policies, where they are legal.
pub fn later(set: Vec<(String, String)>, seed: u64) -> Vec<(String, String)> {
    let mut drive = Settings { set, dice: RandomStream::new(seed, "later") };
    relocate(&mut drive);
    if drive.given("redundancy") == "raid5" {
        defer(&mut drive);
    } else if drive.given("ftl.allocation") == "dynamic" {
        drive.forget("ftl.allocation");
        drive.put("ftl.allocation", &"ospada");
        let distance = drive.of(&[1, 4, 64]);
        drive.put("ftl.allocation.distance", &distance);
    }
    let by_lpn = matches!(drive.given("ftl.allocation.by"), "" | "lpn");
    let by_free_blocks =
        matches!(drive.given("gc.trigger.kind"), "") && !drive.given("gc.trigger.start").is_empty();
    if by_free_blocks && by_lpn && drive.given("ftl.allocation") == "striping" && drive.dice.below(2) == 0 {
        drive.put("gc.trigger.kind", &"foreground");
        let waits_for = drive.of(&["any", "writes"]);
        drive.put("gc.trigger.waits_for", &waits_for);
    }
    break_ties(&mut drive);
    // A stream of its own: what is drawn above stays what it is.
    drive.dice = RandomStream::new(seed, "who goes first");
    go_first(&mut drive);
    drive.dice = RandomStream::new(seed, "pace");
    pace(&mut drive);
    drive.dice = RandomStream::new(seed, "merge");
    let may_merge = drive.given("gc.relocation") != "buffered" && drive.given("redundancy") != "raid5";
    if may_merge && drive.dice.below(2) == 0 {
        drive.put("controller.acknowledge", &"staged");
        drive.put("controller.merge_overwrites", &true);
    }
    drive.dice = RandomStream::new(seed, "cores");
    if drive.dice.below(3) == 0 {
        let (command, cores) = (drive.of(&["1us", "30us", "400us"]), drive.of(&[1, 2, 8]));
        drive.put("controller.command", &command);
        drive.put("controller.cores", &cores);
    }
    drive.dice = RandomStream::new(seed, "turns");
    if drive.dice.below(4) == 0 {
        let limit = drive.of(&[1, 3]);
        drive.put("controller.reads_before_write", &limit);
    }
    drive.dice = RandomStream::new(seed, "picks");
    if ["venice", "smartnetssd", "venice-priority"].contains(&drive.given("interconnect")) {
        let picks = drive.of(&["register", "first"]);
        drive.put("interconnect.picks", &picks);
    }
    drive.dice = RandomStream::new(seed, "failures");
    if drive.given("redundancy") != "raid5" && drive.dice.below(3) == 0 {
        let rows = drive.of(&[
            "0%\" }, { erases = 4, failed = \"60%",
            "1%",
            "30%\" }, { erases = 9, failed = \"30%",
        ]);
        drive.put("flash.endurance.failures", &format!("[{{ erases = 2, failed = \"{rows}\" }}]"));
    }
    drive.dice = RandomStream::new(seed, "plane reads");
    if drive.given("interconnect") != "serialized-channel" && drive.dice.below(3) == 0 {
        drive.put("flash.plane_reads", &"independent");
        let cached = drive.of(&[true, false]);
        drive.put("flash.cache_reads", &cached);
    }
    if drive.dice.below(4) == 0 {
        let rate = drive.of(&["1%", "30%", "100%"]);
        drive.put("flash.read_retry.rate", &rate);
        let most = drive.of(&[1, 3, 20]);
        drive.put("flash.read_retry.most", &most);
    }
    drive.dice = RandomStream::new(seed, "wear");
    if drive.dice.below(3) == 0 {
        wear(&mut drive);
    }
    drive.dice = RandomStream::new(seed, "who asks first");
    ask_first(&mut drive);
    drive.dice = RandomStream::new(seed, "parts of pages");
    map_parts(&mut drive);
    drive.dice = RandomStream::new(seed, "separation");
    separate(&mut drive);
    drive.dice = RandomStream::new(seed, "victims");
    if drive.dice.below(3) == 0 {
        // Whatever the registry has: a new victim policy is met without being named here.
        let names: Vec<_> = MEMBERS.all.iter().filter(|one| one.stands_alone()).map(|one| one.name).collect();
        drive.forget("gc.victim");
        let victim = drive.of(&names);
        drive.put("gc.victim", &victim);
    }
    drive.dice = RandomStream::new(seed, "slc cache");
    cache(&mut drive);
    drive.dice = RandomStream::new(seed, "cache programs");
    load_ahead(&mut drive);
    drive.dice = RandomStream::new(seed, "superblocks");
    if drive.dice.below(4) == 0 {
        span(&mut drive);
    }
    drive.dice = RandomStream::new(seed, "placement schemes");
    place_by_scheme(&mut drive);
    drive.dice = RandomStream::new(seed, "parity of superblocks");
    keep_parity(&mut drive);
    drive.dice = RandomStream::new(seed, "mapping cache");
    hold_mapping(&mut drive);
    drive.set
}

/// A drive with everything at once that came after the first release of the model and that goes together: paced
/// collection, planes that read by themselves into cache registers, programs loaded there (every other drive), reads
/// that fail, times by wear, commands and look-ups that take time, overwrites that merge, a host link; and, which
/// refuse each other, either data kept apart or pages mapped in parts. One drive in three has its chips on a mesh or
/// another network.
pub fn together(seed: u64) -> Vec<(String, String)> {
    let mut drive = Settings { set: hostile::settings(seed), dice: RandomStream::new(seed, "together") };
    if drive.given("interconnect") == "serialized-channel" {
        drive.put("interconnect", &"bus");
    }
    drive.set = match drive.dice.below(6) {
        0 => hostile::on_a_mesh(drive.set, seed),
        1 => hostile::on_a_network(drive.set, seed),
        _ => drive.set,
    };
    // A block more, for open blocks of the collector's own, and no more pages for the host.
    let blocks = drive.number("geometry.blocks_per_plane") + 1;
    drive.put("geometry.blocks_per_plane", &blocks);
    drive.put("ftl.gc_frontier", &"separate");
    drive.put("ftl.assign_pages", &"at-start");
    drive.put("gc.block_victim_access", &false);
    if drive.given("gc.trigger.kind") == "frontier-filled" {
        drive.put("gc.trigger.jobs", &1);
    }
    let pace = drive.of(&["by-victim", "by-victim", "20%", "100%", "500%"]);
    drive.put("gc.pace", &pace);
    drive.put("controller.acknowledge", &"staged");
    drive.put("controller.merge_overwrites", &true);
    let (command, cores) = (drive.of(&["1us", "30us", "400us"]), drive.of(&[1, 2, 8]));
    drive.put("controller.command", &command);
    drive.put("controller.cores", &cores);
    let lookup = drive.of(&["50ns", "1us", "20us"]);
    drive.put("controller.lookup", &lookup);
    let lanes = drive.of(&[1, 4]);
    drive.put("host.link.lanes", &lanes);
    drive.put("flash.plane_reads", &"independent");
    drive.put("flash.cache_reads", &true);
    let (rate, most) = (drive.of(&["1%", "30%", "100%"]), drive.of(&[1, 3, 20]));
    drive.put("flash.read_retry.rate", &rate);
    drive.put("flash.read_retry.most", &most);
    wear(&mut drive);
    if drive.dice.below(2) == 0 {
        let cell = drive.of(&["SLC", "MLC", "TLC", "QLC"]);
        let levels =
            ["SLC", "MLC", "TLC", "QLC"].iter().position(|name| *name == cell).map_or(1, |at| at + 1);
        let pages = drive.number("geometry.pages_per_block").max(levels as u64);
        grow_blocks(&mut drive, pages);
        drive.put("flash.cell", &cell);
        map_in_parts(&mut drive);
    } else {
        keep_apart(&mut drive);
    }
    drive.dice = RandomStream::new(seed, "cache programs");
    load_ahead(&mut drive);
    drive.set
}

/// Programs that are loaded under others, where that is legal.
fn load_ahead(drive: &mut Settings) {
    let legal = drive.given("interconnect") != "serialized-channel"
        && drive.given("flash.program_unit") != "word-line";
    if legal && drive.dice.below(2) == 0 {
        drive.put("flash.cache_programs", &true);
        drive.put("flash.suspend.program", &false);
    }
}

/// Blocks of so many pages; the host sees as many blocks as before.
fn grow_blocks(drive: &mut Settings, pages: u64) {
    let before = drive.number("geometry.pages_per_block");
    let capacity = drive.given("geometry.user_capacity").trim_end_matches('B').parse::<u64>().unwrap_or(0);
    drive.put("geometry.pages_per_block", &pages);
    drive.put("geometry.user_capacity", &format!("{}B", capacity / before * pages / 4096 * 4096));
}

/// Times that change with the erases of a block, on a drive that is new or not.
fn wear(drive: &mut Settings) {
    let erases = drive.of(&[0, 1, 1000]);
    drive.put("flash.initial_erases", &erases);
    let worn = drive.of(&["80%", "110%", "250%"]);
    let rows = format!("{{ erases = 1, read = \"{worn}\" }}, {{ erases = 1005, program = \"{worn}\" }}");
    drive.put("flash.wear", &format!("[{rows}, {{ erases = 1010, erase = \"{worn}\" }}]"));
}

/// Pages of flash that are mapped in parts of 4 KiB, on as many blocks more as parts need that make no whole unit.
fn map_parts(drive: &mut Settings) {
    let legal = drive.given("redundancy") != "raid5"
        && drive.given("ftl.gc_frontier") == "separate"
        && drive.given("ftl.assign_pages") != "on-arrival";
    if legal && drive.dice.below(2) > 0 {
        map_in_parts(drive);
    }
}

fn map_in_parts(drive: &mut Settings) {
    drive.forget("gc.relocation");
    drive.forget("ftl.placement");
    let parts = drive.of(&[2, 3, 4, 8]);
    let word_lines = drive.given("flash.program_unit") == "word-line";
    let unit = parts * if word_lines { u64::from(levels(drive)) } else { 1 };
    let (blocks, pages) =
        (drive.number("geometry.blocks_per_plane"), drive.number("geometry.pages_per_block"));
    let mut enough = blocks;
    while enough - ((unit - 1) * enough).div_ceil(pages * parts) < blocks {
        enough += 1;
    }
    let capacity = drive.given("geometry.user_capacity").trim_end_matches('B').parse::<u64>().unwrap_or(0);
    drive.put("gc.relocation", &"controller");
    drive.put("geometry.page_size", &format!("{}KiB", 4 * parts));
    drive.put("geometry.mapping_unit", &"4KiB");
    drive.put("geometry.blocks_per_plane", &enough);
    drive.put("geometry.user_capacity", &format!("{}B", capacity * parts));
}

fn levels(drive: &Settings) -> u32 {
    match drive.given("flash.cell") {
        "MLC" => 2,
        "TLC" => 3,
        "QLC" => 4,
        _ => 1,
    }
}

/// The same requests, each of one of the two streams that every drive by streams has.
pub fn in_streams(mut records: Vec<Record>, seed: u64) -> Vec<Record> {
    let mut dice = RandomStream::new(seed, "streams");
    for record in &mut records {
        record.stream = dice.below(2) as u8;
    }
    records
}

/// Pages kept apart, with just the spare space that more open blocks need, where that is legal.
fn separate(drive: &mut Settings) {
    let legal = drive.given("ftl.placement").is_empty()
        && drive.given("ftl.gc_frontier") == "separate"
        && drive.given("ftl.assign_pages") != "on-arrival"
        && drive.given("flash.program_unit") != "word-line"
        && drive.given("geometry.mapping_unit").is_empty()
        && drive.given("redundancy") != "raid5";
    if legal && drive.dice.below(3) > 0 {
        keep_apart(drive);
    }
}

fn keep_apart(drive: &mut Settings) {
    let (kind, count) = (drive.of(&["by-stream", "by-lifetime"]), drive.of(&[2_u64, 2, 3, 8]));
    let one_by_one = ["", "controller", "copyback"].contains(&drive.given("gc.relocation"));
    let relocated = if one_by_one { drive.of(&["by-class", "by-class", "together"]) } else { "together" };
    let more = if relocated == "by-class" { 2 * count - 2 } else { count - 1 };
    let blocks = drive.number("geometry.blocks_per_plane") + more;
    drive.put("geometry.blocks_per_plane", &blocks);
    let multi_plane = drive.of(&["off", "any-page"]);
    drive.put("flash.multi_plane", &multi_plane);
    drive.put("ftl.separation", &kind);
    drive.put("ftl.separation.open_blocks", &count);
    drive.put("ftl.separation.relocated", &relocated);
    if kind == "by-lifetime" && drive.dice.below(2) == 0 {
        let base = drive.of(&[2, 5, 1000]);
        drive.put("ftl.separation.base", &base);
    }
}

/// A scheme that tells relocated pages apart, with just the spare space for its open blocks, in the place of what it
/// does not go with.
fn place_by_scheme(drive: &mut Settings) {
    if drive.dice.below(5) > 0 {
        return;
    }
    for prefix in [
        "ftl.placement",
        "ftl.separation",
        "ftl.slc_cache",
        "ftl.superblock",
        "flash.multi_plane",
        "flash.program_unit",
        "geometry.mapping_unit",
        "gc.deferral",
        "gc.relocation",
        "redundancy",
    ] {
        drive.forget(prefix);
    }
    let (kind, count) = (drive.of(&["dac", "sepbit", "fadac", "future-knowledge"]), drive.of(&[2_u64, 3, 4]));
    let kind = match (kind, count) {
        ("fadac", 2) => "eti",
        ("fadac", 3) => "sfr",
        _ => kind,
    };
    let open = if kind == "sepbit" { 6 } else { 2 * count };
    let had = if drive.given("ftl.gc_frontier") == "shared" { 1 } else { 2 };
    let blocks = drive.number("geometry.blocks_per_plane") + open - had;
    drive.put("geometry.blocks_per_plane", &blocks);
    drive.put("ftl.gc_frontier", &"separate");
    drive.put("ftl.assign_pages", &"at-start");
    drive.put("ftl.separation", &kind);
    match kind {
        "sepbit" => {
            let lifespans = drive.of(&[1, 2, 16]);
            drive.put("ftl.separation.lifespans", &lifespans);
        }
        "eti" => {}
        _ => drive.put("ftl.separation.open_blocks", &count),
    }
    if kind == "future-knowledge" {
        drive.forget("trace.repeat_order");
        let span = drive.of(&[1, 7, 100]);
        drive.put("ftl.separation.span", &span);
    }
}

/// A cache in single-level mode, on as many blocks more, where that is legal.
fn cache(drive: &mut Settings) {
    let levels = levels(drive);
    let legal = levels > 1
        && drive.number("geometry.pages_per_block") >= u64::from(levels)
        && drive.given("ftl.separation").is_empty()
        && drive.given("ftl.placement").is_empty()
        && drive.given("ftl.gc_frontier") == "separate"
        && drive.given("ftl.assign_pages") != "on-arrival"
        && drive.given("flash.program_unit") != "word-line"
        && drive.given("geometry.mapping_unit").is_empty()
        && drive.given("redundancy") != "raid5";
    if !legal {
        return;
    }
    for prefix in [
        "gc.relocation",
        "gc.concurrency",
        "gc.pace",
        "ftl.wear.static_threshold",
        "ftl.wear.ties",
        "flash.wear",
    ] {
        drive.forget(prefix);
    }
    match drive.given("gc.trigger.kind") {
        "foreground" => {
            drive.forget("gc.trigger.kind");
            drive.forget("gc.trigger.waits_for");
        }
        "frontier-filled" => drive.put("gc.trigger.jobs", &1),
        _ => {}
    }
    let blocks = drive.of(&[1_u64, 2, 5]);
    let (start, rested) = (drive.of(&["1 block", "50%", "100%"]), drive.of(&[true, false]));
    let multi_plane = drive.of(&["off", "any-page"]);
    let all = drive.number("geometry.blocks_per_plane") + blocks;
    drive.put("geometry.blocks_per_plane", &all);
    drive.put("gc.relocation", &"controller");
    drive.put("flash.multi_plane", &multi_plane);
    drive.put("ftl.slc_cache", &"static");
    drive.put("ftl.slc_cache.blocks", &format!("{blocks} blocks"));
    drive.put("ftl.slc_cache.start", &start);
    drive.put("ftl.slc_cache.rested", &rested);
    if drive.dice.below(2) == 0 {
        let t_program = drive.of(&["0us", "100us", "2ms"]);
        drive.put("ftl.slc_cache.t_program", &t_program);
    }
}

/// A mapping of which memory holds a little, on blocks more for translation pages and their open block, where that is
/// legal.
fn hold_mapping(drive: &mut Settings) {
    let legal = ["", "controller", "copyback"].contains(&drive.given("gc.relocation"))
        && ["", "none"].contains(&drive.given("redundancy"))
        && drive.given("ftl.placement").is_empty()
        && drive.given("ftl.gc_frontier") != "shared"
        && drive.given("ftl.assign_pages") != "on-arrival";
    if !legal || drive.dice.below(2) == 0 {
        return;
    }
    let (kind, units, entry) = (drive.of(&["pages", "dftl"]), drive.of(&[1_u64, 3, 8]), drive.of(&[64, 256]));
    let unit = if kind == "pages" { 16 << 10 } else { 2 * entry };
    let blocks = drive.number("geometry.blocks_per_plane") + 3;
    drive.put("geometry.blocks_per_plane", &blocks);
    drive.put("ftl.mapping_cache", &kind);
    drive.put("ftl.mapping_cache.size", &format!("{}B", units * unit));
    drive.put("ftl.mapping_cache.entry", &format!("{entry}B"));
}

/// Superblocks, on a block more for open ones of the collector's own, where that is legal.
fn span(drive: &mut Settings) {
    let legal = ["ftl.slc_cache", "ftl.separation", "ftl.placement", "geometry.mapping_unit"]
        .iter()
        .all(|key| drive.given(key).is_empty())
        && drive.given("flash.program_unit") != "word-line"
        && drive.given("interconnect") != "serialized-channel"
        && drive.given("redundancy") != "raid5";
    if !legal {
        return;
    }
    if !["", "foreground"].contains(&drive.given("gc.trigger.kind")) {
        drive.forget("gc.trigger");
        drive.put("gc.trigger.start", &"1 block");
    }
    let refused = [
        "gc.relocation",
        "gc.concurrency",
        "gc.pace",
        "gc.trigger.kind",
        "gc.trigger.waits_for",
        "gc.trigger.of",
    ];
    for prefix in refused.into_iter().chain(["ftl.wear.static_threshold", "ftl.wear.ties", "gc.victim"]) {
        drive.forget(prefix);
    }
    if drive.given("ftl.allocation") == "striping" {
        drive.put("ftl.allocation.by", &"arrival");
    }
    let blocks = drive.number("geometry.blocks_per_plane") + 1;
    drive.put("geometry.blocks_per_plane", &blocks);
    drive.put("ftl.gc_frontier", &"separate");
    drive.put("ftl.assign_pages", &"at-start");
    let victims = ["greedy", "fifo", "random", "d-choices", "random-threshold"];
    let victim = drive.of(&[&victims[..], &["cost-benefit", "windowed-greedy", "age-threshold"]].concat());
    drive.put("gc.victim", &victim);
    let scope = drive.of(&["die", "channel", "drive"]);
    drive.put("ftl.superblock", &scope);
}

/// One die in each superblock has the parity of the others, and the host sees as much less.
fn keep_parity(drive: &mut Settings) {
    let of_channel = drive.number("geometry.chips_per_channel") * drive.number("geometry.dies_per_chip");
    let dies = match drive.given("ftl.superblock") {
        "channel" => of_channel,
        "drive" => of_channel * drive.number("geometry.channels"),
        _ => return,
    };
    if dies < 2 || drive.dice.below(2) == 0 {
        return;
    }
    let capacity = drive.given("geometry.user_capacity").trim_end_matches('B').parse::<u64>().unwrap_or(0);
    drive.put("geometry.user_capacity", &format!("{}B", capacity / 4096 * (dies - 1) / dies * 4096));
    drive.put("redundancy", &"superblock-parity");
}

/// Jobs that wait for the host, where nothing could wait for them.
fn pace(drive: &mut Settings) {
    let waits_in_turn = drive.given("gc.relocation") == "buffered"
        || drive.given("redundancy") == "raid5"
        || (drive.given("gc.trigger.kind") == "frontier-filled" && drive.given("gc.trigger.jobs") != "1");
    if !waits_in_turn && drive.dice.below(3) > 0 {
        let pace = drive.of(&["by-victim", "by-victim", "0%", "20%", "100%", "500%"]);
        drive.put("gc.pace", &pace);
        drive.put("gc.block_victim_access", &false);
    }
}

/// Wherever the drive has a choice among equals.
fn break_ties(drive: &mut Settings) {
    let network = ["mesh", "pnssd", "venice", "venice-priority", "smartnetssd"];
    let places = [
        ("gc.relocation.ties", drive.given("gc.relocation") == "buffered"),
        ("gc.deferral.ties", drive.given("gc.deferral") == "dgc"),
        ("ftl.wear.ties", !drive.given("ftl.wear.static_threshold").is_empty()),
        ("interconnect.ties", network.contains(&drive.given("interconnect"))),
    ];
    for (key, _) in places.into_iter().filter(|(_, has_it)| *has_it) {
        let ties = drive.of(&["rotating", "lowest", "random"]);
        drive.put(key, &ties);
    }
}

/// Whether those who wait for a network ask before whoever comes.
fn ask_first(drive: &mut Settings) {
    let network = ["mesh", "pnssd", "nossd", "venice", "venice-priority", "smartnetssd"];
    if network.contains(&drive.given("interconnect")) {
        let order = drive.of(&["newcomers-first", "waiting-first"]);
        drive.put("interconnect.order", &order);
    }
}

/// Who collects, and when.
fn go_first(drive: &mut Settings) {
    if drive.dice.below(4) == 0 {
        let by_list = drive.given("gc.trigger.kind") == "invalid-ratio";
        let hard = drive.of(if by_list { &["off"] } else { &["off", "0 blocks"] });
        drive.put("gc.trigger.hard", &hard);
    }
    if drive.given("gc.trigger.kind") == "invalid-ratio" {
        let idle = drive.of(&[true, false]);
        drive.put("gc.trigger.idle", &idle);
    }
    if drive.dice.below(4) == 0 {
        drive.forget("scheduler");
        drive.put("scheduler", &"by-class");
        let order = drive.of(&[
            r#"["host-write", "host-read", "gc-write", "gc-read", "erase"]"#,
            r#"["gc-write", ["host-read", "gc-read"], ["erase", "host-write"]]"#,
            r#"[["host-read", "host-write", "gc-read", "gc-write", "erase"]]"#,
        ]);
        drive.put("scheduler.order", &order);
        if drive.dice.below(2) == 0 {
            drive.put("scheduler.urgent_order", &"none");
        }
        let lines = drive.of(&["by-class", "by-class", "commands-first", "data-first"]);
        drive.put("channel.order", &lines);
    }
    if drive.given("gc.concurrency") == "channels" && drive.dice.below(2) == 0 {
        let (gate, memory) = (drive.of(&[20, 60, 90]), drive.of(&["until-drained", "two-thresholds"]));
        drive.put("gc.concurrency.gate", &format!("{gate}%"));
        drive.put("gc.concurrency.gate_memory", &memory);
        if memory == "two-thresholds" {
            let less = drive.of(&[0, 10, 20]);
            drive.put("gc.concurrency.gate_close", &format!("{}%", gate - less));
        }
    }
}

fn relocate(drive: &mut Settings) {
    let kind = drive.given("gc.relocation").to_owned();
    if kind == "copyback-odd-even" {
        let alone = drive.given("redundancy") != "raid5";
        let kind = drive.of(if alone {
            &["pcgc", "coupled", "coupled"]
        } else {
            &["pcgc", "pcgc", "copyback-odd-even"]
        });
        let carry = drive.of(&[true, false]);
        drive.forget("gc.relocation");
        drive.put("gc.relocation", &kind);
        drive.put("gc.relocation.carry", &carry);
        if kind == "coupled" {
            let (window, admission) =
                (drive.of(&[8, 64]), drive.of(&["text", "pseudocode", "always", "future"]));
            drive.put("gc.relocation.window", &window);
            drive.put("gc.relocation.retrain_below", &1.0);
            drive.put("gc.relocation.admission", &admission);
        }
    }
    if kind == "buffered" {
        lift(drive);
    }
    if kind.starts_with("copyback") && drive.dice.below(2) == 0 {
        let most = drive.of(&[1, 2, 5]);
        drive.put("gc.relocation.max_consecutive_copybacks", &most);
    }
}

fn lift(drive: &mut Settings) {
    let (batches, hold) = (drive.of(&[1, 1, 2, 3]), drive.of(&["batch", "transfer"]));
    drive.put("gc.relocation.batches", &batches);
    drive.put("gc.relocation.hold", &hold);
    let planes = drive.of(&["even", "by-space"]);
    drive.put("gc.relocation.planes", &planes);
    let writes = drive.of(&["absorb", "replace"]);
    drive.put("gc.relocation.host_writes", &writes);
    if drive.given("gc.relocation.destination") == "free" && drive.dice.below(2) == 0 {
        drive.put("gc.relocation.destination", &"chip");
    }
}

fn defer(drive: &mut Settings) {
    let around = drive.of(&[true, false]);
    drive.put("redundancy.read_around", &around);
    let chips = drive.number("geometry.channels") * drive.number("geometry.chips_per_channel");
    let by_free_blocks = drive.given("gc.trigger.kind").is_empty();
    let several_sets = drive.number("redundancy.stripe_chips") * 2 <= chips;
    if !by_free_blocks || !several_sets || drive.given("flash.program_unit") == "word-line" {
        return;
    }
    drive.put("redundancy.parity_blocks", &"shared");
    drive.put("gc.deferral", &"dgc");
    let redirect = drive.of(&["warned", "warned", "busy", "never"]);
    drive.put("gc.deferral.redirect", &redirect);
    let idle = drive.of(&["warned", "all", "none"]);
    drive.put("gc.deferral.idle", &idle);
    let take = drive.of(&["oldest", "newest"]);
    drive.put("gc.deferral.take", &take);
    let may_lose = ["redundancy.unreadable_chip", "redundancy.rebuild_chip"];
    if may_lose.iter().all(|key| drive.given(key).is_empty()) {
        let same_stripe = drive.of(&["forbidden", "allowed", "allowed", "allowed"]);
        drive.put("gc.deferral.same_stripe", &same_stripe);
    }
    let lookahead = drive.of(&[0, 0, 16]);
    drive.put("gc.deferral.lookahead", &lookahead);
}
