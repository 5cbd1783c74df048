"""The simulated drive: a preset or a TOML file, a scheme, and single settings on top."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reclaim import _core
from reclaim.fitting import OPENING
from reclaim.trace import Trace, open_trace

Value = str | int | float | bool


def setting_text(value: Value) -> str:
    """Write a Python value the way a configuration file does.

    >>> setting_text(True), setting_text(4), setting_text("75us")
    ('true', '4', '75us')
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


@dataclass(frozen=True)
class Device:
    """A drive, resolved and validated when it is created; changing one makes a new one.

    Layers, later ones winning: the preset or file, the schemes in order, the single settings.

    >>> drive = Device.preset("gc-bypass-mini").with_(**{"gc.victim.kind": "fifo"})
    >>> drive.config["gc"]["victim"]["kind"]
    'fifo'

    Raises:
        InputError: for an unknown preset, scheme, key or value, or a geometry that cannot be; the
            message names it and what is valid.
    """

    source: str
    schemes: tuple[str, ...] = ()
    settings: tuple[tuple[str, str], ...] = ()
    core: _core.Config = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        core = _core.Config(self.source, list(self.schemes), list(self.settings))
        object.__setattr__(self, "core", core)

    @classmethod
    def preset(cls, name: str) -> Device:
        """Take a built-in drive; `reclaim.presets()` lists them."""
        return cls(name)

    @classmethod
    def load(cls, path: str | Path) -> Device:
        """Read a drive from a TOML file; `base = "preset"` in it starts from a built-in one."""
        # A bare name without .toml would be taken for a preset.
        return cls(str(path) if Path(path).suffix == ".toml" else str(Path(path).absolute()))

    def with_(self, **settings: Value) -> Device:
        """Change single settings, named as in the file with dots: `with_(**{"gc.victim.kind": "fifo"})`.

        Values carry units as text where the setting has one: `"75us"`, `"16KiB"`.
        """
        merged = dict(self.settings) | {key: setting_text(value) for key, value in settings.items()}
        return Device(self.source, self.schemes, tuple(merged.items()))

    def with_scheme(self, *names: str) -> Device:
        """Add named combinations of policies; `reclaim.schemes()` lists them."""
        return Device(self.source, self.schemes + names, self.settings)

    @property
    def config(self) -> Mapping[str, Any]:
        """Every setting, resolved, as nested mappings."""
        return dict(json.loads(self.core.to_json()))

    def to_toml(self) -> str:
        """Every setting, resolved, as TOML that `Device.load` takes again."""
        return self.core.to_toml()

    def open_trace(self, path: str | Path) -> Trace:
        """Open a trace file, or one of the catalogue, as the `[trace]` section says.

        Nothing is done to it yet: a simulation on this drive, or `fitted`, does the steps of that section.

        Raises:
            InputError: as `reclaim.open_trace`.
        """
        section = self.config["trace"]
        return open_trace(path, **{key: section[key] for key in OPENING if key in section})

    def fitted(self, trace: Trace) -> Trace:
        """Do to `trace` what the `[trace]` section says, as a simulation on this drive would."""
        return Trace(self.core.fitted(trace.core))

    def demand(self, trace: Trace) -> dict[str, Any]:
        """What the pages of `trace` are for the dies, without garbage collection.

        `pages_read`, `pages_written`, of them `pages_written_in_part`; `flash_ns`, the time for which
        they hold dies; `utilisation`, the share of time for which they keep the dies busy when the trace is
        played as recorded (None if it has no time).
        """
        return dict(json.loads(self.core.demand(trace.core)))

    def facts(
        self, trace: Trace | None = None, *, fitted: bool = False, load_state: str | Path | None = None
    ) -> dict[str, Any]:
        """What follows from the configuration before anything runs.

        Capacities in bytes, both definitions of over-provisioning as fractions; under `light_load` and
        `heavy_load`, how many blocks' worth of pages a plane keeps erased, the spare factor that leaves, and
        what a formula says of write amplification then (uniform overwrites; None without a formula); the
        state in which the warm-up leaves the drive (or in which `load_state` was saved) and after how many
        writes garbage collection starts from there, unloaded latencies in ns; with `trace` also how its
        footprint fits and whether it makes the drive collect. The steps of the `[trace]` section are done to
        it first, unless it is `fitted` already.

        >>> Device.preset("gc-bypass-mini").facts()["raw_bytes"] > 0
        True
        """
        return dict(json.loads(self.core.facts(trace.core if trace else None, fitted, load_state)))
