"""An experiment: drives, traces, schemes and settings, and the points that they make."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reclaim.arguments import checks, near_file, text_to_read
from reclaim.arguments import path as checked_path
from reclaim.errors import InputError
from reclaim.experiment.build import Builder, Tell
from reclaim.experiment.estimate import Estimate, estimate
from reclaim.experiment.extends import EXTENDS, WITHOUT, Link, whole
from reclaim.experiment.parts import FileParts
from reclaim.experiment.point import Named, Point
from reclaim.mistakes import KeyPath, Mistakes, Node, parse_present, plain
from reclaim.parsing import TOO_DEEP, is_deep, to_toml
from reclaim.shipped import EXPERIMENTS

NO_FILE = "experiment"
"""What messages call an experiment that is no file."""


@checks
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
    """The file, as it is; of a mapping, and of a file with what it extends, the same as TOML."""
    file: str
    """What messages call it."""
    base: Path
    """Where files that it names are looked for."""
    parts: FileParts = field(repr=False)
    table: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """All that it says, with what it extends."""
    _whole: Node | None = field(default=None, repr=False, compare=False)
    """Where all that stands; None where it extends nothing."""
    _renamed: Mapping[KeyPath, str] = field(default_factory=dict, repr=False, compare=False)
    """Keys that have another name now, as `Source` has them."""
    _built: list[tuple[Builder, list[Point]]] = field(
        default_factory=list, init=False, repr=False, compare=False
    )
    """What was made of it, once it is."""

    @classmethod
    def load(cls, path: str | Path, *, base: str | Path | None = None) -> Experiment:
        """Read a file.

        Args:
            path: TOML.
            base: where files that it names are looked for; beside it if not given.

        Raises:
            InputError: with every mistake of its text, a line each; what the drives say of settings comes out
                with `points`.
        """
        experiment, mistakes = cls.read(path, base=base)
        mistakes.refuse()
        return experiment

    @classmethod
    def read(cls, path: str | Path, *, base: str | Path | None = None) -> tuple[Experiment, Mistakes]:
        """Read a file that may have mistakes: what is wrong is left out of the experiment.

        Args:
            path: TOML.
            base: as `load`.

        Raises:
            InputError: if it cannot be read at all.
        """
        path = checked_path("the experiment", path)
        try:
            path.lstat()
        except FileNotFoundError as error:
            near = near_file(path, [EXPERIMENTS], ".toml")
            raise InputError(f"{path}: {error.strerror}{near}") from None
        except OSError:
            # What else is wrong with it, reading it tells.
            pass
        text = text_to_read("the experiment", path)
        folder = path.parent if base is None else checked_path("base", base)
        return cls._made(text, folder, str(path), path)

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
        experiment, mistakes = cls._made(text, checked_path("base", base), name)
        mistakes.refuse()
        return experiment

    @classmethod
    def from_dict(cls, mapping: Mapping[str, Any], *, base: str | Path = ".") -> Experiment:
        """Take a mapping of the shape of a file.

        Raises:
            InputError: as `load`.
        """
        if is_deep(mapping):
            raise InputError(f"an experiment contains itself, or {TOO_DEEP}")
        return cls.parse(to_toml(mapping), base=base)

    @classmethod
    def _made(cls, text: str, base: Path, name: str, path: Path | None = None) -> tuple[Experiment, Mistakes]:
        # The library that reads it takes longer to import than `reclaim --help` takes.
        from reclaim.experiment.experiment_file import read_parts

        mistakes = Mistakes(name, text)
        table, source = parse_present(mistakes.source, mistakes)
        mistakes.renamed = source.renamed
        if EXTENDS in table or WITHOUT in table:
            folder = base if path is None else path.parent
            mistakes.whole = whole(Link(table, source, folder, path), base, mistakes)
            table = plain(mistakes.whole)
        if mistakes.told:
            # Without a table nothing else can be reported.
            return cls(text, name, base, read_parts({}, base, Mistakes(name))), mistakes
        parts = read_parts(table, base, mistakes)
        if mistakes.whole is not None and not mistakes.told:
            # What is kept of it must not need the files that it extends.
            text = to_toml(table)
        return cls(text, name, base, parts, table, mistakes.whole, source.renamed), mistakes

    def mistakes(self) -> Mistakes:
        """Give what notes mistakes of it, with none yet."""
        text = "" if self._whole else self.text
        return Mistakes(self.file, text, whole=self._whole, renamed=self._renamed)

    @property
    def name(self) -> str:
        """What it is called."""
        return self.parts.name

    def made(self, tell: Tell | None = None) -> tuple[Builder, list[Point]]:
        """Give what makes its points, and those, as `points` does."""
        if not self._built:
            mistakes = self.mistakes()
            built = self.build(mistakes, tell)
            mistakes.refuse()
            self._built.append(built)
        return self._built[0]

    def points(self, tell: Tell | None = None) -> list[Point]:
        """Give every point, in order; traces are opened and read for it, once each.

        A combination that the configuration refuses is a point without a drive: `refused` says why.

        Args:
            tell: called before each point is made; they are made once.

        Raises:
            InputError: with every setting that no drive takes, and every trace that cannot be read.
        """
        return list(self.made(tell)[1])

    def named(self, names: Sequence[Named]) -> list[Point]:
        """Give every point by names that are known; its drive is built when `Point.built` is called.

        Raises:
            ValueError: if these are names of other points.
        """
        return Builder(self.parts, self.base, self.mistakes()).named(names)

    def estimate(self) -> Estimate:
        """Say how many points, how long, how much memory and disk, before anything runs.

        Raises:
            InputError: as `points`.
        """
        builder, points = self.made()
        return estimate(points, builder.traces.summaries())

    def build(self, mistakes: Mistakes, tell: Tell | None = None) -> tuple[Builder, list[Point]]:
        """Make the points and note mistakes instead of raising them.

        Args:
            mistakes: where they are noted.
            tell: called before each point is made.
        """
        builder = Builder(self.parts, self.base, mistakes)
        return builder, builder.points(tell)
