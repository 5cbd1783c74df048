"""A block trace: what can be asked of it, done to it, and written of it."""

from __future__ import annotations

import json
import os
import pickle
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypedDict

from reclaim import _core, encoding, output_file
from reclaim._core import Trace as CoreTrace
from reclaim.arguments import FIELDS, check_records, checked, checks, listed, text, whole
from reclaim.arguments import path as checked_path
from reclaim.errors import InputError
from reclaim.trace.catalogue import folders_note, places, resolve
from reclaim.trace.trace_hints import hint
from reclaim.trace.transforms import Step, check_in_vain, is_compact, settings, size_text

Operation = Literal["read", "write", "trim", "flush"]
OutputFormat = Literal["csv", "parquet", "mqsim", "fio"]
Made = tuple[Callable[..., "Trace"], tuple[Any, ...]]
"""A function and its arguments."""
MOST_BINS = 10_000
"""In one direction of a picture: more than anybody could see."""
DEFAULT_UNIT = "4KiB"
"""What `compact` numbers where no drive says its page size."""
DEFAULT_SEED = 42
"""What `jitter` draws from where no drive says its seed: that of a drive that sets none."""


@dataclass(frozen=True)
class Converted:
    """What a conversion did."""

    requests: int
    """Requests written."""
    losses: list[str]
    """What the output could not express, a sentence for each kind; empty if it holds the same trace."""
    bad_lines: int
    """Lines left out because they could not be read, with `on_error="report"`."""
    first_bad_lines: list[str]
    """The first of them, with their numbers."""
    warnings: list[str]
    """Signs that parts of the recording are missing, a sentence each."""


@checks
@dataclass(frozen=True, repr=False)
class Trace:
    """A block trace; it is read when it is scanned or simulated, as often as needed."""

    _core: CoreTrace
    _made: Made | None = field(default=None, compare=False)
    """The call that makes it once more."""
    files: tuple[Path, ...] = field(default=(), compare=False)
    """The files that it is read from, those of merged traces too; none for a trace made in memory."""

    def __reduce__(self) -> Made:
        """Pickle how it was made, not its requests: a file is opened again where it is unpickled."""
        if self._made is None:
            raise pickle.PicklingError(f"{self!r} was not made by the functions of reclaim")
        return self._made

    def __repr__(self) -> str:
        return encoding.visible(f"<Trace {self.name}, {self.format}>")

    @property
    def name(self) -> str:
        """File name, or the name given to a trace made in memory."""
        return self._core.name

    @property
    def format(self) -> str:
        """Name of the recognised format."""
        return self._core.format

    @property
    def provenance(self) -> str:
        """What kind of thing the trace is: a file, records in memory, generated, or a synthetic stand-in."""
        return self._core.provenance

    def summary(self) -> dict[str, Any]:
        """Read and validate the whole trace: requests and bytes per class, span in ns, footprint in bytes.

        >>> import reclaim
        >>> reclaim.uniform_trace(footprint_bytes=1 << 20, count=100).summary()["requests"]
        100

        Raises:
            InputError: at the first record that is malformed or goes back in time, with its line.
        """
        return dict(json.loads(self._core.scan()))

    @property
    def description(self) -> str | None:
        """The description of a generated trace, as TOML; None for traces that were not generated."""
        return self._core.generator()

    def transformed(
        self,
        *,
        remap: Literal["none", "compact"] | None = None,
        remap_unit: str | int | None = None,
        time_scale: float | None = None,
        seed: int = DEFAULT_SEED,
        **steps: Step,
    ) -> Trace:
        """Change the trace on its way: keys of the `[trace]` section of a device file, `from_` for `from`.

        The steps are done in the order draw, merge, window, shift, align, sample, limit, rotate, repeat,
        jitter, remap, time scale.
        None is the same as not given. Numbers are as on the command line: bytes where a size is wanted, 0.1
        for 10%; times carry their unit as text (`"10s"`).

        Args:
            remap: `compact` numbers units of the address space in the order in which they are first read or
                written, so that the trace fills a drive of the size of its footprint. A request whose units
                no longer lie together is cut, trims of units never touched are left out. `wrap` and `scale`
                need a drive: give them to `simulate`.
            remap_unit: the unit that `compact` numbers: the page size of the drive it is for (4 KiB).
            time_scale: play the trace so many times as fast as recorded.
            seed: what `jitter` and `repeat_order` draw from.
            steps: `merge` is a list; each entry is a path (or a name of the catalogue, or
                FILE[@SHIFT][,KEY=VALUE…] as on the command line) or a mapping with `file` and any of `shift`,
                `stream` (of all its requests), `format`, `device`, `sort`, `event`, `time_unit`, `columns`,
                `separator`, `on_error`. How this trace was opened holds for merged traces, too, where it
                makes sense (docs/traces.md).
                The others: `separate`, `common_clock` (bool); `from_`, `to`, `repeat_gap`, `jitter` (times);
                `shift`, `align`, `sample_unit` (sizes); `sample` (share); `rotate` (share, or int); `draw`,
                `sample_seed`, `max_requests`, `repeat` (int); `repeat_order` (`same`, or `shuffled`, drawn
                from `seed`).

        >>> import reclaim
        >>> trace = reclaim.uniform_trace(footprint_bytes=1 << 20, count=100, request_bytes=512)
        >>> changed = trace.transformed(align="4KiB", sample=0.5, max_requests=10, repeat=2, to=None)
        >>> changed.summary()["requests"], changed.transforms[0]
        (20, 'aligned to 4096 B')

        Raises:
            InputError: for an unknown key, a bad value, or a file to merge that cannot be opened.
        """
        check_in_vain(steps)
        if remap_unit is not None and remap != "compact":
            raise InputError('remap_unit: nothing is compacted; say so with remap="compact"')
        unit = None if remap_unit is None else size_text("remap_unit", remap_unit)
        return with_settings(
            self,
            settings(steps),
            remap=remap,
            remap_unit=unit,
            time_scale=time_scale,
            seed=whole("seed", seed),
        )

    @property
    def transforms(self) -> list[str]:
        """What was done to the trace on its way: a phrase for each step, in order."""
        return self._core.transforms

    def picture(
        self, characteristics: dict[str, Any], *, time_bins: int = 200, address_bins: int = 120
    ) -> dict[str, Any]:
        """Count requests over time, and bytes over time and address space, in at most so many bins.

        `characteristics` is what `characteristics()` gave for this trace.

        >>> import reclaim
        >>> trace = reclaim.uniform_trace(footprint_bytes=1 << 20, count=100, mean_interarrival_ns=1000)
        >>> picture = trace.picture(trace.characteristics())
        >>> sum(each["writes"] for each in picture["timeline"])
        100
        """
        if not (
            isinstance(characteristics, dict) and {"options", "arrivals", "space"} <= characteristics.keys()
        ):
            raise InputError("characteristics must be what Trace.characteristics() gave for this trace")
        time_bins, address_bins = (
            whole(name, value, lowest=1, highest=MOST_BINS)
            for name, value in (("time_bins", time_bins), ("address_bins", address_bins))
        )
        found = json.dumps(characteristics)
        return dict(json.loads(_core.picture(self._core, found, time_bins, address_bins)))

    def characteristics(self, *, unit_bytes: int = 4096, stream_window: int = 32) -> dict[str, Any]:
        """Read the whole trace and say what it is like: sizes, arrivals, order, space, lifetimes, skew.

        The keys, with units in their names, are those of `Characteristics` in docs/traces.md.

        Args:
            unit_bytes: space is counted in units of so many bytes: a power of two from 512 to 1 MiB.
            stream_window: a request is in a stream when it starts where one of so many requests of its
                kind before it ended.

        >>> import reclaim
        >>> found = reclaim.uniform_trace(footprint_bytes=1 << 20, count=1000).characteristics()
        >>> found["overwrites"]["written_units"]
        1000

        Raises:
            InputError: for an argument out of range; at the first record that is malformed or goes back in
                time, with its line.
        """
        found = _core.characteristics(
            self._core,
            unit_bytes=whole("unit_bytes", unit_bytes),
            stream_window=whole("stream_window", stream_window),
        )
        return dict(json.loads(found))

    def volumes(self) -> dict[str, Any]:
        """List the volumes of a file that holds requests to several, those that most is written to first.

        `called` is what the format calls a volume. `volumes` has one entry each: its name, as
        `open_trace` takes it for `device`, numbers of requests, bytes read and written, distinct bytes
        touched and written in units of 4 KiB (`footprint_bytes`, `write_footprint_bytes`), the highest
        byte, when it begins and how long it lasts, in ns, by the clock of the file. Requests may be in
        any order; steps done to the trace do not count.

        Raises:
            InputError: for a trace that is no file, a format that names no volumes, and the first record that
                is malformed, with its line.
        """
        return dict(json.loads(self._core.volumes()))

    def convert(
        self, path: str | Path, *, format: OutputFormat | None = None, force: bool = False
    ) -> Converted:
        """Write all requests to a file in another format, streaming, and say what that format could not hold.

        Args:
            path: the file. Behind a text format's name `.gz`, `.zst`, `.bz2` or `.xz` packs it.
            format: `parquet` and `csv` lose nothing; `mqsim` (also for SSDsim) has whole sectors, reads and
                writes only; `fio` (iolog, version 3) has whole microseconds. By default what the name ends
                with: `.parquet`, `.csv`, `.mqsim` or `.trace`, `.fio` or `.iolog`.
            force: overwrite the file if it exists.

        Raises:
            InputError: if the name tells no format, the file exists or cannot be written, or at the first
                record that is malformed or goes back in time, with its line. No file is left then.
        """
        path = checked_path("path", path)
        output_file.check(path, reading=self.files, overwrite=force)
        output_file.clear_stale(path, f".{path.name}.*.partial")
        try:
            with output_file.folder_made(path.parent):
                return Converted(*self._core.convert(str(path), format, force))
        except OSError as error:
            raise InputError(f"{path}: cannot be written: {error.strerror or error}") from None
        except KeyboardInterrupt:
            # Who writes it is left behind and does not hear of it: its file must not stay.
            place = path.resolve()
            place.with_name(f".{place.name}.{os.getpid()}.partial").unlink(missing_ok=True)
            raise

    @classmethod
    def from_records(
        cls,
        records: Iterable[tuple[int, Operation, int, int] | tuple[int, Operation, int, int, int]],
        *,
        name: str = "records",
    ) -> Trace:
        """Make a trace of (time in ns, operation, offset in bytes, size in bytes), in order of time.

        A fifth field is the stream into which the host writes, from 0 to 255; without it, 0.

        >>> Trace.from_records([(0, "write", 0, 4096), (1000, "read", 0, 4096)]).summary()["writes"]
        1

        Raises:
            InputError: for a record that has other fields, with its number, counted from 1, and the field.
        """
        text("name", name)
        if hasattr(records, "columns"):
            rows = "records.rows() of Polars, records.itertuples(index=False) of pandas"
            raise InputError(f"records must be a list of records, not a table; give its rows: {rows}")
        found = listed("records", records)
        try:
            whole_records = [
                (*record, 0) if len(record) == len(FIELDS) else tuple(record) for record in found
            ]
            return made("from_records", (name, whole_records))
        except (InputError, OverflowError, TypeError, ValueError):
            check_records(found)
            raise


def made(
    how: str,
    arguments: tuple[Any, ...],
    again: tuple[Any, ...] | None = None,
    files: tuple[Path, ...] = (),
) -> Trace:
    """Make a trace with a constructor of the core, so that it can be pickled.

    Args:
        how: name of the constructor.
        arguments: what it takes.
        again: what it takes elsewhere, if not the same.
        files: what it is read from.
    """
    return Trace(getattr(CoreTrace, how)(*arguments), (made, (how, again or arguments, None, files)), files)


def merged_paths(names: Iterable[str]) -> tuple[Path, ...]:
    """Give the files of traces to merge, which are named by their path or as in the catalogue."""
    listed = list(names)
    return tuple(Path(place) for place in [*listed, *(place for place, _ in places(listed).values())])


class Last(TypedDict):
    """The steps that are done last, and to the trace itself where no drive plays it."""

    remap: str | None
    remap_unit: str | None
    time_scale: float | None


def with_settings(
    trace: Trace,
    settings: Mapping[str, str | int | float | bool],
    *,
    remap: str | None = None,
    remap_unit: str | None = None,
    time_scale: float | None = None,
    seed: int = DEFAULT_SEED,
) -> Trace:
    """Change a trace as `Trace.transformed` does, by settings as a configuration has them (`trace.align`)."""
    if "trace.repeat_order" in settings and "trace.repeat" not in settings:
        # Of a run, warm-up may repeat it.
        raise InputError("repeat_order: nothing is repeated; say how often with repeat (--plays N)")
    written = [(key, str(value)) for key, value in settings.items()]
    merged = _core.merged_files(written)
    changed = trace._core.transformed(
        written,
        seed=seed,
        places=places(merged),
        compact_unit=(remap_unit or DEFAULT_UNIT) if is_compact(remap) else None,
        time_scale=time_scale,
    )
    again = (_once_more, (trace, dict(settings), remap, remap_unit, time_scale, seed))
    return Trace(changed, again, (*trace.files, *merged_paths(merged)))


def _once_more(
    trace: Trace,
    settings: Mapping[str, str | int | float | bool],
    remap: str | None,
    remap_unit: str | None,
    time_scale: float | None,
    seed: int,
) -> Trace:
    return with_settings(
        trace, settings, remap=remap, remap_unit=remap_unit, time_scale=time_scale, seed=seed
    )


@checked
def open_trace(
    path: str | Path,
    *,
    format: str | None = None,
    sort: bool = False,
    device: str | int | None = None,
    event: Literal["Q", "D", "C"] | None = None,
    time_unit: Literal["ns", "100ns", "us", "ms", "s"] | None = None,
    columns: str | None = None,
    separator: str | None = None,
    on_error: Literal["stop", "report"] | None = "stop",
) -> Trace:
    """Open a trace file; compression (gzip, Zstandard, bzip2, xz) and format are recognised by content.

    Args:
        path: the file, or a name of the trace catalogue (`reclaim.traces`).
        format: name of the format, to overrule recognition.
        sort: accept records that go back in time and sort them; otherwise they are an error.
        device: the one to take of a file with several, as the format writes it (`4`, `8,16`, `hm_0`),
            or `all`.
        event: the moment in the life of a block-layer request that counts: `Q` queued, `D` issued,
            `C` completed.
        time_unit: unit of the time column where it differs from what the format promises.
        columns: what the columns of any other table hold, as in `time:us,op,offset:sectors,size:bytes`.
        separator: what stands between those columns: `comma`, `tab`, `blanks` or one character.
        on_error: `stop` at a line that cannot be read, or leave it out, count it, and `report` it: in the
            summary (`bad_lines`, `first_bad_lines`) and in the verdict of every result.

    Raises:
        InputError: for a file that is missing, a directory, empty, or of no known format, and for an option
            that has no meaning for the format; for a trace of a public set that is not here, with where to
            get it.
    """
    found = resolve(checked_path("path", path))
    device = found.device if device is None else str(device)
    place = str(found.path)
    try:
        how = (format, sort, device, event, time_unit, columns, separator, on_error)
        absolute = found.path.absolute()
        return made("open", (place, *how), (str(absolute), *how), (absolute,))
    except InputError as error:
        other = hint(found.path) if format is None and columns is None else None
        if other is not None:
            raise InputError(other) from None
        note = "" if found.path.exists() else folders_note()
        raise InputError(f"{error}{note}") from None
