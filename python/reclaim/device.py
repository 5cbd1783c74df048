"""The simulated drive: a preset or a TOML file, a scheme, and single settings on top."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from reclaim import _core, input_file
from reclaim._core import Config as CoreConfig
from reclaim.arguments import checks, file_to_read, listed, shown, text
from reclaim.arguments import path as _path
from reclaim.errors import InputError
from reclaim.parsing import TOO_DEEP, is_deep
from reclaim.policy.marks import KINDS, MARK, is_policy, named
from reclaim.policy.places import looked_for, place_of, whole_name
from reclaim.shipped import DEVICES
from reclaim.trace.catalogue import places
from reclaim.trace.trace import Trace, merged_paths, open_trace
from reclaim.trace.transforms import OPENING

Value = str | int | float | bool
UNUSABLE = ("the saved state is damaged", "not a drive state saved by this version")
"""How the core says that no drive can start from a state."""
ANEW = (
    "leave out --load-state (load_state) to warm up instead, and save the state of that warm-up with "
    "--save-state (save_state) to have a new one"
)
SOURCE = "the name of a drive or the path of a device file"

FIRST = ("small", "tlc")
"""Drives to start from: they are listed before the others."""


def setting_text(value: Value) -> str:
    """Write a Python value the way a configuration file does.

    >>> setting_text(True), setting_text(4), setting_text("75us")
    ('true', '4', '75us')
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def _shipped() -> Path:
    try:
        return _shipped_from(os.getcwd())  # noqa: PTH109 - asked for each of a hundred thousand drives
    except FileNotFoundError:
        return DEVICES


@cache
def _shipped_from(folder: str) -> Path:
    here = Path("examples", "devices")
    # Of the checkout that one stands in, paths are short.
    return here if Path(folder, here).is_dir() and here.samefile(DEVICES) else DEVICES


def folders() -> list[Path]:
    """Folders whose device files are drives with a name: that of the file, without its ending."""
    return [_shipped()]


def shipped_files() -> list[Path]:
    """Device files that ship: those to start from, then drives that one can buy, both by their names."""
    sheets = _shipped() / "sheets"

    def order(file: Path) -> tuple[bool, bool, str]:
        return (sheets / file.name).exists(), file.stem not in FIRST, file.name

    return sorted(_shipped().glob("*.toml"), key=order)


@dataclass(frozen=True)
class NamedDrive:
    """A drive that has a name."""

    name: str
    kind: str
    """`drive`, `product` (modelled from public figures) or `paper`."""
    about: str
    path: Path | None
    """Its device file; None for the drive of a paper."""


def known_drives() -> list[NamedDrive]:
    """Every drive that can be given by its name: those to start from, products, then those of papers."""
    found = []
    for path in shipped_files():
        comments = (each[2:] for each in input_file.text(path).splitlines() if each.startswith("# "))
        about = next(comments, "").split(". ")[0].split(": sheets/")[0].removesuffix(".")
        kind = "product" if (path.parent / "sheets" / path.name).exists() else "drive"
        found.append(NamedDrive(path.stem, kind, about, path))
    return found + [NamedDrive(name, "paper", about, None) for name, about in _core.presets()]


def opening_of(source: str, settings: Mapping[str, Value]) -> dict[str, Any]:
    """What a drive and settings on top of it say of traces; nothing else of it is checked.

    Raises:
        InputError: for a drive that cannot be read, and for a setting of traces that cannot be.
    """
    given = [_setting(key, value) for key, value in settings.items()]
    return dict(json.loads(_core.trace_section(source, given, folders())))


def _setting(key: Any, value: Any) -> tuple[str, str]:
    """Check a key and a value of Python before a message of the core has to show them."""
    text("the key of a setting", key)
    if is_policy(value):
        return key, _policy_text(key, value)
    if is_deep(value):
        raise InputError(f"{key}: contains itself, or {TOO_DEEP}")
    if isinstance(value, Mapping):
        raise InputError(
            f"{key}: a mapping is no value; write it as text, as in '{{ kind = \"d-choices\", d = 4 }}'"
        )
    if value is None or isinstance(value, type | bytes):
        raise InputError(f"{key}: {shown(value)} is no value; give text, a number, True or False")
    return key, setting_text(value)


def _policy_text(key: str, policy: Any) -> str:
    """Write down a policy in Python the way a configuration file does."""
    kind = getattr(policy, MARK)
    if key != kind:
        raise InputError(f"{key}: {policy.__name__} is a policy for {kind}; set that")
    return "{ " + ", ".join(f"{name} = {json.dumps(each)}" for name, each in named(policy).items()) + " }"


def _policies_in(table: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, str, str]]:
    """Give kind, name and code of every policy in Python that a configuration names anywhere."""
    for key, value in table.items():
        if not isinstance(value, Mapping):
            continue
        here = f"{above}.{key}" if above else key
        if value.get("kind") == "python" and "function" in value:
            yield here, value["function"], value["code"]
        yield from _policies_in(value, here)


@contextmanager
def loading_a_state() -> Iterator[None]:
    """Say what to do where a state cannot be used.

    Raises:
        InputError: what is wrong with it, and how to get another.
    """
    try:
        yield
    except InputError as error:
        if not str(error).endswith(UNUSABLE):
            raise
        raise InputError(f"{error}; {ANEW}") from None


@checks
@dataclass(frozen=True)
class Device:
    """A drive, resolved and validated when it is created; changing one makes a new one.

    Layers, later ones winning: the named drive or file, the schemes in order, the single settings.

    >>> drive = Device.preset("gc-bypass-mini").set("gc.victim", "fifo")
    >>> drive.config["gc"]["victim"]["kind"]
    'fifo'

    Raises:
        InputError: for an unknown drive, scheme, key or value, or a geometry that cannot be; the
            message names it and what is valid.
    """

    source: str
    """The name of a drive, or the path of a device file: one with a separator, or that ends in .toml."""
    schemes: tuple[str, ...] = ()
    settings: tuple[tuple[str, str], ...] = ()
    own: tuple[str, ...] = field(default=(), repr=False)
    """Keys of those settings that belong to the schemes: a drive that prepares this one does without them."""
    _core: CoreConfig = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        text("the source of a drive", self.source, what=SOURCE)
        for name in listed("schemes", self.schemes):
            text("a scheme", name, what="the name of one")
        for each in listed("settings", self.settings):
            if not (
                isinstance(each, tuple) and len(each) == 2 and all(isinstance(part, str) for part in each)
            ):
                raise InputError(f"settings: {shown(each)} is not (key, value), both text")
        for key in listed("own", self.own):
            text("the key of a setting", key)
        with looked_for(self.source, self.settings):
            core = _core.Config(
                self.source, list(self.schemes), list(self.settings), folders(), list(self.own)
            )
        object.__setattr__(self, "_core", core)

    def __reduce__(self) -> tuple[type[Device], tuple[object, ...]]:
        """Pickle how it was made: a device file is read again where it is unpickled."""
        return Device, (self.source, self.schemes, self.settings, self.own)

    @classmethod
    def preset(cls, name: str) -> Device:
        """Take a drive that ships, by its name; `reclaim.devices()` lists them.

        >>> Device.preset("small").config["geometry"]["channels"]
        64
        """
        return cls(name)

    @classmethod
    def load(cls, path: str | Path) -> Device:
        """Read a drive from a TOML file; `base = "small"` in it starts from one that ships.

        Text without a separator and `.toml` is the name of a drive, as everywhere; a `Path` is a file.
        """
        file = _path("the device file", path)
        if isinstance(path, str) and Path(path).name == path and file.suffix != ".toml":
            return cls(path)
        return cls(str(path) if file.suffix == ".toml" else str(file.absolute()))

    def set(self, key: str, value: Value | Callable[..., Any]) -> Device:
        """Give a drive with one setting changed, named as in the file with dots; this one stays as it is.

        Values carry units as text where the setting has one: `"75us"`, `"16KiB"`.

        >>> Device.preset("gc-bypass-mini").set("flash.t_program", "900us").set("seed", 7).config["seed"]
        7

        Raises:
            InputError: for an unknown key, with the most similar valid ones, or a value that cannot be.
        """
        changed: Any = {key: value}
        return self.with_settings(changed)

    def with_settings(self, settings: Mapping[str, Value]) -> Device:
        """Give a drive with several settings changed at once, where one alone would not be valid.

        >>> one = {"geometry.channels": 1, "geometry.chips_per_channel": 1}
        >>> Device.preset("gc-bypass-mini").with_settings(one).config["geometry"]["channels"]
        1

        Raises:
            InputError: as `set`.
        """
        return self.with_scheme(settings=settings)

    def with_scheme(self, *names: str, settings: Mapping[str, Value] | None = None) -> Device:
        """Add named combinations of policies (`reclaim.schemes()` lists them), and settings on top of them.

        Both are judged together: a scheme that only fits a drive with such settings needs them at once.

        >>> stripe = {"redundancy.stripe_chips": 4, "geometry.spare_factor": "10%"}
        >>> Device.preset("gc-bypass-mini").with_scheme("raid5", settings=stripe).schemes
        ('raid5',)

        Raises:
            InputError: as `set`, and for an unknown scheme.
        """
        more: Any = {} if settings is None else settings
        if not isinstance(more, Mapping):
            raise InputError(f"settings must be a mapping of keys to values, not {shown(more)}")
        if not names and not more:
            # Its file need not be there any more.
            return self
        new = _core.at_once([_setting(key, value) for key, value in more.items()])
        # Later settings take the place of earlier ones that say the same, in these words or in others.
        said = {key for given, _ in new for key in (given, *_core.same_settings(given))}
        kept = [each for each in self.settings if each[0] not in said]
        return Device(self.source, self.schemes + names, (*kept, *new), self.own)

    @staticmethod
    def mistakes(source: str, schemes: Iterable[str], settings: Mapping[str, Value]) -> list[str]:
        """Say all that is wrong with what `made` would make a drive of, as far as it can be told at once."""
        given = [_setting(key, value) for key, value in settings.items()]
        try:
            with looked_for(source, tuple(given)):
                return _core.mistakes(source, list(schemes), given, folders())
        except UnicodeEncodeError:
            # Words that are no text, of which `made` says the first.
            return []

    @classmethod
    def made(
        cls, source: str, schemes: Iterable[str], settings: Mapping[str, Value], own: Iterable[str] = ()
    ) -> Device:
        """Take a preset or a device file with schemes and settings, judged once all of them are there."""
        given = tuple(_setting(key, value) for key, value in settings.items())
        return cls(source, tuple(schemes), given, tuple(own))

    def files(self) -> list[Path]:
        """The files that the drive is read from, its own and those it is based on; none for a preset."""
        return [Path(each) for each in self._core.files]

    def policy_files(self) -> dict[str, Path]:
        """The files that policies of one's own are in, by the names of the policies in the configuration."""
        return {function: place_of(function, code).absolute() for function, code in self.own_policies()}

    def code_files(self) -> list[Path]:
        """The files that policies of one's own are in, and those of their folders that they follow from."""
        from reclaim.policy.adapters import beside

        found: list[Path] = []
        for function, code in self.own_policies():
            file = place_of(function, code).absolute()
            found += [file, *beside(file, code)]
        return list(dict.fromkeys(found))

    def forgetful(self) -> list[str]:
        """Name the policies of one's own that may remember what no saved state has."""
        if not self.may_have_code():
            return []
        from reclaim.policy.adapters import is_forgetful

        found = []
        for kind, function, code in _policies_in(self.config):
            file, name = place_of(function, code).absolute(), function.rpartition(":")[2]
            if is_forgetful(file, name):
                found.append(f"{kind} {file}:{name}")
        return list(dict.fromkeys(found))

    def own_policies(self) -> list[tuple[str, str]]:
        """The policies of one's own, each with the digest of its code."""
        if not self.may_have_code():
            return []
        choices = [self.config[section][kind] for section, kind in (key.split(".") for key in KINDS)]
        return [(each["function"], each["code"]) for each in choices if each["kind"] == "python"]

    def may_have_code(self) -> bool:
        """Whether a policy of one's own may be in it, told without reading all of the configuration."""
        return self._may_have_code

    @cached_property
    def _may_have_code(self) -> bool:
        return '"python"' in self._core.to_json()

    @cached_property
    def start(self) -> tuple[str, bool]:
        """Name what a warm-up depends on beside its trace, and say whether it plays that."""
        key, plays = self._core.warm_up_key_of_any_trace()
        return sys.intern(key), plays

    def merged_files(self) -> list[str]:
        """The traces that its `[trace]` section merges into any other: files, or names of the catalogue."""
        return self._core.merged_files()

    def replaced(self) -> list[str]:
        """Say which settings take the place of what the file or the schemes say in other words."""
        return self._core.replaced

    @property
    def config(self) -> Mapping[str, Any]:
        """Every setting, resolved, as nested mappings."""
        return dict(json.loads(self._core.to_json()))

    def to_toml(self) -> str:
        """Every setting, resolved, as TOML that `Device.load` takes again, from any folder."""
        text = self._core.to_toml()
        for function, code in self.own_policies():
            whole = json.dumps(whole_name(function, code))
            text = text.replace(f"function = {json.dumps(function)}", f"function = {whole}")
        return text

    def open_trace(self, path: str | Path) -> Trace:
        """Open a trace file, or one of the catalogue, as the `[trace]` section says.

        Nothing is done to it yet: a simulation on this drive, or `transformed`, does the steps listed there.

        Raises:
            InputError: as `reclaim.open_trace`.
        """
        section = self.config["trace"]
        return open_trace(path, **{key: section[key] for key in OPENING if key in section})

    def transformed(self, trace: Trace) -> Trace:
        """Do to `trace` what the `[trace]` section says, as a simulation on this drive would."""
        changed = self._core.transformed(trace._core, places=places(self._core.merged_files()))
        read = (*trace.files, *merged_paths(self.merged_files()))
        return Trace(changed, (Device.transformed, (self, trace)), read)

    def demand(self, trace: Trace) -> dict[str, Any]:
        """What the pages of `trace` are for the dies, without garbage collection.

        `pages_read`, `pages_written`, of them `pages_written_in_part`; `flash_ns`, the time for which
        they hold dies; `utilisation`, the die utilisation when the trace is played as recorded (None if it
        has no time).
        """
        return dict(json.loads(self._core.demand(trace._core)))

    def warm_up_key(self, trace: Trace) -> str:
        """Name the state in which a simulation of `trace` starts: 64 hexadecimal digits.

        Of simulations with the same key, any may `load_state` what another has saved with `save_state`, and
        has then the same results as if it had warmed up itself. The trace counts only for the warm-ups
        `replay` and `workload`, which play it (and is read for them).

        >>> drive, trace = Device.preset("gc-bypass-mini"), Trace.from_records([(0, "write", 0, 4096)])
        >>> drive.warm_up_key(trace) == drive.set("flash.t_read", "9us").warm_up_key(trace)
        True
        """
        return self._core.warm_up_key(trace._core, places=places(self._core.merged_files()))

    def facts(
        self, trace: Trace | None = None, *, transformed: bool = False, load_state: str | Path | None = None
    ) -> dict[str, Any]:
        """What follows from the configuration before anything runs.

        Capacities in bytes, both definitions of over-provisioning as fractions; under `light_load` and
        `heavy_load`, how many blocks' worth of pages a plane keeps erased, the spare factor that leaves, and
        what a formula says of write amplification then (uniform overwrites; None without a formula); the
        state in which the warm-up leaves the drive (or in which `load_state` was saved) and after how many
        writes garbage collection starts from there, unloaded latencies in ns; with `trace` also how its
        footprint fits and whether it makes the drive collect. The steps of the `[trace]` section are done to
        it first, unless it is `transformed` already.

        >>> Device.preset("gc-bypass-mini").facts()["raw_bytes"] > 0
        True
        """
        if load_state is not None:
            load_state = file_to_read("load_state", load_state)
        with loading_a_state():
            found = self._core.facts(
                trace._core if trace is not None else None,
                transformed=transformed,
                places=places(self._core.merged_files()) if trace is not None and not transformed else {},
                load_state=load_state,
            )
        return dict(json.loads(found))

    def check_run(self, trace: Trace) -> None:
        """See whether a simulation of `trace` would fail before it begins, as it has no place on the drive.

        Raises:
            InputError: as the simulation would.
        """
        self._core.check_run(trace._core, places=places(self._core.merged_files()))

    def peak_rates(self) -> dict[str, Any]:
        """How many pages a second the drive reads and writes at most while nothing is collected.

        Found by running it: sequential requests of a page (writes of a whole stripe, with redundancy), as
        many outstanding as it can use. `read_pages_per_s` and `write_pages_per_s` are None for a drive of
        more than 4,096 planes, and `rates_unknown` says so.

        >>> rates = Device.preset("gc-bypass-mini").peak_rates()
        >>> round(rates["write_pages_per_s"] / 1e4)
        8
        """
        return dict(json.loads(self._core.peak_rates()))
