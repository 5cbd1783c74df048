"""What `run` and `compare` share: a trace to be played through a drive."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from reclaim import output_folder
from reclaim.cli import options
from reclaim.cli.bundle import takes
from reclaim.cli.console import brief, command_line, err, leave, out
from reclaim.cli.progress import busy, finished, progress
from reclaim.cli.streams import json_text
from reclaim.cli.transforms import with_present_steps, with_steps
from reclaim.cli.writing import FolderForce
from reclaim.device import Device, Value, opening_of
from reclaim.errors import InputError
from reclaim.layers import overridden
from reclaim.output_folder import Staged
from reclaim.report.document import Text
from reclaim.report.terminal import show
from reclaim.result.identity import identity_lines
from reclaim.result.result import Result
from reclaim.result.streams import stream_tables
from reclaim.result.table import not_collected, remark_blocks, result_tables
from reclaim.result.verdict import EXIT_CODES, reason_of
from reclaim.simulate import simulate
from reclaim.trace.trace import Trace, merged_paths, open_trace
from reclaim.trace.transforms import OPENING, Remap


@dataclass(frozen=True)
class Job:
    """What is to be run, apart from the scheme."""

    device: str
    settings: dict[str, Value]
    source: Path
    """The trace as it was named."""
    trace: Trace
    remap: Remap | None
    record: dict[str, bool]
    """What is kept beside the results: `timeline`, `gc`, `requests`; and whether the run is audited."""
    output: Path | None
    force: bool
    json: bool

    def files_read(self, drive: Device, *further: Path | None) -> list[Path]:
        """The files behind the trace, those that are merged into it, and those of the drive."""
        found = [*self.trace.files, *merged_paths(drive.merged_files()), *drive.files()]
        return found + [each for each in further if each is not None]

    @contextmanager
    def destination(
        self, kind: str, names: Iterable[str], reading: Iterable[Path]
    ) -> Iterator[Staged | None]:
        """The folder of `-o`, if there is one: what is wrong with it is reported before anything runs."""
        if self.output is None:
            yield None
            return
        command = command_line()
        with output_folder.writing(
            self.output, names, reading=reading, force=self.force, command=command, kind=kind
        ) as staged:
            yield staged

    def drive(
        self,
        schemes: tuple[str, ...] = (),
        settings: dict[str, Value] | None = None,
        *,
        prepared_by: str = "",
    ) -> Device:
        """The drive with `schemes` and settings of theirs on it; a scheme `prepared_by` warms it up."""
        start: dict[str, Value] = {"warmup.scheme": prepared_by} if prepared_by else {}
        merged = self.settings | start | (settings or {})
        return Device.made(self.device, schemes, merged, tuple(settings or ()))

    def check_recorded(self, output: Path | None) -> None:
        """Refuse to record what is written nowhere.

        Raises:
            InputError: without a folder.
        """
        if output is None and any(self.record[each] for each in ("requests", "gc", "timeline")):
            options = "--record-requests, --record-gc and --record-timeline"
            raise InputError(f"{options} write Parquet files: say where with -o DIR")

    def introduce(self, *drives: Device, load_state: Path | None = None, shown: bool = True) -> None:
        """Print what does nothing on the drives, and what is known of the first and the trace."""
        notes = [each for drive in drives for each in overridden(drive.schemes, drive.settings)]
        notes += [each for drive in drives for each in drive.replaced()]
        for note in dict.fromkeys(notes):
            err.print(f"note: {note}", style="dim")
        if self.json or err.hushed or not shown:
            return
        with busy(f"reading {self.trace.name}"):
            facts = drives[0].facts(self.trace, load_state=load_state)
        out.print(brief(facts))
        out.print()

    def run(
        self,
        drive: Device,
        *,
        save_state: Path | None = None,
        load_state: Path | None = None,
        spans: tuple[int, int] | None = None,
        watch: bool = False,
        accept_build: tuple[str, ...] = (),
    ) -> Result:
        """Play the trace through `drive`, with a bar of progress.

        Raises:
            KeyboardInterrupt: saying how far it had come.
        """
        with progress(self.trace.name) as report:
            result = simulate(
                drive,
                self.trace,
                remap=self.remap,
                audit=self.record["audit"],
                record_requests=self.record["requests"],
                record_gc=self.record["gc"] or watch,
                record_blocks=watch,
                record_timeline=self.record["timeline"],
                record_spans=spans,
                save_state=save_state,
                load_state=load_state,
                accept_build=accept_build,
                force=self.force,
                progress=report,
                warn=False,
            )
        result.command = command_line()
        finished(result)
        return result

    def show(self, result: Result) -> None:
        """Print the tables with what must be known to read them, or the machine-readable text.

        Exit code 1 if a result is not to be trusted, 3 if some figures are inconclusive.
        """
        if self.json:
            sys.stdout.write(json_text(result.to_json()))
        else:
            show([*identity_lines([result]), Text(not_collected([result]), "strong")], out)
            show([*result_tables(result), *stream_tables([result]), *remark_blocks([result])], out)
            if self.output is not None:
                out.print(f"report: {self.output / 'report.html'}")
        level = result.verdict.level
        leave(EXIT_CODES[level], reason_of([result], level) if self.json else "")


@takes("said", options.said)
def _job(
    trace: options.TraceFile,
    device: options.DeviceName,
    opening: options.Opening,
    said: list[tuple[str, Value]],
    remap: options.RemapOption = None,
    audit: options.Audit = False,
    record_requests: options.RecordRequests = False,
    record_gc: options.RecordGc = False,
    record_timeline: options.RecordTimeline = False,
    output: options.Output = None,
    force: FolderForce = False,
    json: options.Json = False,
    *,
    steps: dict[str, Value],
) -> Job:
    """Check what can be checked at once and open the trace."""
    settings = options.settings_of(said, opening.settings() | steps)
    # The drive is judged once the scheme is known.
    section = opening_of(device, settings)
    opened = open_trace(trace, **{key: section[key] for key in OPENING if key in section})
    opening.check(opened, merged=bool(section.get("merge")))
    return Job(
        device=device,
        settings=settings,
        source=trace,
        trace=opened,
        remap=remap,
        record={"timeline": record_timeline, "gc": record_gc, "requests": record_requests, "audit": audit},
        output=output,
        force=force,
        json=json,
    )


def plays_a_trace(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command that has a parameter `job: Job` the options that describe one instead of it."""
    return with_steps(options.opens_a_trace(takes("job", _job)(command)))


_OF_A_JOB = inspect.signature(_job, eval_str=True).parameters.values()
_OF_A_STUDY = {"output", "force", "json"}


def compares_on_a_trace(command: Callable[..., None]) -> Callable[..., None]:
    """Give it the same but for what a study has options for, and without the old name of `--plays`."""
    options_of_job = [each for each in _OF_A_JOB if each.name not in _OF_A_STUDY]
    return with_present_steps(options.opens_a_trace(takes("job", _job, options_of_job)(command)))
