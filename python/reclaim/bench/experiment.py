"""An experiment: drives, traces, schemes and settings, and the points that they make."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from reclaim.bench.build import Builder
from reclaim.bench.estimate import Estimate, estimate
from reclaim.bench.mistakes import Mistakes
from reclaim.bench.point import Point
from reclaim.bench.reader import Parts, parse_toml, read_parts
from reclaim.bench.toml import to_toml
from reclaim.errors import InputError

NO_FILE = "experiment"
"""What messages call an experiment that is no file."""


def _refuse(mistakes: Mistakes) -> None:
    """Raise what was found, all of it."""
    messages = mistakes.messages()
    if len(messages) > 1:
        raise InputError(f"{len(messages)} mistakes\n" + "\n".join(messages))
    if messages:
        raise InputError(messages[0])


@dataclass(frozen=True)
class Experiment:
    """What to run: read from a file of TOML, from its text, or from a mapping of the same shape.

    >>> experiment = Experiment.from_dict(
    ...     {
    ...         "name": "victims",
    ...         "devices": ["gc-bypass-mini"],
    ...         "traces": ["app-like/varmail"],
    ...         "schemes": ["greedy", "fifo"],
    ...         "repeats": {"count": 3},
    ...     }
    ... )
    >>> experiment.name, len(experiment.points())
    ('victims', 6)
    """

    text: str
    """The file, as it is; of a mapping, the same as TOML."""
    file: str
    """What messages call it."""
    base: Path
    """Where files that it names are looked for."""
    parts: Parts = field(repr=False)

    @classmethod
    def load(cls, path: str | Path) -> Experiment:
        """Read a file.

        Raises:
            InputError: with every mistake of its text, a line each; what the drives say of settings comes out
                with `points`.
        """
        experiment, mistakes = cls.read(path)
        _refuse(mistakes)
        return experiment

    @classmethod
    def read(cls, path: str | Path) -> tuple[Experiment, Mistakes]:
        """Read a file that may have mistakes: what is wrong is left out of the experiment.

        Raises:
            InputError: if it cannot be read at all.
        """
        path = Path(path)
        try:
            text = path.read_text(encoding="utf-8")
        except OSError as error:
            raise InputError(f"{path}: {error.strerror or error}") from None
        except UnicodeDecodeError as error:
            raise InputError(f"{path}: is no text in UTF-8 (byte {error.start})") from None
        return cls._made(text, path.parent, str(path))

    @classmethod
    def parse(cls, text: str, *, base: str | Path = ".", name: str = NO_FILE) -> Experiment:
        """Read the text of a file.

        Args:
            text: TOML.
            base: where files that it names are looked for.
            name: what messages call it.

        Raises:
            InputError: as `load`.
        """
        experiment, mistakes = cls._made(text, Path(base), name)
        _refuse(mistakes)
        return experiment

    @classmethod
    def from_dict(cls, mapping: Mapping[str, Any], *, base: str | Path = ".") -> Experiment:
        """Take a mapping of the shape of a file.

        Raises:
            InputError: as `load`.
        """
        return cls.parse(to_toml(mapping), base=base)

    @classmethod
    def _made(cls, text: str, base: Path, name: str) -> tuple[Experiment, Mistakes]:
        mistakes = Mistakes(name, text)
        table = parse_toml(text, mistakes)
        if mistakes.found:
            # Without a table nothing else can be reported.
            return cls(text, name, base, read_parts({}, base, Mistakes(name))), mistakes
        return cls(text, name, base, read_parts(table, base, mistakes)), mistakes

    @property
    def name(self) -> str:
        """What it is called."""
        return self.parts.name

    @cached_property
    def _built(self) -> tuple[Builder, list[Point]]:
        mistakes = Mistakes(self.file, self.text)
        built = self.build(mistakes)
        _refuse(mistakes)
        return built

    def points(self) -> list[Point]:
        """Give every point, in order; traces are opened and read for it, once each.

        A combination that the configuration refuses is a point without a drive: `refused` says why.

        Raises:
            InputError: with every setting that no drive takes, and every trace that cannot be read.
        """
        return list(self._built[1])

    def estimate(self) -> Estimate:
        """Say how many points, how long, how much memory and disk, before anything runs.

        Raises:
            InputError: as `points`.
        """
        builder, points = self._built
        return estimate(points, builder.traces.summaries())

    def build(
        self, mistakes: Mistakes, tell: Callable[[str], object] | None = None
    ) -> tuple[Builder, list[Point]]:
        """Make the points and note mistakes instead of raising them.

        Args:
            mistakes: where they are noted.
            tell: called with the name of a trace before it is read.
        """
        builder = Builder(self.parts, self.base, mistakes)
        return builder, builder.points(tell)
