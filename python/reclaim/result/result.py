"""What a simulation measured."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from reclaim import _core, encoding, input_file, output_folder, table_file
from reclaim.arguments import checks
from reclaim.arguments import path as checked_path
from reclaim.errors import InputError
from reclaim.parsing import UnreadableError, json_value
from reclaim.report import PAGE
from reclaim.result.changes import settings_of
from reclaim.result.histograms import Histograms
from reclaim.result.reported import ArrowStream
from reclaim.result.shape import KEYS_OF_ANY_FORMAT, check_format, fault, read
from reclaim.result.stats import ClassStats, Latency, Percentile
from reclaim.result.streams import StreamStats
from reclaim.result.verdict import Verdict
from reclaim.units import written

SUMMARY_SECTIONS = (
    *("flash", "gc", "buffer", "drift", "wear", "utilisation", "warmup", "measure"),
    *("written", "health", "lifetime"),
)
TABLES = ("histograms", "requests", "gc_log", "timeline", "spans", "block_frames")
"""What is kept beside the results, each a Parquet file; all but the histograms only on request."""
REPORT = (PAGE, "figures")
FILES = ("results.json", "config.toml", *REPORT, *(f"{table}.parquet" for table in TABLES))
"""What a saved result may consist of."""


@checks
class Result:
    """Everything measured in one run. Times are in ns, sizes in bytes, unless the name says otherwise.

    >>> import reclaim
    >>> drive = reclaim.Device.preset("gc-bypass-mini")
    >>> trace = reclaim.uniform_trace(footprint_bytes=1 << 20, count=500, mean_interarrival_ns=50_000)
    >>> result = reclaim.simulate(drive, trace, warmup="empty")
    >>> result.write.mean_ns > 0 and result.latency.percentile(99.99) >= result.latency.percentile(50)
    True
    """

    def __init__(
        self,
        text: str,
        *,
        config_toml: str | None = None,
        outcome: _core.Outcome | None = None,
        wall_seconds: float | None = None,
        data: dict[str, Any] | None = None,
        known: bool = False,
    ) -> None:
        self._text = text
        # `data` is what the text says, where it was parsed already: a report loads hundreds of results.
        # What is `known` to be written by a run needs no check: it is parsed when it is asked for.
        if not known:
            self._data = read(text) if data is None else data
        self._outcome = outcome
        self._tables: dict[str, ArrowStream | Path | bytes] = {}
        """Tables that were recorded elsewhere."""
        self.config_toml = config_toml
        """The resolved configuration as TOML; None for a bare results file."""
        self.wall_seconds = wall_seconds
        """How long the run took here; not part of the results, which are the same on every machine."""
        self.command: str | None = None
        """The command that ran it, as a line for a shell; None for a run from Python. In the manifest beside
        results.json, not in there."""
        self._label: str | None = None

    @cached_property
    def _data(self) -> dict[str, Any]:
        return dict(json.loads(self._text))

    @property
    def label(self) -> str:
        """Name to tell this run from others in tables and figures: its scheme, else its device."""
        return str(self._data["scheme"] or self._data["device"]) if self._label is None else self._label

    @label.setter
    def label(self, label: str) -> None:
        self._label = label

    @classmethod
    def load(cls, path: str | Path) -> Result:
        """Read a results.json, or the directory that `save` wrote.

        Histograms, and tables that were recorded, are read from the Parquet files beside results.json when
        they are asked for. Without histograms, only the percentiles in results.json are known.

        Raises:
            InputError: if there is no such file, it is not a results file, or one of another format.
        """
        path = checked_path("path", path)
        file = path / "results.json" if path.is_dir() else path
        text, told, data = _read(file)
        result = cls(text, config_toml=told, data=data)
        result.command = output_folder.command_of(file)
        if file.name == "results.json":
            beside = {name: file.with_name(f"{name}.parquet") for name in TABLES}
            result._tables |= {name: table for name, table in beside.items() if input_file.is_there(table)}
        return result

    @classmethod
    def of_files(cls, files: Mapping[str, bytes]) -> Result:
        """Take what `contents` gave; that a run wrote it must be known.

        Raises:
            InputError: for results of another format.
        """
        text, config = files["results.json"].decode(), files.get("config.toml")
        result = cls(text, config_toml=None if config is None else config.decode(), known=True)
        check_format(Path("results.json"), result._data)
        result._tables |= {name: files[f"{name}.json"] for name in TABLES if f"{name}.json" in files}
        return result

    def contents(self) -> dict[str, bytes]:
        """Give the contents of the files that `write_into` writes, without a report, by their names.

        Tables are text: `NAME.json` in place of `NAME.parquet`.
        """
        import polars as pl

        texts = {"results.json": self.to_json(), "config.toml": self.config_toml}
        for name in TABLES:
            if (table := getattr(self, name)) is not None:
                texts[f"{name}.json"] = table_file.as_text(pl.DataFrame(table))
        return {name: text.encode() for name, text in texts.items() if text is not None}

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the results and what was recorded."""
        import polars as pl

        tables = {name: pl.DataFrame(table) for name in TABLES if (table := getattr(self, name)) is not None}
        about = (self.config_toml, self.wall_seconds, self.label, self.command)
        return Result._restored, (self._text, *about, tables)

    @classmethod
    def _restored(
        cls,
        text: str,
        config_toml: str | None,
        wall_seconds: float | None,
        label: str,
        command: str | None,
        tables: Mapping[str, ArrowStream],
    ) -> Result:
        """Make a result of what was pickled of it."""
        result = cls(text, config_toml=config_toml, wall_seconds=wall_seconds)
        result.label = label
        result.command = command
        result._tables |= tables
        return result

    def _repr_html_(self) -> str:
        """Show the main figures in a notebook."""
        from reclaim.result.notebook import html

        return html(self)

    def _table(self, name: str) -> ArrowStream | None:
        known = self._tables.get(name)
        if isinstance(known, Path):
            columns = table_file.OF_REQUESTS if name == "histograms" else table_file.NUMBERS
            known = self._tables[name] = table_file.read(known, columns)
        if isinstance(known, bytes):
            known = self._tables[name] = table_file.of_text(known)
        if known is None and self._outcome is not None:
            found: ArrowStream | None = getattr(self._outcome, name)
            return found
        return known

    def __repr__(self) -> str:
        mark = self.verdict.mark("gc.write_amplification")
        return encoding.visible(
            f"<Result {self.label} on {self._data['device']}: write amplification "
            f"{written(self.nand_write_amplification, 'ratio')}{f' {mark}' if mark else ''} in bytes, "
            f"{written(self.write_amplification, 'ratio')}{f' {mark}' if mark else ''} in pages, "
            f"{self.verdict.level}>"
        )

    @property
    def repeats(self) -> tuple[Result, ...]:
        """The runs that it is of: itself alone, unless it stands for repeats."""
        return (self,)

    @property
    def settings(self) -> list[str]:
        """What was changed on top of device and schemes, as `key=value`, in order of the keys.

        It is noted in `config_toml`, not in results.json.
        """
        return settings_of(self.config_toml or "")

    @property
    def nand_write_amplification(self) -> float | None:
        """Bytes programmed per byte the host wrote, after the warm-up: what a drive's health log has.

        None if the host wrote nothing, or if an earlier version saved the results.
        """
        value = self._data["gc"].get("nand_write_amplification")
        return None if value is None else float(value)

    @property
    def write_amplification(self) -> float | None:
        """Pages taken per page programmed for the host, after the warm-up; None if it wrote nothing.

        It does not see how much of a page the host wrote: `nand_write_amplification` compares page sizes.
        """
        value = self._data["gc"]["write_amplification"]
        return None if value is None else float(value)

    @cached_property
    def _percentile(self) -> Percentile | None:
        """What answers for any percentile, if there are histograms."""
        table = self.histograms
        return None if table is None else Histograms(table).percentile

    def _stats(self, name: str) -> ClassStats:
        return ClassStats.of(name, self._data["requests"][name], self._percentile)

    @cached_property
    def read(self) -> ClassStats:
        """What reads experienced."""
        return self._stats("read")

    @cached_property
    def write(self) -> ClassStats:
        """What writes experienced."""
        return self._stats("write")

    @cached_property
    def trim(self) -> ClassStats:
        """What trims (discards) experienced."""
        return self._stats("trim")

    @cached_property
    def flush(self) -> ClassStats:
        """What flushes experienced."""
        return self._stats("flush")

    @cached_property
    def streams(self) -> dict[int, StreamStats]:
        """What became of the data of each stream, by its number; empty where no request names a stream.

        Percentiles of a stream are those that results.json has.
        """
        return {each["stream"]: StreamStats.of(each) for each in self._data.get("streams", [])}

    @property
    def latency(self) -> Latency:
        """Latency of reads, writes and trims together: `result.latency.percentile(99.99)` in ns."""
        counts = (self._data["requests"][name]["count"] for name in ("read", "write", "trim"))
        return Latency(None, {}, self._percentile, sum(counts))

    @cached_property
    def verdict(self) -> Verdict:
        """How far the numbers can be trusted, with warnings, doubts and notes."""
        return Verdict.of(self._data["verdict"])

    @property
    def histograms(self) -> ArrowStream | None:
        """How many requests took how long: class, `upper_ns`, count; None for a bare results file.

        Rows are buckets of read, write, trim and flush, shortest first, at most 0.1 % wide.
        """
        return self._table("histograms")

    @property
    def requests(self) -> ArrowStream | None:
        """One row per request, if recorded: times in ns, sizes in bytes, op 0 read, 1 write, 2 trim."""
        return self._table("requests")

    @property
    def gc_log(self) -> ArrowStream | None:
        """One row per collected block, if recorded: times in ns; cause 0 collection, 1 wear, 2 folding."""
        return self._table("gc_log")

    @property
    def timeline(self) -> ArrowStream | None:
        """One row per interval of simulated time, if recorded; docs/results.md has the columns."""
        return self._table("timeline")

    @property
    def spans(self) -> ArrowStream | None:
        """One row for everything that lasted, if recorded: transfers, operations, jobs; docs/results.md."""
        return self._table("spans")

    @property
    def block_frames(self) -> ArrowStream | None:
        """What blocks held at some moments, if recorded: a row for each that has changed; docs/results.md."""
        return self._table("block_frames")

    def work_by(self, part: str) -> ArrowStream:
        """Give what each `plane`, `chip` or `channel` did in the measured time, a row each, by their numbers.

        Raises:
            InputError: if there is no such part, or an earlier version saved the results.

        >>> import reclaim
        >>> trace = reclaim.uniform_trace(footprint_bytes=1 << 20, count=500)
        >>> result = reclaim.simulate(reclaim.Device.preset("gc-bypass-mini"), trace, warmup="empty")
        >>> result.work_by("channel")["host_programs"].sum() == result.to_dict()["flash"]["host_programs"]
        True
        """
        from reclaim.result.work import work_by

        return work_by(self._data, part)

    def to_perfetto(self) -> bytes:
        """Give what was recorded of everything that lasted as a Perfetto trace.

        Raises:
            InputError: if nothing was.
        """
        from reclaim.result.perfetto import link_names, perfetto_trace

        if self.spans is None:
            raise InputError("no spans were recorded: simulate(record_spans=(from_ns, to_ns)) does")
        network = self._data.get("network")
        carriers = "channel" if network is None else "controller"
        return perfetto_trace(self.spans, carriers=carriers, links=link_names(network))

    def to_watch(self) -> str:
        """Give a page on which the blocks of the drive fill up and are collected, as HTML.

        Raises:
            InputError: if what blocks held was not recorded, or jobs were not.
        """
        from reclaim.result.watch import watch_page

        return watch_page(self)

    def to_dict(self) -> dict[str, Any]:
        """Give the whole results file as nested dictionaries; yours to change."""
        return dict(json.loads(self._text))

    def section(self, name: str) -> Any:
        """Give what is at the top of the results file under a name, not to be changed; None if nothing is."""
        return self._data.get(name)

    def to_json(self) -> str:
        """Give the results file as text; the same bytes for the same configuration, trace and seed."""
        return self._text if self._text.endswith("\n") else self._text + "\n"

    def summary(self) -> dict[str, Any]:
        """Give the scalar figures as one flat row: `read_p99_ns`, `gc_write_amplification` and so on."""
        data = self._data
        row: dict[str, Any] = {
            key: data[key] for key in ("format", "device", "scheme", "seed", "remap", "reclaim_version")
        }
        row |= {"settings": ", ".join(self.settings)}
        row |= {"trace": data["trace"]["name"], "trace_hash": data["trace"]["content_hash"]}
        row |= {"verdict": data["verdict"]["level"], "simulated_ns": data["simulated_ns"]}
        row |= {"mean_latency_ns": data.get("mean_latency_ns")}
        for name, stats in data["requests"].items():
            _flatten(name, stats, row)
        for section in (*SUMMARY_SECTIONS, "fdp"):
            _flatten(section, data.get(section, {}), row)
        for each in data.get("streams", []):
            _flatten(f"stream_{each['stream']}", {key: each[key] for key in each if key != "stream"}, row)
        for kind, metrics in data["policies"].items():
            prefix = kind.replace(".", "_")
            row |= {f"{prefix}_{name}": metric["value"] for name, metric in metrics.items()}
        return row

    def to_arrow(self) -> ArrowStream:
        """Give `summary` as a table of one row, for any Arrow consumer."""
        import polars as pl

        return pl.DataFrame([self.summary()])

    def save(self, directory: str | Path, *, report: bool = True, force: bool = False) -> Path:
        """Write results.json, config.toml, report.html with figures/, histograms and recorded tables.

        They appear when all are complete. What an earlier run wrote there, by its manifest.json, is replaced
        as a whole.

        Args:
            directory: where.
            report: whether to draw the report.
            force: write into a folder that has other things, over files of the same name.

        Returns:
            The directory.

        Raises:
            InputError: if the directory cannot be written, another run is writing there, or it has files that
                no run wrote.
        """
        directory = checked_path("directory", directory)
        with output_folder.writing(directory, FILES, force=force, command=self.command) as staged:
            self.write_into(staged.path, report=report)
            staged.publish()
        return directory

    def write_into(self, directory: Path, *, report: bool = True) -> None:
        """Write the files of `save` into a folder, over whatever is there.

        Raises:
            InputError: if one cannot be written.
        """
        import polars as pl

        try:
            directory.mkdir(exist_ok=True)
            (directory / "results.json").write_text(self.to_json(), encoding="utf-8")
            if self.config_toml is not None:
                (directory / "config.toml").write_text(self.config_toml, encoding="utf-8")
            for name in TABLES:
                table = getattr(self, name)
                if table is not None:
                    table_file.write(pl.DataFrame(table), directory / f"{name}.parquet")
            if report:
                from reclaim.result.report import write_report

                write_report([self], directory)
        except OSError as error:
            raise InputError(f"{directory}: cannot write results here: {error.strerror}") from None


def _read(file: Path) -> tuple[str, str | None, dict[str, Any]]:
    """Read and check a results file: its text, the configuration beside it, and what it says."""
    try:
        text = input_file.text(file)
        data = json_value(text)
        missing = KEYS_OF_ANY_FORMAT - (data.keys() if isinstance(data, dict) else set())
    except OSError as error:
        raise InputError(f"{file}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise InputError(f"{file}: not a results file: no UTF-8 text") from None
    except UnreadableError as error:
        place = file if error.line is None else f"{file}:{error.line}"
        raise InputError(f"{place}: not a results file: {error.reason}") from None
    if missing:
        raise InputError(f"{file}: not a results file: no {', '.join(sorted(missing))} in it")
    check_format(file, data)
    wrong = fault(data)
    if wrong is not None:
        raise InputError(f"{file}: was changed, or is damaged: {wrong}; run the simulation again")
    try:
        Verdict.of(data["verdict"])
    except InputError as error:
        raise InputError(f"{file}: {error}") from None
    config = file.with_name("config.toml")
    try:
        told = input_file.text(config) if input_file.is_there(config) else None
    except OSError as error:
        raise InputError(f"{config}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise InputError(f"{config}: no UTF-8 text: was changed, or is damaged") from None
    return text, told, data


def _flatten(prefix: str, values: Mapping[str, Any], into: dict[str, Any]) -> None:
    """Put scalars of nested mappings under joined names; lists are left out."""
    for key, value in values.items():
        # What is read from JSON.
        if type(value) is dict:
            _flatten(f"{prefix}_{key}", value, into)
        elif type(value) is not list:
            into[f"{prefix}_{key}"] = value
