"""Files that describe requests and are no traces themselves, recognised to say what makes a trace of them."""

from __future__ import annotations

from pathlib import Path

from reclaim import input_file

HEAD_BYTES = 4096


def _head(path: Path) -> tuple[str, str]:
    """Give the beginning of a file, and its first line that is no comment; empty if it cannot be read."""
    try:
        with input_file.opened(path) as file:
            head = file.read(HEAD_BYTES).decode("utf-8-sig", errors="replace")
    except OSError:
        return "", ""
    lines = (line.strip() for line in head.splitlines())
    return head, next((line for line in lines if line and not line.startswith(("#", ";"))), "")


def is_table(path: Path) -> bool:
    """Whether a file is a table of published figures, for `reclaim trace synthesize`."""
    return _head(path)[1].replace(" ", "") == "published=1"


def is_fio_job_file(path: Path) -> bool:
    """Whether a file is a job file of fio, for `reclaim trace generate`."""
    head, first = _head(path)
    says_so = "rw=" in head.replace(" ", "").replace("readwrite=", "rw=")
    return first.startswith("[") and (path.suffix == ".fio" or says_so)


def is_device_file(path: Path) -> bool:
    """Whether a file describes a drive: what it is based on, or its dimensions."""
    head, first = _head(path)
    compact = head.replace(" ", "")
    return path.suffix == ".toml" and (
        first.replace(" ", "").startswith("base=") or "\n[geometry]" in f"\n{compact}"
    )


def is_result(path: Path) -> bool:
    """Whether a file is a results.json."""
    head, first = _head(path)
    return first.startswith("{") and '"device"' in head and '"format"' in head


def hint(path: Path) -> str | None:
    """Say what makes a trace of a file that is none; None for other files.

    >>> hint(Path("missing.toml")) is None
    True
    """
    if is_table(path):
        return (
            f"{path}: is a table of published figures, not a trace; to make a stand-in of it, name the file "
            f"to write: reclaim trace synthesize {path} OUT.toml"
        )
    if is_fio_job_file(path):
        return (
            f"{path}: is a job file of fio, not a trace; to make a trace of it: "
            f"reclaim trace generate {path} OUT.csv"
        )
    if is_device_file(path):
        return f"{path}: is a device file, not a trace; a drive is given with --device"
    if is_result(path):
        return f"{path}: is a results file, not a trace; reclaim.Result.load reads it"
    return None
