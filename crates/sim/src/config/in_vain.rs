//! Settings that would have no effect are refused where a user gives them.

use toml::Value;

use super::layers::{Layer, lookup, place};
use crate::settings::{
    Config, ConfigError, HostConfig, HostMode, RepeatOrder, WarmupConfig, WarmupKind, WarmupPadding,
};
use crate::time::Nanos;

/// A setting that says nothing as long as another one has some value.
struct InVain {
    key: &'static str,
    /// The key that decides whether it says something.
    decided_by: &'static str,
    applies: fn(&Config) -> bool,
    why: &'static str,
    /// Gives it the value that it has when nobody gives one.
    forget: fn(&mut Config),
}

const IN_VAIN: &[InVain] = &[
    InVain {
        key: "host.queue_depth",
        decided_by: "host.mode",
        applies: |config| config.host.mode == HostMode::OpenLoop,
        why: "an open loop sends requests at the times of the trace, however many are outstanding; leave it \
              out (--queue-depth), or use host.mode = \"closed-loop\" (--mode closed-loop)",
        forget: |config| config.host.queue_depth = HostConfig::default().queue_depth,
    },
    InVain {
        key: "host.time_scale",
        decided_by: "host.mode",
        applies: |config| config.host.mode == HostMode::ClosedLoop,
        why: "a closed loop keeps the queue full whatever the time; leave it out (--time-scale), or use \
              host.mode = \"open-loop\" (--mode open-loop)",
        forget: |config| config.host.time_scale = HostConfig::default().time_scale,
    },
    InVain {
        key: "host.target_utilisation",
        decided_by: "host.mode",
        applies: |config| config.host.mode == HostMode::ClosedLoop,
        why: "a closed loop keeps the queue full whatever the time; leave it out (--target-utilisation), or \
              use host.mode = \"open-loop\" (--mode open-loop)",
        forget: |config| config.host.target_utilisation = None,
    },
    InVain {
        key: "host.target_total_utilisation",
        decided_by: "host.mode",
        applies: |config| config.host.mode == HostMode::ClosedLoop,
        why: "a closed loop keeps the queue full whatever the time; leave it out \
              (--target-total-utilisation), or use host.mode = \"open-loop\" (--mode open-loop)",
        forget: |config| config.host = config.host.at_scale(config.host.time_scale),
    },
    InVain {
        key: "host.target_scheme",
        decided_by: "host.target_total_utilisation",
        applies: |config| config.host.target_total_utilisation.is_none(),
        why: "it says under which scheme the drive has host.target_total_utilisation, and none is asked for; \
              leave it out, or give that, too",
        forget: |config| (config.host.target_scheme, config.host.target_policies) = (None, None),
    },
    InVain {
        key: "trace.jitter",
        decided_by: "host.mode",
        applies: |config| config.host.mode == HostMode::ClosedLoop,
        why: "a closed loop sends requests when others are completed, whatever their times; leave it out \
              (--jitter), use trace.rotate (--rotate), or host.mode = \"open-loop\" (--mode open-loop)",
        forget: |config| config.trace.jitter = None,
    },
    InVain {
        key: "trace.repeat_order",
        decided_by: "warmup.kind",
        applies: |config| config.trace.repeat <= 1 && !config.warmup.kind.plays_the_trace(),
        why: "the trace is played once, and not by warm-up, so no request comes again; leave it out \
              (--repeat-order), repeat the trace (trace.repeat, --plays N), or let warm-up play it \
              (--warmup workload)",
        forget: |config| config.trace.repeat_order = RepeatOrder::Same,
    },
    InVain {
        key: "controller.cores",
        decided_by: "controller.command",
        applies: |config| config.controller.command.is_none_or(|time| time.0 == Nanos(0)),
        why: "without a time that a command takes it does not matter how many are handled at once; leave it \
              out, or give controller.command",
        forget: |config| config.controller.cores = None,
    },
    InVain {
        key: "channel.host_buffer_path",
        decided_by: "channel.host_buffer",
        applies: |config| config.channel.host_buffer.is_none_or(|time| time.0 == Nanos(0)),
        why: "without a time that pages take to pass the buffer memory it does not matter where they pass \
              it; leave it out, or give channel.host_buffer",
        forget: |config| config.channel.host_buffer_path = None,
    },
    InVain {
        key: "ftl.wear.ties",
        decided_by: "ftl.wear.static_threshold",
        applies: |config| config.ftl.wear.static_threshold.is_none(),
        why: "without static wear levelling no block is chosen by its erases; leave it out, or give \
              ftl.wear.static_threshold",
        forget: |config| config.ftl.wear.ties = None,
    },
    InVain {
        key: "warmup.overwrites",
        decided_by: "warmup.kind",
        applies: |config| config.warmup.kind != WarmupKind::Overwrite,
        why: "only the warm-up overwrite has a number of overwrites; leave it out, or use warmup.kind = \
              \"overwrite\" (--warmup overwrite:N)",
        forget: |config| config.warmup.overwrites = WarmupConfig::default().overwrites,
    },
    InVain {
        key: "warmup.padding",
        decided_by: "warmup.kind",
        applies: |config| !config.warmup.kind.plays_the_trace(),
        why: "only requests of the trace have times by which units are padded; leave it out, or use \
              warmup.kind = \"workload\" (--warmup workload)",
        forget: |config| config.warmup.padding = WarmupPadding::default(),
    },
    InVain {
        key: "warmup.replays",
        decided_by: "warmup.kind",
        applies: |config| config.warmup.kind != WarmupKind::Replay,
        why: "only the warm-up replay has a number of rounds; leave it out, or use warmup.kind = \"replay\" \
              (--warmup replay:N)",
        forget: |config| config.warmup.replays = WarmupConfig::default().replays,
    },
    InVain {
        key: "warmup.valid_share",
        decided_by: "warmup.kind",
        applies: |config| !config.warmup.fills(),
        why: "nothing is filled by this warm-up; leave it out, or use one that fills the drive (--warmup \
              workload, or warmup.fill = true)",
        forget: |config| config.warmup.valid_share = None,
    },
    InVain {
        key: "warmup.scheme",
        decided_by: "warmup.kind",
        applies: |config| config.warmup.kind == WarmupKind::Empty && config.warmup.scheme.is_some(),
        why: "a factory-fresh drive is the same whoever prepares it; leave it out, or use another \
              warmup.kind (--warmup workload)",
        forget: |config| config.warmup.scheme = None,
    },
];

/// Refuses settings that have no effect. One that had some until a higher layer decided otherwise is forgotten instead:
/// the file of a drive for closed loops may be played in an open one.
///
/// From layer `settings` on, all layers are single settings, which are given at once.
pub(super) fn settle(config: &mut Config, layers: &[Layer], settings: usize) -> Result<(), ConfigError> {
    for rule in IN_VAIN {
        if !(rule.applies)(config) {
            continue;
        }
        let default = layers.first().and_then(|defaults| lookup(&defaults.table, rule.key));
        let is_default = |value: &Value| default.is_some_and(|default| same(default, value));
        // The resolved settings of a drive, written to a file, have every key.
        let has_it = |layer: &Layer| {
            lookup(&layer.table, rule.key).is_some_and(|value| layer.text.is_none() || !is_default(value))
        };
        let has_other = |layer: &Layer| lookup(&layer.table, rule.decided_by).is_some();
        let above = layers.get(1..).unwrap_or_default();
        let given = above.iter().rposition(has_it).map(|at| at + 1);
        let decided = above.iter().rposition(has_other).map_or(0, |at| at + 1);
        if let Some(given) = given.filter(|given| (*given).min(settings) >= decided.min(settings)) {
            let mut error = ConfigError::at(rule.key, rule.why);
            error.origin = Some(place(&layers[given], rule.key));
            return Err(error);
        }
        (rule.forget)(config);
    }
    Ok(())
}

/// Whether two values are the same: 1 is 1.0.
fn same(a: &Value, b: &Value) -> bool {
    let number = |value: &Value| value.as_float().or_else(|| value.as_integer().map(|whole| whole as f64));
    a == b || number(a).is_some_and(|a| number(b) == Some(a))
}
