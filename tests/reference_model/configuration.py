"""Reading a resolved configuration, every key of it (docs/configuration.md; docs/model.md, 1.3)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from reference_model import units

T = TypeVar("T")
REQUIRED: Any = object()


class Table:
    """One object of the configuration. Each key is taken once; what nobody takes is an error."""

    def __init__(self, name: str, content: object) -> None:
        if not isinstance(content, Mapping):
            raise TypeError(f"{name} must be an object, not {content!r}")
        self.name = name
        self._left: dict[str, Any] = {key: value for key, value in content.items() if value is not None}

    def _full(self, key: str) -> str:
        return f"{self.name}.{key}" if self.name else key

    def has(self, key: str) -> bool:
        """Whether the key is given and not taken yet."""
        return key in self._left

    def take(self, key: str, default: Any = REQUIRED) -> Any:
        """Return the value as it stands."""
        value = self._left.pop(key, default)
        if value is REQUIRED:
            raise KeyError(f"{self._full(key)} is missing")
        return value

    def _converted(self, key: str, convert: Callable[[Any], T], default: Any) -> T:
        value = self.take(key, default)
        try:
            return convert(value)
        except (ValueError, TypeError) as error:
            raise ValueError(f"{self._full(key)}: {error}") from error

    def whole(self, key: str, default: Any = REQUIRED) -> int:
        """Return a whole number."""
        return self._converted(key, _whole, default)

    def whole_list(self, key: str, default: Any = REQUIRED) -> list[int]:
        """Return a list of whole numbers."""
        return self._converted(key, lambda value: [_whole(each) for each in value], default)

    def pair_list(self, key: str, default: Any = REQUIRED) -> list[tuple[int, int]]:
        """Return a list of pairs of whole numbers."""
        return self._converted(key, lambda value: [_pair(each) for each in value], default)

    def pair(self, key: str, default: Any = REQUIRED) -> tuple[int, int]:
        """Return a pair of whole numbers."""
        return self._converted(key, _pair, default)

    def number(self, key: str, default: Any = REQUIRED) -> float:
        """Return a number in double precision."""
        return self._converted(key, _number, default)

    def switch(self, key: str, default: Any = REQUIRED) -> bool:
        """Return true or false."""
        return self._converted(key, _switch, default)

    def time(self, key: str, default: Any = REQUIRED) -> int:
        """Return nanoseconds."""
        return self._converted(key, units.nanoseconds, default)

    def size(self, key: str, default: Any = REQUIRED) -> int:
        """Return bytes."""
        return self._converted(key, units.size_in_bytes, default)

    def rate(self, key: str, default: Any = REQUIRED) -> int:
        """Return transfers per second."""
        return self._converted(key, units.per_second, default)

    def ppm(self, key: str, default: Any = REQUIRED) -> int:
        """Return a percentage in parts per million."""
        return self._converted(key, units.parts_per_million, default)

    def choice(self, key: str, choices: Iterable[str], default: Any = REQUIRED) -> str:
        """Return one of some words."""
        value = self.take(key, default)
        if value not in choices:
            raise ValueError(f"{self._full(key)} = {value!r} is none of {', '.join(choices)}")
        return str(value)

    def part(self, key: str) -> Table:
        """Return the object below a key; where it is absent, an empty one."""
        return Table(self._full(key), self.take(key, {}))

    def policy(self, key: str, default_kind: str) -> Table:
        """Return the object of a policy: `kind` and parameters."""
        return Table(self._full(key), self.take(key, {"kind": default_kind}))

    def finish(self) -> None:
        """Nothing may be left."""
        if self._left:
            raise KeyError(f"{self.name or 'the top level'} has no key {', '.join(self._left)}")


def _whole(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{value!r} is not a whole number")
    return value


def _pair(value: Any) -> tuple[int, int]:
    first, second = value
    return _whole(first), _whole(second)


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{value!r} is not a number")
    return float(value)


def _switch(value: object) -> bool:
    if not isinstance(value, bool):
        raise TypeError(f"{value!r} is neither true nor false")
    return value


class Configuration:
    """All tables of a configuration. The parts of the drive take from them what they need."""

    def __init__(self, content: Mapping[str, Any]) -> None:
        self.top = top = Table("", content)
        top.take("name", "")
        self.seed = top.whole("seed", 42)
        self.geometry = top.part("geometry")
        self.channel = top.part("channel")
        self.commands = self.channel.part("commands")
        self.controller = top.part("controller")
        self.flash = top.part("flash")
        self.suspend = self.flash.part("suspend")
        self.read_retry = self.flash.part("read_retry")
        self.ftl = top.part("ftl")
        self.wear = self.ftl.part("wear")
        self.allocation = self.ftl.policy("allocation", "striping")
        self.placement = self.ftl.policy("placement", "append")
        self.separation = self.ftl.policy("separation", "none")
        self.slc_cache = self.ftl.policy("slc_cache", "none")
        self.mapping_cache = self.ftl.policy("mapping_cache", "all")
        self.gc = top.part("gc")
        self.trigger = self.gc.policy("trigger", "free-blocks")
        self.victim = self.gc.policy("victim", "greedy")
        self.relocation = self.gc.policy("relocation", "controller")
        self.concurrency = self.gc.policy("concurrency", "all")
        self.deferral = self.gc.policy("deferral", "none")
        self.host = top.part("host")
        self.link = self.host.part("link") if self.host.has("link") else None
        self.interconnect = top.policy("interconnect", "bus")
        self.scheduler = top.policy("scheduler", "read-first")
        self.warmup = top.part("warmup")
        self.measure = top.part("measure")
        self.untimed = self.measure.switch("untimed", False)
        self.redundancy = top.policy("redundancy", "none")
        # Everything else under [trace] is done before the model sees the requests (1.2).
        trace = top.take("trace", {})
        order = Table("trace", {"repeat_order": trace.get("repeat_order", "same")})
        self.shuffled = order.choice("repeat_order", ("same", "shuffled")) == "shuffled"
        self.remap = Table("trace", {"remap": trace.get("remap", "none")}).choice(
            "remap", ("none", "wrap", "compact", "scale")
        )

    def finish(self) -> None:
        """Every key must have been taken by now."""
        tables = [value for value in vars(self).values() if isinstance(value, Table)]
        for table in tables:
            table.finish()
