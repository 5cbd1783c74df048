"""Run one trace through one drive."""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path

from reclaim import _core, builds, output_file
from reclaim.arguments import checked, file_to_read, path
from reclaim.device import Device, Value, loading_a_state
from reclaim.errors import InputError, ResultWarning
from reclaim.result.changes import noted
from reclaim.result.result import Result
from reclaim.trace.catalogue import places
from reclaim.trace.trace import Trace, merged_paths
from reclaim.trace.transforms import Remap, remap_setting

Progress = Callable[[str, int, int, int], object]
"""Called about ten times a second with (phase, done, total or 0 where unknown, simulated ns)."""

FORGETFUL = "may remember something, and has no save() and load(bytes)"
RUNNING = "run"
"""The phase in which the trace is played with time; the warm-up is before it."""


def warmup_settings(warmup: str) -> dict[str, Value]:
    """Settings for a warm-up written as in `overwrite:2`.

    It is one of `empty`, `filled`, `steady`, `workload`, `overwrite[:N]` and `replay[:N]`.

    N is how many times the user capacity is overwritten at random, or the trace is played.

    >>> warmup_settings("overwrite:2.5")
    {'warmup.kind': 'overwrite', 'warmup.overwrites': 2.5}
    """
    kind, colon, times = warmup.partition(":")
    settings: dict[str, Value] = {"warmup.kind": kind}
    if not colon:
        return settings
    if kind not in ("overwrite", "replay"):
        raise InputError(
            f'warm-up "{warmup}": only overwrite and replay take a number, as in overwrite:2; '
            "valid: empty, filled, steady, workload, overwrite, overwrite:N, replay, replay:N"
        )
    if kind == "replay":
        if not (times.isascii() and times.isdigit()):
            raise InputError(
                f'warm-up "{warmup}": "{times}" is not a whole number of rounds; write replay:N, '
                "as in replay:2"
            )
        settings["warmup.replays"] = int(times)
        return settings
    try:
        settings["warmup.overwrites"] = float(times)
    except ValueError:
        raise InputError(
            f'warm-up "{warmup}": "{times}" is not a number; write overwrite:N with N times the '
            "user capacity, as in overwrite:2"
        ) from None
    return settings


def _saving(
    target: Path,
    reading: Iterable[Path],
    run: Callable[[Path | None, Progress | None], _core.Outcome],
    progress: Progress | None,
    *,
    force: bool,
) -> _core.Outcome:
    """Run with a saved state that is there as a whole, or not: from the end of the warm-up on."""
    output_file.check(target, reading=reading, overwrite=force)
    with ExitStack() as saving:
        partial = saving.enter_context(output_file.whole(target))

        def told(phase: str, done: int, total: int, simulated_ns: int) -> None:
            if phase == RUNNING:
                # The state is complete: it is kept whatever becomes of the run.
                saving.close()
            if progress is not None:
                progress(phase, done, total, simulated_ns)

        try:
            return run(partial, told)
        except InputError as error:
            raise InputError(str(error).replace(str(partial), str(target))) from None


@checked
def simulate(
    device: Device,
    trace: Trace,
    *,
    scheme: str | None = None,
    warmup: str | None = None,
    measure_after: str | None = None,
    seed: int | None = None,
    remap: Remap | None = None,
    audit: bool = False,
    record_requests: bool = False,
    record_gc: bool = False,
    record_timeline: bool = False,
    record_blocks: bool = False,
    record_spans: tuple[int, int] | None = None,
    load_state: str | Path | None = None,
    save_state: str | Path | None = None,
    force: bool = False,
    progress: Progress | None = None,
    warn: bool = True,
    accept_build: Sequence[str] = (),
    workers: int | None = None,
) -> Result:
    """Simulate `trace` on `device` and return what was measured.

    The same arguments give the same results, byte for byte. Other threads run meanwhile; Ctrl-C raises
    KeyboardInterrupt within a second.

    Args:
        device: the drive.
        trace: the requests.
        scheme: a named combination of policies to put on the drive first.
        warmup: state of the drive at the start: `empty`, `filled`, `overwrite[:N]`, `steady`,
            `replay[:N]` (the trace itself, without time), `workload` (the same until write amplification is
            flat); None keeps what the device says.
        measure_after: measure from the `start` of the trace on, from when every plane has ended its
            `first-round` of collection, or after a share of its requests (`25%`); None keeps what the device
            says.
        seed: of every random draw; None keeps what the device says.
        remap: what to do with a trace larger than the drive: refuse (`none`), wrap its addresses (`wrap`),
            number pages as they are first touched (`compact`), or shrink its addresses (`scale`); None keeps
            what the device says.
        audit: check the drive's invariants and that every page reads back its newest version.
        record_requests: keep one row per request in `Result.requests`.
        record_gc: keep one row per collected block in `Result.gc_log`.
        record_timeline: keep one row per interval of simulated time in `Result.timeline`.
        record_blocks: keep what every block holds at some 250 moments, in `Result.block_frames`; with
            `record_gc` for `Result.to_watch`.
        record_spans: keep one row for everything that lasts (transfers, operations, jobs) and begins from the
            first on and before the second of these two instants of simulated time, ns, in `Result.spans`.
        load_state: start from this saved state instead of warming up.
        save_state: save the state after the warm-up to this file, which must not exist.
        force: save the state over a file that is there, but never over one that is read.
        progress: called about ten times a second.
        warn: issue the warnings and doubts of the result's verdict as `ResultWarning`.
        accept_build: other builds whose saved state may be loaded, as the message names them.
        workers: how many windows of the trace (`measure.windows`) are measured at once, each with a drive of
            its own in memory; None is one for each processor. Any number leaves the same results.

    Raises:
        InputError: for a setting or a trace that cannot be used.
        AuditError: if the audit finds a broken invariant.
        SimulationError: if the run cannot finish.

    >>> import reclaim
    >>> drive = reclaim.Device.preset("gc-bypass-mini")
    >>> writes = reclaim.uniform_trace(footprint_bytes=1 << 20, count=1000, mean_interarrival_ns=100_000)
    >>> result = reclaim.simulate(drive, writes, warmup="workload")
    >>> result.write.count, result.verdict.level  # warm-up had played them until the drive was steady
    (1000, 'trustworthy')
    """
    load_state = None if load_state is None else file_to_read("load_state", load_state)
    save_state = None if save_state is None else path("save_state", save_state)
    accepted = builds.checked(accept_build, option="accept_build")
    settings: dict[str, Value] = warmup_settings(warmup) if warmup is not None else {}
    given = {"measure.after": measure_after, "seed": seed}
    settings |= {key: value for key, value in given.items() if value is not None}
    if remap is not None:
        settings |= remap_setting(remap)
    device = device.with_scheme(*([] if scheme is None else [scheme]), settings=settings)
    if (load_state is not None or save_state is not None) and (without := device.forgetful()):
        raise InputError(f"{without[0]}: {FORGETFUL}, so that it neither saves a state nor starts from one")
    if (without := device.forgetful()) and "windows" in device.config["measure"]:
        raise InputError(
            f"measure.windows: {without[0]} {FORGETFUL}, so that no window can start from its state"
        )
    began = time.perf_counter()

    def run(state: Path | None, told: Progress | None) -> _core.Outcome:
        return _core.run(
            device._core,
            trace._core,
            places=places(device._core.merged_files()),
            audit=audit,
            record_requests=record_requests,
            record_gc=record_gc,
            record_timeline=record_timeline,
            record_blocks=record_blocks,
            record_spans=record_spans,
            snapshot_in=load_state,
            snapshot_out=state,
            build=builds.build() if load_state is not None or state is not None else "",
            accepted=accepted,
            workers=(os.cpu_count() or 1) if workers is None else workers,
            progress=told,
        )

    with loading_a_state():
        if save_state is None:
            outcome = run(None, progress)
        else:
            reading = [*device.files(), *trace.files, *merged_paths(device.merged_files())]
            reading += [load_state] if load_state is not None else []
            outcome = _saving(save_state, reading, run, progress, force=force)
    wall_seconds = time.perf_counter() - began
    config = noted(device.to_toml(), device._core.settings)
    told = outcome.results_json()
    result = Result(told, config_toml=config, outcome=outcome, wall_seconds=wall_seconds, known=True)
    if warn:
        for remark in (*result.verdict.warnings, *result.verdict.doubts):
            warnings.warn(f"{remark.code}: {remark.text}", ResultWarning, stacklevel=3)
    return result
