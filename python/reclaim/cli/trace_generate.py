"""`reclaim trace generate`: requests from a description."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from reclaim import output_file
from reclaim.cli import options, streams
from reclaim.cli.console import err, out
from reclaim.cli.progress import busy
from reclaim.cli.writing import As, Force, files_read, say_lost_label
from reclaim.errors import InputError
from reclaim.trace.generate import (
    FioJobs,
    JobSection,
    fio_jobs,
    generate_trace,
    jobs_trace,
    read_jobs,
    write_trace,
)
from reclaim.trace.generate.fio_options import is_known
from reclaim.trace.trace import Trace, open_trace
from reclaim.trace.trace_hints import is_fio_job_file


def _from_fio(jobs: FioJobs, name: str, folder: Path, target: Path) -> Trace:
    for note in jobs.notes:
        err.print(f"note: {note}", style="dim")
    if len(jobs.parts) == 1:
        return generate_trace(name=name, **jobs.parts[0].job.description)
    if target.suffix == ".toml":
        raise InputError(f"{target}: {len(jobs.parts)} jobs are no one description; write .csv or .parquet")
    return jobs_trace(jobs, folder, name)


def _is_option(word: str) -> bool:
    """Whether a word is an option of fio, perhaps one without a value."""
    return "=" in word or (is_known(word) and not Path(word).exists())


def _options(words: list[str]) -> dict[str, str]:
    pairs = [word.partition("=") for word in words]
    twice = {key for key, _, _ in pairs if [other for other, _, _ in pairs].count(key) > 1}
    if twice:
        raise InputError(f"{', '.join(sorted(twice))} is given twice; give it once")
    return {key: value if equals else "1" for key, equals, value in pairs}


def _described(words: list[str], folder: Path, target: Path) -> Trace:
    if all(_is_option(word) for word in words):
        jobs = fio_jobs([JobSection("fio", _options(words), {})], "fio")
        return _from_fio(jobs, "fio", folder, target)
    path = Path(words[0])
    if is_fio_job_file(path) and all(_is_option(word) for word in words[1:]):
        return _from_fio(fio_jobs(read_jobs(path), str(path), _options(words[1:])), path.stem, folder, target)
    if len(words) > 1:
        raise InputError(
            f"{' '.join(words)}: give one description (a file), or only fio options "
            "such as rw=randwrite bs=4k size=1g; behind a job file of fio, options that replace those in it"
        )
    path = Path(words[0])
    trace = open_trace(path)
    if trace.description is None:
        raise InputError(
            f"{path}: is a trace in format {trace.format}, not the description of a generated one"
        )
    return trace


def generate(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="SPEC|KEY=VALUE… OUT",
            help="A description (TOML, JSON or a fio job file) or fio options, and the file to write: .csv, "
            ".parquet, .mqsim (or .trace), .fio (or .iolog), text also .gz, .zst, .bz2, .xz; or .toml, a "
            "description.",
        ),
    ],
    as_: As = None,
    force: Force = False,
    json: options.Json = False,
) -> None:
    """Make a trace from a description: uniform, Zipf, hot/cold, streams, mixtures; bursts; as fio would."""
    if len(words) < 2:
        raise InputError(
            "give a description and the file to write, as in: reclaim trace generate hot.toml hot.csv"
        )
    *source, out_word = words
    if "=" in out_word:
        raise InputError(f"{out_word}: the last word is the file to write")
    target = Path(out_word)
    reading = [] if _is_option(source[0]) else files_read(source[0])
    output_file.check(target, reading=reading, overwrite=force)
    with TemporaryDirectory() as folder:
        trace = _described(source, Path(folder), target)
        with busy(f"writing {target}"):
            losses = write_trace(trace, target, format=as_, force=force)
    for loss in losses:
        err.print(f"lost: {loss}")
    if json:
        streams.write_json({"file": str(target), "provenance": trace.provenance, "lost": list(losses)})
    else:
        out.print(f"{target}: {trace.provenance}")
    if as_ is not None or target.suffix != ".toml":
        say_lost_label(trace, target)
