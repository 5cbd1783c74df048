//! Checks that need more than one key: policies against their registries, sizes against each other.

use super::{Config, ConfigError, LevelTimes};
use crate::flash::Geometry;
use crate::registry::{PolicyChoice, Seam};

/// Every seam that is chosen by a `kind`.
pub(super) fn seams() -> [&'static dyn Seam; 8] {
    [
        &crate::interconnect::MEMBERS,
        &crate::ftl::allocation::MEMBERS,
        &crate::gc::trigger::MEMBERS,
        &crate::gc::victim::MEMBERS,
        &crate::gc::migration::MEMBERS,
        &crate::gc::concurrency::MEMBERS,
        &crate::redundancy::MEMBERS,
        &crate::scheduler::MEMBERS,
    ]
}

fn choice<'a>(config: &'a Config, key: &str) -> &'a PolicyChoice {
    match key {
        "interconnect" => &config.interconnect,
        "ftl.allocation" => &config.ftl.allocation,
        "gc.trigger" => &config.gc.trigger,
        "gc.victim" => &config.gc.victim,
        "gc.migration" => &config.gc.migration,
        "gc.concurrency" => &config.gc.concurrency,
        "redundancy" => &config.redundancy,
        "scheduler" => &config.scheduler,
        _ => unreachable!("every seam has its choice"),
    }
}

pub(super) fn validate(config: &Config) -> Result<(), ConfigError> {
    for seam in seams() {
        seam.check(choice(config, seam.key()))?;
    }
    let levels = config.flash.cell.levels();
    for (key, times) in [("flash.t_read", &config.flash.t_read), ("flash.t_program", &config.flash.t_program)]
    {
        if let LevelTimes::PerLevel(list) = times
            && list.len() != levels as usize
        {
            let reason = format!("{} times for {levels} page levels; give one, or one per level", list.len());
            return Err(ConfigError::at(key, &reason));
        }
    }
    let positive = [
        ("channel.width_bits", config.channel.width_bits),
        ("host.queue_depth", config.host.queue_depth),
        ("gc.pages_in_flight", config.gc.pages_in_flight),
    ];
    for (key, value) in positive {
        if value == 0 {
            return Err(ConfigError::at(key, "must be at least 1"));
        }
    }
    if config.channel.granularity.is_some_and(|size| size.0 == 0) {
        return Err(ConfigError::at("channel.granularity", "must be at least 1B"));
    }
    let scale = config.host.time_scale;
    if !(scale.is_finite() && scale > 0.0) {
        let reason = format!("{scale} is not a positive factor (2.0 plays the trace twice as fast)");
        return Err(ConfigError::at("host.time_scale", &reason));
    }
    for (key, value) in
        [("warmup.overwrites", config.warmup.overwrites), ("warmup.limit", config.warmup.limit)]
    {
        if !(value.is_finite() && (0.0..=10_000.0).contains(&value)) {
            let reason = format!("{value} is not a number of drive capacities between 0 and 10000");
            return Err(ConfigError::at(key, &reason));
        }
    }
    if (config.flash.suspend.program || config.flash.suspend.erase)
        && config.interconnect.kind == "serialized-channel"
    {
        let reason = "a serialized-channel is held for the whole operation, so no read can reach the die to \
                      suspend it; use interconnect.kind = \"bus\" or leave suspension off";
        return Err(ConfigError::at("flash.suspend", reason));
    }
    if let Some(pages) = config.flash.pages_per_word_line
        && (pages == 0 || !pages.is_multiple_of(levels))
    {
        let reason =
            format!("{pages} pages on a word line of {levels} levels; must be a multiple of {levels}");
        return Err(ConfigError::at("flash.pages_per_word_line", &reason));
    }
    let geometry = Geometry::new(config)?;
    crate::ftl::check_space(config, &geometry)
}
