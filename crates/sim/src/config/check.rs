//! Checks of settings, most of which need more than one key: policies against their registries, sizes against each
//! other.

use serde_json::Value;

use super::catalogue::seams;
use super::refused::refused;
use crate::building::BuildContext;
use crate::flash::Geometry;
use crate::settings::{
    Config, ConfigError, EnduranceConfig, FlashConfig, HostConfig, LevelTimes, PolicyChoice, Ratio, Time,
};
use crate::time::Nanos;

fn choice<'a>(config: &'a Config, key: &str) -> &'a PolicyChoice {
    match key {
        "interconnect" => &config.interconnect,
        "ftl.allocation" => &config.ftl.allocation,
        "ftl.placement" => &config.ftl.placement,
        "ftl.separation" => &config.ftl.separation,
        "ftl.slc_cache" => &config.ftl.slc_cache,
        "ftl.mapping_cache" => &config.ftl.mapping_cache,
        "gc.trigger" => &config.gc.trigger,
        "gc.victim" => &config.gc.victim,
        "gc.relocation" => &config.gc.relocation,
        "gc.concurrency" => &config.gc.concurrency,
        "gc.deferral" => &config.gc.deferral,
        "redundancy" => &config.redundancy,
        "scheduler" => &config.scheduler,
        _ => unreachable!("every seam has its choice"),
    }
}

pub(super) fn check(config: &Config) -> Result<(), ConfigError> {
    alone(config)?;
    of_section(config)?;
    together(config)
}

/// Refuses values that no other setting makes right.
pub(super) fn alone(config: &Config) -> Result<(), ConfigError> {
    for seam in seams() {
        seam.check(choice(config, seam.key()))?;
    }
    bounds(config).and_then(|()| wear(&config.flash))?;
    let positive = [
        ("channel.width_bits", config.channel.width_bits),
        ("controller.cores", config.controller.cores.unwrap_or(1)),
        ("host.queue_depth", config.host.queue_depth),
        ("gc.pages_in_flight", config.gc.pages_in_flight),
        ("measure.power_cut_every", config.measure.power_cut_every.unwrap_or(1)),
        ("measure.windows.count", config.measure.windows.as_ref().map_or(1, |windows| windows.count)),
    ];
    for (key, value) in positive {
        if value == 0 {
            return Err(ConfigError::at(key, "must be at least 1"));
        }
    }
    if let Some(events) = config.measure.power_cut_every.filter(|events| *events > MOST_EVENTS) {
        let reason = format!("{events} events apart; at most {MOST_EVENTS}");
        return Err(ConfigError::at("measure.power_cut_every", &reason));
    }
    if let Some(windows) = config.measure.windows.as_ref().filter(|windows| windows.share.ppm > 1_000_000) {
        let reason = format!("{}; windows do not overlap: at most 100%", windows.share);
        return Err(ConfigError::at("measure.windows.share", &reason));
    }
    if let Some(cores) = config.controller.cores.filter(|cores| *cores > MOST_CORES) {
        let reason = format!("{cores} cores; at most {MOST_CORES}");
        return Err(ConfigError::at("controller.cores", &reason));
    }
    if config.channel.granularity.is_some_and(|size| size.0 == 0) {
        return Err(ConfigError::at("channel.granularity", "must be at least 1B"));
    }
    if !(1..=1000).contains(&config.warmup.replays) {
        let reason = format!("{} is not a number of rounds between 1 and 1000", config.warmup.replays);
        return Err(ConfigError::at("warmup.replays", &reason));
    }
    let scale = config.host.time_scale;
    if !(1e-6..=1e6).contains(&scale) {
        let reason =
            format!("{scale} is not a factor between 1e-6 and 1e6 (2.0 plays the trace twice as fast)");
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
    if let Some(link) = &config.host.link {
        let positive = [
            ("host.link.lanes", u64::from(link.lanes)),
            ("host.link.lane_rate", link.lane_rate.0),
            ("host.link.max_payload", link.max_payload.0),
        ];
        if let Some((key, _)) = positive.into_iter().find(|(_, value)| *value == 0) {
            return Err(ConfigError::at(key, "must be more than 0"));
        }
        let sizes = [
            ("host.link.max_payload", link.max_payload),
            ("host.link.packet_overhead", link.packet_overhead),
            ("host.link.doorbell", link.doorbell),
            ("host.link.submission_entry", link.submission_entry),
            ("host.link.completion_entry", link.completion_entry),
        ];
        if let Some((key, size)) = sizes.into_iter().find(|(_, size)| size.0 > 1 << 20) {
            return Err(ConfigError::at(key, &format!("{size} is more than 1MiB")));
        }
    }
    Ok(())
}

/// Refuses settings that do not go with others of their section.
pub(super) fn of_section(config: &Config) -> Result<(), ConfigError> {
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
    config.trace.validate()?;
    targets(&config.host)?;
    Geometry::new(config).map(drop)
}

/// Refuses settings that do not go together, on a drive whose settings are each right.
pub(super) fn together(config: &Config) -> Result<(), ConfigError> {
    let levels = config.flash.cell.levels();
    if let Some(pages) = config.flash.pages_per_word_line
        && (pages == 0 || !pages.is_multiple_of(levels) || pages > config.geometry.pages_per_block)
    {
        let reason = format!(
            "{pages} pages on a word line of {levels} levels; must be a multiple of {levels}, up to \
             pages_per_block"
        );
        return Err(ConfigError::at("flash.pages_per_word_line", &reason));
    }
    let geometry = Geometry::new(config)?;
    let buffer = config.controller.write_buffer;
    if buffer.pages(geometry.page_bytes) == Some(0) {
        let page = config.geometry.mapped();
        let reason = format!("{buffer} holds no page of {page}; at least {page}, or \"unlimited\"");
        return Err(ConfigError::at("controller.write_buffer", &reason));
    }
    if let Some(refused) = refused().find(|refused| (refused.applies)(config)) {
        return Err(refused.error(config));
    }
    if geometry.blocks() > MOST_BLOCKS {
        let reason = format!(
            "{} blocks, but a drive may have at most {MOST_BLOCKS}; use larger ones",
            geometry.blocks()
        );
        return Err(ConfigError::at("geometry", &reason));
    }
    let context = BuildContext::new(config, &geometry);
    for seam in seams() {
        let choice = choice(config, seam.key());
        seam.check_build(choice, &context)?;
        seam.check_conflicts(choice, config)?;
    }
    crate::ftl::check_space(config, &geometry)?;
    crate::ftl::check_failing(config, &geometry)?;
    crate::fill::Fill::of(&config.warmup, &geometry)?;
    if config.warmup.valid_share.is_some() && config.is_striped() {
        let reason =
            "pages are filled stripe by stripe; leave it out, or use redundancy = { kind = \"none\" }";
        return Err(ConfigError::at("warmup.valid_share", reason));
    }
    let others = [("warmup.policies", config.preparing()), ("host.target_policies", config.target_drive()?)];
    for (key, other) in others {
        other.as_ref().map_or(Ok(()), check).map_err(|error| {
            let reason = format!("a drive with these policies cannot be: {}: {}", error.key, error.reason);
            ConfigError::at(key, &reason)
        })?;
    }
    Ok(())
}

/// Refuses die utilisations that no time scale is to be found for.
fn targets(host: &HostConfig) -> Result<(), ConfigError> {
    let targets = [
        ("host.target_utilisation", host.target_utilisation),
        ("host.target_total_utilisation", host.target_total_utilisation),
    ];
    for (key, target) in targets {
        let Some(target) = target else { continue };
        if host.time_scale != 1.0 {
            let reason = "solves for the time scale, so host.time_scale must not be given, too";
            return Err(ConfigError::at(key, reason));
        }
        if !(1..=1_000_000).contains(&target.ppm) {
            let reason = format!("{target} of the time of the dies; must be more than 0%, and 100% at most");
            return Err(ConfigError::at(key, &reason));
        }
    }
    let key = "host.target_total_utilisation";
    if host.target_total_utilisation.is_some() && host.target_utilisation.is_some() {
        let reason =
            "host.target_utilisation is given, too, which is by the host's pages alone; give one of them";
        return Err(ConfigError::at(key, reason));
    }
    let under = host.target_scheme.is_some() || host.target_policies.is_some();
    if host.target_total_utilisation.is_some() && !under {
        let reason =
            "what collection adds depends on the scheme: name one, as in host.target_scheme = \"greedy\"";
        return Err(ConfigError::at(key, reason));
    }
    Ok(())
}

/// Refuses wear that makes no sense: a table that is in no order, or leaves nothing of a time.
fn wear(flash: &FlashConfig) -> Result<(), ConfigError> {
    if flash.initial_erases > MOST_ERASES {
        let reason = format!("{} erases of every block; at most {MOST_ERASES}", flash.initial_erases);
        return Err(ConfigError::at("flash.initial_erases", &reason));
    }
    endurance(&flash.endurance)?;
    let fail = |reason: String| Err(ConfigError::at("flash.wear", &reason));
    for pair in flash.wear.windows(2) {
        if pair[0].erases >= pair[1].erases {
            return fail(format!(
                "a row from {} erases on follows one from {} on; give each number of erases once, in \
                 ascending order",
                pair[1].erases, pair[0].erases
            ));
        }
    }
    for row in &flash.wear {
        for (name, factor) in [("read", row.read), ("program", row.program), ("erase", row.erase)] {
            if !(1..=MOST_OF_TIME).contains(&factor.ppm) {
                let erases = row.erases;
                return fail(format!(
                    "{name} = \"{factor}\" from {erases} erases on is not more than 0% of the time and \
                     at most 1000%; \"100%\" leaves it as it is"
                ));
            }
        }
    }
    Ok(())
}

fn endurance(endurance: &EnduranceConfig) -> Result<(), ConfigError> {
    let EnduranceConfig { erases, single_level_erases, failures, warranty_years } = endurance;
    for (key, number, most, of) in [
        ("flash.endurance.erases", *erases, MOST_ERASES, "erases of a block"),
        ("flash.endurance.single_level_erases", *single_level_erases, MOST_ERASES, "erases of a block"),
        ("flash.endurance.warranty_years", Some(*warranty_years), MOST_YEARS, "years"),
    ] {
        if let Some(number) = number.filter(|number| !(1..=most).contains(number)) {
            return Err(ConfigError::at(key, &format!("{number} {of}; from 1 to {most}")));
        }
    }
    let fail = |reason: String| Err(ConfigError::at("flash.endurance.failures", &reason));
    let rows = || failures.iter().map(|row| (row.erases, row.failed.ppm));
    for ((before, less), (erases, failed)) in std::iter::once((0, 0)).chain(rows()).zip(rows()) {
        if !(before + 1..=MOST_ERASES).contains(&erases) {
            return fail(format!(
                "a row of {erases} erases follows one of {before}; give each number of erases once, in \
                 ascending order, from 1 to {MOST_ERASES}"
            ));
        }
        if !(less..=Ratio::WHOLE.ppm).contains(&failed) {
            return fail(format!(
                "{} have failed by {erases} erases, and {} before; the share grows, to 100% at most",
                Ratio { ppm: failed },
                Ratio { ppm: less }
            ));
        }
    }
    Ok(())
}

/// Most years of a warranty.
const MOST_YEARS: u32 = 100;

/// Most blocks of a drive: policies are built to check their parameters, and have tables of all blocks. The most pages
/// of a drive in blocks of 64 come to as many.
const MOST_BLOCKS: u32 = 1 << 26;

/// Most events from one power cut to the next on the average: up to twice as many are drawn in 32 bits.
const MOST_EVENTS: u32 = 1 << 31;

/// Most cores of a controller; real ones have a dozen.
const MOST_CORES: u32 = 1024;

/// Erases of a block before the drive was made, at most: no block of flash lives to see a thousandth of them.
const MOST_ERASES: u32 = 1_000_000_000;

/// The largest factor of a time by wear, ppm.
const MOST_OF_TIME: u32 = 10_000_000;

/// Longest time that may be configured: nothing a drive does takes longer, and sums remain far from overflowing.
const LONGEST: Nanos = Nanos(3_600_000_000_000);

/// Most data bits per second that a channel may carry; far beyond any real one, so that times stay computable.
const FASTEST_BITS_PER_S: u64 = 1_000_000_000_000_000;

/// The first time in a value of a key that is longer than anything a drive does, and its key; entries of a list have
/// that of the list.
fn too_long(value: &Value, key: &str) -> Option<(String, Time)> {
    match value {
        Value::String(text) => {
            let time = Time::parse(text).filter(|time| time.0 > LONGEST)?;
            Some((key.to_owned(), time))
        }
        Value::Array(list) => list.iter().find_map(|each| too_long(each, key)),
        Value::Object(table) => {
            table.iter().find_map(|(name, below)| too_long(below, &format!("{key}.{name}")))
        }
        _ => None,
    }
}

fn bounds(config: &Config) -> Result<(), ConfigError> {
    let (flash, channel) = (&config.flash, &config.channel);
    for (section, value) in serde_json::to_value(config)
        .expect("a configuration has only JSON values")
        .as_object()
        .into_iter()
        .flatten()
    {
        // A trace may last for days.
        if section != "trace"
            && section != "name"
            && let Some((key, time)) = too_long(value, section)
        {
            return Err(ConfigError::at(&key, &format!("{time} is longer than an hour")));
        }
    }
    let commands = &channel.commands;
    for (key, cycles) in [
        ("channel.commands.read_cycles", commands.read_cycles),
        ("channel.commands.program_cycles", commands.program_cycles),
        ("channel.commands.erase_cycles", commands.erase_cycles),
    ] {
        if cycles > 1000 {
            return Err(ConfigError::at(key, &format!("{cycles} cycles for a command; at most 1000")));
        }
    }
    if flash.read_retry.most > 1000 {
        let reason = format!("{} repetitions of a read; at most 1000", flash.read_retry.most);
        return Err(ConfigError::at("flash.read_retry.most", &reason));
    }
    if flash.read_retry.rate.ppm > 1_000_000 {
        let reason = format!("{} of all reads; at most 100%", flash.read_retry.rate);
        return Err(ConfigError::at("flash.read_retry.rate", &reason));
    }
    let bits = channel.rate.0.checked_mul(u64::from(channel.width_bits));
    if bits.is_none_or(|bits| bits > FASTEST_BITS_PER_S) {
        let reason =
            format!("{} on {} data lines is beyond 10^15 bits per second", channel.rate, channel.width_bits);
        return Err(ConfigError::at("channel.rate", &reason));
    }
    Ok(())
}
