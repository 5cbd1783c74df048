"""What a recording needs, and why it cannot be made where something is missing. Nothing is touched here."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from reclaim import output_file
from reclaim.trace.record.plan import RecordingPlan

PROGRAMS = {
    "losetup": "util-linux",
    "mkfs.ext4": "e2fsprogs",
    "mount": "mount (util-linux)",
    "umount": "mount (util-linux)",
}
"""Programs and the packages they come in."""
TRACEFS = (Path("/sys/kernel/tracing"), Path("/sys/kernel/debug/tracing"))
CGROUP = Path("/sys/fs/cgroup")
OWN_CGROUP = Path("/proc/self/cgroup")
LOOP_CONTROL = Path("/dev/loop-control")
UNLIMITED = 1 << 60
"""Cgroup version 1 writes no limit as a number near 2^63."""
RESERVE_BYTES = 1 << 30


def missing(plan: RecordingPlan, *, memory_limit_accepted: bool = False) -> list[str]:
    """Say everything that stands in the way of a recording; nothing if nothing does."""
    if sys.platform != "linux":
        return [f"recording needs Linux and its block tracepoints; this is {sys.platform}"]
    reasons = []
    if os.geteuid() != 0:
        reasons.append(
            "recording needs root: it makes a loop device, mounts it and reads the kernel's trace buffer"
        )
    found = {
        name: shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin") for name in PROGRAMS
    }
    reasons += [
        f"{name} is not installed (package {PROGRAMS[name]})" for name, path in found.items() if path is None
    ]
    if not _kernel_traces():
        reasons.append(
            "the kernel has no tracefs (CONFIG_TRACING, CONFIG_BLK_DEV_IO_TRACE), or it is not shown here"
        )
    if not LOOP_CONTROL.exists():
        reasons.append("there are no loop devices: /dev/loop-control is missing (modprobe loop)")
    reasons += _about_paths(plan)
    limit = memory_limit()
    if limit is not None and not memory_limit_accepted:
        reasons.append(
            f"this process may use {limit >> 20} MiB of memory at most (a control group's limit): a file "
            "system on a loop device under it can stop answering for good, because its unwritten pages count "
            "but cannot be reclaimed; record outside the group, or insist with --under-memory-limit"
        )
    if not plan.command:
        reasons.append("no command: reclaim trace record -o FILE -- COMMAND")
    elif shutil.which(plan.command[0]) is None and not Path(plan.command[0]).exists():
        reasons.append(f"{plan.command[0]}: no such command")
    return reasons


def _kernel_traces() -> bool:
    if any((place / "events" / "block").is_dir() for place in TRACEFS):
        return True
    try:
        return "tracefs" in Path("/proc/filesystems").read_text(encoding="ascii").split()
    except OSError:
        return False


def _about_paths(plan: RecordingPlan) -> list[str]:
    unwritable = output_file.fault(plan.output, overwrite=plan.overwrite)
    if unwritable is not None:
        return [unwritable]
    if plan.workspace is not None and not plan.folder.is_dir():
        return [f"{plan.folder}: no such folder"]
    if plan.output.suffix in {".zst", ".xz", ".bz2"}:
        return [f"{plan.output}: is written plain, or packed where the name ends in .gz"]
    left = [str(each) for each in (plan.image, plan.mount_point) if each.exists()]
    if left:
        return [f"{', '.join(left)}: there already, of a recording under way or killed; see losetup -a"]
    free = shutil.disk_usage(output_file.nearest(plan.folder)).free
    if free < plan.size_bytes + RESERVE_BYTES:
        room = f"{free >> 20} MiB are free, but the device may grow to {plan.size_bytes >> 20} MiB"
        return [f"{plan.folder}: {room}; make it smaller with --size, or put it elsewhere with --workspace"]
    return []


def memory_limit() -> int | None:
    """Least memory limit in bytes of the control groups this process is in; None if it has none."""
    try:
        # Groups may have any name.
        lines = OWN_CGROUP.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return None
    files = []
    for line in lines:
        _, controllers, group = line.split(":", 2)
        if not controllers:
            files += [place / "memory.max" for place in _upwards(CGROUP, group)]
        elif "memory" in controllers.split(","):
            files += [place / "memory.limit_in_bytes" for place in _upwards(CGROUP / "memory", group)]
    limits = []
    for file in files:
        try:
            limits.append(int(file.read_text(encoding="ascii")))
        except (OSError, ValueError):
            continue
    return min((each for each in limits if each < UNLIMITED), default=None)


def _upwards(root: Path, group: str) -> list[Path]:
    """Folders of a group and of all groups it is in."""
    parts = [part for part in group.split("/") if part]
    return [root.joinpath(*parts[:length]) for length in range(len(parts), -1, -1)]
