//! Which block each policy takes, and which of several equally good ones: blocks 0 to 7 of a plane hold pages 0 to 31
//! in order, and lose pages one by one.

use crate::common::prelude::*;
use crate::common::{self};

/// Block k is full of pages 4k to 4k + 3; eight blocks are free, and 16 more logical pages may be written.
fn filled(victim: &str, more: &[(&str, &str)]) -> Ftl {
    let set = [&[("gc.victim", victim), ("geometry.spare_factor", "25%")], more].concat();
    let mut ftl = TestDrive::one_plane().with(&set).ftl();
    (0..32).for_each(|page| ftl.write_now(Lpn(page)));
    ftl
}

fn lose(ftl: &mut Ftl, pages: &[u32]) {
    assert!(pages.iter().all(|page| ftl.trim(Lpn(*page))), "each was there");
}

/// The victims in the order in which they are taken, until nothing is left to reclaim.
fn victims(ftl: &mut Ftl) -> Vec<u32> {
    std::iter::from_fn(|| ftl.begin_collection(PLANE)).map(|block| block.0).collect()
}

/// Blocks 2, 1, 5 and 6 lose a page each, in this order; block 7 loses two.
#[rstest]
#[case::oldest("oldest", [7, 2, 1, 5, 6])]
#[case::lowest_number("lowest-number", [7, 1, 2, 5, 6])]
fn greedy_takes_the_fewest_valid_pages_then_keeps_to_its_rule(
    #[case] ties: &str,
    #[case] expected: [u32; 5],
) {
    let mut ftl = filled("greedy", &[("gc.victim.ties", ties)]);
    lose(&mut ftl, &[8, 4, 20, 24, 28, 29]);
    assert_eq!(victims(&mut ftl), expected);
}

#[test]
fn greedy_counts_a_block_as_changed_whenever_it_loses_a_page() {
    let mut ftl = filled("greedy", &[]);
    // Three valid: 1, 2, 3. Then 2 (from the middle) and 3 (from the end) lose another page: two valid: 2, 3.
    lose(&mut ftl, &[4, 8, 12, 9, 13]);
    // 4 follows 1 among those with three; 1 then follows 3 among those with two; 5 follows 4.
    lose(&mut ftl, &[16, 5, 20]);
    assert_eq!(victims(&mut ftl), [2, 3, 1, 4, 5]);
}

#[test]
fn a_block_with_nothing_to_win_is_never_taken() {
    let mut ftl = filled("greedy", &[]);
    assert!(victims(&mut ftl).is_empty());
    assert!(ftl.plane(PLANE).starved);
    lose(&mut ftl, &[31]);
    assert!(!ftl.plane(PLANE).starved);
    assert_eq!(ftl.next_signal(), Some(PLANE), "the trigger is asked again");
    assert_eq!(victims(&mut ftl), [7]);
}

/// Block k was sealed after 4k + 4 programs. Blocks 2, 1, 5 and 6 lose a page each, then block 7 two: nothing is
/// programmed meanwhile, so that everything last changed at 32.
#[rstest]
#[case::fewest_valid("valid", &[7, 1, 2, 5, 6])]
#[case::most_invalid("-invalid", &[7, 1, 2, 5, 6])]
// since_sealed of 1, 2, 5, 6, 7: 25, 21, 9, 5, 1.
#[case::sealed_first("-since_sealed", &[1, 2, 5, 6, 7])]
// 3/25, 3/21, 3/9, 3/5, 2/1.
#[case::both("valid / since_sealed", &[1, 2, 5, 6, 7])]
// 28, 24, 12, 8, 3: block 7 first.
#[case::sum("valid + since_sealed", &[7, 6, 5, 2, 1])]
// All have the age 1, and none was erased: the lowest number among equals.
#[case::equals("age + erases", &[1, 2, 5, 6, 7])]
// 0 / 0 for all but 7, whose 1 / 0 is as high: again the lowest number.
#[case::no_number("(3 - valid) / erases", &[1, 2, 5, 6, 7])]
fn score_takes_the_lowest_value_of_its_arithmetic(#[case] score: &str, #[case] expected: &[u32]) {
    let policy = format!("{{ kind = \"score\", score = \"{score}\" }}");
    let mut ftl = filled(&policy, &[]);
    lose(&mut ftl, &[8, 4, 20, 24, 28, 29]);
    assert_eq!(victims(&mut ftl), expected);
}

/// 3/25, 3/21, 3/9, 3/5, 2/1 for -1; 3, 3, 3, 3, 2 for 0; 75, 63, 27, 15, 2 for 1.
#[rstest]
#[case("-1", &[1, 2, 5, 6, 7])]
#[case("0", &[7, 1, 2, 5, 6])]
#[case("1.0", &[7, 6, 5, 2, 1])]
fn score_has_numbers_that_are_parameters(#[case] power: &str, #[case] expected: &[u32]) {
    let policy = "{ kind = \"score\", score = \"valid * pow(since_sealed, power)\", params.power = NUMBER }";
    let mut ftl = filled(&policy.replace("NUMBER", power), &[]);
    lose(&mut ftl, &[8, 4, 20, 24, 28, 29]);
    assert_eq!(victims(&mut ftl), expected);
}

/// The front end of the tests names the first candidate: rows have the block numbers first.
#[test]
fn a_policy_of_the_front_end_is_asked_for_a_block_of_the_plane() {
    let mut ftl = filled(&common::own::choice("noted"), &[]);
    common::own::asked("gc.victim");
    lose(&mut ftl, &[24, 8, 9, 20]);
    assert_eq!(victims(&mut ftl), [2, 5, 6]);
    // Of plane 0 after 32 programs: numbers, valid pages, erases, age, since sealed at 12, 24 and 28; of two levels
    // that take turns, block 2 has lost a page each, blocks 5 and 6 one of the fast level.
    let rows = [[2, 5, 6], [2, 3, 3], [0, 0, 0], [1, 1, 1], [21, 9, 5], [1, 1, 1], [1, 2, 2]].concat();
    assert_eq!(common::own::asked("gc.victim")[0], (vec![0, 32], rows));
}

/// It ends the thread with its message, which the front end takes up; nothing is printed.
#[test]
fn a_policy_of_the_front_end_that_fails_ends_the_run() {
    let mut ftl = filled(&common::own::choice("fails"), &[]);
    lose(&mut ftl, &[24]);
    let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| victims(&mut ftl))).unwrap_err();
    let reclaim_sim::own::Fault(message) = ended.downcast_ref().expect("a fault, no other panic");
    assert_eq!(message, "it was asked");
}

/// Two levels by turns: pages 0 and 2 of a block are fast.
#[rstest]
#[case("level_0", &[2, 5, 1])]
#[case("level_1", &[1, 5, 2])]
fn score_counts_valid_pages_by_level(#[case] score: &str, #[case] expected: &[u32]) {
    let policy = format!("{{ kind = \"score\", score = \"{score}\" }}");
    let levels = [
        ("flash.cell", "MLC"),
        ("flash.t_read", "[\"10us\", \"100us\"]"),
        ("flash.t_program", "[\"100us\", \"1ms\"]"),
    ];
    let mut ftl = filled(&policy, &levels);
    // Of block 1 both slow pages, of block 2 both fast ones, of block 5 one of each.
    lose(&mut ftl, &[5, 7, 8, 10, 20, 21]);
    assert_eq!(victims(&mut ftl), expected);
}

/// Valid pages of a level count as saved only where the levels of pages are the same; else they are counted anew.
#[rstest]
#[case("{ kind = \"score\", score = \"level_0\" }")]
#[case(&common::own::choice("any"))]
fn saved_counts_by_level_belong_to_their_order_of_levels(#[case] policy: &str) {
    let drive = |order| {
        TestDrive::one_plane()
            .set("flash.cell", "MLC")
            .set("flash.pages_per_word_line", "4")
            .set("flash.t_read", "[\"10us\", \"100us\"]")
            .set("flash.t_program", "[\"100us\", \"1ms\"]")
            .set("flash.level_order", order)
            .victim(policy)
    };
    let (first, other) = (drive("level-major"), drive("interleaved"));
    let save = Saved::new();
    first.ftl().save(&first.config(), "", &save.0).unwrap();
    let whole = |drive: &TestDrive| drive.ftl().load(&drive.config(), &save.0).unwrap().1;
    assert_eq!([whole(&first), whole(&other)], [true, false]);
}

#[test]
fn fifo_takes_blocks_as_they_were_sealed() {
    let mut ftl = filled("fifo", &[]);
    // Two pages can be reclaimed, of blocks 3 and 1: with the second of them there is nothing left.
    lose(&mut ftl, &[12, 4]);
    assert_eq!(victims(&mut ftl), [0, 1, 2, 3]);
}

#[test]
fn windowed_greedy_looks_at_exactly_its_window() {
    let pages = [4, 8, 9, 12, 13, 14, 15];
    // Valid pages of blocks 0 to 4: 4 3 2 0 4.
    let in_window = |window| {
        let mut ftl = filled("windowed-greedy", &[("gc.victim.window", window)]);
        lose(&mut ftl, &pages);
        victims(&mut ftl)
    };
    // 0 1 2 | 3: block 2. Then 0 1 3 | 4: block 3. Then 0 1 4 | 5: block 1.
    assert_eq!(in_window("3 blocks"), [2, 3, 1]);
    // 0 1 | 2: block 1; 0 2 | 3: block 2; 0 3 | 4: block 3.
    assert_eq!(in_window("2 blocks"), [1, 2, 3]);
    // A window of one is FIFO.
    assert_eq!(in_window("1 block"), [0, 1, 2, 3]);
    assert_eq!(in_window("100%"), [3, 2, 1]);
}

#[test]
fn windowed_greedy_takes_the_oldest_of_equals() {
    let mut ftl = filled("windowed-greedy", &[("gc.victim.window", "100%")]);
    // One page less in 6, 2 and 4; the order of the losses does not matter, that of sealing does.
    lose(&mut ftl, &[24, 8, 16]);
    assert_eq!(victims(&mut ftl), [2, 4, 6]);
}

#[test]
fn age_threshold_leaves_young_blocks_alone() {
    // 64 pages, so 25 % are 16: blocks 0 to 3 were sealed at least 16 programmed pages ago, block 3 just so.
    let mut ftl = filled("age-threshold", &[("gc.victim.age", "25%")]);
    // Valid pages of blocks 0 to 5: 4 3 3 2 0 3. Blocks 1 and 2 are asked about for the first time, so that the order
    // of sealing decides; block 0 has nothing to win, and only then the young ones are taken, as they were sealed.
    lose(&mut ftl, &[8, 4, 12, 13, 16, 17, 18, 19, 20]);
    assert_eq!(victims(&mut ftl), [3, 1, 2, 4, 5]);
}

#[test]
fn age_threshold_takes_the_longest_unchanged_of_the_old() {
    let mut ftl = filled("age-threshold", &[("gc.victim.age", "25%")]);
    lose(&mut ftl, &[12, 13, 0, 4, 8]);
    assert_eq!(ftl.begin_collection(PLANE), Some(BlockId(3)), "all of 0 to 3 are old now");
    // 0 and 1 lose another page: 2 2 3, of which block 1 changed first.
    lose(&mut ftl, &[5, 1]);
    assert_eq!(victims(&mut ftl), [1, 0, 2]);
}

/// With no threshold it is greedy, with one that no block reaches FIFO.
#[rstest]
#[case::greedy("0%", &[2, 0, 1])]
#[case::fifo("100%", &[0, 1, 2])]
fn the_ends_of_age_threshold_are_greedy_and_fifo(#[case] age: &str, #[case] expected: &[u32]) {
    let mut ftl = filled("age-threshold", &[("gc.victim.age", age)]);
    lose(&mut ftl, &[8, 9, 0, 4]);
    assert_eq!(victims(&mut ftl), expected);
}

/// What draws with replacement must take, from the stream the policy draws from, when the first block with so many
/// invalid pages is enough. Candidates stand in the order of sealing; the last takes the place of one that is taken.
fn drawn(seed: u64, draws: u32, enough: u32, mut valid: Vec<(u32, u32)>) -> Vec<u32> {
    let mut stream = RandomStream::new(seed, "victim");
    let mut taken = Vec::new();
    while valid.iter().any(|(_, valid)| *valid < 4) {
        let mut best = valid.len();
        for _ in 0..draws {
            let position = stream.below(valid.len() as u32) as usize;
            // The first drawn of equals stays.
            if best == valid.len() || valid[position].1 < valid[best].1 {
                best = position;
            }
            if 4 - valid[position].1 >= enough {
                break;
            }
        }
        taken.push(valid.swap_remove(best).0);
    }
    taken
}

/// More invalid pages than a block can have: no block ends the draws.
const NEVER: u32 = 5;

#[rstest]
#[case::random("random", &[], 1, NEVER)]
#[case::one("d-choices", &[("gc.victim.d", "1")], 1, NEVER)]
#[case::two("d-choices", &[("gc.victim.d", "2")], 2, NEVER)]
#[case::five("d-choices", &[("gc.victim.d", "5")], 5, NEVER)]
// log2 of 16 blocks.
#[case::as_many_as_the_plane_suggests("d-choices", &[], 4, NEVER)]
// A quarter of the drive is spare: one page of four.
#[case::as_much_as_the_drive_spares("random-threshold", &[], 64, 1)]
#[case::half("random-threshold", &[("gc.victim.invalid", "50%")], 64, 2)]
#[case::rounded_down("random-threshold", &[("gc.victim.invalid", "74.9%")], 64, 2)]
#[case::not_below_a_page("random-threshold", &[("gc.victim.invalid", "0%")], 64, 1)]
#[case::out_of_draws("random-threshold", &[("gc.victim.invalid", "75%"), ("gc.victim.draws", "3")], 3, 3)]
#[case::one_draw("random-threshold", &[("gc.victim.invalid", "100%"), ("gc.victim.draws", "1")], 1, 4)]
fn draws_are_exactly_so_many(
    #[case] victim: &str,
    #[case] more: &[(&str, &str)],
    #[case] draws: u32,
    #[case] enough: u32,
) {
    for seed in 0..20 {
        let text = seed.to_string();
        let mut ftl = filled(victim, &[more, &[("seed", &text)]].concat());
        // Valid pages of blocks 0 to 7: 4 1 3 2 4 3 1 2.
        lose(&mut ftl, &[4, 5, 6, 8, 12, 13, 20, 24, 25, 26, 28, 29]);
        let valid = [4, 1, 3, 2, 4, 3, 1, 2].into_iter().enumerate();
        let valid = valid.map(|(block, valid)| (block as u32, valid)).collect();
        assert_eq!(victims(&mut ftl), drawn(seed, draws, enough, valid), "seed {seed}");
    }
}

/// Block 0 lost a page when 32 pages had been programmed; then eight more were, and blocks 5 and 6 lose pages.
fn aged(more: u32) -> Ftl {
    let mut ftl = filled("cost-benefit", &[]);
    lose(&mut ftl, &[1]);
    (32..32 + more).for_each(|page| ftl.write_now(Lpn(page)));
    ftl
}

#[test]
fn cost_benefit_weighs_age_against_what_is_reclaimed() {
    // Age counts programmed pages and begins with 1; u is valid / 4, so the worth is age * (4 - valid) / valid.
    // Block 0: (40 - 32 + 1) * 1 / 3 = 3. Block 5: 1 * 2 / 2 = 1, although it has fewer valid pages.
    let mut ftl = aged(8);
    lose(&mut ftl, &[20, 21]);
    assert_eq!(victims(&mut ftl), [0, 5]);
    // Block 5 first and then eight programs. Block 0: (48 - 32 + 1) / 3 = 5.7. Block 5: (48 - 40 + 1) * 2 / 2 = 9.
    let mut ftl = aged(8);
    lose(&mut ftl, &[20, 21]);
    (40..48).for_each(|page| ftl.write_now(Lpn(page)));
    assert_eq!(victims(&mut ftl), [5, 0]);
}

#[test]
fn cost_benefit_takes_the_emptier_of_equals_and_an_empty_block_before_all() {
    // Block 0: 9 * 1 / 3 = 3. Block 5: 1 * 3 / 1 = 3. Block 6: 1 * 2 / 2 = 1.
    let mut ftl = aged(8);
    lose(&mut ftl, &[20, 21, 22, 24, 25]);
    assert_eq!(victims(&mut ftl), [5, 0, 6]);
    // An empty block, though it is the youngest.
    let mut ftl = aged(16);
    lose(&mut ftl, &[20, 21, 22, 23]);
    assert_eq!(victims(&mut ftl), [5, 0]);
}
