//! The experiment of the paper on word-line-aware GC: policies against a plain recount, and both ways of drawing.

use crate::common::prelude::*;
use reclaim_sim::word_line_experiment::{Counts, Drawing, Experiment, Row, pool, run};

/// The published program: weights are reads alone, and what is written costs the same everywhere.
fn published(blocks: u32, valid_percents: &[u32]) -> Experiment {
    Experiment {
        blocks,
        pages_per_block: 1024,
        valid_percents: valid_percents.to_vec(),
        batches: 2,
        drawing: Drawing::ByLevel,
        weights: [1, 2, 3, 4],
        relocation_ns: [3, 4, 5, 6],
        erase_ns: 9,
        seed: 1,
    }
}

fn rows(experiment: &Experiment, threads: usize) -> Vec<Row> {
    run(experiment, threads, &mut |_, _| ControlFlow::Continue(())).unwrap()
}

fn dot(block: Counts, of_level: [u32; 4]) -> u64 {
    block.iter().zip(of_level).map(|(pages, of_page)| u64::from(*pages) * u64::from(of_page)).sum()
}

/// Sums over the quarter that comes first by a key and then by number.
fn of_first(pool: &[Counts], key: impl Fn(Counts) -> u64) -> (u64, u64) {
    let mut order: Vec<usize> = (0..pool.len()).collect();
    order.sort_by_key(|at| (key(pool[*at]), *at));
    of(order[..pool.len() / 4].iter().map(|at| pool[*at]))
}

fn of(victims: impl Iterator<Item = Counts>) -> (u64, u64) {
    victims.fold((0, 0), |(valid, latency), block| {
        (valid + dot(block, [1; 4]), latency + dot(block, [3, 4, 5, 6]) + 9)
    })
}

#[rstest]
fn each_policy_takes_its_quarter(#[values(7, 100, 1001)] blocks: u32) {
    let experiment = published(blocks, &[5, 50, 100]);
    let rows = rows(&experiment, 2);
    assert_eq!(rows.len(), 3 * 2 * 6);
    for row in &rows {
        assert_eq!(row.victims, blocks / 4);
        let pool = pool(&experiment, row.valid_percent, row.batch).unwrap();
        let quarter = pool.len() / 4;
        let weight = |block: Counts| dot(block, [1, 2, 3, 4]);
        let expected = match row.policy {
            "word-line" => of_first(&pool, weight),
            "greedy" => of_first(&pool, |block| dot(block, [1; 4])),
            "worst" => worst_of(&pool),
            "arbitrary" => of(pool[..quarter].iter().copied()),
            "published-replica" => {
                let mut lightest = pool[0];
                for block in pool {
                    if weight(block) < weight(lightest) {
                        lightest = block;
                    }
                }
                of(std::iter::repeat_n(lightest, quarter))
            }
            _ => {
                assert_eq!(row.policy, "random");
                let bounds = (of_first(&pool, |b| of([b].into_iter()).1).1, worst_of(&pool).1);
                assert!((bounds.0..=bounds.1).contains(&row.latency_ns), "{row:?} {bounds:?}");
                continue;
            }
        };
        assert_eq!((row.valid_pages, row.latency_ns), expected, "{row:?}");
    }
}

fn worst_of(pool: &[Counts]) -> (u64, u64) {
    of_first(pool, |block| u64::MAX - dot(block, [3, 4, 5, 6]))
}

#[test]
fn threads_share_pools_and_change_nothing() {
    let experiment = published(500, &[5, 35, 100]);
    let alone = rows(&experiment, 1);
    assert_eq!(alone, rows(&experiment, 2));
    assert_eq!(alone, rows(&experiment, 16));
    assert_ne!(alone, rows(&Experiment { seed: 2, ..experiment.clone() }, 1));
    // A batch is the same whatever else is run.
    let one = rows(&Experiment { valid_percents: vec![35], batches: 1, ..experiment }, 1);
    assert_eq!(alone[12..18], one);
}

/// Numbers of valid pages of a level drawn at once, and page by page, have the mean and variance of one distribution;
/// sums of independent levels have the sum of their variances.
#[test]
fn drawing_by_level_and_by_page_agree() {
    for (pages_per_block, percent) in [(16, 50), (64, 5), (64, 95), (256, 30)] {
        for drawing in [Drawing::ByLevel, Drawing::ByPage] {
            let experiment = Experiment { pages_per_block, drawing, ..published(40_000, &[percent]) };
            let pool = pool(&experiment, percent, 0).unwrap();
            let (n, p) = (f64::from(pages_per_block / 4), f64::from(percent) / 100.0);
            let (expected, spread) = (n * p, n * p * (1.0 - p));
            let sums = || pool.iter().map(|block| dot(*block, [1; 4]) as f64);
            let levels: Vec<f64> = pool.iter().flatten().map(|pages| f64::from(*pages)).collect();
            let mean_square = |values: &mut dyn Iterator<Item = f64>, mean: f64, count: usize| {
                values.map(|value| (value - mean).powi(2)).sum::<f64>() / count as f64
            };
            let mean = levels.iter().sum::<f64>() / levels.len() as f64;
            let variance = mean_square(&mut levels.iter().copied(), mean, levels.len());
            let of_sums = mean_square(&mut sums(), 4.0 * expected, pool.len());
            let (count, blocks) = (levels.len() as f64, pool.len() as f64);
            assert!((mean - expected).abs() < 4.0 * (spread / count).sqrt(), "{mean} for {expected}");
            assert!((variance / spread - 1.0).abs() < 4.0 * (2.5 / count).sqrt(), "{variance} for {spread}");
            assert!((of_sums / (4.0 * spread) - 1.0).abs() < 4.0 * (2.0 / blocks).sqrt(), "{of_sums}");
        }
    }
}

#[test]
fn a_full_pool_costs_the_same_whoever_chooses() {
    for row in rows(&published(400, &[100]), 2) {
        assert_eq!(row.latency_ns, 100 * (64 * 72 + 9), "{row:?}");
        assert_eq!(row.valid_pages, 100 * 1024);
    }
}

#[rstest]
#[case("blocks", Experiment { blocks: 3, ..published(8, &[5]) })]
#[case("pages_per_block", Experiment { pages_per_block: 1022, ..published(8, &[5]) })]
#[case("pages_per_block", Experiment { pages_per_block: 0, ..published(8, &[5]) })]
#[case("pages_per_block", Experiment { pages_per_block: 1 << 18, ..published(8, &[5]) })]
#[case("batches", Experiment { batches: 0, ..published(8, &[5]) })]
#[case("valid_percents", published(8, &[101]))]
#[case("weights", Experiment { weights: [1 << 24, 0, 0, 0], ..published(8, &[5]) })]
#[case("relocation_ns", Experiment { relocation_ns: [u32::MAX; 4], ..published(8, &[5]) })]
fn what_cannot_be_is_refused(#[case] key: &str, #[case] experiment: Experiment) {
    let error = run(&experiment, 1, &mut |_, _| ControlFlow::Continue(())).unwrap_err();
    assert!(error.to_string().starts_with(&format!("{key}: ")), "{error}");
    assert!(matches!(error, SimError::Config(_)));
}

#[test]
fn it_tells_how_far_it_is_and_can_be_interrupted() {
    let experiment = published(64, &[5, 10, 15]);
    let mut told = Vec::new();
    run(&experiment, 2, &mut |done, total| {
        told.push((done, total));
        ControlFlow::Continue(())
    })
    .unwrap();
    assert_eq!(told.last(), Some(&(6, 6)));
    let long = Experiment { drawing: Drawing::ByPage, batches: 1000, ..published(1_000_000, &[50]) };
    let stopped = run(&long, 2, &mut |_, _| ControlFlow::Break(()));
    assert!(matches!(stopped, Err(SimError::Interrupted)));
    let nothing = Experiment { valid_percents: vec![], ..experiment };
    assert_eq!(run(&nothing, 2, &mut |_, _| ControlFlow::Continue(())).unwrap(), []);
}
