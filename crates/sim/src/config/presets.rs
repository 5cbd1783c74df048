//! Drives that ship with Reclaim: one TOML file each under `presets/`, and a smaller `-mini` of each.

use serde::Serialize;

use crate::settings::ConfigError;

/// A preset or a scheme as lists show it.
#[derive(Debug, Clone, Serialize)]
pub struct Listed {
    /// The name that `--device` or `--scheme` takes, unique among those of its list.
    pub name: String,
    /// What the drive or the combination is, in one sentence for lists.
    pub about: String,
}

/// A preset: its file, and what its `-mini` changes.
struct Preset {
    name: &'static str,
    toml: &'static str,
    mini: &'static [(&'static str, &'static str)],
}

/// Full drives and their minis: a mini divides the blocks of a plane and keeps everything else, so that pages per
/// block, parallelism, timing and over-provisioning stay what they are. Where the same share of so few blocks could
/// not feed the trigger, the trigger starts lower, but above the level at which collection is urgent.
const PRESETS: &[Preset] = &[
    Preset {
        name: "gc-bypass",
        toml: include_str!("../../presets/gc-bypass.toml"),
        mini: &[("blocks_per_plane", "80"), ("start", "\"2 blocks\"")],
    },
    Preset {
        name: "channel-aware",
        toml: include_str!("../../presets/channel-aware.toml"),
        mini: &[("blocks_per_plane", "64")],
    },
    Preset {
        name: "channel-aware-8k",
        toml: include_str!("../../presets/channel-aware-8k.toml"),
        mini: &[("blocks_per_plane", "64")],
    },
    Preset {
        name: "word-line-aware",
        toml: include_str!("../../presets/word-line-aware.toml"),
        mini: &[("blocks_per_plane", "40"), ("start", "\"2 blocks\"")],
    },
    Preset {
        name: "word-line-aware-large",
        toml: include_str!("../../presets/word-line-aware-large.toml"),
        mini: &[("blocks_per_plane", "40"), ("start", "\"2 blocks\"")],
    },
    Preset {
        name: "word-line-aware-levels",
        toml: include_str!("../../presets/word-line-aware-levels.toml"),
        mini: &[("blocks_per_plane", "40"), ("start", "\"2 blocks\"")],
    },
    Preset {
        name: "word-line-aware-replica",
        toml: include_str!("../../presets/word-line-aware-replica.toml"),
        mini: &[("blocks_per_plane", "64"), ("start", "\"2 blocks\"")],
    },
    Preset {
        name: "deferred-raid",
        toml: include_str!("../../presets/deferred-raid.toml"),
        mini: &[("blocks_per_plane", "256")],
    },
    Preset {
        name: "coupled-copyback",
        toml: include_str!("../../presets/coupled-copyback.toml"),
        mini: &[("blocks_per_plane", "64")],
    },
    Preset {
        name: "coupled-copyback-ssdsim",
        toml: include_str!("../../presets/coupled-copyback-ssdsim.toml"),
        mini: &[("blocks_per_plane", "64")],
    },
    Preset {
        name: "mqsim-mirror",
        toml: include_str!("../../presets/mqsim-mirror.toml"),
        mini: &[
            ("blocks_per_plane", "256"),
            ("pages_per_block", "64"),
            ("spare_factor", "\"25%\""),
            ("hard", "\"12 blocks\""),
        ],
    },
];

/// All presets with the first line of their files.
pub fn presets() -> Vec<Listed> {
    let about = |preset: &Preset| {
        preset.toml.lines().next().unwrap_or_default().trim_start_matches('#').trim().to_owned()
    };
    let mini_about = |preset: &Preset| {
        let changes: Vec<_> = preset.mini.iter().map(|(key, value)| format!("{key} = {value}")).collect();
        format!("{} made small: {}", preset.name, changes.join(", "))
    };
    let full = |p: &Preset| Listed { name: p.name.to_owned(), about: about(p) };
    let mini = |p: &Preset| Listed { name: format!("{}-mini", p.name), about: mini_about(p) };
    PRESETS.iter().flat_map(|p| [full(p), mini(p)]).collect()
}

/// Whether a preset has this name.
pub(super) fn is_preset(name: &str) -> bool {
    let base = name.strip_suffix("-mini").unwrap_or(name);
    PRESETS.iter().any(|preset| preset.name == base)
}

/// The text of a preset.
///
/// # Errors
/// When there is none of that name: lists them and suggests the closest.
pub fn preset_toml(name: &str) -> Result<String, ConfigError> {
    let base = name.strip_suffix("-mini").unwrap_or(name);
    let Some(preset) = PRESETS.iter().find(|p| p.name == base) else {
        let listed = presets();
        let names: Vec<_> = listed.iter().map(|p| p.name.as_str()).collect();
        let mut error = ConfigError::choice("device", name, &names);
        error.reason.push_str("; or give the path of a .toml file");
        return Err(error);
    };
    if name == base {
        return Ok(preset.toml.to_owned());
    }
    let shrink = |line: &str| {
        let key = line.split('=').next().unwrap_or_default().trim();
        match preset.mini.iter().find(|(changed, _)| *changed == key) {
            Some((key, value)) => format!("{key} = {value}"),
            None if key == "name" => format!("name = \"{name}\""),
            None => line.to_owned(),
        }
    };
    Ok(preset.toml.lines().map(shrink).collect::<Vec<_>>().join("\n") + "\n")
}
